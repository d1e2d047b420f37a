import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeOldRecords } from '../../../src/governance/retention/service.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import {
  createHousehold,
  createOrganization,
  createSubscription,
  type TestHousehold,
} from '../../setup/factories.ts';
import { createInvoice } from '../../setup/invoice-factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/* The database says itself how old a value must be, so its clock is this one. */
const clock = fakeClock(new Date().toISOString());
const signal = new AbortController().signal;
const THIS_YEAR = Number(
  new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', year: 'numeric' }).format(clock.now()),
);
/** The last year whose values go, and the first one whose values stay. */
const [OLD, YOUNG] = [THIS_YEAR - 4, THIS_YEAR - 3];

let api: TestApi;
let organization: string;
let maintenance: Database;

beforeAll(async () => {
  api = await startApi({ clock });
  organization = await createOrganization(api.deps);
  maintenance = openDatabase({
    url: api.database.maintenanceUrl,
    applicationName: 'retention-test',
    connectionsMax: 1,
    onError: () => {},
  });
});
afterAll(async () => {
  await maintenance?.close();
  await api?.close();
});

interface Contract {
  id: string;
  meter: string;
  place: TestHousehold;
}

async function contract(input: { end_at?: string } = {}): Promise<Contract> {
  const place = await createHousehold(api.deps, organization);
  const { id, meter } = await createSubscription(api.deps, organization, place, {
    status: 'active',
    start_at: `${OLD - 3}-12-31T23:00:00Z`,
    ...input,
  });
  return { id, meter, place };
}

