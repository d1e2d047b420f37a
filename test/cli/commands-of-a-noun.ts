import { CommanderError } from 'commander';
import { meterOrdersCommand } from '../../src/cli/meter-orders.ts';
import { sentencesOf } from '../../src/cli/sentences.ts';

/*
 * A process that runs many commands one after the other: lists of arguments come in as JSON, outcomes go out as JSON. For
 * tests of hundreds of commands, each of which would otherwise wait for a process of its own.
 */

async function outcomeOf(
  args: readonly string[],
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const kept = process.stdout.write;
  process.stdout.write = (text: string | Uint8Array) => {
    written.stdout += String(text);
    return true;
  };
  const noun = meterOrdersCommand();
  for (const command of [noun, ...noun.commands]) {
    command.exitOverride().configureOutput({ writeErr: (text) => (written.stderr += text) });
  }
  try {
    await noun.parseAsync(args, { from: 'user' });
    return { exitCode: 0, ...written };
  } catch (error) {
    if (error instanceof CommanderError) return { exitCode: 2, ...written };
    return { exitCode: 1, ...written, stderr: `${sentencesOf(error)}\n` };
  } finally {
    process.stdout.write = kept;
  }
}

let input = '';
for await (const part of process.stdin) input += String(part);
const outcomes: Awaited<ReturnType<typeof outcomeOf>>[] = [];
for (const args of JSON.parse(input) as string[][]) outcomes.push(await outcomeOf(args));
process.stdout.write(JSON.stringify(outcomes));
