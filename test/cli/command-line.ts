import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { runDatabaseCommandLine } from '../../src/cli/database-command-line.ts';
import type { CommandIo } from '../../src/cli/engine/io.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { commandDatabases } from '../setup/administrator.ts';

/** What a list says at standard error that `--limit` cut. */
export const CUT = /^There are more than these \d+: --limit shows more of them\.\n$/;

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the operator's command line in the process of the test, with this environment and nothing of the shell's. */
export function runCommand(
  environment: Record<string, string>,
  ...args: readonly string[]
): Promise<CommandResult> {
  return resultOf(runCommandLine, environment, args);
}

/** The same by the clock of a test, for files whose service has one that stands still. */
export function runCommandAt(
  clock: Clock,
  environment: Record<string, string>,
  ...args: readonly string[]
): Promise<CommandResult> {
  return resultOf((words, io) => runCommandLine(words, { ...io, clock }), environment, args);
}

/** The same, with this at its standard input. */
export function runTypedCommand(
  environment: Record<string, string>,
  typed: string,
  ...args: readonly string[]
): Promise<CommandResult> {
  return resultOf(runCommandLine, environment, args, typed);
}

/** The same for `npm run db --`. */
export function runDatabaseCommand(
  environment: Record<string, string>,
  ...args: readonly string[]
): Promise<CommandResult> {
  return resultOf(runDatabaseCommandLine, environment, args);
}

async function resultOf(
  commandLine: (args: readonly string[], io: CommandIo) => Promise<number>,
  environment: Record<string, string>,
  args: readonly string[],
  typed?: string,
): Promise<CommandResult> {
  const io = collectingIo(environment, typed);
  const exitCode = await commandLine(args, io);
  return { exitCode, stdout: io.stdout.text, stderr: io.stderr.text };
}

/** Nobody is there to answer but with what was typed before, and nobody interrupts. */
export function collectingIo(environment: Record<string, string>, typed?: string) {
  return {
    environment,
    stdout: new Collected(),
    stderr: new Collected(),
    stdin: Readable.from(typed === undefined ? [] : [Buffer.from(typed)]),
    interruption: () => new AbortController().signal,
    page: async () => {
      throw new Error('Nobody reads here');
    },
    databases: commandDatabases,
  } satisfies CommandIo;
}

/** No terminal, and everything that was written to it. */
class Collected extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(text: string | Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.text += typeof text === 'string' ? text : Buffer.from(text).toString();
    done();
  }
}
