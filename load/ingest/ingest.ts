import { AUTOCANNON } from '../measure/closed-loop.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { SOCKET } from '../measure/socket-loop.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { planFleet, removeFleet, type SeededHousehold, storeFleet } from '../surroundings/seed.ts';
import { type AddressOptions, prepareSurroundings } from '../surroundings/service.ts';
import { badBatches } from './bad-batches.ts';
import { createBaselineTable, dropBaselineTable } from './baseline.ts';
import { besideSums } from './beside-sums.ts';
import { Bodies, checkBatchRows } from './bodies.ts';
import { Neighbour } from './neighbour.ts';
import { type OtherPrograms, Others } from './others.ts';
import { ingestRounds } from './rounds.ts';
import { type Run, SentBatches, verifyStored } from './run.ts';
import { openLoopLoad, sustainedLoad } from './sustained.ts';

export interface IngestOptions extends AddressOptions, OtherPrograms {
  seed: string;
  households: number;
  rows: number;
  batches: number;
  rounds: number;
  connections: number;
  minutes: number;
  gzip: boolean;
  sums: boolean;
  quietSeconds: number;
  /** API processes of the service; only of a service of the run's own. */
  processes: number;
  openLoop?: number;
}

const DAY_SECONDS = 86_400;

/** First midnight of the rows that a run sends: far enough back for all of them to be in the past. */
export function beginSeconds(daysBack: number): number {
  return Math.floor(Date.now() / 1000 / DAY_SECONDS - daysBack) * DAY_SECONDS;
}

const DAYS_BACK = 90;

/** Large batches: speed against `\copy`, batches sent again, bad batches, memory under load. */
export async function ingest(
  options: IngestOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  checkBatchRows(options.rows);
  const surroundings = await prepareSurroundings(options, cleanup);
  const { database, organization } = surroundings;
  const { databaseUrl: _url, ...configuration } = options;
  const report = new Report('ingest', await collectFacts(database), configuration);
  say(`storing ${options.households} households`);
  const everybody = planFleet(`${options.seed}/${organization}`, options.households + 1);
  const [fleet, neighbours] = [everybody.slice(0, -1), everybody.slice(-1)];
  if (surroundings.kind === 'given') {
    cleanup.add(async () => {
      say('taking the fleet and its rows out again');
      await dropBaselineTable(database);
      await removeFleet(database, organization, everybody);
    });
  }
  const keys = await storeFleet(database, organization, fleet);
  await storeFleet(database, organization, neighbours);
  await createBaselineTable(database);
  const sent = new SentBatches(
    new Bodies({ fleet, keys, rows: options.rows, beginSeconds: beginSeconds(DAYS_BACK) }),
  );
  const service = await surroundings.service('ingest', { API_PROCESSES: String(options.processes) });
  const others = await Others.start(options, report, cleanup);
  const run: Run = {
    surroundings,
    service,
    /* Beside other databases what the client takes of the machine would count against the faster one. */
    client: others.servers.length > 0 ? SOCKET : AUTOCANNON,
    sent,
    assetKeys: [...keys.values()],
    report,
    quietSecondsMax: options.quietSeconds,
    say,
  };

  const neighbour = new Neighbour(service, neighbours[0] as SeededHousehold, beginSeconds(DAYS_BACK));
  await ingestRounds(run, { ...options, others, neighbour });
  await dropBaselineTable(database);
  if (options.sums) await besideSums(run, options, cleanup);
  /* Before the bad batches: their answers of a megabyte leave a heap that good batches alone would not need. */
  if (options.minutes > 0) await sustainedLoad(run, options);
  if (options.openLoop !== undefined) {
    await openLoopLoad(run, { rate: options.openLoop, minutes: options.minutes > 0 ? options.minutes : 0.5 });
  }
  await badBatches(run);
  await verifyStored(run, 'at the end');
  return report;
}
