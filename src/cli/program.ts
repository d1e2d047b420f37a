import type { Command } from 'commander';
import { type CommandIo, commandIo, widthOf } from './io.ts';

/**
 * Reads the arguments and does what they ask for. Commander, which would take the process's streams and end it, gets those
 * of the command and throws, also in the commands below.
 */
export async function runProgram(program: Command, args: readonly string[]): Promise<void> {
  within(program, commandIo());
  await program.parseAsync(args, { from: 'user' });
}

function within(command: Command, io: CommandIo): void {
  const { stdout, stderr } = io;
  command.exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
  });
  for (const below of command.commands) within(below, io);
}
