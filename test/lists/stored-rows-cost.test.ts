import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listRefusalsToAct } from '../../src/billing/invoices/runs/queries.ts';
import { listEntries, listOverpaid } from '../../src/billing/payments/list.ts';
import { suggestBills } from '../../src/billing/payments/suggest.ts';
import {
  listOrderedReductions,
  listReductionsOfSubscription,
} from '../../src/contracts/grid-fee-reductions/queries.ts';
import { findForecast, listForecasts } from '../../src/contracts/load-forecasts/queries.ts';
import { listMeterOrdersToAct } from '../../src/contracts/meter-orders/queries.ts';
import { listUnconfirmed } from '../../src/contracts/subscriptions/queries.ts';
import { listUnsettledContracts } from '../../src/contracts/usage/kept-queries.ts';
import { deliveriesKept } from '../../src/events/retention.ts';
import { type Person, places } from '../../src/governance/personal-data/places.ts';
import { expiringRows } from '../../src/governance/retention/lines.ts';
import { deleteExpired } from '../../src/governance/retention/queries.ts';
import { listGrants } from '../../src/identity/oauth/access/grant-queries.ts';
import type { Connection } from '../../src/platform/database/db.ts';
import {
  claimRuns,
  countRuns,
  deleteFinishedRuns,
  listFailedRuns,
  updateRunsToNow,
  updateSilentRuns,
} from '../../src/platform/jobs/queries.ts';
import type { ExpiringRows } from '../../src/platform/retention.ts';
import { listAttributions } from '../../src/spot-prices/queries.ts';
import { deleteOldPayloads } from '../../src/spot-prices/store/fetch-records.ts';
import {
  listAlarmsOfDay,
  listFetchesOfDay,
  listRevisionCounts,
} from '../../src/spot-prices/upkeep/status-queries.ts';
import type { TestDatabase } from '../setup/database.ts';
import { CountedPages, longLists, ORGANIZATION } from './many-rows.ts';

/*
 * Rows that stay are not looked at again and again: what a statement costs goes by what it was asked for, and by what it
 * removes. Thousands of rows of each kind are stored that no answer holds.
 */

const ROWS = 10_000;
const CONTRACTS = 2_000;
/** A walk through the rows of one table looks at hundreds of pages and more. */
const PAGES_MAX = 100;
const AGO = '2020-01-01T00:00:00Z';
const NOBODY = 'x'.repeat(24);

let database: TestDatabase;
let counted: CountedPages;
/** As the owner of the tables: who erases and exports. */
let owner: CountedPages;
/** A customer with one of the contracts. */
let person: Person;
beforeAll(async () => {
  database = await longLists(CONTRACTS);
  const admin = new pg.Client(database.adminUrl);
  await admin.connect();
  try {
    /* As in longLists: no trigger checks each row. */
    await admin.query("SET session_replication_role = 'replica'");
    for (const text of stored(ROWS)) await admin.query(text);
    await admin.query('VACUUM ANALYZE');
    const { rows } = await admin.query('SELECT customer_id FROM subscriptions ORDER BY id DESC LIMIT 1');
    person = { organization: ORGANIZATION, customer: rows[0].customer_id };
  } finally {
    await admin.end();
  }
  counted = await CountedPages.open(database);
  owner = await CountedPages.open({ ...database, appUrl: database.ownerUrl });
});
afterAll(async () => {
  await counted?.close();
  await owner?.close();
  await database?.drop();
});

const CLIENT = `oac_${'c'.repeat(24)}`;

