import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Confirmation,
  confirmSubscription,
  rejectSubscription,
  type SupplyDates,
  setDates,
} from '../../../src/contracts/subscriptions/back-office.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';
import { LifecycleWorker } from './lifecycle-worker.ts';

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-11-23T08:30:00.000Z');
});
afterAll(() => contracts.close());

const act = (command: string): StaffAct => ({
  staff: 'ada',
  reason: 'ticket 17',
  command,
  now: contracts.clock.now().toISOString(),
});

function confirm(id: string, confirmation: Confirmation) {
  return confirmSubscription(
    contracts.api.deps,
    contracts.organization,
    id,
    confirmation,
    act('subscriptions confirm'),
  );
}

function reject(id: string) {
  return rejectSubscription(contracts.api.deps, contracts.organization, id, act('subscriptions reject'));
}

function move(id: string, dates: SupplyDates) {
  return setDates(contracts.api.deps, contracts.organization, id, dates, act('subscriptions set-dates'));
}

async function results(id: string) {
  const lines = await auditRows(contracts.api, contracts.organization, 'subscription.');
  return lines.filter(({ object_id }) => object_id === id).map(({ act, result }) => `${act} ${result}`);
}

const terminated = {
  terminated_at: '2026-11-20T08:00:00Z',
  termination_reason: 'ORDINARY' as const,
  end_at: '2027-02-28T23:00:00Z',
};

async function withReduction(status: 'intended' | 'ordered') {
  const made = await contracts.contract();
  await storedRows(
    contracts.api,
    `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status)
     VALUES ($1, $2, $3, $4, 'enwg-14a-module-1', $5)`,
    [contracts.organization, newId('gfr'), made.place.customer, made.id, status],
  );
  const statusNow = async () => {
    const [row] = await storedRows<{ status: string }>(
      contracts.api,
      'SELECT status FROM grid_fee_reductions WHERE subscription_id = $1',
      [made.id],
    );
    return row?.status;
  };
  return { ...made, statusNow };
}

describe('confirm', () => {
  test('fixes the start at midnight in Berlin, and the moment of the first confirmation', async () => {
    const { id } = await contracts.contract();
    const confirmed = await confirm(id, { start_on: '2027-01-01' });
    expect(confirmed).toMatchObject({ id, status: 'pending', start_at: '2026-12-31T23:00:00.000Z' });
    contracts.clock.advance(24 * 3_600_000);
    const moved = await confirm(id, { start_on: '2027-07-01' });
    expect(moved).toMatchObject({
      start_at: '2027-06-30T22:00:00.000Z',
      confirmed_at: confirmed.confirmed_at,
      updated_at: contracts.clock.now().toISOString(),
    });
    expect(await contracts.topics(id)).toEqual(['subscription.confirmed', 'subscription.confirmed']);
    expect(await results(id)).toEqual(['subscription.confirm done', 'subscription.confirm done']);
  });

  test('with the same day again changes nothing and tells nothing', async () => {
    const { id } = await contracts.contract();
    const first = await confirm(id, { start_on: '2027-01-01' });
    contracts.clock.advance(1_000);
    expect(await confirm(id, { start_on: '2027-01-01' })).toEqual(first);
    expect(await contracts.topics(id)).toEqual(['subscription.confirmed']);
    expect(await results(id)).toEqual(['subscription.confirm done', 'subscription.confirm unchanged']);
  });

  test('sends intended reductions to the grid operator', async () => {
    const made = await withReduction('intended');
    await confirm(made.id, { start_on: '2027-01-01' });
    expect(await made.statusNow()).toBe('ordered');
  });

  test('keeps what the grid operator says about the place of the meter', async () => {
    const { id, meter } = await contracts.contract();
    const locations = async () =>
      await storedRows(contracts.api, 'SELECT melo, malo FROM meters WHERE id = $1', [meter]);
    const melo = 'DE0009993707300000000000000123456';
    await confirm(id, { start_on: '2027-01-01', melo });
    expect(await locations()).toEqual([{ melo, malo: null }]);
    await confirm(id, { start_on: '2027-01-01', malo: '50123456789' });
    expect(await locations()).toEqual([{ melo, malo: '50123456789' }]);
    await confirm(id, { start_on: '2027-01-01', malo: '50123456789' });
    expect(await results(id)).toEqual([
      'subscription.confirm done',
      'subscription.confirm done',
      'subscription.confirm unchanged',
    ]);
  });

  test('is for pending ones only', async () => {
    for (const status of ['active', 'ended'] as const) {
      const { id } = await contracts.contract({ status });
      const refused = confirm(id, { start_on: '2027-01-01' });
      await expect(refused).rejects.toMatchObject({ status: 409, entries: [{ field: 'subscription' }] });
      expect(await contracts.topics(id)).toEqual([]);
      expect(await results(id)).toEqual([]);
    }
  });

  test('must lie before an end in force, but for one that was withdrawn from', async () => {
    const confirmed = { start_at: '2026-12-31T23:00:00Z', confirmed_at: '2026-11-20T08:00:00Z' };
    const ordinary = await contracts.contract({ ...confirmed, ...terminated });
    await expect(confirm(ordinary.id, { start_on: '2027-03-01' })).rejects.toThrow(/before the end/);
    await confirm(ordinary.id, { start_on: '2027-02-28' });
    const withdrawn = await contracts.contract({
      ...confirmed,
      ...terminated,
      termination_reason: 'WITHDRAWAL',
    });
    await confirm(withdrawn.id, { start_on: '2027-04-01' });
  });

  test('must leave the household one supply at a time', async () => {
    const running = await contracts.active({ ...terminated });
    const next = await contracts.contract({ household: running.place });
    await expect(confirm(next.id, { start_on: '2027-02-28' })).rejects.toThrow(running.id);
    await confirm(next.id, { start_on: '2027-03-01' });
    const feedIn = await contracts.contract({ household: running.place, type: 'feed_in' });
    await confirm(feedIn.id, { start_on: '2026-12-01' });
  });
});

