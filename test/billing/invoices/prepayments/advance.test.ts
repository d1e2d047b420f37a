import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocuments } from '../../../../src/billing/invoices/documents/queries.ts';
import { paymentText } from '../../../../src/billing/invoices/documents/texts/texts.ts';
import { dueDocuments } from '../../../../src/billing/invoices/plan/due.ts';
import { setBillingMode, setInstalment } from '../../../../src/billing/invoices/prepayments/terms.ts';
import { setDates } from '../../../../src/contracts/subscriptions/back-office.ts';
import { terminateForStaff } from '../../../../src/contracts/subscriptions/terminate.ts';
import { berlinMidnight } from '../../../../src/platform/time/berlin-calendar.ts';
import { jobWorkers } from '../../../../workers/index.ts';
import { runCommandAt } from '../../../cli/command-line.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { payInFull } from '../../../setup/invoices.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { workJobs } from '../../../setup/work-jobs.ts';
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

async function paidInAdvance(instalment = '90', since = '2026-04-01'): Promise<Contract> {
  billed.clock.set('2026-04-20T05:30:00.000Z');
  const contract = await billed.contract({ meter_type: 'smart', start_at: berlinMidnight(since) });
  const change = { mode: 'advance', from: '2026-05-01', instalment } as const;
  await setBillingMode(billed.api.deps, billed.organization, contract.id, change, act());
  return contract;
}

const prepaidOf = async (contract: Contract) =>
  (await billed.bills(contract)).filter(({ type }) => type === 'prepayment');

const pay = (id = '') =>
  billed.api.deps.database.inOrganization({ organization: billed.organization }, (connection) =>
    payInFull(connection, billed.organization, id, billed.api.deps.clock),
  );

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
  const [may] = await prepaidOf(contract);
  await pay(may?.id);
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
  const prepaid = await prepaidOf(contract);
  expect(prepaid.map(({ total }) => total)).toEqual([90, 90, 90]);
  expect(new Set(bills.map(({ period_number }) => period_number)).size).toBe(5);
  await billOn('2026-08-14', '2026-09-14');
  expect((await billed.bills(contract)).at(-1)).toMatchObject({
    period: '2026-08-01 2026-09-01',
    deducted: 0,
  });
});

