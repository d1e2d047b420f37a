import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { exclusively, makeDataFolder } from '../../../scripts/data-folder.mjs';
import { ConfigurationError, readOwnerConfig } from '../../config/config.ts';
import { readJsonFile, startFiles } from '../local/folder.ts';
import { type BeginProcess, startProcess } from '../local/processes.ts';
import { logFileOf, prepareServers } from './start/environment.ts';
import { createScreen, type Screen } from './start/screen.ts';
import type { StartOptions } from './start/serve.ts';

const SAME_SIGNAL_MILLISECONDS = 1000;

/** What was begun, newest last: ended in reverse. */
const begun: { stop(): Promise<void> }[] = [];
let stopping: Promise<void> | null = null;
const interrupted = new AbortController();

function stopAll(): Promise<void> {
  stopping ??= (async () => {
    interrupted.abort();
    const failures: unknown[] = [];
    for (const part of begun.toReversed()) await part.stop().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  })();
  return stopping;
}

async function start(options: StartOptions, screen: Screen): Promise<void> {
  await makeDataFolder();
  screen.done(`Node ${process.versions.node}`);
  const beginning = Promise.withResolvers<void>();
  const preparing = prepareServers(readOwnerConfig(), screen, beginning.resolve);
  /* An interrupt while servers come up waits for them: half started, nobody would know what to end. */
  begun.push({
    stop: () =>
      preparing.then(
        (prepared) => prepared.stop(),
        () => {},
      ),
  });
  await Promise.race([beginning.promise, preparing]);
  /* To load the rest keeps this process busy for as long as PostgreSQL needs until it answers. */
  const { serve } = await import('./start/serve.ts');
  await serve({ preparing, options, screen, begin, begun, signal: interrupted.signal });
}

const begin: BeginProcess = (name, program, environment, more) => {
  if (interrupted.signal.aborted) throw new Error('interrupted');
  const part = startProcess({ name, program, environment, logFile: logFileOf(name.toLowerCase()), ...more });
  begun.push(part);
  return part;
};

/** A second start in the same folder would fight for the same data: it says where the first one runs. */
async function refuseSecondStart(): Promise<never> {
  const running = await readJsonFile<{ pid: number; base_url: string }>(startFiles.running).catch(() => null);
  const holder = await readFile(join(startFiles.lock, 'owner'), 'utf8').catch(() => '');
  const isCurrent = running !== null && Number.parseInt(holder, 10) === running.pid;
  const where = isCurrent
    ? `it runs already at ${running.base_url}`
    : 'another start is under way in this folder';
  throw new Error(`Not started: ${where}. Data and keys of this folder are in use.`);
}

/** The longest that a timer of Node waits. */
const MINUTES_MAX = 35_000;

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= MINUTES_MAX) return minutes;
  throw new InvalidArgumentError(`A number above 0 and at most ${MINUTES_MAX}.`);
}

async function main(): Promise<void> {
  const program = new Command('npm start --')
    .description('Starts the service with everything it needs, and a demo organization to try it with.')
    .option('--demo', 'push a simulated fleet through the interface (the default on the first start)')
    .option('--no-demo', 'leave the fleet out')
    .addOption(
      new Option(
        '--prices <kind>',
        'real, or synthetic from a feed of its own; otherwise real where a source answers, and what the database holds',
      ).choices(['real', 'synthetic']),
    )
    .option('--minutes <number>', 'how long the fleet pushes', minutesOf, 10)
    .option('--json', 'print the facts as one JSON object instead of the block', false)
    .parse();
  const given = program.opts<StartOptions>();
  /* Commander turns a pair of --demo and --no-demo into true by default; here "not said" means "on the first start". */
  const options: StartOptions = { ...given };
  if (program.getOptionValueSource('demo') !== 'cli') delete options.demo;
  const screen = createScreen(process.stdout, options.json);

  let interruptedAt = 0;
  const end = () => {
    /* A signal to a whole group arrives twice: by itself, and passed on by the launcher. */
    if (stopping !== null && performance.now() - interruptedAt < SAME_SIGNAL_MILLISECONDS) return;
    if (stopping !== null) process.exit(1);
    interruptedAt = performance.now();
    screen.endLive();
    screen.say('  Stopping what was started here …');
    /* A failure of this is said where the start itself ends. */
    void stopAll().catch(() => {});
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  /* A closed terminal, or a pipe whose reader has gone: nobody looks any more, and what was begun is ended. */
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      if (stopping === null) end();
    });
  }
  try {
    await exclusively(startFiles.lock, () => startAndStop(options, screen), refuseSecondStart);
  } catch (error) {
    fail(error);
  }
  process.exit(0);
}

/** The folder stays locked until everything has ended: the next start would find servers that are about to go. */
async function startAndStop(options: StartOptions, screen: Screen): Promise<void> {
  try {
    await start(options, screen);
  } catch (error) {
    /* What is interrupted ends with all sorts of errors. */
    if (!interrupted.signal.aborted) throw error;
  } finally {
    screen.endLive();
    await stopAll();
  }
}

function fail(error: unknown): never {
  const prefix = error instanceof ConfigurationError ? 'The configuration is not complete:\n' : '';
  process.stderr.write(`${prefix}${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

await main();
