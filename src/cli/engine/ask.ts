import { createInterface } from 'node:readline/promises';
import { commandIo } from './io.ts';

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
