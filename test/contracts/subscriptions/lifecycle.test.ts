import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { createHousehold, createOrganization, createSubscription } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';
import { LifecycleWorker } from './lifecycle-worker.ts';

/** 1 January and 1 March begin at 23:00 the day before, 1 June at 22:00. */
const JANUARY = '2026-12-31T23:00:00.000Z';
const MARCH = '2027-02-28T23:00:00.000Z';
const BEFORE = '2026-12-31T22:59:59.999Z';

let contracts: Contracts;
let worker: LifecycleWorker;
beforeAll(async () => {
  contracts = await Contracts.start('2026-12-01T10:00:00Z', { alone: true });
  worker = new LifecycleWorker(contracts);
});
afterAll(() => contracts.close());

const confirmed = { start_at: JANUARY, confirmed_at: '2026-12-01T10:00:00Z' };
const terminated = { terminated_at: '2026-12-02T10:00:00Z', termination_reason: 'ORDINARY' as const };

async function statusOf(id: string): Promise<unknown> {
  return (await contracts.row(id)).status;
}

describe('a beginning', () => {
  test('happens at the start and not a millisecond earlier', async () => {
    const { id } = await contracts.contract(confirmed);
    expect(await worker.run(BEFORE)).toEqual({ begun: 0, ended: 0 });
    expect(await statusOf(id)).toBe('pending');
    expect(await worker.run(JANUARY)).toEqual({ begun: 1, ended: 0 });
    expect(await contracts.row(id)).toMatchObject({ status: 'active', updated_at: '2026-12-31T23:00:00' });
    expect(await contracts.events(id)).toEqual([
      { topic: 'subscription.activated', context: { subscription: id }, timestamp: new Date(JANUARY) },
    ]);
  });

  test('happens once, whoever runs again', async () => {
    const { id } = await contracts.contract(confirmed);
    await worker.run(JANUARY);
    expect(await worker.run('2027-01-01T08:00:00Z')).toEqual({ begun: 0, ended: 0 });
    expect(await contracts.topics(id)).toEqual(['subscription.activated']);
  });

  test('does not happen without a confirmation', async () => {
    const { id } = await contracts.contract({ intended_start_on: '2026-12-15' });
    await worker.run('2027-01-15T08:00:00Z');
    expect(await statusOf(id)).toBe('pending');
  });

  test('of feed-in is the same', async () => {
    const { id } = await contracts.contract({ ...confirmed, type: 'feed_in' });
    await worker.run(JANUARY);
    expect(await statusOf(id)).toBe('active');
  });
});

describe('an end', () => {
  test('happens at the end and not a millisecond earlier', async () => {
    const { id } = await contracts.active({ ...terminated, end_at: MARCH });
    expect(await worker.run('2027-02-28T22:59:59.999Z')).toEqual({ begun: 0, ended: 0 });
    expect(await statusOf(id)).toBe('active');
    expect(await worker.run(MARCH)).toEqual({ begun: 0, ended: 1 });
    expect(await contracts.row(id)).toMatchObject({ status: 'ended', end_at: '2027-02-28T23:00:00' });
    expect(await contracts.topics(id)).toEqual(['subscription.ended']);
    expect(await worker.run('2027-03-02T08:00:00Z')).toEqual({ begun: 0, ended: 0 });
    expect(await contracts.topics(id)).toEqual(['subscription.ended']);
  });

  test.each([
    ['before the start', '2026-12-07T23:00:00.000Z'],
    ['with the start', JANUARY],
  ])('of a withdrawal %s: supply never begins', async (_name, end_at) => {
    const withdrawn = { ...terminated, termination_reason: 'WITHDRAWAL' as const, end_at };
    const { id } = await contracts.contract({ ...confirmed, ...withdrawn });
    await worker.run('2026-12-05T10:00:00Z');
    expect(await statusOf(id)).toBe('pending');
    await worker.run(end_at);
    expect(await statusOf(id)).toBe('ended');
    await worker.run('2027-01-02T10:00:00Z');
    expect(await contracts.topics(id)).toEqual(['subscription.ended']);
  });

  test('takes open reductions with it, valid until that end, and leaves the others', async () => {
    const { id, place } = await contracts.active({ ...terminated, end_at: MARCH });
    const statuses = ['intended', 'ordered', 'activated', 'rejected', 'ended'];
    for (const [index, status] of statuses.entries()) {
      const type = `enwg-14a-module-${Math.min(index + 1, 3)}`;
      await storedRows(
        contracts.api,
        `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status, valid_from)
         VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6 = 'activated' THEN timestamptz '2026-01-01' END)`,
        [contracts.organization, newId('gfr'), place.customer, id, type, status],
      );
    }
    await worker.run('2027-03-01T10:00:00Z');
    const rows = await storedRows<{ status: string; valid_until: Date | null }>(
      contracts.api,
      'SELECT status, valid_until FROM grid_fee_reductions WHERE subscription_id = $1 ORDER BY valid_until, status',
      [id],
    );
    const ended = { status: 'ended', valid_until: new Date(MARCH) };
    const kept = ['ended', 'rejected'].map((status) => ({ status, valid_until: null }));
    expect(rows).toEqual([ended, ended, ended, ...kept]);
  });

  test.each([
    ['waiting', true],
    ['ordered', true],
    ['installation_scheduled', true],
    ['installed', true],
    ['blocked', true],
    ['blocked_wim', true],
    ['activated', false],
    ['pre_installed', false],
    ['cancelled', false],
  ])('finds a meter order that is %s: cancelled %s', async (status, isCancelled) => {
    const { id, place } = await contracts.active({ ...terminated, end_at: MARCH });
    const order = newId('prdo');
    const reason = status === 'blocked' ? 'check_missing' : null;
    await storedRows(
      contracts.api,
      `INSERT INTO meter_orders (organization_id, id, customer_id, subscription_id, product, provider, status,
         unblocked_status, blocked_reason, blocked_at)
       VALUES ($1, $2, $3, $4, 'smart-meter-partner-b', 'partner-b', $5, 'ordered', $6, CASE WHEN $6 <> '' THEN now() END)`,
      [contracts.organization, order, place.customer, id, status, reason],
    );
    await worker.run('2027-03-01T10:00:00Z');
    const [row] = await storedRows<Record<string, unknown>>(
      contracts.api,
      'SELECT status, cancelled_reason, cancelled_at, blocked_at, blocked_reason FROM meter_orders WHERE id = $1',
      [order],
    );
    const told = (await contracts.events(id)).map(({ topic, context }) => ({ topic, context }));
    const ended = { topic: 'subscription.ended', context: { subscription: id } };
    if (!isCancelled) {
      expect(row).toMatchObject({ status, cancelled_reason: null });
      expect(told).toEqual([ended]);
      return;
    }
    expect(row).toMatchObject({
      status: 'cancelled',
      cancelled_reason: 'customer_request',
      cancelled_at: new Date('2027-03-01T10:00:00Z'),
      blocked_at: null,
      blocked_reason: null,
    });
    const cancelled = { topic: 'meter_order.cancelled', context: { meter_order: order, subscription: id } };
    expect(told).toHaveLength(2);
    expect(told).toEqual(expect.arrayContaining([ended, cancelled]));
  });
});

