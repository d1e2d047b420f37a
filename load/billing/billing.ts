import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { orderBilling } from '../../src/billing/invoices/runs/order.ts';
import type { ServiceProcess } from '../../src/cli/local/processes.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { connect } from '../surroundings/connect.ts';
import { startOwnRedis } from '../surroundings/redis-server.ts';
import { prepareSurroundings, type Surroundings } from '../surroundings/service.ts';
import { type BilledMonth, lastSettledMonth, seedContracts, seedGround } from './seed.ts';

export interface BillingOptions {
  contracts: number;
  wave: number;
  kills: boolean;
  minutes: number;
}

const POLL_MILLISECONDS = 500;
/** Shares of the first wave behind which the worker is killed. */
const KILLED_AT = [0.2, 0.6];

interface Run {
  options: BillingOptions;
  surroundings: Surroundings;
  database: Database;
  report: Report;
  month: BilledMonth;
  redisUrl: string;
  worker: ServiceProcess;
  deadline: number;
  memory: number[];
  /** Bills a second, wave by wave. */
  paces: number[];
  say(line: string): void;
}

/**
 * A month of quarter hours of many contracts becomes bills: how many a second, with which memory, and each of them exactly
 * once although the worker is killed twice. Quarter hours of 100,000 contracts take 50 GB, so that they come in waves: those
 * of a wave go when it is billed. Files are made behind it, and counted apart.
 */
export async function billing(
  options: BillingOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const report = new Report('billing', await collectFacts(surroundings.database), { ...options });
  const database = openDatabase({
    url: surroundings.environment?.DATABASE_URL ?? '',
    applicationName: 'voltstream-load',
    connectionsMax: 2,
    onError: () => {},
  });
  cleanup.add(() => database.close());
  const month = lastSettledMonth();
  await seedGround(database, surroundings.database, surroundings.organization, month);
  await surroundings.database.query(HOLD_FILES);
  const { url: redisUrl } = await startOwnRedis(cleanup);
  const run: Run = {
    ...{ options, surroundings, database, report, month, redisUrl, say, memory: [], paces: [] },
    worker: await surroundings.worker('billing', { REDIS_URL: redisUrl }),
    deadline: performance.now() + options.minutes * 60_000,
  };
  const second = await connect(surroundings.databaseUrl, 'The database of the run does not answer');
  cleanup.add(() => second.end());
  let seconds = 0;
  for (let from = 0; from < options.contracts; from += options.wave) {
    const until = Math.min(from + options.wave, options.contracts);
    await seedContracts([surroundings.database, second], surroundings.organization, month, { from, until });
    seconds += await billWave(run, { from, until });
    await surroundings.database.query('TRUNCATE usage_quarter_hours');
  }
  await check(run, seconds);
  await files(run);
  return report;
}

/* Only in the database of this run: files wait until all bills are there. Both instants, or the engine would correct one. */
const HOLD_FILES = `
  CREATE FUNCTION hold_files() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.due_at := NEW.due_at + INTERVAL '1 year';
    NEW.next_at := NEW.due_at;
    RETURN NEW;
  END $$;
  CREATE TRIGGER hold_files BEFORE INSERT ON job_runs FOR EACH ROW
    WHEN (NEW.job = 'render-invoices') EXECUTE FUNCTION hold_files()`;

async function billWave(run: Run, { from, until }: { from: number; until: number }): Promise<number> {
  const { surroundings, database, say, options } = run;
  const act = { staff: 'load', reason: 'load run', command: 'load', now: new Date().toISOString() };
  const kills = from === 0 && options.kills ? [...KILLED_AT] : [];
  const begunAt = performance.now();
  let notWorking = 0;
  await orderBilling({ database }, surroundings.organization, { month: null, estimateGaps: false }, act);
  for (;;) {
    const done = await count(run, 'SELECT count(*)::int AS count FROM invoices');
    run.memory.push(residentMegabytes(run.worker.pid));
    const next = kills[0];
    if (next !== undefined && done - from >= (until - from) * next) {
      kills.shift();
      const killedAt = performance.now();
      say(`kill -9 of the worker after ${done} bills`);
      process.kill(run.worker.pid, 'SIGKILL');
      await run.worker.ended;
      run.worker = await surroundings.worker(`billing again ${kills.length}`, { REDIS_URL: run.redisUrl });
      await untilMore(run, done);
      notWorking += performance.now() - killedAt;
    }
    if (done >= until) break;
    if (performance.now() > run.deadline) throw new Error(`${done} of ${until} bills when the time was over`);
    await wait(POLL_MILLISECONDS);
  }
  const seconds = (performance.now() - begunAt - notWorking) / 1000;
  const pace = (until - from) / seconds;
  run.paces.push(pace);
  say(`contracts ${from} to ${until}: ${pace.toFixed(0)} bills a second, ${run.memory.at(-1)} MB`);
  return seconds;
}

