import { afterAll, beforeAll, expect, test } from 'vitest';
import { askCorrections } from '../../../../src/billing/invoices/corrections/ask.ts';
import { changedBills, changedContracts } from '../../../../src/billing/invoices/corrections/changes.ts';
import {
  type BilledUsage,
  listChangedBills,
  listRepricedContracts,
} from '../../../../src/billing/invoices/corrections/queries.ts';
import type { Connection } from '../../../../src/platform/database/db.ts';
import { addMonths } from '../../../../src/platform/time/berlin-calendar.ts';
import { runCommand } from '../../../cli/command-line.ts';
import { type Contract, type Metered, quarterHours, startMetered } from '../../../contracts/usage/metered.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { createPlan } from '../../../setup/factories.ts';
import { storedRows } from '../../../setup/stored-rows.ts';

const ISSUED = '2026-11-12T05:30:00.000Z';
const LATER = '2026-11-21T16:05:00.000Z';
const MONTHS = ['2026-06-01', '2026-07-01', '2026-08-01', '2026-09-01', '2026-10-01'];

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(LATER, { alone: true });
});
afterAll(() => metered?.close());

const billsOf = (contract: Contract): BilledUsage[] =>
  MONTHS.map((from) => ({
    invoice: `${contract.id} ${from.slice(0, 7)}`,
    subscription: contract.id,
    meter: contract.meter,
    ...{ from, until: addMonths(from, 1), issuedAt: ISSUED },
  }));

/** The months whose bills are to be looked at. */
async function changed(...contracts: readonly Contract[]): Promise<string[]> {
  const { organization, api } = metered;
  const bills = contracts.flatMap(billsOf);
  const changed = await api.deps.database.inOrganization({ organization }, (connection) =>
    changedBills(connection, organization, bills),
  );
  return bills.filter(({ invoice }) => changed.has(invoice)).map(({ invoice }) => invoice);
}

async function contractsSince(since: string): Promise<readonly string[]> {
  const { organization, api } = metered;
  const look = { since, today: LATER.slice(0, 10), after: '' };
  const page = await api.deps.database.inOrganization({ organization }, (connection) =>
    changedContracts(connection, organization, look),
  );
  return page.contracts;
}

const of = (contract: Contract, months: readonly string[]) =>
  months.map((month) => `${contract.id} ${month}`);

async function at<Result>(instant: string, work: () => Promise<Result>): Promise<Result> {
  metered.clock.set(instant);
  try {
    return await work();
  } finally {
    metered.clock.set(LATER);
  }
}

test('values of the operator after the bill: of their month only, replaced ones and those of gaps', async () => {
  const [replaced, filled, same] = await Promise.all(
    [1, 2, 3].map(() => metered.contract({ meter_type: 'smart' })),
  );
  if (replaced === undefined || filled === undefined || same === undefined) throw new Error('No contracts');
  const summer = quarterHours('2026-05-31T22:00:00Z', '2026-09-30T22:00:00Z', 0.25);
  await at('2026-10-20T09:00:00.000Z', async () => {
    for (const { id } of [replaced, filled, same]) await metered.import(id, summer);
  });
  expect(await changed(replaced, filled, same)).toEqual([]);
  await metered.import(replaced.id, ['2026-08-10T10:00:00Z,0.3']);
  await metered.import(filled.id, ['2026-10-02T10:00:00Z,0.3']);
  await metered.import(same.id, ['2026-08-10T10:00:00Z,0.25']);
  expect(await changed(replaced, filled, same)).toEqual([
    ...of(replaced, ['2026-08']),
    ...of(filled, ['2026-10']),
  ]);
  const contracts = await contractsSince('2026-11-21T15:00:00.000Z');
  expect(contracts).toEqual([replaced.id, filled.id].sort());
});

