import { setTimeout as wait } from 'node:timers/promises';
import { topics } from '../../src/api/topics.ts';
import { orderBilling } from '../../src/billing/invoices/runs/order.ts';
import { createEndpoint } from '../../src/events/endpoints/create.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { addDays, berlinDayAt } from '../../src/platform/time/berlin-calendar.ts';
import { type BilledMonth, lastSettledMonth, seedContracts, seedGround } from '../billing/seed.ts';
import { createLoadAnalyst } from '../growth/cookbook.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { storePlan, suppliedZips } from '../reads/quotes.ts';
import { BEGIN_MILLISECONDS_AGO, LedgerWriters } from '../scale-out/ledger-writers.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { connect } from '../surroundings/connect.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { storePriceDay } from '../surroundings/price-days.ts';
import { planFleet, storeFleet } from '../surroundings/seed.ts';
import { openReceivers } from '../webhooks/receivers.ts';
import { type AuditedRun, auditAll } from './audit.ts';
import { type Call, Callers } from './callers.ts';
import { useOwnMounts } from './disk.ts';
import { FAULTS, type Fault } from './faults.ts';
import { ANALYST, BATCHES, kindsOf, QUESTIONS, WRITERS } from './kinds.ts';
import { memoryOf, type Parts, startParts } from './parts.ts';
import { type FaultMinute, faultTable, kindTable } from './tables.ts';

export interface EnduranceOptions {
  minutes: number;
  households: number;
  writers: number;
  rate: number;
  contracts: number;
  only?: string;
  seed: string;
}

const PRICE_DAYS = 40;
const FAULT_EVERY_MILLISECONDS = 60_000;
/** Before the fault of a minute, so that each minute has a part without one. */
const QUIET_MILLISECONDS = 15_000;
const RECOVERY_MILLISECONDS_MAX = 60_000;
const LOOK_MILLISECONDS = 50;
const MEMORY_EVERY_MILLISECONDS = 5_000;
const GIBIBYTE = 2 ** 30;
/** The disk space for the database: its start with the log, and each minute for each batch a second. */
const DISK_BYTES = 1.5 * GIBIBYTE;
const DISK_BYTES_OF_RATE = 6_000_000;
const ACT = { staff: 'load', reason: 'load run', command: 'load' };

/** What a run has made before the load begins. */
interface EnduranceRun extends AuditedRun {
  readonly options: EnduranceOptions;
  readonly database: Database;
  readonly month: BilledMonth;
}

/**
 * Batches, prices, quotes, lists, usage, sign-ups, bills, webhooks and analysts' questions at once, and each minute a fault:
 * who was refused or got no answer, how long until all are served again, and whether all that was acknowledged is there, once.
 */
export async function endurance(
  options: EnduranceOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const { faults, diskBytes, leftOut } = draw(options);
  if (leftOut !== undefined) say(leftOut);
  const endured = await prepare(options, cleanup, diskBytes, say);
  const { parts, report, callers, writers } = endured;
  const memory = watchMemory(parts);
  const struck: FaultMinute[] = [];
  for (let minute = 0; minute < options.minutes; minute += 1) {
    struck.push(await oneMinute(endured, faults[minute % faults.length] as Fault, minute));
  }
  await Promise.all([callers.stop(), writers.stop()]);
  report.details.megabytes_max = memory.stop();
  const calls = allCalls(endured);
  report.tables.push(kindTable(calls, struck), faultTable(struck));
  report.details.faults = struck;
  report.judge('F1 recovery', Math.max(...struck.map(({ recovery }) => recovery)));
  report.judge('P8 memory', memory.stop().api);
  report.problems.push(...[...new Set(callers.complaints)].slice(0, 10));
  if (writers.complaint !== null) report.problems.push(`${BATCHES}: ${writers.complaint}`);
  for (const { name, noticed } of struck) {
    if (noticed > 0) report.problems.push(`${name}: ${noticed} refused or without an answer`);
  }
  if (leftOut !== undefined) report.remarks.push(leftOut);
  await auditAll(endured);
  return report;
}