/** Old, and there to stay: leads and codes that led to something, runs and bodies that are still wanted. */
const stored = (rows: number) => [
  `UPDATE meters SET type = 'analog'`,
  `UPDATE subscriptions SET status = 'active', start_at = '${AGO}', confirmed_at = '${AGO}'`,
  `UPDATE subscriptions SET customer_id = (SELECT max(id) FROM customers) WHERE id = (SELECT max(id) FROM subscriptions)`,
  'TRUNCATE leads',
  `INSERT INTO leads (organization_id, id, plan_id, details, created_at, subscribed_at, subscription_id)
   SELECT '${ORGANIZATION}', 'lead_' || substr(md5(n::text), 1, 24), (SELECT min(id) FROM plans), '{}', '${AGO}', '${AGO}',
          (SELECT min(id) FROM subscriptions) FROM generate_series(1, ${rows}) n`,
  `INSERT INTO auth_clients (organization_id, id, display_name, role, scopes, grants, version)
   VALUES ('${ORGANIZATION}', '${CLIENT}', 'Gateway', 'organization', '{read:*}', '{client_credentials}', '2026-09-08.gauss')`,
  `INSERT INTO grants (organization_id, id, client_id, customer_id, kind, scopes)
   SELECT '${ORGANIZATION}', 'grt_' || substr(md5(n::text), 1, 24), '${CLIENT}', (SELECT min(id) FROM customers),
          'authorization_code', '{read:*}' FROM generate_series(1, ${rows}) n`,
  `INSERT INTO authorization_codes (hash, organization_id, request_id, client_id, customer_id, redirect_uri, grant_id,
                                    created_at, expires_at)
   SELECT sha256(id::bytea), organization_id, 'atx_' || substr(id, 5), client_id, customer_id, 'https://a.example', id,
          '${AGO}', '${AGO}' FROM grants`,
  `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status)
   SELECT organization_id, 'gfr_' || substr(md5(id || n), 1, 24), customer_id, id, 'enwg-14a-module-1', 'ended'
     FROM subscriptions CROSS JOIN generate_series(1, 5) n`,
  `INSERT INTO bank_entries (organization_id, id, identity, provider, booked_on, amount, state, note, imported_at)
   SELECT '${ORGANIZATION}', 'bke_' || substr(md5(n::text), 1, 24), n::text, 'bank_files', '2020-01-01'::date + n / 50, 1,
          CASE WHEN n % 2 = 0 THEN 'booked' ELSE 'unmatched' END, CASE WHEN n % 2 = 0 THEN NULL ELSE 'no_bill' END, '${AGO}'
     FROM generate_series(1, ${rows}) n`,
  `INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at, updated_at)
   SELECT '${ORGANIZATION}', (SELECT min(id) FROM customers), 'pay_' || substr(md5(n::text), 1, 24),
          'inv_' || substr(md5('paid' || n), 1, 24), 'in', 'entered', 1, 'settled', '2020-01-01',
          '${AGO}'::timestamptz + n * interval '1 minute', '${AGO}' FROM generate_series(1, ${rows}) n`,
  `INSERT INTO billing_refusals
     (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail, first_at, last_at)
   SELECT organization_id, customer_id, id, 'usage', '2020-01-01'::date + n, '2020-01-02'::date + n, 'not_settled', 'waits',
          '${AGO}', '${AGO}' FROM subscriptions CROSS JOIN generate_series(1, 5) n`,
  `UPDATE invoices SET type = 'prepayment', status = 'open', is_final = false, net = CASE WHEN ledger_number % 2 = 0 THEN 1 ELSE ledger_number END,
          total = CASE WHEN ledger_number % 2 = 0 THEN 1 ELSE ledger_number END,
          period_start = '2000-01-01'::timestamptz + ledger_number * interval '1 hour' WHERE restricted_at IS NULL`,
  `INSERT INTO load_forecasts
     (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at, power_kw)
   SELECT organization_id, customer_id, id, '2020-01-01'::date + n, 'day_ahead', '2020-01-01Z'::timestamptz + n * interval '1 day',
          '2020-01-02Z'::timestamptz + n * interval '1 day', array_fill(0.25::float8, ARRAY[96])
     FROM subscriptions CROSS JOIN generate_series(1, 5) n`,
  `INSERT INTO schedules (id, job, cron, time_zone, payload, catch_up, enabled, last_due_at)
   VALUES ('kept', 'kept', '* * * * * *', 'UTC', '{}', 'last', false, now())`,
  `INSERT INTO job_runs (job, schedule, key, due_at, next_at, started_at, state, finished_at)
   SELECT 'kept', 'kept', n::text, now(), now(), now(), 'done', now() FROM generate_series(1, ${rows}) n`,
  `INSERT INTO events (organization_id, id, topic, timestamp, context, sequence)
   SELECT '${ORGANIZATION}', 'evt_' || substr(md5('told' || n), 1, 24), 'invoice.created', '2027-01-01Z'::timestamptz + n * interval '1 minute',
          jsonb_build_object('subscription', CASE WHEN n = 1 THEN (SELECT max(id) FROM subscriptions)
                                                  ELSE 'sub_' || substr(md5(n::text), 1, 24) END), 1000000 + n
     FROM generate_series(1, ${rows}) n`,
  `INSERT INTO delivery_attempts (organization_id, event_id, endpoint_id, number, at, status, answer, milliseconds)
   SELECT organization_id, id, 'whe_${NOBODY}', 1, timestamp, 200, 'taken', 1 FROM events`,
  `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, next_at, created_at, kept_from)
   SELECT organization_id, id, 'whe_${NOBODY}', '${AGO}', '${AGO}', '${AGO}' FROM events`,
  `INSERT INTO idempotency_keys (organization_id, client_id, route, key, body_hash, status, response)
   SELECT '${ORGANIZATION}', '${CLIENT}', 'POST /leads', n::text, sha256(''), 200, '{"id":"lead_${NOBODY}"}'
     FROM generate_series(1, 100) n`,
  `INSERT INTO price_payloads (payload_hash, body, first_captured_at)
   SELECT sha256(n::text::bytea), '', '${AGO}' FROM generate_series(1, ${rows}) n`,
  `INSERT INTO price_fetches (source, zone, delivery_from, delivery_to, url, requested_at, captured_at, payload_hash, outcome)
   SELECT 'nordpool', 'DE-LU', '2000-01-01'::date + n / 12, '2000-01-01'::date + n / 12, 'https://a.example', '${AGO}',
          '${AGO}', sha256((1 + n % ${rows})::text::bytea), 'rejected' FROM generate_series(1, ${2 * rows}) n`,
  `INSERT INTO price_alarms (zone, kind, source, delivery_on, detail, raised_at, last_seen_at, resolved_at)
   SELECT 'DE-LU', 'late', 'smard', '2019-01-01'::date + n / 24, '', '${AGO}', '${AGO}', '${AGO}'
     FROM generate_series(1, ${rows}) n`,
  `INSERT INTO price_revisions (source, zone, interval_start, minutes, revision, amount, fetch_id, captured_at)
   SELECT 'smard', 'DE-LU', '2019-01-01T00:00:00Z'::timestamptz + n * interval '15 minutes', 15, 1, 1,
          (SELECT min(id) FROM price_fetches), '${AGO}' FROM generate_series(1, ${rows}) n`,
];

