import { Command, InvalidArgumentError, Option } from 'commander';
import type { Report } from './measure/report.ts';
import { Cleanup } from './surroundings/cleanup.ts';
import { EXIT_CODES } from './surroundings/failures.ts';

/* What all runs have in common on the command line. */

const EXIT_TEXT = `
Exit codes
${Object.values(EXIT_CODES)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join('\n')}
`;

export function numberFrom(low: number, high: number, isWhole = true) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= low && value <= high) || (isWhole && !Number.isInteger(value))) {
      throw new InvalidArgumentError(`Takes a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}.`);
    }
    return value;
  };
}

/** `32,1000`: each of them in turn. */
export function listOption(
  [flags, description]: readonly [flags: string, description: string],
  [low, high]: readonly [number, number],
  preset: readonly number[],
): Option {
  const number = numberFrom(low, high);
  return new Option(flags, description)
    .argParser((text: string): number[] => text.split(',').map(number))
    .default(preset, preset.join(','));
}

export const cleanup = new Cleanup();
export const say = (line: string) => void process.stderr.write(`  ${line}\n`);

/** Ctrl-C: what the run has put somewhere goes, then the process. A second one ends at once. */
function interrupt(): void {
  process.removeListener('SIGINT', interrupt);
  process.removeListener('SIGTERM', interrupt);
  say('interrupted: clearing up');
  const failed = (error: unknown) => say(`not all of it: ${error instanceof Error ? error.message : error}`);
  void cleanup
    .run()
    .catch(failed)
    .finally(() => process.exit(130));
}

/** Runs a scenario, prints what it found, and sets the exit code. */
export async function report(json: boolean, scenario: () => Promise<Report>): Promise<void> {
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const found = await scenario();
  const path = await found.save();
  process.stdout.write(`${json ? JSON.stringify(found.toJson(), null, 2) : `\n${found.toText()}`}\n`);
  process.stderr.write(`Result: ${path}\n`);
  process.exitCode = found.exit.code;
}

export const program = new Command('npm run load --')
  .description('Load runs against the service, each with its baseline in turn in the same run')
  .addHelpText('after', EXIT_TEXT)
  .exitOverride()
  .showHelpAfterError();

/** Batches go to so many processes of the service, and the same rows to others. */
export function againstOthers(command: Command): Command {
  return command
    .option('--processes <number>', 'API processes of the service', numberFrom(1, 64), 1)
    .option('--influxd <path>', 'also InfluxDB 1.x in turn, started from this program')
    .option('--victoria-metrics <path>', 'also VictoriaMetrics in turn, started from this program');
}

/** The run makes a service of its own, or takes one that runs somewhere. */
export function takingAddresses(command: Command): Command {
  return command
    .option('--base-url <url>', 'a running service; with the three below')
    .option('--database-url <url>', 'its database, as a user who may write and count')
    .option('--client-id <id>', 'a client of it whose rate is not limited')
    .option('--secret-stdin', 'takes its secret from the standard input');
}

/** A run with what every run can be told. */
export function measurement(name: string, rounds = 3): Command {
  return program
    .command(name)
    .option('--rounds <number>', 'rounds; medians are compared', numberFrom(1, 100), rounds)
    .option(
      '--quiet-seconds <number>',
      'wait so long for a machine that is busy otherwise',
      numberFrom(0, 600),
      20,
    )
    .option('--json', 'print the result as JSON', false);
}
