import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { exclusively, makeDataFolder } from '../../../scripts/data-folder.mjs';
import {
  ConfigurationError,
  processEnvironment,
  readOwnerConfig,
  readServiceConfig,
} from '../../config/config.ts';
import type { PriceKind, StartFacts } from '../local/facts.ts';
import { readJsonFile, startFiles, writeSecretFile } from '../local/folder.ts';
import { type BeginProcess, type ServiceProcess, startProcess } from '../local/processes.ts';
import { startBlock } from './start/block.ts';
import { findOrCreateDemo, startAct } from './start/demo.ts';
import { findOrMakeDemoAnalyst } from './start/demo-analyst.ts';
import { demoAssets } from './start/demo-assets.ts';
import { ensureDemoBills } from './start/demo-bills.ts';
import { FIRST_REDIRECT_URI, openDemoPages } from './start/demo-pages.ts';
import { ensureDemoRecords } from './start/demo-records.ts';
import { logFileOf, prepareServers } from './start/environment.ts';
import { runDemoFleet } from './start/fleet.ts';
import {
  answersRealSource,
  beginFeed,
  choosePrices,
  priceEnvironment,
  startSyntheticFeed,
} from './start/price-choice.ts';
import { fillPriceHistory, pricesLine, pullNearDays } from './start/price-history.ts';
import { storeFirstReferenceData } from './start/reference-data.ts';
import { keepRunning, nextEnvironment, startService } from './start/running-service.ts';
import { createScreen, type Screen } from './start/screen.ts';

interface StartOptions {
  prices?: PriceKind;
  demo?: boolean;
  minutes: number;
  json: boolean;
}

const SNAPSHOT_TABLE = 'asset_snapshots';
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
  /* Asked while the servers come up, so that nobody waits for it. */
  const answers = options.prices === undefined ? answersRealSource() : Promise.resolve(false);
  const preparing = prepareServers(readOwnerConfig(), screen);
  /* An interrupt while servers come up waits for them: half started, nobody would know what to end. */
  begun.push({
    stop: () =>
      preparing.then(
        (prepared) => prepared.stop(),
        () => {},
      ),
  });
  const servers = await preparing;

  const choice = await choosePrices({ databaseUrl: servers.appUrl, wanted: options.prices, answers });
  const feed = choice.kind === 'synthetic' ? await startSyntheticFeed(begin) : null;
  const known = await readJsonFile<StartFacts>(startFiles.facts);
  const pages = await openDemoPages(known?.redirect_uri ?? FIRST_REDIRECT_URI);
  begun.push(pages);
  const more = {
    ...priceEnvironment(feed?.url ?? null, processEnvironment()),
    CHECKOUT_HOST: pages.checkoutHost,
    API_PROCESSES: processEnvironment().API_PROCESSES ?? '',
  };
  const config = readServiceConfig(await nextEnvironment(servers, more));
  screen.done(await storeFirstReferenceData(config));
  const { demo, isNew } = await findOrCreateDemo(config, pages.redirectUri);
  screen.done(isNew ? 'demo organization created' : 'demo organization found');

  const analyst = await findOrMakeDemoAnalyst(
    { ownerUrl: servers.ownerUrl, known: known?.analyst_url ?? null },
    demo.organization,
    startAct(),
  );
  if (analyst.problem !== null) screen.say(`  No account for an analyst: ${analyst.problem}`);

  /* Nobody is turned away for prices: the worker asks again. */
  const pulling = pullNearDays(config).catch(() => 0);
  const { environment, api, worker } = await startService(servers, more, begin);
  pages.lead({ base_url: environment.BASE_URL, client_id: demo.client_id });
  screen.done(`API${config.processes > 1 ? ` (${config.processes} processes)` : ''} and worker ready`);
  screen.done(await pulling.then((days) => pricesLine(choice, days)));
  await writeSecretFile(
    startFiles.environment,
    Object.entries({ ...environment, DATABASE_OWNER_URL: servers.ownerUrl })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const facts: StartFacts = {
    base_url: environment.BASE_URL,
    database_url: servers.lookUrl,
    analyst_url: analyst.address,
    redis_url: servers.redisUrl,
    organization: demo.organization,
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    redirect_uri: demo.redirect_uri,
    household: demo.household,
    assets: await demoAssets(environment.BASE_URL, demo),
    snapshot_table: SNAPSHOT_TABLE,
    prices: choice.kind,
    feed_url: feed?.url ?? null,
    fleet_households: demo.fleet_households,
    api_pid: api.pid,
    worker_pid: worker.pid,
  };
  const tell = (text: string) => {
    if (!interrupted.signal.aborted) screen.say(`  ${text}`);
  };
  await ensureDemoRecords(config, environment.BASE_URL, demo).then(
    () =>
      screen.done(
        'demo plans, contracts and usage are there; bills follow when the prices of their months do',
      ),
    (error: Error) =>
      tell(`Records of the demo are not complete, the next start goes on with them: ${error.message}`),
  );
  const writeFacts = () => writeSecretFile(startFiles.facts, `${JSON.stringify(facts, null, 2)}\n`);
  await writeFacts();
  await writeSecretFile(
    startFiles.running,
    `${JSON.stringify({ pid: process.pid, base_url: facts.base_url })}\n`,
  );
  if (options.json) process.stdout.write(`${JSON.stringify(facts)}\n`);
  else screen.say(startBlock(facts));

  const history = fillPriceHistory({ environment, kind: choice.kind, begin });
  /* Bills need the prices of their months. */
  const billing = history.then(async (text) => {
    tell(text);
    tell(await ensureDemoBills({ ...config, ownerUrl: servers.ownerUrl }, demo.organization));
  });
  void billing.catch((error: Error) =>
    tell(`prices or bills of the demo are not complete: ${error.message}`),
  );
  /* Who dies is begun again at the same address: tokens and the configuration of the others name it. */
  const { signal } = interrupted;
  const keep = (part: ServiceProcess, again: () => ServiceProcess, onNext: (pid: number) => void) =>
    keepRunning(part, {
      begin: again,
      signal,
      async onRestart(next, reason) {
        onNext(next.pid);
        await writeFacts();
        tell(
          `${next.name} ended (${reason}) and was started again (process ${next.pid}); log: ${next.logFile}`,
        );
      },
    });
  const keeping = [
    keep(
      api,
      () => begin('API', 'src/main.ts', environment),
      (pid) => {
        facts.api_pid = pid;
      },
    ),
    keep(
      worker,
      () => begin('Worker', 'workers/main.ts', environment),
      (pid) => {
        facts.worker_pid = pid;
      },
    ),
    ...(feed === null
      ? []
      : [
          keep(
            feed.process,
            () => beginFeed(begin, feed.url),
            () => {},
          ),
        ]),
  ];
  if (options.demo ?? isNew) {
    void runDemoFleet({ facts, minutes: options.minutes, signal, screen }).catch((error: Error) =>
      tell(`The fleet simulation failed, the service goes on: ${error.message}`),
    );
  }
  const failure = await Promise.race([
    servers.ended(signal),
    ...keeping.map((kept) => kept.then(() => null)),
  ]);
  if (failure !== null && !signal.aborted) throw new Error(failure);
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
    .option('--minutes <number>', 'how long the fleet pushes', Number, 10)
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
