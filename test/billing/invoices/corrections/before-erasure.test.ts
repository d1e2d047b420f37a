import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidInvoiceByStaff } from '../../../../src/billing/invoices/issue/void.ts';
import { runBilling } from '../../../../src/billing/invoices/runs/run.ts';
import { runCommandLine } from '../../../../src/cli/command-line.ts';
import { erasureOf } from '../../../../src/governance/personal-data/erase.ts';
import { setStanding } from '../../../../src/identity/organizations/service.ts';
import { type Database, openDatabase } from '../../../../src/platform/database/db.ts';
import { collectingIo } from '../../../cli/command-line.ts';
import { type Contract, quarterHours } from '../../../contracts/usage/metered.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { HEADERS } from '../../../tariffs/reference-data/reference-store.ts';
import type { Billed } from '../billing.ts';
import { payBills, startWinter, winterContract } from './winter.ts';

/* What a correction is made of is not erased before it: contracts that ended with January 2027. */

let billed: Billed;
let owner: Database;
beforeAll(async () => {
  billed = await startWinter();
  owner = openDatabase({
    ...{ url: billed.api.database.ownerUrl, applicationName: 'test-erase', connectionsMax: 1 },
    onError: () => {},
  });
});
afterAll(async () => {
  await owner?.close();
  await billed?.close();
});

const contract = (meter: 'smart' | 'analog') => winterContract(billed, meter, true);
const pay = (of: Contract) => payBills(billed, of);

/** Why the person of a contract cannot be erased now. */
const obstacles = (of: Contract): Promise<string[]> =>
  erasureOf(
    owner,
    { organization: billed.organization, customer: of.place.customer },
    billed.clock.now().toISOString(),
  ).then(
    () => [],
    (refusal) => refusal.obstacles.map(({ reason }: { reason: string }) => reason),
  );

