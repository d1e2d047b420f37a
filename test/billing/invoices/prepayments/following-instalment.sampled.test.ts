import { afterAll, beforeAll, expect, test } from 'vitest';
import { setBillingMode, setInstalment } from '../../../../src/billing/invoices/prepayments/terms.ts';
import { berlinMidnight } from '../../../../src/platform/time/berlin-calendar.ts';
import { type Contract, quarterHours } from '../../../contracts/usage/metered.ts';
import { whileHeld } from '../../../setup/held-row.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { isLongTier } from '../../../setup/tier.ts';
import { type Billed, startBilled } from '../billing.ts';

/** A year of advance payment from April to March is closed in April, and its instalment follows from May on. */
const CLOSED = '2027-04-20';
/** From then on nobody can say what a month costs. */
const LEVIES_UNTIL = '2027-06-01';

let billed: Billed;
/** Of different years in advance, which one run closes. */
let closed: { plain: Contract; entered: Contract; enteredLater: Contract | undefined; monthly: Contract };
/** Locks on rows of reference data that the run held which waited for the ledger. */
let rowsBeforeLedger: number;
/** Where the year itself is not the point, `npm test` pays three months in advance. */
const SINCE = isLongTier ? '2026-04-01' : '2027-01-01';
beforeAll(async () => {
  billed = await startBilled('2026-04-01T04:30:00.000Z');
  await billed.price('2026-04-01', '2027-06-01', 80);
  await billed.issuer();
  for (const table of ['levies', 'grid_fees', 'grid_fee_schedules']) {
    const end = table === 'levies' ? LEVIES_UNTIL : '2028-01-01';
    await storedRows(billed.api, `UPDATE ${table} SET valid_to = $1 WHERE valid_to = '2027-01-01'`, [end]);
  }
  const [plain, entered, enteredLater, monthly] = [
    await yearInAdvance(),
    await yearInAdvance(),
    isLongTier ? await yearInAdvance() : undefined,
    await yearInAdvance(SINCE),
  ];
  closed = { plain, entered, enteredLater, monthly };
  billed.clock.set('2027-03-20T04:30:00.000Z');
  const { deps } = billed.api;
  const enter = ({ id }: Contract, from: string) =>
    setInstalment(deps, billed.organization, id, { from, instalment: '70' }, act());
  await enter(entered, '2027-04-01');
  if (enteredLater !== undefined) await enter(enteredLater, '2027-08-01');
  const change = { mode: 'monthly', from: '2027-04-01' } as const;
  await setBillingMode(deps, billed.organization, monthly.id, change, act());
  await billOn('2027-04-01');
  await storedRows(billed.api, 'TRUNCATE billed_reference_rows');
  rowsBeforeLedger = await holdLedger(() => billOn(CLOSED));
});
afterAll(() => billed?.close());

const act = () => ({
  ...{ staff: 'ada', reason: 'ticket 17', command: 'invoices mode' },
  now: billed.clock.now().toISOString(),
});

