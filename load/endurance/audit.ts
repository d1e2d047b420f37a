import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { sumQuarterHoursNow } from '../../src/telemetry/quarter-hours/sum.ts';
import { checkLedger, type Fleet } from '../measure/ledger.ts';
import type { Report } from '../measure/report.ts';
import { findingsTable } from '../scale-out/fault-tables.ts';
import type { LedgerWriters } from '../scale-out/ledger-writers.ts';
import { connect } from '../surroundings/connect.ts';
import type { Receivers } from '../webhooks/receivers.ts';
import type { Callers } from './callers.ts';
import type { Parts } from './parts.ts';

/* All that was acknowledged is there, once, and so is what follows from it. */

/** Deliveries that failed meanwhile are tried again later and later. */
const SETTLED_SECONDS_MAX = 300;
const LOOK_MILLISECONDS = 1_000;

/** What was asked for, and what hears and sends. */
export interface AuditedRun {
  readonly options: { minutes: number; contracts: number };
  readonly parts: Parts;
  readonly report: Report;
  readonly fleet: Fleet;
  readonly writers: LedgerWriters;
  readonly callers: Callers;
  readonly receivers: Receivers;
  say(line: string): void;
}

export async function auditAll(audited: AuditedRun): Promise<void> {
  const { parts, report, fleet, writers, say } = audited;
  say('waiting for what is under way, then comparing');
  const admin = await connect(parts.surroundings.databaseUrl, 'The database does not answer');
  try {
    await untilSettled(admin);
    const findings = await checkLedger(parts.surroundings.databaseUrl, fleet, writers.ledger);
    report.tables.push(findingsTable('the service', findings));
    for (const kind of ['lost', 'partial', 'storedThoughRefused'] as const) {
      if (findings[kind].length > 0) report.problems.push(`${findings[kind].length} batches: ${kind}`);
    }
    if (findings.strangers > 0) report.problems.push(`${findings.strangers} rows that nobody sent`);
    const counts = {
      ...(await signUps(audited, admin)),
      ...(await events(audited, admin)),
      ...(await bills(audited, admin)),
      ...(await sums(audited, admin)),
      'bills refused': await count(admin, 'SELECT count(*) FROM billing_refusals'),
      'job runs given up': await count(admin, "SELECT count(*) FROM job_runs WHERE state = 'failed'"),
    };
    const { rows: runs } = await admin.query(
      `SELECT job, state, attempts, error, count(*)::int AS runs FROM job_runs
        WHERE state <> 'done' AND due_at < now() GROUP BY 1, 2, 3, 4 LIMIT 50`,
    );
    report.details.audit = { findings, ...counts, runs_not_done: runs };
    for (const run of runs) if (run.state === 'failed') say(`  given up: ${run.job}: ${run.error}`);
    for (const [what, { wrong }] of Object.entries(counts).map(
      ([name, found]) => [name, typeof found === 'number' ? { wrong: found } : found] as const,
    )) {
      if (wrong > 0) report.problems.push(`${wrong} ${what}`);
    }
    report.remarks.push(`compared: ${Object.entries(counts).map(textOf).join('; ')}`);
  } finally {
    await admin.end();
  }
}

interface WrongCount {
  readonly of: number;
  readonly wrong: number;
}

const textOf = ([what, found]: [string, WrongCount | number]) =>
  typeof found === 'number' ? `${found} ${what}` : `${found.wrong} ${what} of ${found.of}`;

async function count(admin: pg.Client, text: string, parameters: unknown[] = []): Promise<number> {
  const { rows } = await admin.query<{ count: string }>(text, parameters);
  return Number(rows[0]?.count ?? 0);
}

const UNDER_WAY = `
  SELECT (SELECT count(*) FROM event_deliveries WHERE state = 'pending')
       + (SELECT count(*) FROM job_runs WHERE state IN ('queued', 'running') AND job <> 'render-invoices'
             AND due_at < now())`;

