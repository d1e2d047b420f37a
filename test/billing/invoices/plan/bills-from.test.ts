import { afterAll, beforeAll, expect, test } from 'vitest';
import { dueDocuments } from '../../../../src/billing/invoices/plan/due.ts';
import { billDue } from '../../../../src/billing/invoices/runs/bill.ts';
import { setIssuer } from '../../../../src/billing/issuers/service.ts';
import { runCommand } from '../../../cli/command-line.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { createPlan } from '../../../setup/factories.ts';
import { whileHeld } from '../../../setup/held-row.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

/* The organization bills from October 2026 on; another system billed before. October was settled on the 11th of November. */

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled('2026-11-12T05:30:00.000Z');
  await billed.price('2026-10-01', '2026-11-01', 80);
});
afterAll(() => billed?.close());

const OLD = { meter_type: 'smart', start_at: '2024-12-31T23:00:00Z' } as const;

async function supplied(input: Parameters<Billed['contract']>[0] = OLD) {
  const contract = await billed.contract(input);
  await billed.supply(contract, '2026-10-01', '2026-11-01');
  return contract;
}

const periods = async (contract: { id: string }) =>
  (await billed.bills(contract)).map(
    ({ type, period, period_number }) => `${period_number} ${type} ${period}`,
  );

const dueNow = () => {
  const { deps } = billed.api;
  const moment = { nowMilliseconds: deps.clock.nowMilliseconds(), month: null };
  return deps.database.inOrganization({ organization: billed.organization }, (connection) =>
    dueDocuments(connection, billed.organization, { first: '', last: 'sub_~' }, moment),
  );
};

const make = (due: Awaited<ReturnType<typeof dueNow>>) => {
  const { deps } = billed.api;
  const options = { run: null, estimateGaps: false, mayGoOn: () => {}, log: deps.log };
  return billDue(deps, billed.organization, due, options);
};

test('what was counted before the first month was entered or changed is not billed, and the next run counts anew', async () => {
  const contract = await supplied({ ...OLD, start_at: '2026-07-31T22:00:00Z' });
  const without = await dueNow();
  await billed.issuer('2026-09-01');
  expect((await make(without)).issued).toBe(0);
  const september = await dueNow();
  const act = { staff: 'ada', reason: 'test', command: 'issuers set', now: billed.clock.now().toISOString() };
  await setIssuer(billed.api.deps.database, billed.organization, { bills_from: '2026-10-01' }, act);
  expect((await make(september)).issued).toBe(0);
  expect((await billed.refusals(contract))[1]).toMatchObject({
    ...{ code: 'missing_issuer', period: '2026-09-01 2026-10-01' },
    detail: 'issuers: bills_from became 2026-10-01 while the run went on; the next run goes by it.',
  });
  await storedRows(billed.api, 'DELETE FROM issuers WHERE organization_id = $1', [billed.organization]);
  await storedRows(billed.api, 'DELETE FROM billing_refusals WHERE organization_id = $1', [
    billed.organization,
  ]);
  await storedRows(billed.api, `UPDATE subscriptions SET end_at = start_at, status = 'ended' WHERE id = $1`, [
    contract.id,
  ]);
});

test('a contract that was supplied for years is billed from the first month of the issuer on, and refusals of months before it end', async () => {
  const contract = await supplied();
  await billed.bill();
  const before = await billed.refusals(contract);
  expect(before).toHaveLength(22);
  expect(before[0]).toMatchObject({ code: 'missing_issuer', period: '2025-01-01 2025-02-01' });
  await billed.issuer('2026-10-01');
  await billed.bill();
  expect(await billed.refusals(contract)).toEqual([]);
  expect(await periods(contract)).toEqual(['1 usage 2026-10-01 2026-11-01']);
});

test('what was counted before staff moved an end of supply or a mode is not billed, and the next run counts anew', async () => {
  const ended = await supplied({ ...OLD, end_at: '2026-12-31T23:00:00Z', status: 'active' });
  const elsewhere = await supplied();
  const due = await dueNow();
  expect(due.map(({ subscription }) => subscription)).toEqual([ended.id, elsewhere.id].sort());
  const environment = testEnvironment(billed.api.database, 'redis://127.0.0.1:1');
  const why = ['--organization', billed.organization, '--reason', 'it came late'];
  for (const change of [
    ['subscriptions', 'set-dates', ended.id, '--end-on', '2026-10-21'],
    ['invoices', 'mode', elsewhere.id, 'none', '--from', '2026-10'],
  ])
    expect(await runCommand(environment, ...change, ...why)).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await make(due)).issued).toBe(0);
  expect(await billed.refusals(ended)).toMatchObject([
    { code: 'not_settled', period: '2026-10-01 2026-11-01' },
  ]);
  await billed.bill();
  expect(await billed.bills(ended)).toMatchObject([{ period: '2026-10-01 2026-10-21', is_final: true }]);
  expect(await billed.bills(elsewhere)).toEqual([]);
  expect([await billed.refusals(ended), await billed.refusals(elsewhere)]).toEqual([[], []]);
});

