import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { CURIE, EDISON, GAUSS, type Order, Orders } from './orders.ts';

let orders: Orders;
const made: Record<string, Order> = {};
beforeAll(async () => {
  orders = await Orders.start();
  const at = {
    intended: { stage: 'intended', step: 'intended' },
    waiting: { stage: 'waiting', step: 'waiting' },
    ordered: { stage: 'ordered', step: 'ordered' },
    details: { stage: 'details_received', step: 'details_received' },
    finished: { stage: 'installation_finished', step: 'installation_finished' },
    pre_installed: { stage: 'pre_installed', step: null },
    cancelled: { stage: 'cancelled', step: null },
    blocked: { stage: 'blocked', step: 'checked' },
    wim: { stage: 'blocked_wim', step: 'details_received' },
  } as const;
  for (const [index, [name, position]] of Object.entries(at).entries()) {
    const order = await orders.order(position);
    made[name] = order;
    await storedRows(
      orders.api,
      `UPDATE meter_orders SET created_at = timestamptz '2026-01-01' + $2 * interval '1 day', product = $3 WHERE id = $1`,
      [order.id, index, name === 'wim' ? 'smart-meter-partner-c' : 'smart-meter-partner-b'],
    );
  }
});
afterAll(() => orders?.close());

interface Listed extends ErrorBody {
  items: { id: string; status: string }[];
  next_page: string | null;
}

async function list(version: string, query: string) {
  return await (await orders.client(version)).get<Listed>(`/meter-orders?${query}`);
}

/** By the names above, oldest first. */
async function found(version: string, query: string): Promise<string[]> {
  const { status, body, text } = await list(version, query);
  expect(status, text).toBe(200);
  const names = new Map(Object.entries(made).map(([name, { id }]) => [id, name]));
  return body.items.map(({ id }) => names.get(id) ?? id).toReversed();
}

const ALL = [
  'intended',
  'waiting',
  'ordered',
  'details',
  'finished',
  'pre_installed',
  'cancelled',
  'blocked',
  'wim',
];
const filter = (field: string, operator: string, value: string) =>
  `filter[${field}][${operator}]=${encodeURIComponent(value)}`;

test.each([EDISON, CURIE, GAUSS])('%s: newest first, in pages', async (version) => {
  expect(await found(version, '')).toEqual(ALL);
  const first = await list(version, 'limit=4');
  const rest = await list(version, `limit=4&cursor=${first.body.next_page}`);
  const ids = [...first.body.items, ...rest.body.items].map(({ id }) => id);
  expect(ids).toEqual(
    ALL.toReversed()
      .slice(0, 8)
      .map((name) => made[name]?.id),
  );
});

describe('status', () => {
  test.each([
    [EDISON, 'eq', 'waiting', ['waiting']],
    [EDISON, 'eq', 'ordered', ['ordered', 'details']],
    [EDISON, 'eq', 'blocked', ['blocked']],
    [EDISON, 'in', 'blocked_wim,pre_installed', ['pre_installed', 'wim']],
    [EDISON, 'ne', 'ordered', ALL.filter((name) => name !== 'ordered' && name !== 'details')],
    [CURIE, 'eq', 'created', ['intended', 'waiting']],
    [CURIE, 'eq', 'placed', ['ordered']],
    [CURIE, 'eq', 'check_submitted', ['details', 'wim']],
    [CURIE, 'eq', 'check_reviewed', ['blocked']],
    [CURIE, 'eq', 'activated', []],
    [CURIE, 'in', 'cancelled,installed', ['finished', 'pre_installed', 'cancelled']],
    [CURIE, 'ne', 'created', ALL.slice(2)],
  ])('%s: %s %s', async (version, operator, value, expected) => {
    expect(await found(version, filter('status', operator, value))).toEqual(expected);
  });

  test('takes no value of the other version', async () => {
    const of = async (version: string, value: string) =>
      refusal(await list(version, filter('status', 'eq', value)));
    expect(await of(CURIE, 'waiting')).toEqual([400, 'invalid_value filter[status][eq]']);
    expect((await list(EDISON, filter('status', 'eq', 'created'))).status).toBe(400);
    expect((await list(EDISON, filter('internal_status', 'eq', 'waiting'))).status).toBe(400);
    expect(await of(CURIE, 'cancelled')).toEqual([200]);
    expect((await list(EDISON, filter('status', 'eq', 'cancelled'))).status).toBe(200);
  });

  test('a cursor goes on under the same filter only', async () => {
    const query = filter('status', 'ne', 'created');
    const first = await list(CURIE, `limit=3&${query}`);
    const next = await list(CURIE, `limit=3&${query}&cursor=${first.body.next_page}`);
    const names = ['pre_installed', 'finished', 'details'];
    expect(next.body.items.map(({ id }) => id)).toEqual(names.map((name) => made[name]?.id));
    expect(refusal(await list(CURIE, `limit=3&cursor=${first.body.next_page}`))).toEqual([
      400,
      'custom cursor',
    ]);
  });
});

