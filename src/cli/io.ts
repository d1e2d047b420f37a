import { AsyncLocalStorage } from 'node:async_hooks';
import type { Environment } from '../config/config.ts';

/** Where a command writes: a terminal says so, and how wide it is. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Characters of a line, where nobody says how wide it is. */
const WIDTH = 80;

export function widthOf({ isTTY, columns = WIDTH }: Output): number {
  return isTTY === true ? columns : WIDTH;
}

/** What a command has of the world around it. No command takes anything from the process by itself. */
export interface CommandIo {
  readonly environment: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Asked for by commands that end well when they are interrupted. All others simply end. */
  interruption(): AbortSignal;
}

const running = new AsyncLocalStorage<{ readonly io: CommandIo; exitCode: number }>();

/** Does the work of a command with this `io`, and returns the exit code. Several may work at the same time. */
export async function withCommandIo(io: CommandIo, work: () => Promise<void>): Promise<number> {
  const command = { io, exitCode: 0 };
  await running.run(command, work);
  return command.exitCode;
}

/** The `io` of the command that asks. Callbacks of streams and sockets take it beforehand. */
export function commandIo(): CommandIo {
  return current().io;
}

/** The command goes on; when it is through, it ends with this code. */
export function endWith(exitCode: number): void {
  current().exitCode = exitCode;
}

function current() {
  const command = running.getStore();
  if (command === undefined) throw new Error('No command runs here');
  return command;
}
