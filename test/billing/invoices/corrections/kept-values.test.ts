import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidInvoiceByStaff } from '../../../../src/billing/invoices/issue/void.ts';
import { billingGauges } from '../../../../src/billing/invoices/runs/gauges.ts';
import { orderCorrection, orderCorrections } from '../../../../src/billing/invoices/runs/order.ts';
import { runBilling } from '../../../../src/billing/invoices/runs/run.ts';
import { noteChangedBills } from '../../../../src/contracts/held-contracts/service.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { createMetrics } from '../../../../src/platform/metrics.ts';
import { runCommandAt } from '../../../cli/command-line.ts';
import { type Contract, quarterHours } from '../../../contracts/usage/metered.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import type { Billed } from '../billing.ts';
import { payBills, startWinter, winterContract } from './winter.ts';

/* Bills of December 2026 and January 2027, looked at again in January 2030: values from 2027 on are kept. */

const LATER = '2030-01-10T05:30:00.000Z';

let billed: Billed;
beforeAll(async () => {
  billed = await startWinter();
});
afterAll(() => billed?.close());

const contract = (meter: 'smart' | 'analog', hasEnded = false) => winterContract(billed, meter, hasEnded);
const pay = (of: Contract) => payBills(billed, of);

/** As retention does: all readings but the last one before 2027. */
const removeReadings = ({ meter }: Contract) =>
  storedRows(billed.api, "DELETE FROM meter_readings WHERE meter_id = $1 AND read_on < '2026-12-31'", [
    meter,
  ]);

const removeQuarterHours = async ({ id }: Contract) => {
  const before = `subscription_id = $1 AND`;
  await storedRows(billed.api, `DELETE FROM usage_days WHERE ${before} day < '2027-01-01'`, [id]);
  await storedRows(
    billed.api,
    `DELETE FROM usage_quarter_hours WHERE ${before} interval_start < '2026-12-31T23:00Z'`,
    [id],
  );
};

function order({ id }: Contract, closeNow: boolean) {
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'looked at again', command: 'invoices correct', now };
  return orderCorrection(billed.api.deps, billed.organization, id, { closeNow }, act);
}

function reverse(bill: { id: string } | undefined) {
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'wrong name', command: 'invoices void', now };
  return voidInvoiceByStaff(billed.api.deps, billed.organization, bill?.id ?? '', act);
}

/** Something without an instant of its own comes in at an instant, about the days from another one on. */
async function noted({ id }: Contract, at: string, from: string): Promise<void> {
  billed.clock.set(at);
  const { database, clock } = billed.api.deps;
  const now = clock.now().toISOString();
  await database.inOrganization({ organization: billed.organization }, (connection) =>
    noteChangedBills(connection, billed.organization, [id], from, now),
  );
}

/** The first day that is noted of what nobody has looked at. */
async function reach({ id }: Contract): Promise<string | null | undefined> {
  const [row] = await storedRows<{ day: string | null }>(
    billed.api,
    'SELECT bills_changed_from::text AS day FROM subscriptions WHERE id = $1',
    [id],
  );
  return row?.day;
}

test('a change reaches no further back than what no run has looked at', async () => {
  const smart = await contract('smart');
  await billed.supply(smart, '2026-12-01', '2027-02-01');
  await billed.bill();
  await noted(smart, '2027-02-16T12:00:00.000Z', '2026-12-01');
  billed.clock.set('2027-02-17T05:30:00.000Z');
  await billed.bill();
  await noted(smart, '2027-02-17T12:00:00.000Z', '2027-01-20');
  expect(await reach(smart)).toBe('2027-01-20');
  billed.clock.set('2027-02-17T12:30:00.000Z');
  await order(smart, false);
  expect(await reach(smart)).toBe('2027-01-20');
});

