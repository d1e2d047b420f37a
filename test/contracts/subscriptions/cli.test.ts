import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CUT, runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';

type Json = Record<string, unknown>;

const why = ['--reason', 'ticket 17', '--staff', 'ada'];

let contracts: Contracts;
let environment: Record<string, string>;
beforeAll(async () => {
  contracts = await Contracts.start(new Date(Date.now()).toISOString());
  environment = testEnvironment(contracts.api.database, 'redis://127.0.0.1:1');
});
afterAll(() => contracts.close());

const run = (...args: string[]) =>
  runCommand(environment, 'subscriptions', ...args, '--organization', contracts.organization);

async function done(...args: string[]): Promise<Json> {
  const result = await run(...args, ...why, '--json');
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return JSON.parse(result.stdout) as Json;
}

async function lastLine(id: string) {
  const lines = await auditRows(contracts.api, contracts.organization, 'subscription.');
  return lines.findLast(({ object_id }) => object_id === id);
}

const dayFromNow = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);

describe('what the grid operator says', () => {
  test('confirm fixes the start with one audit line of who and why', async () => {
    const { id } = await contracts.contract({ metadata: JSON.stringify({ secret: 'canary' }) });
    const locations = ['--melo', 'DE0009993707300000000000000123456', '--malo', '50123456789'];
    const row = await done('confirm', id, '--start-on', '2027-01-01', ...locations);
    expect(row).toMatchObject({ id, status: 'pending', start_at: '2026-12-31T23:00:00.000Z' });
    expect(JSON.stringify(row)).not.toContain('canary');
    expect(await lastLine(id)).toMatchObject({
      act: 'subscription.confirm',
      staff: 'ada',
      reason: 'ticket 17',
      route: 'subscriptions confirm',
      result: 'done',
      client_id: null,
    });
    expect(await contracts.topics(id)).toEqual(['subscription.confirmed']);
  });

  test.each([
    [['--start-on', '2027-02-30'], 2, 'A day of the calendar'],
    [['--start-on', '1.1.2027'], 2, 'A day of the calendar'],
    [[], 2, "required option '--start-on"],
    [['--start-on', '2027-01-01', '--melo', 'DE1'], 1, 'melo: '],
    [['--start-on', '2027-01-01', '--malo', '41234567890'], 1, 'malo: The check digit is wrong'],
    [['--start-on', '2027-01-01', '--malo', '0123'], 1, 'malo: Not the 11 digits'],
  ])('confirm %j is refused', async (args, exitCode, sentence) => {
    const { id } = await contracts.contract();
    const result = await run('confirm', id, ...args, ...why);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(sentence);
    expect(await contracts.topics(id)).toEqual([]);
  });

  test('reject ends it', async () => {
    const { id } = await contracts.contract();
    expect(await done('reject', id)).toMatchObject({ id, status: 'ended' });
    expect(await lastLine(id)).toMatchObject({ act: 'subscription.reject', route: 'subscriptions reject' });
  });

  test('set-dates corrects it, and needs a day', async () => {
    const { id } = await contracts.active();
    expect(await done('set-dates', id, '--start-on', '2025-03-01')).toMatchObject({
      start_at: '2025-02-28T23:00:00.000Z',
    });
    const result = await run('set-dates', id, ...why);
    expect(result).toMatchObject({ exitCode: 1, stderr: 'Give --start-on, --end-on or both\n' });
  });
});

describe('terminate', () => {
  test('ends a contract under the rules of the interface', async () => {
    const { id } = await contracts.active();
    const tooEarly = await run('terminate', id, 'ORDINARY', '--end-on', dayFromNow(2), ...why);
    expect(tooEarly).toMatchObject({ exitCode: 1, stdout: '' });
    expect(tooEarly.stderr).toMatch(/^intended_end_at: The end date is not possible: the earliest is 20/);
    const accepted = await done('terminate', id, 'ORDINARY');
    expect(accepted).toEqual({
      reason: 'ORDINARY',
      intended_end_at: expect.stringMatching(/T00:00:00\+0[12]:00$/),
    });
    expect(await lastLine(id)).toMatchObject({
      act: 'subscription.terminate',
      staff: 'ada',
      route: 'subscriptions terminate',
    });
    expect(await contracts.topics(id)).toEqual(['subscription.terminated']);
  });

  test.each([
    [['MOVE_OUT'], 1, 'A move-out needs its day'],
    [['WITHDRAWAL', '--end-on', '2027-01-01'], 1, 'leave the day out'],
    [['CANCEL'], 2, 'Allowed choices are ORDINARY, MOVE_OUT, WITHDRAWAL'],
    [['WITHDRAWAL'], 1, 'reason: The subscription cannot be withdrawn from'],
  ])('%j is refused', async (args, exitCode, sentence) => {
    const { id } = await contracts.active();
    const result = await run('terminate', id, ...args, ...why);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(sentence);
  });

  test('to a day', async () => {
    const { id } = await contracts.active();
    const accepted = await done('terminate', id, 'MOVE_OUT', '--end-on', '2099-07-01');
    expect(accepted).toEqual({ reason: 'MOVE_OUT', intended_end_at: '2099-07-01T00:00:00+02:00' });
  });
});

