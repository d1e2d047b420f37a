import { afterAll, beforeAll, expect, test } from 'vitest';
import { orderBilling } from '../../../../src/billing/invoices/runs/order.ts';
import { changeMeter } from '../../../../src/contracts/meters/change.ts';
import { type Contract, quarterHours } from '../../../contracts/usage/metered.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

const NOW = '2026-11-12T05:30:00.000Z';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled(NOW);
  await billed.price('2026-10-01', '2026-11-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

async function order(estimateGaps: boolean): Promise<string> {
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'due on the 22nd', command: 'invoices run', now };
  const { run } = await orderBilling(
    billed.api.deps,
    billed.organization,
    { month: null, estimateGaps },
    act,
  );
  await billed.work();
  return run;
}

const estimates = ({ id }: Contract) =>
  storedRows<{
    type: string;
    status: string;
    is_estimated: boolean;
    kwh: number | null;
    of: string | null;
    estimates: string[] | null;
  }>(
    billed.api,
    `SELECT type, status, is_estimated, usage_kwh::float8 AS kwh, facts #>> '{usage,estimatedFrom}' AS of,
            facts #> '{usage,estimates}' AS estimates
       FROM invoices
      WHERE subscription_id = $1 ORDER BY ledger_number`,
    [id],
  );

test('a run fills gaps by the profile only where it is asked to, the bill says so, and real values replace it', async () => {
  await billed.bill();
  const contract = await billed.contract({
    ...{ meter_type: 'smart', start_at: '2026-10-17T22:00:00Z', estimated_usage: '3650' },
  });
  /* A day is missing, 9.6 kWh at the mean of the others. */
  await billed.supply(contract, '2026-10-18', '2026-10-20');
  await billed.supply(contract, '2026-10-21', '2026-11-01');
  await order(false);
  expect(await estimates(contract)).toEqual([]);
  expect(await billed.refusals(contract)).toMatchObject([{ code: 'missing_usage' }]);
  const run = await order(true);
  const [bill, ...more] = await estimates(contract);
  expect(more).toEqual([]);
  expect(bill).toMatchObject({
    type: 'usage',
    status: 'open',
    is_estimated: true,
    of: '3650',
    estimates: ['filled_quarter_hours'],
  });
  const measured = 125.2;
  expect((bill?.kwh ?? 0) - measured).toBeGreaterThan(0);
  expect((bill?.kwh ?? 0) - measured).toBeLessThan(30);
  expect(await billed.refusals(contract)).toEqual([]);
  const rows = await auditRows(billed.api, billed.organization, 'invoices.run_with_estimates');
  expect(rows).toMatchObject([{ object_id: run, staff: 'ada', reason: 'due on the 22nd' }]);
  billed.clock.set('2026-11-14T05:30:00.000Z');
  await billed.import(contract.id, quarterHours('2026-10-19T22:00:00Z', '2026-10-20T22:00:00Z', 1));
  billed.clock.set('2026-11-15T05:30:00.000Z');
  await billed.bill();
  expect(await estimates(contract)).toMatchObject([
    { type: 'usage', status: 'voided' },
    { type: 'void' },
    { type: 'usage', status: 'open', is_estimated: false, kwh: measured + 96, of: null },
  ]);
});

test('the daily run never estimates, also behind one that did', async () => {
  billed.clock.set(NOW);
  const contract = await billed.contract({ meter_type: 'smart', start_at: '2026-10-17T22:00:00Z' });
  await billed.supply(contract, '2026-10-19', '2026-11-01');
  await billed.bill();
  expect(await billed.bills(contract)).toEqual([]);
  expect(await billed.refusals(contract)).toMatchObject([{ code: 'missing_usage' }]);
});

test('a bill between a reading and one that the operator estimated names no yearly usage', async () => {
  billed.clock.set(NOW);
  const contract = await billed.contract({ start_at: '2026-09-30T22:00:00Z', estimated_usage: '3500' });
  await billed.read(contract, { '2026-10-01': 10_000 });
  await billed.read(contract, { '2026-11-01': 10_200 }, 'grid_estimation');
  await billed.bill();
  expect(await estimates(contract)).toMatchObject([
    { type: 'usage', is_estimated: true, kwh: 200, of: null, estimates: ['estimated_reading'] },
  ]);
});

test('behind the exchange of a meter that was read only the quarter hours that were filled are an estimate', async () => {
  billed.clock.set(NOW);
  const { deps } = billed.api;
  const contract = await billed.contract({ start_at: '2026-09-30T22:00:00Z', estimated_usage: '3650' });
  await billed.read(contract, { '2026-10-01': 10_000, '2026-10-15': 10_100 });
  const act = { staff: 'ada', reason: 'exchanged', command: 'meters change', now: NOW };
  const change = { valid_from: '2026-10-15', type: 'smart' as const };
  await changeMeter(deps.database, billed.organization, contract.meter, change, act);
  await billed.supply(contract, '2026-10-15', '2026-10-31');
  await order(true);
  expect(await estimates(contract)).toMatchObject([
    { type: 'usage', is_estimated: true, of: '3650', estimates: ['filled_quarter_hours'] },
  ]);
});
