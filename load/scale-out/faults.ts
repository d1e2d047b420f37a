import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { initDatabase, withDatabase } from '../../src/platform/database/setup.ts';
import { checkLedger, type Fleet } from '../measure/ledger.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { Cleanup } from '../surroundings/cleanup.ts';
import { connect } from '../surroundings/connect.ts';
import { dropDatabase } from '../surroundings/drop-database.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { dropLeftOver } from '../surroundings/own-database.ts';
import { planFleet, storeFleet } from '../surroundings/seed.ts';
import { ownSurroundings, type Surroundings } from '../surroundings/service.ts';
import { findingsTable, outageTable, problemsOf } from './fault-tables.ts';
import { BEGIN_MILLISECONDS_AGO, LedgerWriters } from './ledger-writers.ts';
import { MortalNode, type NodeSettings, readNodes } from './nodes.ts';
import { type Outage, outageOf } from './outage.ts';
import { addressOf, countUndecided, nodesOfKeys, rebalance, shardsByNode } from './shards.ts';

export interface ScaleOutFaultsOptions {
  seed: string;
  /** A file. */
  nodes: string;
  writesTo: string[];
  households: number;
  writers: number;
  /** Batches a second at most. */
  rate: number;
  outageSeconds: number;
  /** Between a node's return and the next kill. */
  betweenSeconds: number;
}

const WAYS = ['coordinator', 'nodes'];

/** Kills nodes of a cluster under load and moves its shards, and compares all that was acknowledged with what is stored. */
export async function scaleOutFaults(
  options: ScaleOutFaultsOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const unknown = options.writesTo.filter((way) => !WAYS.includes(way));
  if (unknown.length > 0) throw new WrongUse(`--writes-to: ${unknown.join()} is none of ${WAYS.join(', ')}`);
  const settings = await readNodes(options.nodes);
  let report: Report | null = null;
  for (const way of options.writesTo) {
    /* What one way needed is gone before the next one begins. */
    const own = new Cleanup();
    cleanup.add(() => own.run());
    try {
      const run = await prepare(way, settings, options, own, say);
      report ??= new Report('scale-out-faults', await collectFacts(run.surroundings.database), {
        ...options,
      });
      await faultsOf(run, report);
    } finally {
      await own.run();
    }
  }
  if (report === null) throw new WrongUse('--writes-to names no way');
  return report;
}

const databaseOf = ({ databaseUrl }: Surroundings) =>
  decodeURIComponent(new URL(databaseUrl).pathname.slice(1));

interface FaultRun {
  way: string;
  options: ScaleOutFaultsOptions;
  surroundings: Surroundings;
  coordinator: MortalNode;
  workers: readonly MortalNode[];
  added: MortalNode | undefined;
  fleet: Fleet;
  writers: LedgerWriters;
  say(line: string): void;
}