test('prepayments that staff stopped are neither reminded of nor debited by the bill that takes them over, until staff resume it', async () => {
  const { api, organization, clock } = billed;
  const [owing, credited] = [await paidInAdvance(), await paidInAdvance()];
  await billed.supply(owing, '2026-04-01', '2026-08-01');
  await billed.supply(credited, '2026-04-01', '2026-08-01', 0.001);
  const folder = await mkdtemp(join(tmpdir(), 'stopped-'));
  const environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  const run = async (...words: string[]) => {
    const all = [...words, '--organization', organization, '--json'];
    const { stdout, stderr } = await runCommandAt(clock, environment, ...all);
    return JSON.parse(stdout || stderr);
  };
  const why = ['--staff', 'ada', '--reason', 'ticket 17'];
  const dunning = async (word: string, id = '', ...more: string[]) =>
    await run('invoices', 'dunning', word, id, ...(word === 'show' ? [] : why), ...more);
  /* The day's reminders, and numbers of the bills in the day's file. */
  const collect = async (name: string) => {
    await run('invoices', 'dunning', 'run', ...why);
    await workJobs(
      api,
      jobWorkers.filter(({ definition }) => definition.name === 'run-dunning'),
    );
    await run('payments', 'debit-file', '--out', join(folder, name), ...why);
    const rows = await storedRows<{ invoice_id: string }>(
      api,
      "SELECT invoice_id FROM payments WHERE organization_id = $1 AND status = 'requested'",
      [organization],
    );
    return rows.map(({ invoice_id }) => invoice_id);
  };
  try {
    await billOn('2026-05-01', '2026-06-01', '2026-07-01');
    const [prepaid, credits] = [await prepaidOf(owing), await prepaidOf(credited)];
    const [, june, july] = prepaid.map(({ id }) => id);
    await dunning('stop', june, '--cause', 'instalments');
    clock.set('2026-07-02T08:00:00.000Z');
    await dunning('stop', july, '--cause', 'disputed');
    for (const { id } of credits.slice(0, 2)) await pay(id);
    await dunning('stop', credits[2]?.id);
    const change = { mode: 'monthly', from: '2026-08-01' } as const;
    for (const { id } of [owing, credited]) await setBillingMode(api.deps, organization, id, change, act());
    await billOn('2026-08-13');
    const closingOf = async (contract: Contract) =>
      (await billed.bills(contract)).findLast(({ period }) => period === '2026-05-01 2026-08-01')?.id ?? '';
    const closing = await closingOf(owing);
    const states = async (...ids: (string | undefined)[]) =>
      (await Promise.all(ids.map((id) => dunning('show', id)))).map(({ held }) => held);
    /* What staff said first stands; a credit is paid out all the same. */
    expect(await states(june, july, closing)).toEqual([null, null, 'instalments']);
    expect(await states(credits[2]?.id, await closingOf(credited))).toEqual(['disputed', null]);
    const [document] = await api.deps.database.inOrganization({ organization }, (connection) =>
      readDocuments(connection, organization, [closing]),
    );
    if (document === undefined) throw new Error('It was issued');
    expect(paymentText(document)).toMatch(/^Den Einzug von .* haben wir angehalten\./);
    clock.set('2026-09-10T08:00:00.000Z');
    expect(await collect('stopped.xml')).not.toContain(closing);
    expect(await dunning('show', closing)).toMatchObject({
      held: 'instalments',
      reminders: [],
      payments: [],
    });
    await dunning('resume', closing);
    expect(await collect('resumed.xml')).toContain(closing);
    expect((await dunning('show', closing)).reminders).toEqual([expect.stringMatching(/^1:2026-09-10:/)]);
  } finally {
    await rm(folder, { recursive: true });
  }
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
  expect((await prepaidOf(contract)).map(({ total }) => total)).toEqual([90, 70]);
  const lines = await auditRows(billed.api, billed.organization, 'subscription.set_instalment');
  expect(lines.filter(({ object_id }) => object_id === contract.id)).toHaveLength(1);
});