test('nobody is erased before a daily run has looked behind the six weeks, nor while a correction waits or is to be made again', async () => {
  const [same, changed] = await Promise.all([contract('smart'), contract('smart')]);
  for (const each of [same, changed]) await billed.supply(each, '2026-12-01', '2027-02-01');
  await billed.bill();
  for (const each of [same, changed]) await pay(each);
  const at = async (instant: string) => {
    billed.clock.set(instant);
    return [await obstacles(same), await obstacles(changed)];
  };
  /* Nothing comes of runs there. */
  const whileSuspended = async () => {
    const { database } = billed.api.deps;
    const act = { staff: 'tests', reason: 'unpaid', command: 'test', now: billed.clock.now().toISOString() };
    await setStanding(database, billed.organization, 'suspended', act);
    const found = [await obstacles(same), await obstacles(changed)];
    await setStanding(database, billed.organization, 'in_order', act);
    return found;
  };
  billed.clock.set('2027-02-20T12:00:00.000Z');
  await billed.import(changed.id, quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 1));
  billed.clock.set('2027-03-14T05:30:00.000Z');
  await billed.bill();
  expect(await at('2027-03-14T06:00:00.000Z')).toEqual([['may_be_corrected'], ['may_be_corrected']]);
  expect(await whileSuspended()).toEqual([['may_be_corrected'], ['may_be_corrected']]);
  expect(await at('2027-03-20T06:00:00.000Z')).toEqual([['may_be_corrected'], ['may_be_corrected']]);
  expect(await whileSuspended()).toEqual([[], []]);
  const [first] = await storedRows<{ kwh: number }>(
    billed.api,
    `DELETE FROM usage_quarter_hours WHERE subscription_id = $1 AND interval_start = '2027-01-20T10:00Z' RETURNING kwh`,
    [changed.id],
  );
  await billed.bill();
  expect(await at('2027-03-21T06:00:00.000Z')).toEqual([[], ['correction_waits']]);
  /* The look of a run is a job behind it, and each correction that it asks for is one. */
  const runs = await storedRows<{ id: string }>(
    billed.api,
    'SELECT id FROM billing_runs ORDER BY due_at DESC',
  );
  const [run, before] = runs.map(({ id }) => id);
  const looks = { last_run_at: '2027-03-14T05:30:00.000Z', after: '' };
  for (const [job, payload, isWaitedFor] of [
    ['ask-corrections', { ...looks, run }, true],
    ['ask-corrections', { ...looks, run: before }, false],
    ['correct-bills', { run, contracts: [same.id] }, true],
    ['correct-bills', { run, contracts: [changed.id] }, false],
  ] as const)
    for (const state of ['queued', 'running', 'failed', 'done']) {
      await storedRows(
        billed.api,
        `INSERT INTO job_runs (organization_id, job, key, state, due_at, next_at, heartbeat_at, finished_at, payload)
         VALUES ($1, $2, 'by hand', $3, $4, $4, $4, CASE WHEN $3 IN ('failed', 'done') THEN $4::timestamptz END, $5)`,
        [billed.organization, job, state, billed.clock.now().toISOString(), JSON.stringify(payload)],
      );
      const isOpen = isWaitedFor && state !== 'done';
      expect([payload, state, await obstacles(same)]).toEqual([
        ...[payload, state, isOpen ? ['correction_under_way'] : []],
      ]);
      expect(await whileSuspended()).toEqual([[], []]);
      await storedRows(billed.api, "DELETE FROM job_runs WHERE key = 'by hand'");
    }
  await billed.import(changed.id, [`2027-01-20T10:00:00Z,${first?.kwh}`]);
  await billed.bill();
  expect(await at('2027-03-21T07:00:00.000Z')).toEqual([[], ['open_invoice']]);
  const exit = (await billed.bills(changed)).at(-1);
  expect(exit).toMatchObject({ type: 'exit_summary' });
  const act = { staff: 'ada', reason: 'typed by mistake', command: 'invoices void' };
  const { deps } = billed.api;
  const now = billed.clock.now().toISOString();
  await voidInvoiceByStaff(deps, billed.organization, exit?.id ?? '', { ...act, now });
  expect(await at('2027-03-21T08:00:00.000Z')).toEqual([[], ['changed_since_run']]);
  await billed.bill();
  expect(await at('2027-03-21T09:00:00.000Z')).toEqual([[], ['open_invoice']]);
});

test('nobody is erased while a bill depends on what came in since the last run, whatever it is', async () => {
  const [read, imported, exchanged, priced] = [
    ...[await contract('analog'), await contract('smart')],
    ...[await contract('smart'), await contract('smart')],
  ] as const;
  const all = [read, imported, exchanged, priced];
  await billed.read(read, { '2026-12-01': 1000, '2027-02-01': 1200 });
  for (const { id } of [imported, exchanged, priced])
    await billed.import(id, quarterHours('2026-11-30T23:00:00Z', '2027-01-31T23:00:00Z', 0.1));
  await billed.bill();
  for (const each of all) await pay(each);
  billed.clock.set('2027-04-10T05:30:00.000Z');
  await billed.bill();
  billed.clock.set('2027-04-10T09:00:00.000Z');
  const found = () => Promise.all(all.map(obstacles));
  expect(await found()).toEqual([[], [], [], []]);

  const folder = await mkdtemp(join(tmpdir(), 'voltstream-late-'));
  const cli = async (...args: string[]) => {
    const io = collectingIo(testEnvironment(billed.api.database, 'redis://127.0.0.1:1'));
    const why = ['--staff', 'ada', '--reason', 'it came late'];
    const exitCode = await runCommandLine([...args, ...why], { ...io, clock: billed.clock });
    expect([exitCode, io.stderr.text]).toEqual([0, '']);
  };
  const ofOrganization = ['--organization', billed.organization];
  const [last] = await storedRows<{ id: string }>(
    billed.api,
    `SELECT id FROM meter_readings WHERE meter_id = $1 AND read_on = '2027-02-01'`,
    [read.meter],
  );
  await cli('meter-readings', 'correct', String(last?.id), '--value', '1150', ...ofOrganization);
  expect(await found()).toEqual([['changed_since_run'], [], [], []]);
  const usage = ['start,kwh', ...quarterHours('2027-01-09T23:00:00Z', '2027-01-10T23:00:00Z', 0.05), ''];
  await writeFile(join(folder, 'usage.csv'), usage.join('\n'));
  await cli('usage', 'import', join(folder, 'usage.csv'), '--subscription', imported.id);
  await cli(
    'meters',
    'change',
    exchanged.meter,
    '--type',
    'analog',
    '--from',
    '2027-01-11',
    ...ofOrganization,
  );
  expect(await found()).toEqual([...Array(3).fill(['changed_since_run']), []]);
  const levies = [
    'stromsteuer,2.05,2025-01-01,2027-01-11,§3 StromStG,2026-11-20',
    'stromsteuer,1.05,2027-01-11,,§3 StromStG,2026-11-20',
  ];
  await writeFile(join(folder, 'levies.csv'), [HEADERS.levies, ...levies, ''].join('\n'));
  await cli('tariffs', 'import', '--dir', folder, '--table', 'levies');
  expect(await found()).toEqual(Array(4).fill(['changed_since_run']));
  await rm(folder, { recursive: true });

  billed.clock.set('2027-04-11T05:30:00.000Z');
  await billed.bill();
  expect(await found()).toEqual(Array(4).fill(['open_invoice']));
});