test('a reading: the days between the real readings next to it, whatever was estimated there', async () => {
  const contract = await metered.contract();
  const other = await metered.contract();
  await at('2026-10-20T09:00:00.000Z', async () => {
    for (const each of [contract, other]) {
      await metered.read(each, { '2026-07-01': 1000, '2026-10-01': 1700 });
      await metered.read(each, { '2026-09-01': 1500 }, 'grid_estimation');
    }
  });
  expect(await changed(contract, other)).toEqual([]);
  await metered.read(contract, { '2026-08-16': 1300 }, 'customer_report');
  expect(await changed(contract, other)).toEqual(of(contract, ['2026-07', '2026-08', '2026-09']));
  await metered.read(contract, { '2026-11-10': 1900 });
  expect(await changed(contract)).toEqual(of(contract, ['2026-07', '2026-08', '2026-09', '2026-10']));
  expect(await contractsSince('2026-11-21T15:00:00.000Z')).toContain(contract.id);
  expect(await contractsSince('2026-11-21T15:00:00.000Z')).not.toContain(other.id);
});

test('a reading that was wrong: the days between the real readings next to it', async () => {
  const contract = await metered.contract();
  await at('2026-10-20T09:00:00.000Z', () =>
    metered.read(contract, { '2026-07-01': 1000, '2026-08-16': 1300, '2026-10-01': 1700 }),
  );
  const [wrong] = await storedRows<{ id: string }>(
    metered.api,
    `SELECT id FROM meter_readings WHERE meter_id = $1 AND read_on = '2026-08-16'`,
    [contract.meter],
  );
  const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
  const why = ['--organization', metered.organization, '--reason', 'read at another meter'];
  const done = await runCommand(environment, 'meter-readings', 'correct', wrong?.id ?? '', ...why);
  expect(done).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await changed(contract)).toEqual(of(contract, ['2026-07', '2026-08', '2026-09']));
  expect(await contractsSince('2026-11-21T15:00:00.000Z')).toContain(contract.id);
});

test('a reading of another register, and one of the time before, change nothing', async () => {
  const contract = await metered.contract();
  await at('2026-10-20T09:00:00.000Z', () =>
    metered.read(contract, { '2026-06-01': 1000, '2026-11-01': 1700 }),
  );
  await metered.read(contract, { '2026-05-01': 900 });
  expect(await changed(contract)).toEqual([]);
});

test('another load profile: its days, and those that share two readings with them', async () => {
  const [contract, open] = [await metered.contract(), await metered.contract()];
  await at('2026-10-20T09:00:00.000Z', async () => {
    await metered.read(contract, { '2026-07-01': 1000, '2026-10-01': 1700 });
    await metered.read(contract, { '2026-09-01': 1500 }, 'grid_estimation');
    await metered.read(open, { '2026-07-01': 1000 });
  });
  const profile = (first_day: string, end_day: string | null) =>
    storedRows(
      metered.api,
      `WITH before AS (DELETE FROM reference_changes)
       INSERT INTO reference_changes (reference_table, key, first_day, end_day, changed_at)
       VALUES ('load_profiles', '', $1, $2, $3)`,
      [first_day, end_day, LATER],
    );
  await profile('2026-09-01', null);
  expect(await changed(contract, open)).toEqual([
    ...of(contract, ['2026-07', '2026-08', '2026-09', '2026-10']),
    ...of(open, ['2026-09', '2026-10']),
  ]);
  await profile('2026-01-01', '2026-08-01');
  expect(await changed(contract, open)).toEqual([
    ...of(contract, ['2026-06', '2026-07', '2026-08', '2026-09']),
    ...of(open, ['2026-06', '2026-07']),
  ]);
  await profile('2026-10-01', null);
  expect(await changed(contract, open)).toEqual([...of(contract, ['2026-10']), ...of(open, ['2026-10'])]);
  await storedRows(metered.api, 'DELETE FROM reference_changes');
});

