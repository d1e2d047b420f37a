import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type CommandIo, commandIo } from './io.ts';

/** Before something is deleted a text has to be typed. Anything else, or the end of the input, ends the command. */
export async function confirm(expected: string, otherwise: string, warning = ''): Promise<void> {
  const { stdin, stderr } = commandIo();
  const asking = createInterface({ input: stdin, output: stderr });
  try {
    const closed = new Promise<string>((done) => {
      asking.once('close', () => done(''));
    });
    const answer = asking.question(`${warning}Type ${expected} to go on: `);
    if ((await Promise.race([answer, closed])).trim() === expected) return;
  } finally {
    asking.close();
  }
  throw new Error(otherwise);
}

/** The first line of the standard input. As an argument a secret would be in the list of processes and the shell's history. */
export async function readSecret({ stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>): Promise<string> {
  const terminal = stdin.isTTY === true;
  if (terminal) stderr.write('Secret: ');
  /* On a terminal readline shows what is typed: nothing of it arrives there. */
  const silent = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal });
  try {
    for await (const line of lines) if (line.trim() !== '') return line.trim();
  } finally {
    lines.close();
    if (terminal) stderr.write('\n');
  }
  throw new Error('--secret-stdin: the standard input has no line with the secret');
}