/** Which faults come in turn, and how large the disk of PostgreSQL is where one of them fills it. */
function draw({ only, minutes, rate }: EnduranceOptions): {
  faults: readonly Fault[];
  diskBytes: number | undefined;
  leftOut: string | undefined;
} {
  const named = FAULTS.filter(({ name }) => only === undefined || name.includes(only));
  if (named.length === 0) throw new WrongUse(`--only: no fault has ${only} in its name`);
  if (!named.slice(0, minutes).some(({ needsDisk }) => needsDisk))
    return { faults: named, diskBytes: undefined, leftOut: undefined };
  const diskBytes = DISK_BYTES + minutes * rate * DISK_BYTES_OF_RATE;
  const reason =
    process.availableMemory() < diskBytes
      ? `it would need ${(diskBytes / GIBIBYTE).toFixed(1)} GiB of memory`
      : useOwnMounts();
  if (reason === undefined) return { faults: named, diskBytes, leftOut: undefined };
  const leftOut = `left out: no disk can be made to be filled (${reason})`;
  const faults = named.filter(({ needsDisk }) => !needsDisk);
  if (faults.length === 0) throw new WrongUse(leftOut);
  return { faults, diskBytes: undefined, leftOut };
}

async function prepare(
  options: EnduranceOptions,
  cleanup: Cleanup,
  diskBytes: number | undefined,
  say: (line: string) => void,
): Promise<EnduranceRun> {
  say('starting PostgreSQL, Redis, two API processes and a worker of this run');
  const parts = await startParts(cleanup, diskBytes);
  const { surroundings } = parts;
  const { database: admin, organization, environment = {}, ownerUrl = '' } = surroundings;
  const report = new Report('endurance', await collectFacts(admin), { ...options });
  const database = openDatabase({
    ...{ url: environment.DATABASE_URL ?? '', applicationName: 'voltstream-load', connectionsMax: 2 },
    onError: () => {},
  });
  cleanup.add(() => database.close());
  say('storing reference data, a plan, prices, contracts and their quarter hours');
  const today = berlinDayAt(Date.now());
  for (let back = 0; back < PRICE_DAYS; back += 1) await storePriceDay(admin, addDays(today, -back));
  const month = lastSettledMonth();
  await seedGround(database, admin, organization, month);
  const plan = await storePlan(surroundings);
  const contracts = options.contracts * options.minutes;
  await seedContracts([admin], organization, month, { from: 0, until: contracts });
  /* What has no log is empty after a crash. */
  await admin.query('ALTER TABLE usage_quarter_hours SET LOGGED');
  /* They are supplied, and so billed, some in each minute. */
  await admin.query('ALTER TABLE subscriptions DISABLE TRIGGER USER');
  await admin.query("UPDATE subscriptions SET status = 'pending', start_at = NULL, confirmed_at = NULL");
  await admin.query('ALTER TABLE subscriptions ENABLE TRIGGER USER');

  const planned = planFleet(`${options.seed}/${organization}`, options.households);
  const keys = await storeFleet(admin, organization, planned);
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
  const receivers = await openReceivers({ endpoints: 2, dead: 0, organizations: 1 }, cleanup);
  const deps = {
    ...{ database, topics, config: { ENCRYPTION_KEY: environment.ENCRYPTION_KEY ?? '' } },
    rules: { allowedNetworks: ['127.0.0.0/8'], ports: [443], ownHosts: [] },
  };
  for (const { url, kind } of receivers.plans) {
    await createEndpoint(
      deps,
      organization,
      { url, description: kind },
      { ...ACT, now: new Date().toISOString() },
    );
  }
  const analyst = await createLoadAnalyst(ownerUrl, organization, cleanup);

  const writers = new LedgerWriters(fleet, options.rate);
  const headers = await parts.api.headers();
  const callers = new Callers(parts.baseUrl, headers);
  await writers.start({ baseUrl: parts.baseUrl, pid: null, headers: async () => headers }, options.writers);
  const zips = await suppliedZips(admin);
  for (const { kind, does } of kindsOf({ plan, zips, month })) callers[does](kind);
  callers.ask(ANALYST, analyst, QUESTIONS, 500);
  cleanup.add(async () => void (await Promise.all([callers.stop(), writers.stop()])));
  return { options, parts, report, database, month, fleet, writers, callers, receivers, say };
}