test('both passed while no worker ran: it begins, then it ends, in the list of events too', async () => {
  const { id } = await contracts.contract({ ...confirmed, ...terminated, end_at: MARCH });
  expect(await worker.run('2027-06-01T10:00:00Z')).toEqual({ begun: 1, ended: 1 });
  expect(await contracts.topics(id)).toEqual(['subscription.activated', 'subscription.ended']);
  const lines = await auditRows(contracts.api, contracts.organization, 'subscription.');
  expect(lines.filter(({ object_id }) => object_id === id).map(({ act }) => act)).toEqual([
    'subscription.activate',
    'subscription.end',
  ]);
});

test('each move leaves one audit line that names the job', async () => {
  const { id } = await contracts.contract(confirmed);
  await worker.run('2027-06-02T10:00:00Z');
  const lines = await auditRows(contracts.api, contracts.organization, 'subscription.');
  expect(lines.filter(({ object_id }) => object_id === id)).toEqual([
    {
      organization_id: contracts.organization,
      client_id: null,
      grant_id: null,
      staff: null,
      act: 'subscription.activate',
      object_id: id,
      route: 'advance-subscriptions',
      reason: null,
      result: 'done',
      request_id: null,
      address: null,
    },
  ]);
});

test('I18 contracts of suspended and deleted organizations stand still until they are back', async () => {
  const { deps } = contracts.api;
  for (const standing of ['past_due', 'suspended', 'deleted']) {
    const organization = await createOrganization(deps);
    const place = await createHousehold(deps, organization);
    const { id } = await createSubscription(deps, organization, place, confirmed);
    await storedRows(contracts.api, 'UPDATE organizations SET standing = $2 WHERE id = $1', [
      organization,
      standing,
    ]);
    await worker.run('2027-06-03T10:00:00Z');
    expect(await statusOf(id)).toBe(standing === 'past_due' ? 'active' : 'pending');
    await storedRows(contracts.api, `UPDATE organizations SET standing = 'in_order' WHERE id = $1`, [
      organization,
    ]);
    await worker.run('2027-06-03T10:01:00Z');
    expect(await statusOf(id)).toBe('active');
  }
});

test('one organization that fails does not hold up the others, and the run says so', async () => {
  const { deps } = contracts.api;
  const organization = await createOrganization(deps);
  const place = await createHousehold(deps, organization);
  const theirs = await createSubscription(deps, organization, place, confirmed);
  const own = await contracts.contract(confirmed);
  await storedRows(
    contracts.api,
    `ALTER TABLE events ADD CONSTRAINT fails CHECK (organization_id <> '${organization}') NOT VALID`,
  );
  await expect(worker.run('2027-06-04T10:00:00Z')).rejects.toThrow(
    /^For 1 organizations contracts were not advanced/,
  );
  expect([await statusOf(own.id), await statusOf(theirs.id)]).toEqual(['active', 'pending']);
  await storedRows(contracts.api, 'ALTER TABLE events DROP CONSTRAINT fails');
  expect(await worker.run('2027-06-04T10:01:00Z')).toEqual({ begun: 1, ended: 0 });
});
