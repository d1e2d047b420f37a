import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Screen } from './table.ts';

/** The output of a command. A terminal says that it is one, and how many characters and lines it has. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Characters of a line, where nobody says how wide it is. */
const WIDTH = 80;

export function widthOf({ isTTY, columns = WIDTH }: Output): number {
  return isTTY === true ? columns : WIDTH;
}

/** Colours are for terminals, and not where NO_COLOR has a value (no-color.org). */
export function hasColour({ isTTY }: Output): boolean {
  const { NO_COLOR = '', TERM } = commandIo().environment;
  return isTTY === true && NO_COLOR === '' && TERM !== 'dumb';
}

export function screenOf(output: Output): Screen {
  const isTerminal = output.isTTY === true;
  const width = isTerminal ? widthOf(output) : Number.POSITIVE_INFINITY;
  return { width, isTerminal, hasColour: hasColour(output) };
}

/** What a command has of the world around it. No command takes anything from the process by itself. */
export interface CommandIo {
  readonly environment: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** What stands before the file of the command line: `run` of docs/deployment.md, or Node itself. Absent where npm starts it. */
  readonly startedBy?: 'run' | 'node' | undefined;
  /** Asked for by commands that end well when they are interrupted. All others simply end. */
  interruption(): AbortSignal;
  /** Shows the text by this command of the shell, until the reader has seen enough. */
  page(pager: string, text: string): Promise<void>;
  /** By address, left open for the next command where one process runs many: who gave the map closes them. */
  readonly databases?: Map<string, Database>;
  /** Told where the act of the command changed nothing: what it was to enter stood there already. */
  unchanged?(): void;
  /** Of a process that lives by another clock than its database. */
  readonly clock?: Clock;
}

const running = new AsyncLocalStorage<{ readonly io: CommandIo; exitCode: number; wantsPager: boolean }>();

/** Does the work of a command with this `io`, and returns the exit code. Several may work at the same time. */
export async function withCommandIo(io: CommandIo, work: () => Promise<void>): Promise<number> {
  const command = { io, exitCode: 0, wantsPager: true };
  await running.run(command, work);
  return command.exitCode;
}

/** The `io` of the command that asks. Callbacks of streams and sockets take it beforehand. */
export function commandIo(): CommandIo {
  return current().io;
}

/** Texts name commands as npm starts them. A command that was started otherwise names them as they are typed then. */
export function asTyped(text: string, { startedBy }: Pick<CommandIo, 'startedBy'> = commandIo()): string {
  if (startedBy === undefined) return text;
  return text
    .replaceAll('npm run cli --', `${startedBy} src/cli/main.ts`)
    .replaceAll('npm run db --', `${startedBy} src/cli/db.ts`);
}

/** The command goes on; when it is through, it ends with this code. */
export function endWith(exitCode: number): void {
  current().exitCode = exitCode;
}

/** The command writes, however long it is. */
export function withoutPager(): void {
  current().wantsPager = false;
}

export function wantsPager(): boolean {
  return current().wantsPager;
}

function current() {
  const command = running.getStore();
  if (command === undefined) throw new Error('No command runs here');
  return command;
}