/** Four quarter hours of some days, each replaced once, and the sums of the days. */
async function used({ id, place }: Contract, days: readonly string[]): Promise<void> {
  const owner = [organization, place.customer, id, days];
  const quarterHours = `unnest($4::text[]) AS of_day (day),
    LATERAL generate_series(day::timestamp AT TIME ZONE 'Europe/Berlin',
                            (day::date + 1)::timestamp AT TIME ZONE 'Europe/Berlin' - interval '15 minutes',
                            interval '6 hours') AS begins`;
  await storedRows(
    api,
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     SELECT $1, $2, $3, begins, 0.25, 'metering_operator' FROM ${quarterHours}`,
    owner,
  );
  await storedRows(
    api,
    `INSERT INTO replaced_usage
       (organization_id, customer_id, subscription_id, interval_start, kwh, source, kept_at, replaced_at)
     SELECT $1, $2, $3, begins, 0.5, 'own_measurement', now(), now() FROM ${quarterHours}`,
    owner,
  );
  await storedRows(
    api,
    `INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
     SELECT $1, $2, $3, day::date, 24, 96 FROM unnest($4::text[]) AS of_day (day)`,
    owner,
  );
}

async function read({ id, meter, place }: Contract, days: readonly string[], type = 'grid_reading') {
  await storedRows(
    api,
    `INSERT INTO meter_readings (organization_id, id, customer_id, subscription_id, meter_id, read_on, value, type)
     SELECT $1, 'mr_' || left(md5($4 || $6 || day) || '0000', 24), $2, $3, $4, day::date, number * 100, $6
       FROM unnest($5::text[]) WITH ORDINALITY AS row (day, number)`,
    [organization, place.customer, id, meter, days, type],
  );
}

/** A month's bill. */
async function bill({ id, place }: Contract, month: string, status: 'open' | 'paid' | 'voided' = 'paid') {
  const [year, number] = month.split('-').map(Number);
  const next = new Date(Date.UTC(year ?? 0, number ?? 0, 1)).toISOString().slice(0, 7);
  const days = {
    customer_id: place.customer,
    subscription_id: id,
    period_start: sql<string>`(${`${month}-01`}::timestamp AT TIME ZONE 'Europe/Berlin')` as never,
    period_end: sql<string>`(${`${next}-01`}::timestamp AT TIME ZONE 'Europe/Berlin')` as never,
  };
  const { id: invoice } = await createInvoice(api.deps, organization, { ...days, status });
  if (status !== 'voided') return;
  await createInvoice(api.deps, organization, {
    ...{ ...days, type: 'void', voids: invoice, total: '-119' },
    status: 'paid',
  });
}

async function swept(): Promise<Record<string, unknown>> {
  const config = { SNAPSHOT_RETENTION_MONTHS: 0, QUARTER_HOUR_RETENTION_MONTHS: 0 };
  return await removeOldRecords({ maintenance, clock, config }, { signal });
}

async function daysOf({ id }: Contract): Promise<string[]> {
  const rows = await storedRows<{ day: string; left: string }>(
    api,
    `SELECT day::text, (SELECT count(*) FROM usage_quarter_hours q WHERE q.subscription_id = d.subscription_id
                           AND (q.interval_start AT TIME ZONE 'Europe/Berlin')::date = d.day)
                       || ' ' || (SELECT count(*) FROM replaced_usage r WHERE r.subscription_id = d.subscription_id
                           AND (r.interval_start AT TIME ZONE 'Europe/Berlin')::date = d.day) AS left
       FROM usage_days d WHERE subscription_id = $1 ORDER BY day`,
    [id],
  );
  return rows.map(({ day, left }) => `${day} ${left}`);
}

async function readingsOf({ meter }: Contract): Promise<string[]> {
  const rows = await storedRows<{ read_on: string; type: string }>(
    api,
    'SELECT read_on::text, type FROM meter_readings WHERE meter_id = $1 ORDER BY read_on',
    [meter],
  );
  return rows.map(({ read_on, type }) => `${read_on} ${type}`);
}

async function countOf({ id }: Contract, table: string): Promise<number> {
  const [row] = await storedRows<{ count: string }>(
    api,
    `SELECT count(*) FROM ${table} WHERE subscription_id = $1`,
    [id],
  );
  return Number(row?.count);
}

test('quarter hours, their history and their days go three years after the end of their year', async () => {
  const supplied = await contract();
  await used(supplied, [`${OLD}-03-31`, `${OLD}-12-31`, `${YOUNG}-01-01`, `${YOUNG}-06-01`]);
  expect(await swept()).toMatchObject({ usage_days: 2 });
  expect(await daysOf(supplied)).toEqual([`${YOUNG}-01-01 4 4`, `${YOUNG}-06-01 4 4`]);
  expect(await countOf(supplied, 'usage_quarter_hours')).toBe(8);
  expect(await countOf(supplied, 'replaced_usage')).toBe(8);
  expect(await swept()).toMatchObject({ usage_days: 0 });
});

test('days of an open bill stay until it is paid, and so do days that no bill covers yet', async () => {
  const [open, hole, reversed] = await Promise.all([contract(), contract(), contract()]);
  const days = [`${OLD}-04-10`, `${OLD}-05-10`, `${OLD}-06-10`];
  for (const measured of [open, hole, reversed]) await used(measured, days);
  const months = [`${OLD}-04`, `${OLD}-05`, `${OLD}-06`];
  for (const month of months) {
    await bill(open, month, month.endsWith('05') ? 'open' : 'paid');
    if (!month.endsWith('05')) await bill(hole, month);
    await bill(reversed, month, month.endsWith('06') ? 'voided' : 'paid');
  }
  await swept();
  expect(await daysOf(open)).toEqual([`${OLD}-05-10 4 4`]);
  expect(await daysOf(hole)).toEqual([`${OLD}-05-10 4 4`]);
  expect(await daysOf(reversed)).toEqual([`${OLD}-06-10 4 4`]);
  await storedRows(
    api,
    `WITH payment AS (
       INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at,
                             updated_at)
       SELECT organization_id, customer_id, 'pay_' || substr(id, 5), id, 'in', 'entered', total, 'settled', now(), now(), now()
         FROM invoices WHERE status = 'open')
     UPDATE invoices SET status = 'paid', paid_at = now() WHERE status = 'open'`,
  );
  await bill(hole, `${OLD}-05`);
  await bill(reversed, `${OLD}-06`);
  expect(await swept()).toMatchObject({ usage_days: 3 });
});

test('what was used before the first bill was billed elsewhere, and after the end of supply there is nothing to bill', async () => {
  const supplied = await contract({ end_at: `${OLD}-06-30T22:00:00Z` });
  await used(supplied, [`${OLD}-02-10`, `${OLD}-06-10`, `${OLD}-07-10`]);
  await bill(supplied, `${OLD}-06`);
  await swept();
  expect(await daysOf(supplied)).toEqual([]);
});

test('readings go, but for the one with which the next is compared', async () => {
  const [supplied, left] = await Promise.all([contract(), contract({ end_at: `${OLD}-12-30T23:00:00Z` })]);
  for (const measured of [supplied, left]) {
    await read(measured, [`${OLD - 1}-12-31`, `${OLD}-06-30`]);
    await read(measured, [`${OLD}-03-01`, `${OLD}-12-01`], 'grid_estimation');
  }
  await read(supplied, [`${YOUNG}-01-01`]);
  expect(await swept()).toMatchObject({ meter_readings: 6 });
  expect(await readingsOf(supplied)).toEqual([
    `${OLD}-06-30 grid_reading`,
    `${OLD}-12-01 grid_estimation`,
    `${YOUNG}-01-01 grid_reading`,
  ]);
  expect(await readingsOf(left)).toEqual([]);
});

test('a reading that was withdrawn goes, and does not take the place of one that counts', async () => {
  const supplied = await contract();
  await read(supplied, [`${OLD}-06-30`, `${OLD}-12-01`, `${YOUNG}-01-01`]);
  await storedRows(
    api,
    'UPDATE meter_readings SET withdrawn_at = now() WHERE meter_id = $1 AND read_on = $2',
    [supplied.meter, `${OLD}-12-01`],
  );
  await swept();
  expect(await readingsOf(supplied)).toEqual([`${OLD}-06-30 grid_reading`, `${YOUNG}-01-01 grid_reading`]);
});

test('readings of a device that was taken down before go, those of the new one follow the same rule', async () => {
  const supplied = await contract();
  await storedRows(
    api,
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register)
     VALUES ($1, $2, $3, $4, '1EMH0099999999', 2)`,
    [organization, supplied.place.customer, supplied.meter, `${OLD}-05-01`],
  );
  await read(supplied, [`${OLD}-01-01`, `${OLD}-05-01`]);
  await swept();
  expect(await readingsOf(supplied)).toEqual([]);
});