test('what came in while the bill was made counts as later', async () => {
  const contract = await metered.contract();
  await at('2026-11-12T05:10:00.000Z', () => metered.read(contract, { '2026-10-16': 1000 }));
  expect(await changed(contract)).toEqual(
    of(
      contract,
      MONTHS.map((month) => month.slice(0, 7)),
    ),
  );
  await storedRows(metered.api, 'UPDATE meter_readings SET created_at = $2 WHERE meter_id = $1', [
    contract.meter,
    '2026-11-12T04:20:00Z',
  ]);
  expect(await changed(contract)).toEqual([]);
});

test('a device that was entered later: from its day on', async () => {
  const contract = await metered.contract();
  await storedRows(
    metered.api,
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register, updated_at)
     VALUES ($1, $2, $3, '2026-08-16', '1EMH0099999999', 2, $4)`,
    [metered.organization, contract.place.customer, contract.meter, LATER],
  );
  expect(await changed(contract)).toEqual(of(contract, ['2026-08', '2026-09', '2026-10']));
  expect(await contractsSince('2026-11-21T15:00:00.000Z')).toContain(contract.id);
});

test('another sign-up that says smart: from the first day on which it makes the meter another one', async () => {
  const contract = await metered.contract({ meter_number: '1EMH0000000042' });
  const { id: plan } = await createPlan(metered.api.deps, metered.organization, { type: 'feed_in' });
  const signedUp = await (await metered.client()).post<{ id: string }>('/subscriptions', {
    plan,
    customer: contract.place.customer,
    household: contract.place.household,
    address: { street: 'Am Mühlgraben', house_number: '7a', zip: '10115', city: 'Berlin' },
    meter: { number: '1EMH0000000042', type: 'smart', estimated_usage: 4888 },
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
    },
    next_possible_start: true,
  });
  expect([signedUp.status, await changed(contract)]).toEqual([200, []]);
  const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
  const office = (command: string, startOn: string) => {
    const why = ['--organization', metered.organization, '--reason', 'it came late'];
    return runCommand(environment, 'subscriptions', command, signedUp.body.id, '--start-on', startOn, ...why);
  };
  expect(await office('confirm', '2026-09-01')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await changed(contract)).toEqual(of(contract, ['2026-09', '2026-10']));
  expect(await contractsSince('2026-11-21T15:00:00.000Z')).toContain(contract.id);
  await storedRows(
    metered.api,
    'UPDATE subscriptions SET bills_changed_at = NULL, bills_changed_from = NULL',
  );
  expect(await office('set-dates', '2026-10-01')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await changed(contract)).toEqual(of(contract, ['2026-09', '2026-10']));
});

test('days that are frozen later change their month', async () => {
  const contract = await metered.contract({ meter_type: 'smart' });
  await at('2026-09-20T09:00:00.000Z', () => metered.import(contract.id, ['2026-08-10T10:00:00Z,0.3']));
  await storedRows(
    metered.api,
    `UPDATE settled_usage_months SET days = '{[2026-08-01,2026-08-20)}' WHERE subscription_id = $1`,
    [contract.id],
  );
  await storedRows(
    metered.api,
    'UPDATE settled_usage_months SET changed_at = NULL WHERE subscription_id = $1',
    [contract.id],
  );
  expect(await changed(contract)).toEqual([]);
  await metered.usage(contract.id, 'start=2026-08-01&end=2026-09-01&resolution=day');
  expect(await changed(contract)).toEqual(of(contract, ['2026-08']));
});

interface PlanNode {
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows the parts of a plan looked at. */
function looks(node: PlanNode): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unlike = 0 } = node;
  const own = (node['Actual Rows'] + filtered + unlike) * node['Actual Loops'];
  return (node.Plans ?? []).map(looks).reduce((sum, below) => sum + below, own);
}

/** The rows that one statement looks at. */
async function looksOf(work: (connection: Connection) => Promise<unknown>): Promise<number> {
  const { organization, api } = metered;
  let count = 0;
  await api.deps.database.inOrganization({ organization }, (connection) =>
    work(
      connection.withPlugin({
        transformQuery: ({ node }) => {
          if (node.kind !== 'RawNode') return node;
          const [first, ...others] = node.sqlFragments;
          return { ...node, sqlFragments: [`EXPLAIN (ANALYZE, FORMAT JSON) ${first}`, ...others] } as never;
        },
        transformResult: async ({ result }) => {
          const [row] = result.rows as { 'QUERY PLAN': [{ Plan: PlanNode }] }[];
          if (row !== undefined) count += looks(row['QUERY PLAN'][0].Plan);
          return { ...result, rows: [] };
        },
      }),
    ),
  );
  return count;
}

test('new price sheets of all grid operators are joined to zips, not compared with each of them', async () => {
  const { api, organization } = metered;
  const [operators, zips] = [200, 4_000];
  await storedRows(
    api,
    `INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, source)
     SELECT lpad(n::text, 5, '0'), 'netz-' || n % ${operators}, 'T1', 1, '2026-01-01', 'tests'
       FROM generate_series(1, ${zips}) AS n`,
  );
  const contract = await metered.contract();
  await storedRows(
    api,
    `UPDATE addresses SET zip = '00007' WHERE id IN (SELECT address_id FROM subscriptions WHERE id = $1)`,
    [contract.id],
  );
  await storedRows(
    api,
    `INSERT INTO reference_changes (reference_table, key, first_day, changed_at)
     SELECT 'grid_fees', 'netz-' || n, '2026-09-01', $1 FROM generate_series(0, ${operators - 1}) AS n`,
    [LATER],
  );
  expect(await changed(contract)).toEqual(of(contract, ['2026-09', '2026-10']));
  const days = { since: '2026-11-21T15:00:00.000Z', before: LATER.slice(0, 10) };
  const portion = { after: '', rowsMax: 1_000 };
  const page = await looksOf((connection) =>
    listRepricedContracts(connection, organization, days, portion, '1 hour'),
  );
  const bill = await looksOf((connection) =>
    listChangedBills(connection, organization, billsOf(contract).slice(0, 1), '1 hour'),
  );
  expect([page < 15 * zips, bill < zips]).toEqual([true, true]);
});

test('a look for corrections goes on behind the last contract, and asks for none twice', async () => {
  const { api, organization } = metered;
  const contract = await metered.contract();
  await storedRows(
    api,
    `INSERT INTO subscriptions
     SELECT copy.*
       FROM subscriptions AS one, generate_series(1, 1100) AS n,
            jsonb_populate_record(one, jsonb_build_object(
              'id', 'sub_' || lpad(n::text, 24, '0'), 'number', lpad(n::text, 8, '0'), 'bills_changed_at', $2::text,
              'bills_changed_from', '2026-10-01', 'status', 'pending', 'start_at', NULL, 'confirmed_at', NULL)) AS copy
      WHERE one.id = $1`,
    [contract.id, LATER],
  );
  const copies = async () => {
    const rows = await storedRows<{ contracts: string[] }>(
      api,
      `SELECT payload -> 'contracts' AS contracts FROM job_runs WHERE job = 'correct-bills'`,
    );
    return rows.flatMap(({ contracts }) => contracts).filter((id) => id.startsWith('sub_0000000000'));
  };
  const look = { run: 'brun_1', last_run_at: '2026-11-21T16:00:00.000Z' };
  const ask = (after: string) => askCorrections(api.deps, { organization, payload: { ...look, after } });
  await ask('');
  await ask('');
  expect((await copies()).length).toBe(1_000);
  const [next] = await storedRows<{ payload: { after: string } }>(
    api,
    `SELECT payload FROM job_runs WHERE job = 'ask-corrections'`,
  );
  await ask(next?.payload.after ?? '');
  const found = await copies();
  expect([found.length, new Set(found).size]).toEqual([1_100, 1_100]);
});