const YEAR = { from: Date.parse('2026-09-30T22:00:00Z'), until: Date.parse('2026-10-31T23:00:00Z') };
const lineOf = (table: string) => expiringRows.find((rows) => rows.table === table) as ExpiringRows;
const expired = (table: string) => (connection: Connection) =>
  deleteExpired(connection, ORGANIZATION, lineOf(table), { before: '2026-01-01T00:00:00Z', rowsMax: 1_000 });

const FIRST = { after: null, rowsMax: 26 };
const MOVEMENT = {
  ...{ id: `bke_${NOBODY}`, amount: '2.00', end_to_end_id: null, return_reason: null, name: 'Nobody' },
  ...{ iban: 'DE02120300000000202051', text: 'NOTHING1-001 and NOTHING2' },
};

const STATEMENTS: Record<string, (connection: Connection) => Promise<unknown>> = {
  'a sweep of leads, where all became contracts': expired('leads'),
  'a sweep of events, where all are young': expired('events'),
  'a sweep of waiting deliveries, where the organization is in order': async (connection) => {
    for (const line of deliveriesKept)
      await deleteExpired(connection, ORGANIZATION, line, { before: '2026-01-01T00:00:00Z', rowsMax: 1_000 });
  },
  'a sweep of authorization codes, where all gave a grant': expired('authorization_codes'),
  'a sweep of finished runs, where all are young': (connection) =>
    deleteFinishedRuns(connection, { before: '2026-01-01T00:00:00Z', portion: 1_000 }),
  'the next run to start, where all are done': (connection) =>
    claimRuns(connection, [], { nowMilliseconds: YEAR.until, unknownBeforeMilliseconds: YEAR.until }),
  'the round of a worker, where all runs are done': async (connection) => {
    await updateSilentRuns(connection, YEAR.until, YEAR.until);
    await countRuns(connection, YEAR.until);
  },
  'runs behind a clock that ran ahead, where there are none': (connection) =>
    updateRunsToNow(connection, YEAR.from, { signMilliseconds: 0, retryMilliseconds: 0 }),
  'runs that were given up, where there are none': (connection) => listFailedRuns(connection, 100),
  'the reductions of a contract that has none': (connection) =>
    listReductionsOfSubscription(connection, ORGANIZATION, `sub_${NOBODY}`),
  'forecasts of a day that has none': (connection) =>
    listForecasts(connection, ORGANIZATION, { delivery_on: '2026-12-01', purchase: 'intraday' }, 1_000),
  'some forecasts of a day of which there are thousands': (connection) =>
    listForecasts(connection, ORGANIZATION, { delivery_on: '2020-01-03', purchase: 'intraday' }, 10),
  'the forecast of a contract for a day': (connection) =>
    findForecast(connection, ORGANIZATION, {
      delivery_on: '2020-01-03',
      purchase: 'day_ahead',
      subscription: `sub_${NOBODY}`,
    }),
  'a sweep of forecasts, where all are young': (connection) =>
    deleteExpired(connection, ORGANIZATION, lineOf('load_forecasts'), { before: AGO, rowsMax: 1_000 }),
  'grants of a customer who has none': (connection) =>
    listGrants(connection, ORGANIZATION, { customer: `cus_${NOBODY}`, limit: 20 }),
  'the newest grants of a client that has many': (connection) =>
    listGrants(connection, ORGANIZATION, { client: CLIENT, limit: 20 }),
  'a portion of contracts to settle, where no meter is smart': (connection) =>
    listUnsettledContracts(connection, ORGANIZATION, '2026-10-01', YEAR, { after: '', rowsMax: 20 }),
  'licences of feeds that gave no value': (connection) => listAttributions(connection),
  'attempts at a day at which there were none': (connection) =>
    listFetchesOfDay(connection, 'DE-LU', '2026-10-01', 20),
  'alarms of a day that has none': (connection) => listAlarmsOfDay(connection, 'DE-LU', '2026-10-01'),
  'revisions of days that have none': (connection) =>
    listRevisionCounts(connection, 'DE-LU', '2026-10-01', '2026-10-02'),
  /* Lists of what waits for a person, and what a movement of the bank may be for. */
  'meter orders to move, where all are at the partner': (connection) =>
    listMeterOrdersToAct(connection, ORGANIZATION, { ...FIRST, now: '2030-01-01T00:00:00Z' }),
  'sign-ups without an answer, where all have one': (connection) =>
    listUnconfirmed(connection, ORGANIZATION, FIRST),
  'ordered reductions, where all have ended': (connection) =>
    listOrderedReductions(connection, ORGANIZATION, FIRST),
  'refused bills, where all end by themselves': (connection) =>
    listRefusalsToAct(connection, ORGANIZATION, FIRST),
  'a page of movements, of which thousands are unmatched': (connection) =>
    listEntries(connection, ORGANIZATION, {
      ...{ state: 'unmatched', rowsMax: 26 },
      after: { booked_on: '2020-04-01', id: MOVEMENT.id },
    }),
  'a page of payments for bills that were paid too much, of which there are thousands': (connection) =>
    listOverpaid(connection, ORGANIZATION, {
      ...{ after: { created_at: '2020-01-02T00:00:00Z', id: `pay_${NOBODY}` }, rowsMax: 26 },
    }),
  'bills for a movement that fits nothing': (connection) =>
    suggestBills(connection, ORGANIZATION, [MOVEMENT]),
  'bills for an amount that thousands of bills have': (connection) =>
    suggestBills(connection, ORGANIZATION, [{ ...MOVEMENT, amount: '1.00' }]),
};