async function holdLedger(bill: () => Promise<void>): Promise<number> {
  let locks = Number.NaN;
  await whileHeld(
    billed.api.database,
    ['invoice_ledgers', billed.organization, 'organization_id'],
    bill,
    async () => {
      const held = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
                     WHERE datname = current_database() AND relation = 'billed_reference_rows'::regclass
                       AND mode = 'RowExclusiveLock'`;
      locks = (await storedRows(billed.api, held)).length;
    },
  );
  return locks;
}

/** Twice as much is used as was thought. */
async function yearInAdvance(from = '2026-04-01'): Promise<Contract> {
  billed.clock.set('2026-04-01T04:30:00.000Z');
  const contract = await billed.contract({
    ...{ meter_type: 'smart', start_at: berlinMidnight(from), estimated_usage: '3504' },
  });
  await billed.supply(contract, from, '2027-04-01', 0.2);
  const change = { mode: 'advance', from, instalment: '90' } as const;
  await setBillingMode(billed.api.deps, billed.organization, contract.id, change, act());
  return contract;
}

async function billOn(...days: string[]): Promise<void> {
  for (const day of days) {
    billed.clock.set(`${day}T04:30:00.000Z`);
    await billed.bill();
  }
}

const terms = ({ id }: Contract) =>
  storedRows<{ valid_from: string; mode: string; instalment: number | null; basis: string }>(
    billed.api,
    `SELECT valid_from::text, mode, instalment::float8, basis FROM billing_terms
      WHERE subscription_id = $1 AND valid_from > '2026-04-01' ORDER BY valid_from`,
    [id],
  );

/** What bills for usage say of the instalment that comes next. */
const named = async ({ id }: Contract) =>
  (
    await storedRows<{ next: unknown }>(
      billed.api,
      `SELECT facts->'nextInstalment' AS next FROM invoices WHERE subscription_id = $1 AND type = 'usage' ORDER BY issued_at`,
      [id],
    )
  ).map(({ next }) => next);

async function prepaidSince(contract: Contract, from: string) {
  const bills = await billed.bills(contract);
  return bills
    .filter(({ type, period }) => type === 'prepayment' && period >= from)
    .map(({ period, total }) => `${period.slice(0, 10)} ${total}`);
}

test('behind the closing bill of a year the instalment is what a quote for the energy of that year comes to', async () => {
  const contract = closed.plain;
  billed.clock.set(`${CLOSED}T04:30:00.000Z`);
  const quoted = await billed.contract({
    ...{ meter_type: 'smart', start_at: '2027-04-30T22:00:00Z', estimated_usage: '7008' },
  });
  const asQuoted = await setBillingMode(
    billed.api.deps,
    billed.organization,
    quoted.id,
    { mode: 'advance', from: '2027-05-01' },
    act(),
  );
  expect(asQuoted.basis).toBe('forecast');
  const instalment = Number(asQuoted.instalment);
  expect(instalment).toBeGreaterThan(90);
  const following = { valid_from: '2027-05-01', mode: 'advance', instalment, basis: 'closing_bill' };
  expect(await terms(contract)).toEqual([following]);
  expect(await named(contract)).toEqual([{ from: '2027-05-01', amount: instalment.toFixed(2) }]);
  await billOn('2027-05-01');
  expect(await prepaidSince(contract, '2027-04')).toEqual(['2027-04-01 90', `2027-05-01 ${instalment}`]);
});

test('a run keeps the rows of its instalments at its end, when nobody else issues documents', async () => {
  expect(rowsBeforeLedger).toBe(0);
  const rows = await storedRows<{ name: string }>(
    billed.api,
    'SELECT DISTINCT reference_table AS name FROM billed_reference_rows',
  );
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['grid_fees', 'zip_areas']));
});

test('the instalment follows a corrected closing bill from the first month that has not begun, and what was entered stays', async () => {
  const { plain, entered } = closed;
  const [before] = await terms(plain);
  const enteredBefore = await terms(entered);
  billed.clock.set('2027-05-02T04:30:00.000Z');
  for (const contract of [plain, entered])
    await billed.import(contract.id, quarterHours('2027-01-31T23:00:00Z', '2027-02-28T23:00:00Z', 1));
  await billOn('2027-05-03');
  const [standing, corrected] = await terms(plain);
  expect(standing).toEqual(before);
  expect(corrected).toMatchObject({ valid_from: '2027-06-01', basis: 'closing_bill' });
  expect(corrected?.instalment).toBeGreaterThan(before?.instalment ?? 0);
  expect((await named(plain)).at(-1)).toEqual({
    ...{ from: '2027-06-01', amount: corrected?.instalment?.toFixed(2) },
  });
  expect(await terms(entered)).toEqual(enteredBefore);
  expect((await named(entered)).at(-1)).toEqual({ from: '2027-06-01', amount: '70.00' });
});

test('an instalment that the back office entered for the new year stays, and one for later months does too', async () => {
  const { entered: now, enteredLater: later } = closed;
  const entered = { mode: 'advance', instalment: 70, basis: 'evidence' };
  expect(await terms(now)).toEqual([{ valid_from: '2027-04-01', ...entered }]);
  expect((await named(now)).at(0)).toEqual({ from: '2027-05-01', amount: '70.00' });
  if (later === undefined) return;
  expect(await terms(later)).toMatchObject([
    { valid_from: '2027-05-01', mode: 'advance', basis: 'closing_bill' },
    { valid_from: '2027-08-01', ...entered },
  ]);
});

test('a contract that went back to monthly bills stays there behind the bill that closes its year', async () => {
  const contract = closed.monthly;
  await billOn('2027-05-01');
  expect((await billed.bills(contract)).at(-1)).toMatchObject({ period: `${SINCE} 2027-04-01` });
  expect((await terms(contract)).filter(({ valid_from }) => valid_from > SINCE)).toMatchObject([
    { valid_from: '2027-04-01', mode: 'monthly' },
  ]);
  expect((await named(contract)).at(0)).toBeNull();
  expect(await prepaidSince(contract, '2027-04')).toEqual([]);
});

test.runIf(isLongTier)(
  'where prices of the new year are missing the bill is issued all the same, and the old instalment goes on',
  async () => {
    const contract = await yearInAdvance();
    await billOn('2027-04-01', '2027-06-20');
    expect((await billed.bills(contract)).at(-1)).toMatchObject({ type: 'usage', deducted: 0 });
    expect(await terms(contract)).toEqual([]);
    expect((await named(contract)).at(0)).toEqual({ from: '2027-07-01', amount: '90.00' });
  },
);

test('a closing bill that is corrected behind a later one names what holds, and changes no instalment', async () => {
  const { plain } = closed;
  const listedUntil = async (day: string) => {
    for (const table of ['levies', 'grid_fees', 'grid_fee_schedules'])
      await storedRows(billed.api, `UPDATE ${table} SET valid_to = $1 WHERE valid_to >= '2027-06-01'`, [day]);
  };
  /* What the next year costs is not known when its bill is made. */
  await listedUntil('2028-04-15');
  await billed.price('2027-06-01', '2028-06-12', 80);
  await billed.supply(plain, '2027-04-01', '2028-04-01', 0.1);
  await billOn('2028-04-20');
  const standing = await terms(plain);
  const { amount } = (await named(plain)).at(-1) as { amount: string };
  await listedUntil('2029-01-01');
  billed.clock.set('2028-06-10T04:30:00.000Z');
  await billed.import(plain.id, quarterHours('2027-02-28T23:00:00Z', '2027-03-31T22:00:00Z', 1));
  await billOn('2028-06-11');
  expect((await billed.bills(plain)).findLast(({ type }) => type === 'usage')).toMatchObject({
    period: '2026-04-01 2027-04-01',
  });
  expect((await named(plain)).at(-1)).toEqual({ from: '2028-07-01', amount });
  expect(await terms(plain)).toEqual(standing);
});
