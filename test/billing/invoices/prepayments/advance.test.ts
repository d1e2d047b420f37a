import { afterAll, beforeAll, expect, test } from 'vitest';
import { setBillingMode, setInstalment } from '../../../../src/billing/invoices/prepayments/terms.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { payInFull } from '../../../setup/invoices.ts';
import { auditRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled('2026-04-20T05:30:00.000Z');
  await billed.price('2026-04-01', '2026-09-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

const act = () => ({
  ...{ staff: 'ada', reason: 'ticket 17', command: 'invoices mode' },
  now: billed.clock.now().toISOString(),
});

async function paidInAdvance(instalment = '90'): Promise<Contract> {
  billed.clock.set('2026-04-20T05:30:00.000Z');
  const contract = await billed.contract({ meter_type: 'smart', start_at: '2026-03-31T22:00:00Z' });
  const change = { mode: 'advance', from: '2026-05-01', instalment } as const;
  await setBillingMode(billed.api.deps, billed.organization, contract.id, change, act());
  return contract;
}

async function billOn(...days: string[]): Promise<void> {
  for (const day of days) {
    billed.clock.set(`${day}T04:30:00.000Z`);
    await billed.bill();
  }
}

test('each month is paid in advance, and the bill that closes them deducts what was paid and nothing else', async () => {
  const { deps } = billed.api;
  const contract = await paidInAdvance();
  await billed.supply(contract, '2026-04-01', '2026-09-01');
  await billOn('2026-05-01', '2026-05-02', '2026-06-01');
  const [may] = (await billed.bills(contract)).filter(({ type }) => type === 'prepayment');
  await deps.database.inOrganization({ organization: billed.organization }, (connection) =>
    payInFull(connection, billed.organization, may?.id ?? '', deps.clock),
  );
  const change = { mode: 'monthly', from: '2026-08-01' } as const;
  await setBillingMode(deps, billed.organization, contract.id, change, act());
  await billOn('2026-07-01', '2026-08-01', '2026-08-13');
  const bills = await billed.bills(contract);
  expect(bills.map(({ type, period, status, deducted }) => [type, period, status, deducted])).toEqual(
    [
      ['prepayment', '2026-05-01 2026-06-01', 'paid', 0],
      ['prepayment', '2026-06-01 2026-07-01', 'uncollectible', 0],
      ['usage', '2026-04-01 2026-05-01', 'open', 0],
      ['prepayment', '2026-07-01 2026-08-01', 'uncollectible', 0],
      ['usage', '2026-05-01 2026-08-01', 'open', 90],
    ].toSorted(
      ([, a], [, b]) =>
        bills.findIndex(({ period }) => period === a) - bills.findIndex(({ period }) => period === b),
    ),
  );
  const prepaid = bills.filter(({ type }) => type === 'prepayment');
  expect(prepaid.map(({ total }) => total)).toEqual([90, 90, 90]);
  expect(new Set(bills.map(({ period_number }) => period_number)).size).toBe(5);
  await billOn('2026-08-14', '2026-09-14');
  expect((await billed.bills(contract)).at(-1)).toMatchObject({
    period: '2026-08-01 2026-09-01',
    deducted: 0,
  });
});

test('an instalment changes on evidence, from a month on that was not asked for', async () => {
  const { deps } = billed.api;
  const contract = await paidInAdvance();
  await billOn('2026-05-01');
  const lower = (from: string) =>
    setInstalment(deps, billed.organization, contract.id, { from, instalment: '70' }, act());
  await expect(lower('2026-05-01')).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(
    setInstalment(deps, billed.organization, contract.id, { from: '2026-06-01', instalment: '70.50' }, act()),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await lower('2026-06-01');
  await billOn('2026-06-01');
  const prepaid = (await billed.bills(contract)).filter(({ type }) => type === 'prepayment');
  expect(prepaid.map(({ total }) => total)).toEqual([90, 70]);
  const lines = await auditRows(billed.api, billed.organization, 'subscription.set_instalment');
  expect(lines.filter(({ object_id }) => object_id === contract.id)).toHaveLength(1);
});

test('the mode changes with a month that has no document, and never back into months that are over', async () => {
  const { deps } = billed.api;
  const contract = await paidInAdvance();
  await billOn('2026-05-01');
  const change = (mode: 'monthly' | 'advance', from: string) =>
    setBillingMode(deps, billed.organization, contract.id, { mode, from }, act());
  await expect(change('monthly', '2026-05-01')).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(change('advance', '2026-04-01')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(change('monthly', '2026-06-15')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