async function untilSettled(admin: pg.Client): Promise<void> {
  const deadline = performance.now() + SETTLED_SECONDS_MAX * 1_000;
  while ((await count(admin, `SELECT * FROM (${UNDER_WAY}) AS under_way (count)`)) > 0) {
    if (performance.now() > deadline) return;
    await wait(LOOK_MILLISECONDS);
  }
}

async function signUps(
  { callers: { made } }: AuditedRun,
  admin: pg.Client,
): Promise<Record<string, WrongCount>> {
  const stored = await count(admin, 'SELECT count(*) FROM subscriptions WHERE id = ANY ($1)', [made]);
  const twice = await count(
    admin,
    `SELECT count(*) FROM (SELECT FROM customers WHERE email LIKE 'load.%' GROUP BY email HAVING count(*) > 1)`,
  );
  return {
    'acknowledged sign-ups lost': { of: made.length, wrong: made.length - stored },
    'sign-ups made twice': { of: made.length, wrong: twice },
  };
}

/** Each sign-up has its event once, and each event arrived at each of the endpoints. */
async function events(
  { callers: { made }, receivers }: AuditedRun,
  admin: pg.Client,
): Promise<Record<string, WrongCount>> {
  const without = await count(
    admin,
    `SELECT count(*) FROM unnest($1::text[]) AS made (id)
      WHERE (SELECT count(*) FROM events
              WHERE topic = 'subscription.created' AND context->>'subscription' = made.id) <> 1`,
    [made],
  );
  const { rows } = await admin.query<{ id: string }>('SELECT id FROM events');
  const { first } = await receivers.arrivals();
  const due = rows.flatMap(({ id }) => receivers.plans.map((_, place) => `${place} ${id}`));
  return {
    'sign-ups without exactly one event': { of: made.length, wrong: without },
    'events that did not arrive': { of: due.length, wrong: due.filter((key) => !first.has(key)).length },
  };
}

/** Each contract that was supplied has exactly one bill, and numbers have no gap. */
async function bills({ options }: AuditedRun, admin: pg.Client): Promise<Record<string, WrongCount>> {
  const of = options.contracts * options.minutes;
  const wrong = await count(
    admin,
    `SELECT count(*) FROM subscriptions
      WHERE id LIKE 'sub_000000%' AND (SELECT count(*) FROM invoices WHERE subscription_id = subscriptions.id) <> 1`,
  );
  const gaps = await count(
    admin,
    `SELECT max(ledger_number) - count(*) + (SELECT max(last_number) FROM invoice_ledgers) - max(ledger_number) AS count
       FROM invoices`,
  );
  return {
    'contracts without exactly one bill': { of, wrong },
    'gaps in the numbers of bills': { of, wrong: Math.abs(gaps) },
  };
}

/** The sums by quarter hour know each stored value once. */
async function sums(
  { parts: { surroundings } }: AuditedRun,
  admin: pg.Client,
): Promise<Record<string, WrongCount>> {
  const maintenance = openDatabase({
    ...{ url: surroundings.maintenanceUrl ?? '', applicationName: 'voltstream-load', connectionsMax: 1 },
    onError: () => {},
  });
  try {
    await sumQuarterHoursNow({ maintenance, clock: systemClock() }, { signal: new AbortController().signal });
  } finally {
    await maintenance.close();
  }
  const wrong = await count(
    admin,
    `SELECT count(*)
       FROM (SELECT asset_id, time_bucket('15 minutes', timestamp) AS start, count(power_kw) AS samples
               FROM asset_snapshots GROUP BY 1, 2) AS stored
       FULL JOIN (SELECT asset_id, start, samples FROM asset_quarter_hours WHERE samples > 0) AS summed
      USING (asset_id, start)
      WHERE stored.samples IS DISTINCT FROM summed.samples`,
  );
  return {
    'sums that differ from their values': {
      of: await count(admin, 'SELECT count(*) FROM asset_quarter_hours'),
      wrong,
    },
  };
}