describe('reject', () => {
  test('ends a pending contract at this moment, and what hangs on it', async () => {
    const made = await withReduction('ordered');
    contracts.clock.advance(1_000);
    const rejected = await reject(made.id);
    const now = contracts.clock.now().toISOString();
    expect(rejected).toMatchObject({ status: 'ended', start_at: null, end_at: now, updated_at: now });
    expect(await made.statusNow()).toBe('ended');
    expect(await contracts.topics(made.id)).toEqual(['subscription.ended']);
    expect(await results(made.id)).toEqual(['subscription.reject done']);
    expect(await reject(made.id)).toMatchObject({ status: 'ended', end_at: now });
    expect(await results(made.id)).toEqual(['subscription.reject done', 'subscription.reject unchanged']);
    expect(await contracts.topics(made.id)).toEqual(['subscription.ended']);
    const ended = await contracts.active({ status: 'ended', end_at: '2026-01-31T23:00:00Z' });
    await expect(reject(ended.id)).rejects.toMatchObject({ status: 409 });
  });

  test('a confirmed one too, but none whose supply has begun', async () => {
    const confirmed_at = '2026-11-20T08:00:00Z';
    const later = await contracts.contract({ start_at: '2027-11-30T23:00:00Z', confirmed_at });
    expect(await reject(later.id)).toMatchObject({ status: 'ended', start_at: '2027-11-30T23:00:00.000Z' });
    const begun = await contracts.contract({ start_at: '2026-11-22T23:00:00Z', confirmed_at });
    await expect(reject(begun.id)).rejects.toThrow(/Supply began/);
    const { id } = await contracts.active();
    await expect(reject(id)).rejects.toThrow(/active/);
  });
});