test('a look and a correction that were given up keep nobody from the erasure once a later run has done their work', async () => {
  const smart = await contract('smart');
  await billed.supply(smart, '2026-12-01', '2027-02-01');
  await billed.bill();
  await pay(smart);
  const refusal = () =>
    erasureOf(
      owner,
      { organization: billed.organization, customer: smart.place.customer },
      billed.clock.now().toISOString(),
    ).then(
      () => '',
      ({ message }: Error) => message,
    );
  billed.clock.set('2027-04-20T05:30:00.000Z');
  await billed.bill();
  expect(await refusal()).toBe('');
  billed.clock.set('2027-04-20T12:00:00.000Z');
  /* So little that no cent is another. */
  await billed.import(smart.id, ['2027-01-20T10:00:00Z,0.1001']);
  billed.clock.set('2027-04-21T05:30:00.000Z');
  const { deps } = billed.api;
  const dueAt = billed.clock.now().toISOString();
  await runBilling(deps, { dueAt, signal: new AbortController().signal, log: deps.log });
  await storedRows(
    billed.api,
    `UPDATE job_runs SET state = 'failed', finished_at = $1 WHERE job = 'ask-corrections' AND state = 'queued'`,
    [dueAt],
  );
  expect(await refusal()).toMatch(
    /changed_since_run: .*the next one looks at it; jobs list names a look that was given up$/,
  );
  billed.clock.set('2027-04-22T05:30:00.000Z');
  await billed.bill();
  expect(await refusal()).toBe('');

  billed.clock.set('2027-04-22T08:00:00.000Z');
  await storedRows(
    billed.api,
    `INSERT INTO job_runs (organization_id, job, state, due_at, next_at, finished_at, payload)
     VALUES ($1, 'correct-bills', 'failed', $2, $2, $2, $3)`,
    [
      billed.organization,
      billed.clock.now().toISOString(),
      JSON.stringify({ run: 'brun_given_up', contracts: [smart.id] }),
    ],
  );
  expect(await refusal()).toMatch(
    /correction_under_way: .*the next daily run does their work, jobs retry at once$/,
  );
  billed.clock.set('2027-04-23T05:30:00.000Z');
  await billed.bill();
  expect(await refusal()).toBe('');
  expect((await billed.bills(smart)).map(({ type, status }) => `${type} ${status}`)).toEqual([
    ...['usage paid', 'usage paid'],
  ]);
});
