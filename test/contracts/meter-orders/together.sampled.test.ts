import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MeterOrderMove,
  moveMeterOrder,
  rescheduleMeterOrder,
} from '../../../src/contracts/meter-orders/move.ts';
import { installSmartMeter } from '../../../src/contracts/meter-readings/install.ts';
import { rejectSubscription } from '../../../src/contracts/subscriptions/back-office.ts';
import { isBusy } from '../../setup/busy.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';
import { type Order, Orders, tomorrow } from './orders.ts';

let orders: Orders;
beforeAll(async () => {
  orders = await Orders.start();
});
afterAll(() => orders?.close());

const act = () => ({
  ...{ staff: 'ada', reason: 'test', command: 'test' },
  now: orders.api.deps.clock.now().toISOString(),
});

/** What the audit log keeps of it. */
async function move({ id }: Order, to: MeterOrderMove['to'], fields: Omit<MeterOrderMove, 'to'> = {}) {
  const deps = { ...orders.api.deps, installSmartMeter };
  let last = '';
  const heard = (result: string) => {
    last = result;
  };
  await moveMeterOrder(deps, orders.organization, id, { to, ...fields }, { ...act(), heard });
  return last;
}

/** How many were done; the others were entered already, refused by the rule of moves, or heard that the service is busy. */
async function done(attempts: readonly Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(attempts);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      if (isBusy(outcome.reason)) continue;
      expect(outcome.reason).toMatchObject({ status: 409 });
    }
  }
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value !== 'unchanged').length;
}

async function lines({ id }: Order): Promise<number> {
  const all = await auditRows(orders.api, orders.organization, 'meter_order.');
  return all.filter(({ object_id, result }) => object_id === id && result === 'done').length;
}

const CHANGES = isLongTier ? 100 : 30;

test(`W20 of ${CHANGES} changes of one order at once each that is done has its event once, at an instant of its own`, async () => {
  const order = await orders.order({ stage: 'ordered', step: 'ordered' });
  const targets = ['blocked', 'blocked_wim'] as const;
  const count = await done(
    Array.from({ length: CHANGES }, (_, index) => move(order, targets[index % 2] ?? 'blocked')),
  );
  /* The first one blocks; then one follows another as the locks let them through. */
  expect(count).toBeGreaterThan(1);
  const events = await storedRows<{ topic: string; at: string }>(
    orders.api,
    `SELECT topic, timestamp::text AS at FROM events WHERE context ->> 'meter_order' = $1 ORDER BY position`,
    [order.id],
  );
  expect(events.map(({ topic }) => topic)).toEqual(
    Array.from({ length: count }, () => 'meter_order.blocked'),
  );
  expect(new Set(events.map(({ at }) => at)).size).toBe(count);
  expect(await lines(order)).toBe(count);
  const runs = await storedRows(
    orders.api,
    `SELECT FROM job_runs JOIN events ON events.id = payload ->> 'event'
      WHERE job = 'fan-out-event' AND context ->> 'meter_order' = $1`,
    [order.id],
  );
  expect(runs).toHaveLength(count);
});

test('of the same move twice at once one is done, and its event comes once', async () => {
  for (const to of ['checked', 'cancelled', 'blocked', 'details_received'] as const) {
    const order = await orders.order({ stage: 'waiting', step: 'waiting' });
    expect(await done(Array.from({ length: 8 }, () => move(order, to)))).toBe(1);
    expect(await orders.topics(order)).toHaveLength(1);
    expect(await lines(order)).toBe(1);
  }
});

test('of two ways at once the order goes one after the other, or one', async () => {
  const order = await orders.order({ stage: 'waiting', step: 'waiting' });
  await done([move(order, 'ordered'), move(order, 'checked'), move(order, 'installation_planning')]);
  const topics = await orders.topics(order);
  expect(['meter_order.placed,meter_order.check_reviewed', 'meter_order.check_reviewed']).toContain(
    String(topics),
  );
  const [row] = await storedRows<{ status: string }>(
    orders.api,
    'SELECT status FROM meter_orders WHERE id = $1',
    [order.id],
  );
  expect(row?.status).toBe('installation_planning');
});

test('of eight installations at once one mounts a device', async () => {
  const order = await orders.order({ stage: 'installation_waiting', step: 'installation_waiting' });
  const mounted = { number: '1SMA0000000001' };
  expect(await done(Array.from({ length: 8 }, () => move(order, 'installed', { mounted })))).toBe(1);
  const changes = await storedRows<{ number: string; register: number }>(
    orders.api,
    'SELECT number, register FROM meter_changes WHERE meter_id = $1',
    [order.meter],
  );
  expect(changes).toEqual([{ number: '1SMA0000000001', register: 2 }]);
});

test('an order that moves while its contract ends is cancelled once, whoever was first', async () => {
  for (let round = 0; round < (isLongTier ? 5 : 2); round++) {
    const order = await orders.order({ stage: 'blocked', step: 'waiting' });
    await done([
      move(order, 'checked'),
      rejectSubscription(orders.api.deps, orders.organization, order.subscription, act()),
      rescheduleMeterOrder(orders.api.deps, orders.organization, order.id, tomorrow(), act()),
    ]);
    const [row] = await storedRows<Record<string, unknown>>(
      orders.api,
      'SELECT status, public_status, cancelled_reason, blocked_at FROM meter_orders WHERE id = $1',
      [order.id],
    );
    expect(row).toEqual({
      ...{ status: 'cancelled', public_status: 'cancelled' },
      ...{ cancelled_reason: 'customer_request', blocked_at: null },
    });
    const topics = await orders.topics(order);
    expect(topics.filter((topic) => topic === 'meter_order.cancelled')).toHaveLength(1);
    expect(topics.at(-1)).toBe('meter_order.cancelled');
  }
});
