import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  mayFollow,
  type Position,
  positionOf,
  STAGE_NAMES,
  STAGES,
} from '../../../src/contracts/meter-orders/moves.ts';
import { INTERNAL_STATUSES, PROVIDERS, PUBLIC_STATUSES } from '../../../src/contracts/meter-orders/schema.ts';
import { meterOrderTopics } from '../../../src/contracts/meter-orders/topics.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type Order, Orders } from './orders.ts';

let orders: Orders;
let order: Order;
beforeAll(async () => {
  orders = await Orders.start();
  order = await orders.order({ stage: 'waiting', step: 'waiting' });
});
afterAll(() => orders?.close());

test('the database derives the public status as the stages say, under a block as well', async () => {
  for (const name of STAGE_NAMES) {
    const stage = STAGES[name];
    const positions: Position[] =
      stage.kind === 'block'
        ? STAGE_NAMES.flatMap((step) => (isOpenStep(step) ? [{ stage: name, step }] : []))
        : [{ stage: name, step: stage.kind === 'step' ? (name as Position['step']) : null }];
    for (const from of positions) {
      await orders.put([{ order, from }]);
      const [row] = await storedRows<Parameters<typeof positionOf>[0] & { public_status: string }>(
        orders.api,
        'SELECT status, unblocked_status, details_received_at, public_status FROM meter_orders WHERE id = $1',
        [order.id],
      );
      if (row === undefined) throw new Error('The order is gone');
      const below = STAGES[from.stage].kind === 'block' ? STAGES[from.step ?? 'cancelled'] : stage;
      expect(row.public_status).toBe(below.kind === 'block' ? null : below.public);
      expect(positionOf(row)).toEqual(from);
    }
  }
});

function isOpenStep(name: (typeof STAGE_NAMES)[number]): name is NonNullable<Position['step']> {
  return STAGES[name].kind === 'step' && name !== 'activated';
}

test('the stages have every internal and every public status, and each of these has its topic', () => {
  const all = STAGE_NAMES.map((name) => STAGES[name]);
  expect([...new Set(all.map(({ status }) => status))].sort()).toEqual([...INTERNAL_STATUSES].sort());
  const shown = new Set(all.flatMap((stage) => (stage.kind === 'block' ? [] : [stage.public])));
  expect([...shown].sort()).toEqual([...PUBLIC_STATUSES].sort());
  expect(Object.keys(meterOrderTopics).sort()).toEqual([...PUBLIC_STATUSES, 'blocked'].sort());
  expect(PROVIDERS).toEqual(['energy-metering', 'partner-b', 'partner-c']);
});

test('nothing follows itself', () => {
  for (const name of STAGE_NAMES) {
    const step = isOpenStep(name) ? name : 'waiting';
    expect(mayFollow({ stage: name, step }, name)).toBe(false);
  }
});