describe('set-dates', () => {
  test('moves the start of a confirmed contract and tells it', async () => {
    const { id } = await contracts.contract();
    await confirm(id, { start_on: '2027-01-01' });
    expect(await move(id, { start_on: '2027-01-15' })).toMatchObject({
      start_at: '2027-01-14T23:00:00.000Z',
    });
    expect(await contracts.topics(id)).toEqual(['subscription.confirmed', 'subscription.confirmed']);
    await move(id, { start_on: '2027-01-15' });
    expect((await results(id)).slice(1)).toEqual([
      'subscription.set_dates done',
      'subscription.set_dates unchanged',
    ]);
  });

  test('corrects start and end of a running contract, also into the past', async () => {
    const { id } = await contracts.active({ ...terminated });
    const moved = await move(id, { start_on: '2025-02-01', end_on: '2026-11-01' });
    expect(moved).toMatchObject({
      status: 'active',
      start_at: '2025-01-31T23:00:00.000Z',
      end_at: '2026-10-31T23:00:00.000Z',
      termination_reason: 'ORDINARY',
    });
    expect((await contracts.topics(id)).toSorted()).toEqual([
      'subscription.confirmed',
      'subscription.terminated',
    ]);
  });

  test.each([
    ['an end before the start', { end_on: '2024-12-01' }, /end must lie behind the start/],
    ['an end with the start', { end_on: '2025-01-01' }, /end must lie behind the start/],
    ['a start behind the end', { start_on: '2027-03-01' }, /future|before the end/],
    ['a start in the future', { start_on: '2026-12-24' }, /future/],
  ])('%s is refused', async (_name, dates, sentence) => {
    const { id } = await contracts.active({ ...terminated });
    const before = await contracts.row(id);
    await expect(move(id, dates)).rejects.toMatchObject({
      message: expect.stringMatching(sentence),
      entries: [{ field: Object.keys(dates)[0] }],
    });
    expect(await contracts.row(id)).toEqual(before);
    expect(await results(id)).toEqual([]);
  });

  test('needs a confirmed start, a termination for an end, and a contract that was supplied', async () => {
    const pending = await contracts.contract();
    await expect(move(pending.id, { start_on: '2027-01-01' })).rejects.toThrow(/confirm it first/);
    const active = await contracts.active();
    await expect(move(active.id, { end_on: '2027-01-01' })).rejects.toThrow(
      /terminate the subscription first/,
    );
    const confirmed = { start_at: '2027-11-30T23:00:00Z', confirmed_at: '2026-11-20T08:00:00Z' };
    const neverBegun = await contracts.contract(confirmed);
    await reject(neverBegun.id);
    await expect(move(neverBegun.id, { end_on: '2026-11-01' })).rejects.toThrow(/ended without supply/);
  });

  test('corrects past days of a contract that has ended, and the next contract may begin on the day', async () => {
    const overdue = await contracts.active({ ...terminated, end_at: '2026-11-21T23:00:00Z' });
    const next = await contracts.contract({ household: overdue.place });
    await new LifecycleWorker(contracts).run(contracts.clock.now().toISOString());
    expect(await contracts.row(overdue.id)).toMatchObject({ status: 'ended' });
    await expect(confirm(next.id, { start_on: '2026-11-19' })).rejects.toThrow(overdue.id);
    expect(await move(overdue.id, { start_on: '2025-02-01', end_on: '2026-11-19' })).toMatchObject({
      status: 'ended',
      start_at: '2025-01-31T23:00:00.000Z',
      end_at: '2026-11-18T23:00:00.000Z',
    });
    await confirm(next.id, { start_on: '2026-11-19' });
    await expect(move(overdue.id, { end_on: '2026-11-20' })).rejects.toMatchObject({
      message: expect.stringContaining(next.id),
      entries: [{ field: 'end_on' }],
    });
    await expect(move(overdue.id, { end_on: '2026-11-25' })).rejects.toThrow(/cannot move into the future/);
    expect((await contracts.topics(overdue.id)).toSorted()).toEqual([
      'subscription.confirmed',
      'subscription.ended',
      'subscription.terminated',
    ]);
  });

  test('takes the reductions of a contract that has ended to its other end, and back', async () => {
    const made = await withReduction('ordered');
    const reductionUntil = async () => {
      const [row] = await storedRows<{ until: string }>(
        contracts.api,
        `SELECT to_json(valid_until AT TIME ZONE 'UTC') #>> '{}' AS until FROM grid_fee_reductions
          WHERE subscription_id = $1`,
        [made.id],
      );
      return row?.until;
    };
    await confirm(made.id, { start_on: '2026-11-01' });
    await storedRows(
      contracts.api,
      `UPDATE subscriptions SET terminated_at = now(), termination_reason = 'MOVE_OUT', end_at = $2 WHERE id = $1`,
      [made.id, '2026-11-21T23:00:00Z'],
    );
    await new LifecycleWorker(contracts).run(contracts.clock.now().toISOString());
    expect([await made.statusNow(), await reductionUntil()]).toEqual(['ended', '2026-11-21T23:00:00']);
    await move(made.id, { end_on: '2026-11-19' });
    expect(await reductionUntil()).toBe('2026-11-18T23:00:00');
    await move(made.id, { end_on: '2026-11-23' });
    expect([await made.statusNow(), await reductionUntil()]).toEqual(['ended', '2026-11-22T23:00:00']);
  });

  test('cannot make two contracts supply a household at once', async () => {
    const running = await contracts.active({ ...terminated });
    const next = await contracts.contract({ household: running.place });
    await confirm(next.id, { start_on: '2027-03-01' });
    await expect(move(running.id, { end_on: '2027-03-02' })).rejects.toMatchObject({
      message: expect.stringContaining(next.id),
      entries: [{ field: 'end_on' }],
    });
    await expect(move(next.id, { start_on: '2027-02-28' })).rejects.toThrow(running.id);
  });
});

test.each(['sub_000000000000000000000000', 'x', ''])('there is no contract "%s"', async (id) => {
  const none = { status: 404 };
  await expect(confirm(id, { start_on: '2027-01-01' })).rejects.toMatchObject(none);
  await expect(reject(id)).rejects.toMatchObject(none);
  await expect(move(id, { start_on: '2027-01-01' })).rejects.toMatchObject(none);
});