/** Portions of a worker that was killed are taken up when it has been silent for a minute; the others at once. */
async function untilMore(run: Run, done: number): Promise<void> {
  while (performance.now() < run.deadline) {
    if ((await count(run, 'SELECT count(*)::int AS count FROM invoices')) > done) return;
    await wait(POLL_MILLISECONDS);
  }
}

async function count({ surroundings }: Run, text: string): Promise<number> {
  const { rows } = await surroundings.database.query<{ count: number }>(text);
  return rows[0]?.count ?? 0;
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Every contract has one bill, the ledger has no gap, and the portions say so too. */
async function check(run: Run, seconds: number): Promise<void> {
  const { options, report, memory, paces, say } = run;
  const wrong = await count(
    run,
    `SELECT count(*)::int AS count FROM subscriptions AS contract
      WHERE (SELECT count(*) FROM invoices WHERE subscription_id = contract.id) <> 1`,
  );
  const gaps = await count(
    run,
    `SELECT (max(ledger_number) - count(*))::int + (max(last_number) - max(ledger_number))::int AS count
       FROM invoices CROSS JOIN invoice_ledgers AS ledger`,
  );
  const refused = await count(run, 'SELECT count(*)::int AS count FROM billing_refusals');
  if (wrong > 0) report.problems.push(`${wrong} contracts have not exactly one bill`);
  if (gaps !== 0) report.problems.push(`The ledger has ${gaps} gaps`);
  if (refused > 0) report.problems.push(`${refused} bills were refused`);
  const middle = Math.ceil(memory.length / 2);
  const largest = (values: readonly number[]) => Math.max(0, ...values);
  const [firstHalf, secondHalf] = [largest(memory.slice(0, middle)), largest(memory.slice(middle))];
  const third = Math.floor(paces.length / 3);
  if (third > 0) {
    report.judge('B1 pace', median(paces.slice(-third)) / median(paces.slice(0, third)));
    report.judge('B1 memory', secondHalf / firstHalf);
  }
  report.details.bills = {
    count: options.contracts,
    seconds,
    per_second: options.contracts / seconds,
    per_second_of_waves: paces,
    worker_megabytes: { first_half: firstHalf, second_half: secondHalf },
    contracts_without_exactly_one_bill: wrong,
    gaps_of_the_ledger: gaps,
  };
  say(
    `${options.contracts} bills, ${(options.contracts / seconds).toFixed(0)} a second; worker at most ${firstHalf} MB, then ${secondHalf} MB; ${wrong} contracts wrong, ${gaps} gaps`,
  );
}

const FILES_WATCHED_MILLISECONDS = 30_000;

/** The files of all documents take longer than their bills: their pace is measured, not their end. */
async function files(run: Run): Promise<void> {
  await run.surroundings.database.query(
    `UPDATE job_runs SET due_at = now(), next_at = now() WHERE job = 'render-invoices' AND state = 'queued'`,
  );
  const begunAt = performance.now();
  const text = 'SELECT count(DISTINCT invoice_id)::int AS count FROM invoice_files';
  let made = 0;
  while (performance.now() - begunAt < FILES_WATCHED_MILLISECONDS && made < run.options.contracts) {
    await wait(POLL_MILLISECONDS);
    made = await count(run, text);
  }
  const perSecond = made / ((performance.now() - begunAt) / 1000);
  run.report.details.files = { made, per_second: perSecond };
  run.say(`${made} files, ${perSecond.toFixed(1)} a second; worker ${residentMegabytes(run.worker.pid)} MB`);
}