describe.each([EDISON, CURIE])('%s', (version) => {
  test('product', async () => {
    expect(await found(version, filter('product', 'eq', 'smart-meter-partner-c'))).toEqual(['wim']);
    expect(
      await found(version, filter('product', 'in', 'smart-meter-partner-c,smart-meter-partner-b')),
    ).toEqual(ALL);
    expect(await found(version, filter('product', 'ne', 'smart-meter-partner-b'))).toEqual(['wim']);
    expect((await list(version, filter('product', 'eq', 'partner-c'))).status).toBe(400);
    expect((await list(version, filter('product', 'contains', 'partner'))).status).toBe(400);
  });

  test('customer and subscription, with every operator of texts', async () => {
    const { subscription, place } = made.ordered as Order;
    for (const [field, id] of [
      ['customer', place.customer],
      ['subscription', subscription],
    ] as const) {
      for (const [operator, value] of [
        ['eq', id],
        ['in', `${id},x`],
        ['contains', id.slice(5, 20).toUpperCase()],
        ['starts_with', id.slice(0, 20)],
        ['ends_with', id.slice(-15)],
      ] as const) {
        expect(await found(version, filter(field, operator, value)), operator).toEqual(['ordered']);
      }
      expect(await found(version, filter(field, 'ne', id))).toEqual(ALL.filter((name) => name !== 'ordered'));
      expect(await found(version, filter(field, 'is_null', 'true'))).toEqual([]);
    }
  });

  test('created_at and updated_at', async () => {
    const until = filter('created_at', 'lte', '2026-01-02T00:00:00Z');
    expect(await found(version, until)).toEqual(['intended', 'waiting']);
    const from = filter('created_at', 'gte', '2026-01-08T00:00:00Z');
    expect(await found(version, `${from}&${filter('status', 'in', 'cancelled')}`)).toEqual([]);
    expect(await found(version, from)).toEqual(['blocked', 'wim']);
    expect(await found(version, filter('updated_at', 'lte', '2026-01-02T00:00:00Z'))).toEqual([]);
    expect(await found(version, filter('updated_at', 'gte', '2026-01-02T00:00:00Z'))).toEqual(ALL);
  });
});

test('gauss: customer and subscription with eq, and nothing else', async () => {
  const { subscription, place } = made.ordered as Order;
  expect(await found(GAUSS, filter('customer', 'eq', place.customer))).toEqual(['ordered']);
  expect(await found(GAUSS, filter('subscription', 'eq', subscription))).toEqual(['ordered']);
  for (const [field, operator] of [
    ...['in', 'ne', 'contains', 'starts_with', 'ends_with', 'is_null'].map(
      (customer) => ['customer', customer] as const,
    ),
    ...([
      ['status', 'eq'],
      ['product', 'eq'],
      ['created_at', 'gte'],
      ['updated_at', 'gte'],
    ] as const),
  ]) {
    const name = `filter[${field}][${operator}]`;
    expect(refusal(await list(GAUSS, `${name}=x`))).toEqual([400, `unrecognized_keys ${name}`]);
  }
});

test('an order that nobody has is not found, in every version', async () => {
  for (const version of [EDISON, CURIE, GAUSS]) {
    const client = await orders.client(version);
    expect((await client.get('/meter-orders/prdo_000000000000000000000000')).status).toBe(404);
    expect((await client.get('/meter-orders/x')).status).toBe(404);
  }
});