test('a correction that was issued is told as such, though somebody holds the contract behind it', async () => {
  const smart = await contract('smart');
  await billed.supply(smart, '2026-12-01', '2027-02-01');
  await billed.bill();
  await noted(smart, '2027-02-17T18:00:00.000Z', '2027-01-20');
  await billed.import(smart.id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
  billed.clock.set('2027-02-17T20:00:00.000Z');
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'looked at', command: 'invoices correct', now };
  await withDatabaseClient(billed.api.database.adminUrl, async (holder) => {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM subscriptions WHERE id = $1 FOR NO KEY UPDATE', [smart.id]);
    const told = await orderCorrections(billed.api.deps, billed.organization, '2027-02-17', act);
    expect(told).toMatchObject({ replaced: 1, refused: 0 });
    await holder.query('ROLLBACK');
  });
  expect((await billed.bills(smart)).filter(({ status }) => status === 'voided')).toHaveLength(1);
  /* What stays noted is taken back by the next look. */
  expect(await reach(smart)).toBe('2027-01-20');
  expect(await order(smart, false)).toMatchObject({ replaced: [] });
  expect(await reach(smart)).toBe(null);
});

test('what came in before a look that was given up is looked at by the next run', async () => {
  const smart = await contract('smart');
  await billed.supply(smart, '2026-12-01', '2027-02-01');
  await billed.bill();
  billed.clock.set('2027-02-18T12:00:00.000Z');
  await billed.import(smart.id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
  billed.clock.set('2027-02-19T05:30:00.000Z');
  const { deps } = billed.api;
  const dueAt = billed.clock.now().toISOString();
  await runBilling(deps, { dueAt, signal: new AbortController().signal, log: deps.log });
  const look = (from: string, to: string) =>
    storedRows(billed.api, 'UPDATE job_runs SET state = $2, finished_at = $3 WHERE job = $4 AND state = $1', [
      from,
      to,
      to === 'failed' ? dueAt : null,
      'ask-corrections',
    ]);
  await look('queued', 'failed');
  billed.clock.set('2027-02-20T05:30:00.000Z');
  await billed.bill();
  const bills = await billed.bills(smart);
  expect(bills.filter(({ status }) => status === 'voided')).toMatchObject([
    { period: '2027-01-01 2027-02-01' },
  ]);
  await look('failed', 'queued');
  await billed.work();
  expect(await billed.bills(smart)).toEqual(bills);
});

test.each([
  ['2027-05', 'by a defect', 'P0001', ['defect']],
  ['2027-06', 'because the database had no time', '55P03', []],
])(
  'in %s a correction that fails %s keeps no other waiting, and the next run asks for it again',
  async (month, _, code, refusals) => {
    const both = [await contract('smart', true), await contract('smart', true)];
    const [broken, other] = both.sort((left, right) => (left.id < right.id ? -1 : 1)) as [Contract, Contract];
    for (const each of both) await billed.supply(each, '2026-12-01', '2027-02-01');
    await billed.bill();
    billed.clock.set(`${month}-01T12:00:00.000Z`);
    for (const { id } of both)
      await billed.import(id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
    await storedRows(
      billed.api,
      `CREATE OR REPLACE FUNCTION break_one() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF NEW.subscription_id = '${broken.id}' THEN RAISE EXCEPTION 'broken' USING ERRCODE = '${code}'; END IF;
           RETURN NEW; END $$;
     CREATE TRIGGER break_one BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION break_one()`,
    );
    const closed = async (of: Contract) => (await billed.bills(of)).at(-1)?.type === 'exit_summary';
    billed.clock.set(`${month}-02T05:30:00.000Z`);
    await billed.bill();
    expect([await closed(broken), await closed(other)]).toEqual([false, true]);
    expect((await billed.refusals(broken)).map((refused) => refused.code)).toEqual(refusals);
    await storedRows(
      billed.api,
      `DROP TRIGGER break_one ON invoices;
     UPDATE job_runs SET state = 'failed', finished_at = next_at WHERE job = 'correct-bills' AND state = 'queued'`,
    );
    billed.clock.set(`${month}-03T05:30:00.000Z`);
    await billed.bill();
    expect([await closed(broken), await billed.refusals(broken)]).toEqual([true, []]);
  },
);

/** Two ended contracts of which values came in after their bills: the second has what nobody can calculate with, until it is mended. */
async function changedPair(month: string) {
  const [other, broken] = [await contract('smart', true), await contract('smart', true)];
  for (const each of [other, broken]) await billed.supply(each, '2026-12-01', '2027-02-01');
  await billed.bill();
  billed.clock.set(`${month}-01T12:00:00.000Z`);
  for (const { id } of [other, broken])
    await billed.import(id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
  const [bill] = await storedRows<{ id: string; taxes: unknown }>(
    billed.api,
    'SELECT id, taxes FROM invoices WHERE subscription_id = $1 ORDER BY period_start DESC LIMIT 1',
    [broken.id],
  );
  const setTaxes = (taxes: unknown) =>
    withDatabaseClient(billed.api.database.adminUrl, async (admin) => {
      /* Documents never change. */
      await admin.query('SET session_replication_role = replica');
      await admin.query('UPDATE invoices SET taxes = $2 WHERE id = $1', [bill?.id, JSON.stringify(taxes)]);
    });
  await setTaxes([{}]);
  return { other, broken, mend: () => setTaxes(bill?.taxes) };
}

test('correct --all goes on behind a contract with a defect, names it once at the end and ends with 1, with and without --issue', async () => {
  const { other, broken, mend } = await changedPair('2027-07');
  const correct = (...more: string[]) =>
    runCommandAt(
      billed.clock,
      testEnvironment(billed.api.database, 'redis://127.0.0.1:1'),
      ...['invoices', 'correct', '--all', '--since', '2027-07-01', '--organization', billed.organization],
      ...['--staff', 'ada', '--reason', 'values came late', ...more],
    );
  const failed = [{ subscription: broken.id, problem: expect.stringContaining('undefined') }];
  const preview = await correct('--json');
  expect(preview).toMatchObject({ exitCode: 1, stderr: '' });
  expect(JSON.parse(preview.stdout)).toMatchObject({
    ...{ contracts: 2, bills: [{ subscription: other.id }], refused: [], failed },
  });
  const issued = await correct('--issue', '--json');
  expect(issued).toMatchObject({ exitCode: 1, stderr: '' });
  expect(JSON.parse(issued.stdout)).toEqual({
    ...{ contracts: 2, replaced: 0, exit_summaries: 1, refused: 0, failed },
  });
  expect(await billed.refusals(broken)).toMatchObject([
    { code: 'defect', detail: expect.stringContaining('the log of the worker or the answer of the command') },
  ]);
  const again = await correct('--issue');
  expect(again).toMatchObject({ exitCode: 1, stderr: '' });
  expect(again.stdout).toMatch(/^failed +1$/m);
  expect(again.stdout.split('\n').slice(5).join('\n')).toContain(broken.id);
  const alter = (change: string) =>
    withDatabaseClient(billed.api.database.adminUrl, (admin) =>
      admin.query(`ALTER TABLE billing_refusals ${change}`),
    );
  await alter('ADD CONSTRAINT none CHECK (false) NOT VALID');
  const unwritten = await correct('--issue', '--json');
  await alter('DROP CONSTRAINT none');
  expect(JSON.parse(unwritten.stdout)).toMatchObject({ refused: 0, failed: [{ subscription: broken.id }] });
  await mend();
  const done = await correct('--issue', '--json');
  expect(done).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(done.stdout)).toMatchObject({ exit_summaries: 1, refused: 0, failed: [] });
});

test('a correction that failed by a defect is in the metric of missing bills until it is made', async () => {
  const { broken, mend } = await changedPair('2027-08');
  const metrics = createMetrics({ runtime: false });
  const refresh = billingGauges({ ...billed.api.deps, metrics });
  const shown = async () => {
    await refresh();
    return (await metrics.text()).split('\n').filter((line) => line.includes('state="undated"'));
  };
  billed.clock.set('2027-08-02T05:30:00.000Z');
  await billed.bill();
  expect(await billed.refusals(broken)).toMatchObject([{ code: 'defect', deadline: null }]);
  expect(await shown()).toEqual(['voltstream_invoices_missing{code="defect",state="undated"} 1']);
  await mend();
  billed.clock.set('2027-08-03T05:30:00.000Z');
  await billed.bill();
  expect(await billed.refusals(broken)).toEqual([]);
  expect(await shown()).toEqual([]);
});

test('a paid bill whose readings are removed stands as it is, whatever comes in, and later ones are corrected', async () => {
  const analog = await contract('analog');
  await billed.read(analog, { '2026-12-01': 1000, '2026-12-31': 1100, '2027-02-01': 1200 });
  await billed.bill();
  await pay(analog);
  const [december, january] = await billed.bills(analog);
  billed.clock.set(LATER);
  await removeReadings(analog);
  await billed.read(analog, { '2027-01-11': 1190 });
  await billed.bill();
  const bills = await billed.bills(analog);
  expect(bills.slice(0, 2)).toEqual([december, { ...january, status: 'voided' }]);
  expect(bills.slice(2)).toMatchObject([
    { type: 'void' },
    { type: 'usage', status: 'open', period: '2027-01-01 2027-02-01' },
  ]);
  expect(await order(analog, false)).toEqual({ replaced: [], exitSummary: null, refused: 0 });
});

test('a paid bill whose values are removed is not reversed by name: its days would be billed by an estimate', async () => {
  const analog = await contract('analog');
  await billed.read(analog, { '2026-12-01': 1000, '2026-12-31': 1100, '2027-02-01': 1200 });
  await billed.bill();
  await pay(analog);
  const before = await billed.bills(analog);
  billed.clock.set(LATER);
  await removeReadings(analog);
  await expect(reverse(before[0])).rejects.toMatchObject({
    entries: [
      {
        field: 'period_start',
        message: expect.stringMatching(
          /begins on 2026-12-01, and values of meters are kept from 2027-01-01 on/,
        ),
      },
    ],
  });
  expect(await billed.bills(analog)).toEqual(before);
  await reverse(before[1]);
  await billed.bill();
  expect((await billed.bills(analog)).map(({ period, status }) => `${period.slice(0, 7)} ${status}`)).toEqual(
    ['2026-12 paid', '2027-01 voided', '2027-01 open', '2027-01 open'],
  );
});

test('an unpaid bill is corrected for as long as its values are kept for it', async () => {
  const analog = await contract('analog');
  await billed.read(analog, { '2026-12-01': 1000, '2026-12-31': 1100, '2027-02-01': 1200 });
  await billed.bill();
  billed.clock.set(LATER);
  await billed.read(analog, { '2026-12-16': 1090 });
  await billed.bill();
  expect((await billed.bills(analog)).map(({ status, period }) => `${period.slice(0, 7)} ${status}`)).toEqual(
    ['2026-12 open', '2027-01 open'],
  );
  await billed.read(analog, { '2027-01-01': 1102 });
  await billed.bill();
  expect((await billed.bills(analog)).filter(({ status }) => status === 'voided')).toHaveLength(2);
});

test('an ended contract is closed though values of its oldest bills are removed', async () => {
  const smart = await contract('smart', true);
  await billed.supply(smart, '2026-12-01', '2027-02-01');
  await billed.bill();
  await pay(smart);
  billed.clock.set(LATER);
  await removeQuarterHours(smart);
  expect(await order(smart, true)).toEqual({ replaced: [], exitSummary: null, refused: 0 });
  await billed.import(smart.id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
  const { exitSummary, refused } = await order(smart, true);
  expect([refused, exitSummary]).toEqual([0, expect.any(String)]);
  const exit = (await billed.bills(smart)).at(-1);
  expect(exit).toMatchObject({ type: 'exit_summary', period: '2027-01-01 2027-02-01' });
  billed.clock.set('2031-01-10T05:30:00.000Z');
  await expect(reverse(exit)).rejects.toMatchObject({ entries: [{ field: 'period_start' }] });
});

test('an exit summary is reversed only while a run can make it again: not in the last days before its values are removed', async () => {
  const smart = await contract('smart', true);
  await billed.supply(smart, '2026-12-01', '2027-02-01');
  await billed.bill();
  await pay(smart);
  billed.clock.set(LATER);
  await billed.import(smart.id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
  await order(smart, true);
  const exit = (await billed.bills(smart)).at(-1);
  expect(exit).toMatchObject({ type: 'exit_summary', period: '2027-01-01 2027-02-01' });
  billed.clock.set('2030-12-31T09:00:00.000Z');
  await expect(reverse(exit)).rejects.toMatchObject({
    entries: [
      {
        field: 'period_start',
        message: expect.stringMatching(/kept from 2028-01-01 on once this year is over: nobody could/),
      },
    ],
  });
  billed.clock.set('2030-12-16T09:00:00.000Z');
  await reverse(exit);
  billed.clock.set('2030-12-30T05:30:00.000Z');
  await billed.bill();
  expect((await billed.bills(smart)).slice(2).map(({ type, status }) => `${type} ${status}`)).toEqual([
    ...['exit_summary voided', 'void paid', 'exit_summary open'],
  ]);
});