test('a batch waits for whoever moves the days of its contract, and bills none of the days of before', async () => {
  const contract = await supplied({ ...OLD, end_at: '2026-12-31T23:00:00Z', status: 'active' });
  const due = await dueNow();
  const made = await whileHeld(
    billed.api.database,
    ['subscriptions', contract.id],
    () => make(due),
    (holder) =>
      holder.query(`UPDATE subscriptions SET end_at = '2026-10-20T22:00:00Z' WHERE id = $1`, [contract.id]),
  );
  expect(made.issued).toBe(0);
  await billed.bill();
  expect(await billed.bills(contract)).toMatchObject([{ period: '2026-10-01 2026-10-21', is_final: true }]);
});

test('a contract whose supply begins behind the first month keeps its own first day', async () => {
  const contract = await supplied({ ...OLD, start_at: '2026-10-14T22:00:00Z' });
  await billed.bill();
  expect(await periods(contract)).toEqual(['1 usage 2026-10-15 2026-11-01']);
});

test('a contract whose supply ended before the first month gets no bill; one that ended in it gets its final bill', async () => {
  const before = await supplied({ ...OLD, end_at: '2026-09-30T22:00:00Z', status: 'ended' });
  const within = await supplied({ ...OLD, end_at: '2026-10-14T22:00:00Z', status: 'ended' });
  await billed.bill();
  expect([await billed.bills(before), await billed.refusals(before)]).toEqual([[], []]);
  expect(await billed.bills(within)).toMatchObject([{ period: '2026-10-01 2026-10-15', is_final: true }]);
});

test('years of advance payment begin with the first month where supply is older', async () => {
  const contract = await supplied();
  await storedRows(
    billed.api,
    `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
     VALUES ($1, $2, $3, '2025-03-01', 'advance', 90, 'forecast')`,
    [billed.organization, contract.place.customer, contract.id],
  );
  await billed.bill();
  expect(await periods(contract)).toEqual([
    '1 prepayment 2026-10-01 2026-11-01',
    '2 prepayment 2026-11-01 2026-12-01',
  ]);
});

test('months of a discount count from the first day of supply, also where bills begin later', async () => {
  const terms = {
    ...{ base_fee_net: '5.00', margin_ct_net: '1.80', discount_name: 'Start', discount_amount_off: '11.90' },
    ...{ discount_duration: 'recurring' as const, discount_duration_in_months: 2 },
  };
  const plan = await createPlan(billed.api.deps, billed.organization, { terms: [terms] });
  const old = await supplied({ ...OLD, plan_id: plan.id });
  const young = await supplied({ ...OLD, plan_id: plan.id, start_at: '2026-08-31T22:00:00Z' });
  await billed.bill();
  const discounts = await storedRows<{ id: string }>(
    billed.api,
    `SELECT bill.subscription_id AS id FROM invoice_lines AS line
       JOIN invoices AS bill ON bill.organization_id = line.organization_id AND bill.id = line.invoice_id
      WHERE line.kind = 'discount' AND bill.subscription_id = ANY ($1)`,
    [[old.id, young.id]],
  );
  expect(discounts).toEqual([{ id: young.id }]);
  expect(await periods(old)).toEqual(await periods(young));
});

test('months whose documents need not be kept any more are not billed a second time', async () => {
  const contract = await supplied({ ...OLD, start_at: '2016-12-31T23:00:00Z' });
  const billFrom = (day: string) =>
    storedRows(billed.api, 'UPDATE issuers SET bills_from = $1 WHERE organization_id = $2', [
      day,
      billed.organization,
    ]);
  await billFrom('2017-01-01');
  const due = (await dueNow()).filter(({ subscription }) => subscription === contract.id);
  await billFrom('2026-10-01');
  /* It ended on the first of December 2018, less than eight years ago; what was issued about it is kept until 2026 ends. */
  expect(due[0]?.period).toMatchObject({ from: '2018-11-01', until: '2018-12-01', number: 23 });
  expect(due).toHaveLength(96);
});
