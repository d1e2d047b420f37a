import { type Command, CommanderError } from 'commander';
import { asTyped, type CommandIo, commandIo, hasColour, widthOf } from './io.ts';
import { bold } from './table.ts';

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
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(asTyped(text, io)),
      writeErr: (text) => stderr.write(asTyped(text, io)),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      getOutHasColors: () => hasColour(stdout),
      getErrHasColors: () => hasColour(stderr),
    })
    .configureHelp({ styleTitle: heading });
  for (const below of command.commands) within(below, io);
}

/** Commander takes the colour away where there is none. */
const heading = (title: string) => bold(title, { hasColour: true });

/** Below the help of a command: what is typed behind its name. */
export function withExamples(command: Command, typed: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  ${typed} ${example}`.trimEnd());
  return command.addHelpText('after', `\n${heading('Examples:')}\n${lines.join('\n')}`);
}

/** Ends the command as not understood: what was typed cannot be meant together, or not on this day. */
export function notUnderstood(problem: string): never {
  commandIo().stderr.write(`error: ${problem}\n`);
  throw new CommanderError(1, 'notUnderstood', problem);
}
