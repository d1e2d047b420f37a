import { afterAll, beforeAll, expect, test } from 'vitest';
import { orderCorrection } from '../../../../src/billing/invoices/runs/order.ts';
import { berlinMidnight } from '../../../../src/platform/time/berlin-calendar.ts';
import { type Contract, quarterHours } from '../../../contracts/usage/metered.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled('2026-11-19T05:30:00.000Z');
  await billed.price('2026-09-01', '2027-01-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

/** Of days, in two months, the same energy in all quarter hours of each. */
type Usage = readonly (readonly [from: string, until: string, kwh: number])[];

async function withModule1(usage: Usage, more = {}): Promise<Contract> {
  const start_at = berlinMidnight(usage[0]?.[0] ?? '');
  const contract = await billed.contract({ meter_type: 'smart', start_at, ...more });
  await storedRows(
    billed.api,
    `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status, valid_from)
     VALUES ($1, 'gfr_' || substr($2, 5), $3, $2, 'enwg-14a-module-1', 'activated', $4)`,
    [billed.organization, contract.id, contract.place.customer, start_at],
  );
  for (const [from, until, kwh] of usage) await billed.supply(contract, from, until, kwh);
  return contract;
}

/** Of all documents together. */
const net = async ({ id }: Contract) =>
  (
    await storedRows<{ net: number }>(
      billed.api,
      'SELECT sum(net)::float8 AS net FROM invoices WHERE subscription_id = $1',
      [id],
    )
  )[0]?.net;

test('it is settled once: what was corrected comes to what was known at once', async () => {
  const ended = { end_at: '2026-10-15T22:00:00Z', status: 'active' };
  const begin = (september: number, october: number) =>
    withModule1(
      [
        ['2026-09-16', '2026-10-01', september],
        ['2026-10-01', '2026-10-16', october],
      ],
      ended,
    );
  const known = await begin(0.02, 0.001);
  const [late, early] = [await begin(0.001, 0.02), await begin(0.001, 0.001)];
  await billed.bill();
  billed.clock.set('2026-11-20T05:30:00.000Z');
  for (const { id } of [late, early])
    await billed.import(id, quarterHours('2026-09-15T22:00:00Z', '2026-09-30T22:00:00Z', 0.02));
  await billed.import(late.id, quarterHours('2026-09-30T22:00:00Z', '2026-10-15T22:00:00Z', 0.001));
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'moved out', command: 'invoices exit-summary', now };
  for (const { id } of [late, early]) {
    const summary = await orderCorrection(billed.api.deps, billed.organization, id, { closeNow: true }, act);
    expect(summary.exitSummary).not.toBeNull();
  }
  expect([await net(late), await net(early)]).toEqual([await net(known), await net(known)]);
});

test('the bill of December, which settles it, is made anew behind a correction of any bill of its year', async () => {
  billed.clock.set('2027-01-20T05:30:00.000Z');
  const begin = (november: number) =>
    withModule1([
      ['2026-11-16', '2026-12-01', november],
      ['2026-12-01', '2027-01-01', 0.001],
    ]);
  const [known, late] = [await begin(0.02), await begin(0.001)];
  await billed.bill();
  billed.clock.set('2027-01-21T05:30:00.000Z');
  await billed.import(late.id, quarterHours('2026-11-15T23:00:00Z', '2026-11-30T23:00:00Z', 0.02));
  billed.clock.set('2027-01-22T05:30:00.000Z');
  await billed.bill();
  const replaced = (await billed.bills(late)).filter(({ status }) => status === 'voided');
  expect(replaced.map(({ period }) => period)).toEqual(['2026-11-16 2026-12-01', '2026-12-01 2027-01-01']);
  expect(await net(late)).toBe(await net(known));
});
