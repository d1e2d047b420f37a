import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { readOwnerConfig } from '../../config/config.ts';
import { OpenDatabaseError } from '../../governance/analysts/service.ts';
import { type Clock, elapsedSeconds } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/database/db.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import { sumQuarterHoursNow } from '../../telemetry/quarter-hours/sum.ts';
import { withCommandIo } from '../engine/io.ts';
import { processIo } from '../engine/process-io.ts';
import { sentencesOf } from '../engine/sentences.ts';
import { commandLineEnvironment } from '../environment.ts';
import type { LearnerFacts } from '../local/facts.ts';
import { readJsonFile, startFiles, writeSecretFile } from '../local/folder.ts';
import { startProcess } from '../local/processes.ts';
import { withPriceSession } from '../prices/price-options.ts';
import { findOrMakeLearner, isSameDatabase } from './learning/account.ts';
import { LEARNING_DAYS, LEARNING_HOUSEHOLDS, LEARNING_ORGANIZATION } from './learning/households.ts';
import { learn } from './learning/learn.ts';
import { LEARNING_FEED } from './learning/prices.ts';
import { logFileOf } from './start/environment.ts';

/* `npm run learn`: thirty days of invented households to try the analysts' views with, the same on every machine. */

const grouped = new Intl.NumberFormat('en-US');
const say = (text: string) => process.stdout.write(`${text}\n`);

const PSQL = 'npm run -s db -- psql --as learner -f sql/queries/02-self-consumption-and-autarky.sql';
const CREATE = `npm run cli -- analysts create learner --organization ${LEARNING_ORGANIZATION.id} --reason 'learning data'`;

async function main(): Promise<void> {
  new Command('npm run learn')
    .description(
      'Stores an organization of invented households with 30 days of snapshots: what the samples of sql/queries come from. Running it again doubles nothing.',
    )
    .parse();
  const begun = performance.now();
  await withPriceSession(async ({ clock, config, parts }) => {
    const act = {
      staff: 'npm run learn',
      reason: 'learning data',
      command: 'learn',
      now: clock.now().toISOString(),
    };
    // Revised prices are part of the data, and no news to whoever asked for them.
    const quiet = { ...parts, log: parts.log.child({}, { level: 'warn' }) };
    const { snapshots, prices, contracts } = await learn(quiet, { act, openFeed });
    const { first, last } = LEARNING_DAYS;
    say(
      `${LEARNING_ORGANIZATION.id}: ${LEARNING_HOUSEHOLDS.length} invented households, ${first} to ${last}`,
    );
    const [stored, there] = [snapshots.stored, snapshots.duplicates].map((count) => grouped.format(count));
    say(`snapshots: ${stored} stored, ${there} sent again and known`);
    say(
      'days' in prices
        ? `prices: invented, for ${prices.days} days`
        : `prices: none stored, ${prices.leftOut}`,
    );
    say(
      'contracts' in contracts
        ? `contracts: ${contracts.contracts}, invented, with leads, usage and bills`
        : `contracts: none stored, ${contracts.leftOut}`,
    );
    say(await sumNow(config.DATABASE_URL, clock));
    const isKnown = await keepLearner(config.DATABASE_URL, act).catch((error: unknown) => {
      if (!(error instanceof OpenDatabaseError)) throw error;
      say(`no account: ${error.message}`);
      return false;
    });
    say(`${elapsedSeconds(begun).toFixed(1)} s. ${isKnown ? 'Try' : 'An account to read it'}:`);
    say(isKnown ? PSQL : CREATE);
  });
}

/** The address of another role of the same database, where it is known. */
function addressOf(
  role: 'DATABASE_OWNER_URL' | 'DATABASE_MAINTENANCE_URL',
  appUrl: string,
): string | undefined {
  const url = readOwnerConfig(commandLineEnvironment())[role];
  return url !== undefined && isSameDatabase(url, appUrl) ? url : undefined;
}

/** At once, where the role for it is known; the worker does it by itself later. */
async function sumNow(appUrl: string, clock: Clock): Promise<string> {
  const url = addressOf('DATABASE_MAINTENANCE_URL', appUrl);
  if (url === undefined) return 'sums by quarter hour: the worker makes them within some minutes';
  const maintenance = openDatabase({
    url,
    applicationName: 'voltstream-learn',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    await sumQuarterHoursNow({ maintenance, clock }, { signal: new AbortController().signal });
    return 'sums by quarter hour: made';
  } finally {
    await maintenance.close();
  }
}

/** False where the role that makes accounts is not known. */
async function keepLearner(appUrl: string, act: StaffAct): Promise<boolean> {
  const ownerUrl = addressOf('DATABASE_OWNER_URL', appUrl);
  if (ownerUrl === undefined) return false;
  const known = (await readJsonFile<Partial<LearnerFacts>>(startFiles.learner))?.analyst_url;
  const facts: LearnerFacts = { analyst_url: await findOrMakeLearner({ ownerUrl, known }, act) };
  await writeSecretFile(startFiles.learner, `${JSON.stringify(facts, null, 2)}\n`);
  return true;
}

async function openFeed(): Promise<{ url: string; close(): Promise<void> }> {
  const feed = startProcess({
    name: 'Feed',
    program: 'src/cli/demo/feed.ts',
    parameters: [
      ...['--port', '0', '--now', LEARNING_FEED.now],
      ...['--switch', `energy-charts.revision=${JSON.stringify(LEARNING_FEED.revision)}`],
    ],
    environment: {},
    logFile: logFileOf('feed'),
  });
  const url = await feed.listening;
  if (url === null) throw new Error(`The feed of invented prices did not start; its log: ${feed.logFile}`);
  return { url, close: () => feed.stop() };
}

try {
  await withCommandIo(processIo(), main);
} catch (error) {
  process.stderr.write(`${sentencesOf(error)}\n`);
  process.exitCode = 1;
}