test('a mode and an instalment that stand are entered already, also behind their documents and over other instalments', async () => {
  const { deps } = billed.api;
  const contract = await paidInAdvance();
  const from = '2026-05-01';
  const mode = (instalment?: string) =>
    setBillingMode(
      deps,
      billed.organization,
      contract.id,
      { mode: 'advance', from, ...(instalment !== undefined && { instalment }) },
      act(),
    );
  const pays = (instalment: string) =>
    setInstalment(deps, billed.organization, contract.id, { from, instalment }, act());
  await pays('60');
  const standing = { valid_from: from, mode: 'advance', instalment: '60.00', basis: 'evidence' };
  expect(await mode()).toEqual(standing);
  await billOn('2026-05-01', '2026-06-01');
  expect((await prepaidOf(contract)).map(({ total }) => total)).toEqual([60, 60]);
  expect(await mode()).toEqual(standing);
  expect(await mode('60')).toEqual(standing);
  expect(await pays('60')).toEqual(standing);
  await expect(mode('90')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(pays('90')).rejects.toMatchObject({ code: 'CONFLICT' });
  const lines = await auditRows(billed.api, billed.organization, 'subscription.set_');
  const results = lines.filter(({ object_id }) => object_id === contract.id).map(({ result }) => result);
  expect(results).toEqual(['done', 'done', ...Array(4).fill('unchanged')]);
});

test('rows of reference data that an instalment was made of stay when others are pruned', async () => {
  billed.clock.set('2026-04-20T05:30:00.000Z');
  const contract = await billed.contract({ meter_type: 'smart', start_at: berlinMidnight('2026-04-01') });
  await storedRows(billed.api, 'TRUNCATE billed_reference_rows');
  const change = { mode: 'advance', from: '2026-05-01' } as const;
  await setBillingMode(billed.api.deps, billed.organization, contract.id, change, act());
  const rows = await storedRows<{ name: string }>(
    billed.api,
    `SELECT DISTINCT reference_table AS name FROM billed_reference_rows ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['concession_fees', 'grid_fees', 'levies', 'vat_rates', 'zip_areas']),
  );
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

test('a prepayment that was asked for before the end of supply in its month was known is deducted', async () => {
  const { deps } = billed.api;
  const contracts = [await paidInAdvance(), await paidInAdvance()];
  for (const contract of contracts) await billed.supply(contract, '2026-04-01', '2026-05-20');
  await billOn('2026-05-01');
  const mays = await Promise.all(contracts.map(prepaidOf));
  await pay(mays[0]?.[0]?.id);
  billed.clock.set('2026-05-05T05:30:00.000Z');
  const moved = { reason: 'MOVE_OUT', intended_end_at: '2026-05-19T22:00:00Z' } as const;
  for (const { id } of contracts) await terminateForStaff(deps, billed.organization, id, moved, act());
  await billOn('2026-06-15');
  const closing = await Promise.all(
    contracts.map(async (contract) => (await billed.bills(contract)).find(({ is_final }) => is_final)),
  );
  expect(closing).toMatchObject([
    { period: '2026-05-01 2026-05-20', period_number: 3, deducted: 90 },
    { period: '2026-05-01 2026-05-20', period_number: 3, deducted: 0 },
  ]);
  const after = await Promise.all(contracts.map(prepaidOf));
  expect(after.map(([may]) => may?.status)).toEqual(['paid', 'uncollectible']);
  expect(after.map(([may]) => may?.period_number)).toEqual([2, 2]);
});

test('a run of one month asks for no prepayment of days that a closing bill has', async () => {
  const { deps } = billed.api;
  const contract = await paidInAdvance();
  await billed.supply(contract, '2026-04-01', '2026-09-01');
  const change = { mode: 'monthly', from: '2026-08-01' } as const;
  await setBillingMode(deps, billed.organization, contract.id, change, act());
  billed.clock.set('2026-08-14T04:30:00.000Z');
  const inJune = { nowMilliseconds: billed.clock.nowMilliseconds(), month: '2026-06-01' };
  const own = { first: contract.id, last: contract.id };
  const dueInJune = () =>
    deps.database.inOrganization({ organization: billed.organization }, (connection) =>
      dueDocuments(connection, billed.organization, own, inJune),
    );
  expect(await dueInJune()).toEqual([]);
  await billed.bill();
  expect((await billed.bills(contract)).at(-1)?.period).toBe('2026-05-01 2026-08-01');
  expect(await dueInJune()).toEqual([]);
});

test('days of supply stay while a prepayment stands that would be of other days, or of none', async () => {
  const { deps } = billed.api;
  const contract = await paidInAdvance('80', '2026-05-01');
  await billOn('2026-05-01', '2026-06-01');
  const dates = (moved: Parameters<typeof setDates>[3]) =>
    setDates(deps, billed.organization, contract.id, moved, act());
  await expect(dates({ start_on: '2026-05-11' })).rejects.toMatchObject({ code: 'CONFLICT' });
  billed.clock.set('2026-06-02T05:30:00.000Z');
  const moved = { reason: 'MOVE_OUT', intended_end_at: '2026-06-20T22:00:00Z' } as const;
  await terminateForStaff(deps, billed.organization, contract.id, moved, act());
  await expect(dates({ end_on: '2026-05-20' })).rejects.toMatchObject({
    entries: [expect.objectContaining({ field: 'end_on' })],
  });
  await dates({ end_on: '2026-06-10' });
});
