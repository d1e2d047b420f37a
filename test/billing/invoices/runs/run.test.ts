import { afterAll, beforeAll, expect, test } from 'vitest';
import { billPortion } from '../../../../src/billing/invoices/runs/bill.ts';
import { billingGauges } from '../../../../src/billing/invoices/runs/gauges.ts';
import { billingReport } from '../../../../src/billing/invoices/runs/report.ts';
import { runBilling } from '../../../../src/billing/invoices/runs/run.ts';
import { createMetrics } from '../../../../src/platform/metrics.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

/** October was settled on the 11th. */
const NOW = '2026-11-12T05:30:00.000Z';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled(NOW);
  await billed.price('2026-09-01', '2026-11-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

const since = (start_at: string, more = {}) => ({ meter_type: 'smart', start_at, ...more }) as const;
const SEPTEMBER = since('2026-08-31T22:00:00Z');
/** Two months, of which only some days are supplied. */
const SHORT = since('2026-09-25T22:00:00Z', { end_at: '2026-10-07T22:00:00Z', status: 'ended' });
const LATE_OCTOBER = since('2026-10-25T23:00:00Z');
const OCTOBER = since('2026-09-30T22:00:00Z');

test('each settled month of supply becomes one bill, in its order', async () => {
  const contract = await billed.contract(SEPTEMBER);
  await billed.supply(contract, '2026-09-01', '2026-11-01');
  await billed.bill();
  const bills = await billed.bills(contract);
  expect(await billed.refusals(contract)).toEqual([]);
  expect(bills.map(({ type, period, period_number, usage }) => [type, period, period_number, usage])).toEqual(
    [
      ['usage', '2026-09-01 2026-10-01', 1, 288],
      ['usage', '2026-10-01 2026-11-01', 2, 298],
    ],
  );
  await billed.bill();
  expect(await billed.bills(contract)).toEqual(bills);
});

test('what is missing stops one bill by name, the rest goes on, and with it the refusal goes', async () => {
  const whole = await billed.contract(LATE_OCTOBER);
  const lacking = await billed.contract(SEPTEMBER);
  await billed.supply(whole, '2026-10-26', '2026-11-01');
  await billed.supply(lacking, '2026-09-02', '2026-11-01');
  await billed.bill();
  expect(await billed.bills(whole)).toHaveLength(1);
  expect(await billed.bills(lacking)).toEqual([]);
  expect(await billed.refusals(lacking)).toEqual([
    expect.objectContaining({
      code: 'missing_usage',
      period: '2026-09-01 2026-10-01',
      deadline: '2026-10-22',
    }),
    expect.objectContaining({
      code: 'earlier_refused',
      period: '2026-10-01 2026-11-01',
      deadline: '2026-11-22',
    }),
  ]);
  expect((await billed.refusals(lacking))[0]?.detail).toContain('96 of 2880 quarter hours');
  await billed.supply(lacking, '2026-09-01', '2026-09-02');
  await billed.bill();
  expect(await billed.refusals(lacking)).toEqual([]);
  expect((await billed.bills(lacking)).map(({ period }) => period)).toEqual([
    '2026-09-01 2026-10-01',
    '2026-10-01 2026-11-01',
  ]);
});

test('the last month of a contract ends with supply and is its final bill; a month that is not settled waits', async () => {
  const ended = await billed.contract(
    since('2026-09-30T22:00:00Z', { end_at: '2026-10-14T22:00:00Z', status: 'ended' }),
  );
  const running = await billed.contract(OCTOBER);
  for (const contract of [ended, running]) await billed.supply(contract, '2026-10-01', '2026-11-01');
  billed.clock.set('2026-11-11T14:59:59.000Z');
  await billed.bill();
  expect(await billed.bills(running)).toEqual([]);
  billed.clock.set(NOW);
  await billed.bill();
  expect(await billed.bills(ended)).toMatchObject([
    { period: '2026-10-01 2026-10-15', is_final: true, usage: 134.4 },
  ]);
  expect(await billed.bills(running)).toMatchObject([{ period: '2026-10-01 2026-11-01', is_final: false }]);
});

test('a run that is cut off goes on where it ended: nothing twice, nothing left out, no gap in the ledger', async () => {
  const contracts = [];
  for (let count = 0; count < 3; count += 1) contracts.push(await billed.contract(SHORT));
  for (const contract of contracts) await billed.supply(contract, '2026-09-26', '2026-10-08');
  const { deps } = billed.api;
  const tick = { dueAt: '2026-11-13T05:30:00.000Z', signal: new AbortController().signal, log: deps.log };
  await runBilling(deps, tick);
  /* The worker is gone behind the first transactions. */
  const [row] = await storedRows<{ payload: { run: string; first: string; last: string } }>(
    billed.api,
    `SELECT payload FROM job_runs WHERE job = 'bill-portion' AND state = 'queued' AND organization_id = $1`,
    [billed.organization],
  );
  const payload = row?.payload ?? { run: '', first: '', last: '' };
  const gone = new AbortController();
  const waiting = {
    ...deps.clock,
    now: () => {
      gone.abort(new Error('gone'));
      return deps.clock.now();
    },
  };
  const common = {
    organization: billed.organization,
    signal: gone.signal,
    closing: gone.signal,
    log: deps.log,
  };
  await expect(billPortion({ ...deps, clock: waiting }, { ...common, payload })).rejects.toThrow('gone');
  const half = (await Promise.all(contracts.map((contract) => billed.bills(contract)))).flat();
  expect(half).toHaveLength(3);
  /* Begun again, by two at once. */
  await runBilling(deps, tick);
  await Promise.all([billed.work(), billed.work()]);
  for (const contract of contracts) {
    expect((await billed.bills(contract)).map(({ period_number }) => period_number)).toEqual([1, 2]);
  }
  const all = await billed.bills();
  expect(all.map(({ ledger_number }) => ledger_number)).toEqual(all.map((_, index) => index + 1));
  const report = await billingReport(deps.database, billed.organization, payload.run);
  expect(report.progress).toMatchObject({ portions: 1, portions_done: 1, issued: { usage: 6 }, refused: 0 });
});

test.each(['suspended', 'deleted'])(
  'I18 bills of an organization that is %s are not asked for until it is back',
  async (standing) => {
    const { api, organization } = billed;
    const stand = (as: string) =>
      storedRows(api, 'UPDATE organizations SET standing = $2 WHERE id = $1', [organization, as]);
    const runs = async () =>
      (await storedRows(api, 'SELECT FROM billing_runs WHERE organization_id = $1', [organization])).length;
    const before = await runs();
    await stand(standing);
    await billed.bill();
    expect(await runs()).toBe(before);
    await stand('in_order');
    await billed.bill();
    expect(await runs()).toBe(before + 1);
  },
);

test('one contract whose calculation fails by a defect does not stop the others', async () => {
  const contracts = [
    await billed.contract(LATE_OCTOBER),
    await billed.contract(LATE_OCTOBER),
    await billed.contract(LATE_OCTOBER),
  ];
  for (const contract of contracts) await billed.supply(contract, '2026-10-26', '2026-11-01');
  const [, broken] = contracts;
  await storedRows(
    billed.api,
    `CREATE FUNCTION break_one() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF NEW.subscription_id = '${broken?.id}' THEN RAISE EXCEPTION 'broken'; END IF; RETURN NEW; END $$;
     CREATE TRIGGER break_one BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION break_one()`,
  );
  await billed.bill();
  const counts = await Promise.all(contracts.map(async (contract) => (await billed.bills(contract)).length));
  expect(counts).toEqual([1, 0, 1]);
  expect(await billed.refusals(broken)).toMatchObject([{ code: 'defect' }]);
  await storedRows(billed.api, 'DROP TRIGGER break_one ON invoices');
  await billed.bill();
  expect(await billed.bills(broken)).toHaveLength(1);
  expect(await billed.refusals(broken)).toEqual([]);
});

test('bills that are due do not wait for the look for corrections; where it fails it is made up for', async () => {
  const [wrong, due] = [await billed.contract(LATE_OCTOBER), await billed.contract(LATE_OCTOBER)];
  await billed.supply(wrong, '2026-10-26', '2026-11-01');
  await billed.bill();
  await storedRows(billed.api, 'UPDATE usage_quarter_hours SET kwh = 0.2 WHERE subscription_id = $1', [
    wrong.id,
  ]);
  await storedRows(
    billed.api,
    `UPDATE subscriptions SET bills_changed_at = $2, bills_changed_from = '2026-10-26' WHERE id = $1`,
    [wrong.id, NOW],
  );
  await billed.supply(due, '2026-10-26', '2026-11-01');
  await storedRows(billed.api, 'REVOKE SELECT ON price_changes FROM voltstream_app');
  await billed.bill();
  expect([(await billed.bills(due)).length, (await billed.bills(wrong)).length]).toEqual([1, 1]);
  await storedRows(billed.api, 'GRANT SELECT ON price_changes TO voltstream_app');
  billed.clock.advance(120_000);
  await billed.work();
  expect((await billed.bills(wrong)).map(({ type, status }) => `${type} ${status}`)).toEqual([
    ...['usage voided', 'void paid', 'usage open'],
  ]);
  billed.clock.set(NOW);
});

test('the metric of missing bills names late and near ones, not those of an organization that is switched off, and falls when they are issued', async () => {
  const { deps } = billed.api;
  const contract = await billed.contract(SEPTEMBER);
  await billed.supply(contract, '2026-09-02', '2026-11-01');
  await billed.bill();
  const metrics = createMetrics({ runtime: false });
  const refresh = billingGauges({ ...deps, metrics });
  const shown = async () => {
    await refresh();
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('voltstream_invoices_missing{'));
    return lines.map((line) => line.replace('voltstream_invoices_missing', ''));
  };
  expect(await shown()).toContain('{code="missing_usage",state="late"} 1');
  for (const standing of ['suspended', 'deleted', 'in_order']) {
    const change = 'UPDATE organizations SET standing = $2 WHERE id = $1';
    await storedRows(billed.api, change, [billed.organization, standing]);
    expect([standing, (await shown()).length > 0]).toEqual([standing, standing === 'in_order']);
  }
  billed.clock.set('2026-11-16T05:30:00.000Z');
  expect(await shown()).toContain('{code="earlier_refused",state="near"} 1');
  billed.clock.set(NOW);
  await billed.supply(contract, '2026-09-01', '2026-09-02');
  await billed.bill();
  expect(await shown()).toEqual([]);
});