test.each(Object.keys(STATEMENTS))('%s: the cost is a look', async (name) => {
  /* The first call of a function on a connection reads the catalog. */
  await STATEMENTS[name]?.(counted.connection);
  const before = counted.pages;
  await STATEMENTS[name]?.(counted.connection);
  expect(counted.pages - before).toBeLessThan(PAGES_MAX);
});

async function pagesOfPerson(table: string): Promise<number> {
  const rows = places.find((place) => place.table === table)?.rowsOf(person) ?? sql`false`;
  const look = () =>
    sql`SELECT count(*) FROM ${sql.table(table)} AS t WHERE ${rows}`.execute(owner.connection);
  await look();
  const before = owner.pages;
  await look();
  return owner.pages - before;
}

test('what receivers answered about a person: the cost is a look, however many events there are of others', async () => {
  expect(await pagesOfPerson('delivery_attempts')).toBeLessThan(PAGES_MAX);
});

test('kept answers that name a person: leads are looked through once, and not for each answer', async () => {
  expect(await pagesOfPerson('idempotency_keys')).toBeLessThan((await pagesOfPerson('leads')) + PAGES_MAX);
});

test('bodies of prices that stay are judged once, a portion at a time', async () => {
  const portion = async (rowsMax: number) => {
    const before = counted.pages;
    await deleteOldPayloads(counted.connection, '2026-01-01T00:00:00Z', rowsMax);
    return counted.pages - before;
  };
  expect(await portion(10)).toBeLessThan(500);
  await portion(ROWS);
  await counted.vacuum(database, 'price_payloads');
  expect(await portion(ROWS)).toBeLessThan(PAGES_MAX);
});