test('a termination without a day does not stand at a contract that is over, unless it was withdrawn from', async () => {
  const terminated = { terminated_at: '2025-05-01T08:00:00Z', termination_reason: 'ORDINARY' } as const;
  const { id } = await contracts.active({ status: 'ended', end_at: '2025-06-30T22:00:00Z', ...terminated });
  const refused = await run('terminate', id, 'ORDINARY', ...why);
  expect([refused.exitCode, refused.stderr]).toEqual([1, 'subscription: The subscription has ended\n']);
  const noJobRan = await contracts.active({ end_at: '2025-06-30T22:00:00Z', ...terminated });
  const over = await run('terminate', noJobRan.id, 'ORDINARY', ...why);
  expect(over).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('supply ends at 2025-07-01') });
  const sameDay = await run('terminate', id, 'ORDINARY', '--end-on', '2025-07-01', ...why);
  expect(sameDay).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Already entered') });
  const withdrawn = await contracts.contract();
  await done('terminate', withdrawn.id, 'WITHDRAWAL');
  const again = await run('terminate', withdrawn.id, 'WITHDRAWAL', ...why);
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Already entered') });
});

describe('without a change', () => {
  test('list shows the newest first, and filters', async () => {
    const household = await contracts.household();
    const older = await contracts.active({ household });
    contracts.clock.advance(60_000);
    const newer = await contracts.contract({ household, type: 'feed_in' });
    const listed = async (...args: string[]) => {
      const { stdout, stderr } = await run('list', ...args, '--json');
      if (stderr.replace(CUT, '') !== '') throw new Error(stderr);
      return (JSON.parse(stdout) as Json[]).map(({ id }) => id);
    };
    expect(await listed('--household', household.household)).toEqual([newer.id, older.id]);
    expect(await listed('--customer', household.customer, '--status', 'active')).toEqual([older.id]);
    expect(await listed('--limit', '1')).toEqual([newer.id]);
    expect((await run('list')).stdout.split('\n')[0]).toMatch(/^id +number +type +status/);
  });

  test('show has the states of what hangs on a contract, and nothing of the person', async () => {
    const { id } = await contracts.active();
    const { stdout } = await run('show', id, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      status: 'active',
      meter_orders: [],
      grid_fee_reductions: [],
    });
    expect(stdout).not.toMatch(/DE89|Voß|example\.org/);
    expect((await run('show', id)).stdout).toMatch(/^id +sub_/);
  });
});

test('without a reason, for an unknown organization or an unknown contract nothing happens', async () => {
  const { id } = await contracts.contract();
  expect((await run('reject', id)).exitCode).toBe(2);
  const unknown = 'sub_000000000000000000000000';
  for (const command of [
    ['show', unknown],
    ['reject', unknown, ...why],
    ['confirm', unknown, '--start-on', '2027-01-01', ...why],
  ]) {
    expect(await run(...command)).toMatchObject({
      exitCode: 1,
      stderr: `There is no subscription ${unknown} in ${contracts.organization}\n`,
    });
  }
  const nowhere = 'org_000000000000000000000000';
  const args = ['subscriptions', 'reject', id, '--organization', nowhere, ...why];
  expect(await runCommand(environment, ...args)).toMatchObject({
    exitCode: 1,
    stderr: `There is no organization ${nowhere}\n`,
  });
  expect(await contracts.row(id)).toMatchObject({ status: 'pending' });
});
