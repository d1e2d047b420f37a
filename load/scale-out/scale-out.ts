import { checkBatchRows } from '../ingest/bodies.ts';
import { fleetOf, sendNew } from '../ingest/new-batches.ts';
import { type Run, verifyStored } from '../ingest/run.ts';
import { checkpoint } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { metric } from '../measure/metrics.ts';
import { Report } from '../measure/report.ts';
import { SOCKET } from '../measure/socket-loop.ts';
import { inTurns, type Side, WARM_UP_ROUNDS, warmUp } from '../measure/turns.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { type ClusterOptions, clusterOf } from '../surroundings/cluster.ts';
import type { DatabaseServers } from '../surroundings/drop-database.ts';
import { leaveToRounds } from '../surroundings/own-database.ts';
import { ownSurroundings, type Service, type Surroundings } from '../surroundings/service.ts';
import { type Figures, figuresOf, figuresTable } from './figures.ts';

export interface ScaleOutOptions extends ClusterOptions {
  seed: string;
  /** Rows of a batch: each number in turn. */
  rows: number[];
  /** Requests of one round, all gateways together. */
  requests: number;
  rounds: number;
  quietSeconds: number;
}

/** A round of large batches ends here: as many rows as it takes to see what one costs. */
const ROWS_OF_ROUND_MAX = 1_000_000;

/** The larger the batch, the fewer send at once: all that is under way has to be held. */
const GATEWAYS = [
  { rowsMax: 10, gateways: 64 },
  { rowsMax: 600, gateways: 32 },
  { rowsMax: 10_000, gateways: 4 },
] as const;

/** One place where the same service stores snapshots. */
interface Place {
  name: string;
  surroundings: Surroundings;
  service: Service;
}

/** The same service on one node of TimescaleDB and on Citus, through the coordinator and straight to the nodes, in turn. */
export async function scaleOut(
  options: ScaleOutOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  for (const rows of options.rows) checkBatchRows(rows);
  const { citusAdminUrl: _coordinator, citusWorkerAdminUrls: _workers, ...configuration } = options;
  const places = await preparePlaces(clusterOf(options), cleanup, say);
  const [single, cluster] = places.map(({ surroundings }) => surroundings.database);
  if (single === undefined || cluster === undefined) throw new Error('There are three places');
  const facts = await collectFacts(single);
  const report = new Report('scale-out', facts, configuration);
  const onCitus = await collectFacts(cluster);
  report.details['the coordinator'] = { citus: onCitus.citus, settings: onCitus.settings };
  report.remarks.push(
    `Citus ${onCitus.citus}, workers: ${places.at(-1)?.surroundings.workers.length}`,
    'autovacuum leaves the snapshot tables alone during this run',
  );
  const all = new Map<string, Map<string, Figures>>();
  let warmUpRounds = WARM_UP_ROUNDS;
  for (const rows of options.rows) {
    const gateways = GATEWAYS.find(({ rowsMax }) => rows <= rowsMax)?.gateways ?? 1;
    const what = `${rows.toLocaleString('en')} rows, ${gateways} gateways`;
    const size = { seed: options.seed, rows, gateways, daysBack: 0 };
    const requests = Math.min(options.requests, Math.ceil(ROWS_OF_ROUND_MAX / rows));
    const runs = new Map<string, Run>();
    for (const { name, surroundings, service } of places) {
      const common = { surroundings, service, client: SOCKET, report, say };
      const quiet = { quietSecondsMax: options.quietSeconds };
      runs.set(name, { ...common, ...quiet, ...(await fleetOf(surroundings, size)) });
    }
    const sides = [...runs].map(([name, run]) => sideOf(name, run, { requests, connections: gateways }));
    say(`${what}: warming up`);
    await warmUp(sides, warmUpRounds);
    /* The service is compiled by then; larger batches take a few ways of their own through it. */
    warmUpRounds = 1;
    await inTurns(what, sides, options.rounds, say);
    all.set(what, figuresOf(legsOf(report, what, places)));
    for (const [name, run] of runs) await verifyStored(run, `of ${what}, ${name}`);
  }
  report.details.figures = Object.fromEntries(
    [...all].map(([what, ofAll]) => [what, Object.fromEntries(ofAll)]),
  );
  report.tables.push(figuresTable(all));
  await checkWays(report, places);
  return report;
}

const [SINGLE, COORDINATOR, NODES] = ['TimescaleDB', 'Citus, coordinator', 'Citus, nodes'];

/** Each with a database of its own, so that all of them hold the same number of rows at each time. */
async function preparePlaces(
  servers: DatabaseServers,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Place[]> {
  const kinds = [
    { name: SINGLE, servers: undefined, variables: {} },
    { name: COORDINATOR, servers, variables: { SNAPSHOT_WRITES_TO: 'coordinator' } },
    { name: NODES, servers, variables: { SNAPSHOT_WRITES_TO: 'nodes' } },
  ];
  const places: Place[] = [];
  for (const { name, servers, variables } of kinds) {
    say(`preparing ${name}`);
    const surroundings = await ownSurroundings(cleanup, servers);
    await leaveToRounds(surroundings.database);
    places.push({ name, surroundings, service: await surroundings.service(name, variables) });
  }
  return places;
}

function sideOf(name: string, run: Run, size: { requests: number; connections: number }): Side {
  return {
    name,
    send: async (leg) => {
      const speed = await sendNew(run, run.service, { ...leg, ...size });
      /* Or its servers write out in the turn of another side what they hold. */
      await checkpoint([run.surroundings.database, ...run.surroundings.workers]);
      return speed;
    },
  };
}

function legsOf(report: Report, what: string, places: readonly Place[]) {
  return new Map(
    places.map(({ name }) => [name, report.legs.filter((leg) => leg.name === `${what}: ${name}`)]),
  );
}

/** A batch of the last side that took the other way would make its figures those of the side before it. */
async function checkWays(report: Report, places: readonly Place[]): Promise<void> {
  const service = places.find(({ name }) => name === NODES)?.service;
  if (service === undefined) return;
  const [straight, detours] = [
    await metric(service, 'voltstream_snapshot_node_batches_total'),
    await metric(service, 'voltstream_snapshot_coordinator_batches_total'),
  ];
  report.details['batches of the last side'] = {
    straight_to_a_node: straight,
    through_the_coordinator: detours,
  };
  if (detours > (straight + detours) / 100) {
    report.problems.push(
      `${NODES}: ${detours} of ${straight + detours} batches went through the coordinator`,
    );
  }
}