test('beside 20,000 organizations: events that wait behind a clock, and missing documents, cost a look', async () => {
  const admin = new pg.Client(database.adminUrl);
  await admin.connect();
  try {
    await admin.query("SET session_replication_role = 'replica'");
    await admin.query(`INSERT INTO organizations (id, name)
      SELECT 'org_' || substr(md5(n::text), 1, 24), 'None' FROM generate_series(1, 20000) n`);
    await admin.query(`INSERT INTO billing_refusals
        (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail, first_at, last_at)
      SELECT id, 'cus_${NOBODY}', 'sub_${NOBODY}', 'exit_summary', '2020-01-01', '2020-01-02', 'missing_price', 'waits', '${AGO}', '${AGO}'
        FROM organizations`);
    await admin.query('VACUUM ANALYZE organizations, billing_refusals');
  } finally {
    await admin.end();
  }
  const questions = [
    () => updateRunsToNow(counted.connection, YEAR.from, { signMilliseconds: 0, retryMilliseconds: 0 }),
    () => sql`SELECT * FROM count_missing_documents('2026-01-01', '2026-01-08')`.execute(counted.connection),
  ];
  for (const question of questions) {
    await question();
    const before = counted.pages;
    await question();
    expect(counted.pages - before).toBeLessThan(PAGES_MAX);
  }
});