/** Calls of every kind, batches among them. */
function allCalls({ callers, writers }: Pick<EnduranceRun, 'callers' | 'writers'>): Call[] {
  const batches = writers.answers.map(({ at, milliseconds, status }) => ({
    ...{ kind: BATCHES, at: at - milliseconds, milliseconds, status },
  }));
  return [...callers.calls, ...batches];
}

async function oneMinute(endured: EnduranceRun, fault: Fault, minute: number): Promise<FaultMinute> {
  const { parts, say } = endured;
  const begun = performance.now();
  await billSome(endured, minute);
  await wait(QUIET_MILLISECONDS - (performance.now() - begun));
  say(`minute ${minute + 1}: ${fault.name}`);
  const from = performance.now();
  await fault.strike(parts);
  const until = performance.now();
  const recovery = await recoveryAfter(endured, until);
  say(`  over after ${seconds(until - from)}, all served again ${seconds(recovery)} later`);
  await wait(Math.max(0, FAULT_EVERY_MILLISECONDS - (performance.now() - begun)));
  const during = allCalls(endured).filter(({ at }) => at >= from && at < performance.now());
  const failed = during.filter(({ status }) => status === null || status >= 500);
  const unanswered = failed.filter(({ status }) => status === null).length;
  const { name, unnoticedBy } = fault;
  return {
    ...{ name, from, until, recovery, answered: during.length },
    ...{ refused: failed.length - unanswered, unanswered },
    noticed: failed.filter(
      ({ kind }) => unnoticedBy === 'everybody' || (unnoticedBy === 'readers' && !WRITERS.includes(kind)),
    ).length,
  };
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Until a request of each kind that was sent after this instant was served. */
async function recoveryAfter(endured: EnduranceRun, after: number): Promise<number> {
  const kinds = new Set(allCalls(endured).map(({ kind }) => kind));
  const isServed = ({ status }: Call) => status !== null && status < 300;
  for (;;) {
    const served = Map.groupBy(
      allCalls(endured).filter((call) => call.at >= after && isServed(call)),
      ({ kind }) => kind,
    );
    if (served.size === kinds.size) {
      const firsts = [...served.values()].map((calls) =>
        Math.min(...calls.map((call) => call.at + call.milliseconds)),
      );
      return Math.max(...firsts) - after;
    }
    if (performance.now() - after > RECOVERY_MILLISECONDS_MAX) {
      const missing = [...kinds].filter((kind) => !served.has(kind));
      endured.report.problems.push(`not served again within a minute: ${missing.join(', ')}`);
      return RECOVERY_MILLISECONDS_MAX;
    }
    await wait(LOOK_MILLISECONDS);
  }
}

/** Some more contracts begin to be supplied, as of the month that is over, and the back office orders the bills. */
async function billSome({ parts, database, options, month }: EnduranceRun, minute: number): Promise<void> {
  const { organization, databaseUrl } = parts.surroundings;
  const admin = await connect(databaseUrl, 'The database does not answer');
  try {
    await admin.query('SET session_replication_role = replica');
    await admin.query(
      `UPDATE subscriptions
          SET status = 'active', start_at = intended_start_on::timestamp AT TIME ZONE 'Europe/Berlin',
              confirmed_at = intended_start_on::timestamp AT TIME ZONE 'Europe/Berlin'
        WHERE id IN (SELECT id FROM subscriptions WHERE id LIKE 'sub_000000%' AND start_at IS NULL ORDER BY id LIMIT $1)`,
      [options.contracts],
    );
  } finally {
    await admin.end();
  }
  const order = { month: month.first, estimateGaps: false };
  await orderBilling({ database }, organization, order, {
    ...{ ...ACT, reason: `minute ${minute + 1}` },
    now: new Date().toISOString(),
  });
}

function watchMemory(parts: Parts): { stop(): { api: number; worker: number } } {
  const most = { api: 0, worker: 0 };
  const timer = setInterval(() => {
    memoryOf(parts).then(
      ({ api, worker }) => {
        most.api = Math.max(most.api, api);
        most.worker = Math.max(most.worker, worker);
      },
      () => {},
    );
  }, MEMORY_EVERY_MILLISECONDS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}