test('readings between which an open bill lies stay', async () => {
  const supplied = await contract({ end_at: `${OLD}-12-30T23:00:00Z` });
  await read(supplied, [`${OLD}-01-01`, `${OLD}-04-01`, `${OLD}-07-01`, `${OLD}-10-01`]);
  await bill(supplied, `${OLD}-05`, 'open');
  for (const month of ['06', '07', '08', '09', '10', '11', '12']) await bill(supplied, `${OLD}-${month}`);
  await swept();
  expect(await readingsOf(supplied)).toEqual([`${OLD}-04-01 grid_reading`, `${OLD}-07-01 grid_reading`]);
});

test('nobody removes them earlier, and the service not at all', async () => {
  await expect(storedRows(api, 'SELECT delete_old_usage_days($1, 10)', [`${YOUNG}-01-02`])).rejects.toThrow(
    /three years/,
  );
  await expect(
    storedRows(api, 'SELECT delete_old_meter_readings($1, 10)', [`${THIS_YEAR}-01-01`]),
  ).rejects.toThrow(/three years/);
  for (const table of ['usage_quarter_hours', 'usage_days', 'replaced_usage', 'meter_readings']) {
    await expect(
      api.deps.database.inOrganization({ organization }, (connection) =>
        sql`DELETE FROM ${sql.table(table)}`.execute(connection),
      ),
    ).rejects.toThrow(/permission denied/);
  }
});