async function prepare(
  way: string,
  settings: readonly NodeSettings[],
  options: ScaleOutFaultsOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<FaultRun> {
  const [coordinator, first, second, added] = settings.map((node) => new MortalNode(node));
  if (coordinator === undefined || first === undefined || second === undefined) throw new WrongUse('--nodes');
  say(`writes to ${way}: preparing`);
  const servers = { adminUrl: coordinator.adminUrl, workerAdminUrls: [first.adminUrl, second.adminUrl] };
  let database: string | null = null;
  cleanup.add(async () => {
    if (added === undefined || database === null) return;
    await dropDatabase({ adminUrl: added.adminUrl, workerAdminUrls: [] }, database);
  });
  if (added !== undefined) await dropLeftOver(added.adminUrl);
  const surroundings = await ownSurroundings(cleanup, servers);
  database = databaseOf(surroundings);
  for (const node of [coordinator, first, second]) cleanup.add(() => node.revive());
  const { organization } = surroundings;
  const planned = planFleet(`${options.seed}/${organization}`, options.households);
  const keys = await storeFleet(surroundings.database, organization, planned);
  const fleet = {
    households: planned.map(({ id, assets }) => ({
      household: id,
      /* A solar panel has no power that is positive. */
      assets: assets
        .filter(({ device }) => device.type !== 'solar')
        .map((asset) => ({ id: asset.id, key: keys.get(asset.id) ?? Number.NaN })),
    })),
    beginMilliseconds: Date.now() - BEGIN_MILLISECONDS_AGO,
  };
  const writers = new LedgerWriters(fleet, options.rate);
  cleanup.add(() => writers.stop());
  const service = await surroundings.service(`faults ${way}`, { SNAPSHOT_WRITES_TO: way });
  await writers.start(service, options.writers);
  if ((await writers.acknowledgedAfter(0, () => true, SERVED_SECONDS_MAX)) === null) {
    throw new Error(`No batch is acknowledged: ${writers.complaint ?? 'no answer'}`);
  }
  return {
    ...{ way, options, surroundings, coordinator, added, fleet, writers, say },
    workers: [first, second],
  };
}

async function faultsOf(run: FaultRun, report: Report): Promise<void> {
  const { way, coordinator, workers, writers, say } = run;
  const outages: Outage[] = [];
  for (const node of [...workers, ...workers, coordinator]) outages.push(await strike(run, node));
  const moved = run.added === undefined ? null : await moveShards(run, run.added);
  await writers.stop();
  say(`writes to ${way}: comparing`);
  const undecided = await untilDecided(run);
  const findings = await checkLedger(run.surroundings.databaseUrl, run.fleet, writers.ledger);
  report.details[`writes to ${way}`] = { outages, moved, undecided, findings };
  report.tables.push(outageTable(way, outages), findingsTable(way, findings));
  if (moved !== null) {
    const shards = [moved.before, moved.after].map((all) => Object.values(all).join('/'));
    report.remarks.push(
      `writes to ${way}, a third worker: shards ${shards.join(' → ')} in ${moved.seconds.toFixed(0)} s, ${moved.acknowledged} batches acknowledged meanwhile, ${moved.open} answers 5xx or none`,
    );
  }
  if (writers.complaint !== null) report.problems.push(`writes to ${way}: refused, ${writers.complaint}`);
  report.problems.push(...problemsOf(way, { outages, findings, undecided, moved }));
}

const SERVED_SECONDS_MAX = 60;

async function strike(run: FaultRun, node: MortalNode): Promise<Outage> {
  const { writers, coordinator, options } = run;
  const needsNode = node === coordinator ? () => true : await householdsOn(run, node);
  await wait(options.betweenSeconds * 1000);
  run.say(`writes to ${run.way}: SIGKILL of ${node.name}`);
  await node.kill();
  const killed = performance.now();
  await wait(options.outageSeconds * 1000);
  const started = performance.now();
  await node.start();
  const ready = performance.now();
  const first = await writers.acknowledgedAfter(started, needsNode, SERVED_SECONDS_MAX);
  return outageOf(
    node.name,
    { killed, started, ready, served: first?.at ?? null },
    writers.answers,
    needsNode,
  );
}

/** Whether a batch belongs to a household with rows on this node. */
async function householdsOn(run: FaultRun, node: MortalNode): Promise<(number: number) => boolean> {
  const { households } = run.fleet;
  const keys = households.flatMap(({ assets }) => assets.map(({ key }) => key));
  const places = await onDatabase(run, (client) => nodesOfKeys(client, keys));
  const address = addressOf(node.adminUrl);
  const isOn = households.map(({ assets }) => assets.some(({ key }) => places.get(key) === address));
  if (!isOn.includes(true)) throw new Error(`No household has rows on ${node.name}: use more --households`);
  return (number) => isOn[number % households.length] === true;
}

/** On the coordinator, over a connection of its own: the one of the run may have died with the node. */
async function onDatabase<Result>(
  run: FaultRun,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connect(run.surroundings.databaseUrl, 'The coordinator does not answer');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const REBALANCE_SECONDS_MAX = 600;

/** What an operator does: `db init` with one more address, then the moving. */
async function moveShards(run: FaultRun, added: MortalNode) {
  const { writers, surroundings, coordinator, workers } = run;
  run.say(`writes to ${run.way}: ${added.name} is added, shards move`);
  await initDatabase({
    ...{ adminUrl: coordinator.adminUrl, database: databaseOf(surroundings) },
    workerAdminUrls: [...workers, added].map(({ adminUrl }) => adminUrl),
  });
  return await onDatabase(run, async (client) => {
    const before = await shardsByNode(client);
    const [begun, answered] = [performance.now(), writers.answers.length];
    const ended = await rebalance(client, REBALANCE_SECONDS_MAX);
    const seconds = (performance.now() - begun) / 1000;
    const after = await shardsByNode(client);
    const isOnAdded = await householdsOn(run, added);
    const served = await writers.acknowledgedAfter(performance.now(), isOnAdded, SERVED_SECONDS_MAX);
    const answers = writers.answers.slice(answered);
    const count = (outcome: string) => answers.filter((answer) => answer.outcome === outcome).length;
    return {
      ...{ before, after, ended, seconds, acknowledged: count('ok'), open: count('unknown') },
      served_by_the_added: served !== null,
    };
  });
}

const DECIDED_SECONDS_MAX = 60;

/** Nodes that died between two phases finish the second one after their start; rows are seen then. */
async function untilDecided(run: FaultRun): Promise<number> {
  const { coordinator, workers, added, surroundings } = run;
  const database = databaseOf(surroundings);
  const nodes = [coordinator, ...workers, ...(added === undefined ? [] : [added])];
  const clients: pg.Client[] = [];
  try {
    for (const { adminUrl, name } of nodes) {
      clients.push(await connect(withDatabase(adminUrl, database), `${name} does not answer`));
    }
    const deadline = performance.now() + DECIDED_SECONDS_MAX * 1000;
    for (;;) {
      const undecided = await countUndecided(clients);
      if (undecided === 0 || performance.now() > deadline) return undecided;
      await wait(500);
    }
  } finally {
    for (const client of clients) await client.end();
  }
}
