import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { entry, type Json, SignUps } from './sign-ups.ts';

let signUps: SignUps;
let bare: string;
beforeAll(async () => {
  signUps = await SignUps.start();
  bare = (await signUps.contracts.plan()).id;
});
afterAll(() => signUps?.close());

const smartMeter = { type: 'smart-meter' };
const modules = (...numbers: number[]) => ({
  type: '14a_enwg',
  '14a_enwg': Object.fromEntries(numbers.map((number) => [`module_${number}`, true])),
});

const ordered = (product_orders: Json[], meter: Json = {}, fields: Json = {}) =>
  signUps.body({ product_orders, meter: signUps.meter(meter), ...fields });
const smart = { type: 'smart' };

async function written(subscription: string) {
  const orders = await signUps.rows('SELECT * FROM meter_orders WHERE subscription_id = $1', [subscription]);
  const reductions = await signUps.rows<{ type: string; status: string }>(
    'SELECT type, status FROM grid_fee_reductions WHERE subscription_id = $1 ORDER BY type',
    [subscription],
  );
  return { orders, reductions: reductions.map(({ type, status }) => `${type} ${status}`) };
}

describe('what is ordered', () => {
  test('a smart meter becomes a waiting order from the provider of the plan, and an event', async () => {
    const { id, customer } = await signUps.signUp(ordered([smartMeter]));
    const { orders, reductions } = await written(id);
    expect(reductions).toEqual([]);
    expect(orders).toMatchObject([
      {
        customer_id: customer,
        product: 'smart-meter-partner-b',
        provider: 'partner-b',
        status: 'waiting',
        unblocked_status: 'waiting',
      },
    ]);
    const events = await signUps.contracts.events(id);
    expect(events.map(({ topic, context }) => [topic, context])).toEqual(
      expect.arrayContaining([
        ['subscription.created', { subscription: id }],
        ['meter_order.created', { subscription: id, meter_order: orders[0]?.id }],
      ]),
    );
    expect(events).toHaveLength(2);
  });

  test('the order of a sign-up is listed with the orders of contracts, in the form of each version', async () => {
    const { id, customer } = await signUps.signUp(ordered([smartMeter]));
    const listed = async (version: string) => {
      const client = await signUps.contracts.client(version);
      const path = `/meter-orders?filter[subscription][eq]=${id}`;
      return (await client.get<{ items: Json[] }>(path)).body.items;
    };
    const shown = { object: 'meter_order', subscription: id, customer, provider: 'partner-b' };
    expect(await listed('2026-01-29.edison')).toEqual([
      expect.objectContaining({ ...shown, status: 'waiting' }),
    ]);
    expect(await listed('2026-09-08.gauss')).toEqual([
      expect.objectContaining({ ...shown, status: 'created' }),
    ]);
    const client = await signUps.contracts.client();
    const again = await client.post<ErrorBody>('/meter-orders', { subscription: id });
    expect(refusal(again)).toEqual([409, 'duplicate_meter_order subscription']);
  });

  test.each([
    ['module 1', [modules(1)], {}, ['enwg-14a-module-1 intended']],
    ['module 2', [modules(2)], {}, ['enwg-14a-module-2 intended']],
    ['modules 1 and 3', [modules(1, 3)], smart, ['enwg-14a-module-1 intended', 'enwg-14a-module-3 intended']],
    [
      'modules 1 and 3, one by one',
      [modules(3), modules(1)],
      smart,
      ['enwg-14a-module-1 intended', 'enwg-14a-module-3 intended'],
    ],
    [
      'nothing without a true module',
      [modules(), { type: '14a_enwg' }, { type: '14a_enwg', '14a_enwg': { module_1: false } }],
      {},
      [],
    ],
    ['nothing by an empty list', [], {}, []],
  ])('%s', async (_title, items, meter, expected) => {
    const { id } = await signUps.signUp(ordered(items, meter));
    expect(await written(id)).toEqual({ orders: [], reductions: expected });
    expect(await signUps.contracts.topics(id)).toEqual(['subscription.created']);
  });

  test('meter and module together', async () => {
    const { id } = await signUps.signUp(ordered([smartMeter, modules(1)]));
    const { orders, reductions } = await written(id);
    expect([orders.length, reductions]).toEqual([1, ['enwg-14a-module-1 intended']]);
  });
});

describe('what is refused', () => {
  const at = (index: number, field = 'type') => `product_orders.${index}.${field}`;

  test.each<[string, Json[], Json, unknown[]]>([
    ['a smart meter where one is', [smartMeter], smart, [400, entry('unsupported_meter_order', at(0))]],
    [
      'a smart meter twice',
      [smartMeter, modules(1), smartMeter],
      {},
      [409, entry('duplicate_meter_order', at(2))],
    ],
    ['a module twice', [modules(1), modules(1)], {}, [409, entry('duplicate_grid_reduction', at(1))]],
    [
      'module and meter twice',
      [smartMeter, modules(2), modules(2), smartMeter],
      {},
      [409, entry('duplicate_grid_reduction', at(2)), entry('duplicate_meter_order', at(3))],
    ],
    [
      'module 3 without module 1',
      [modules(3)],
      smart,
      [400, entry('missing_module_1', at(0, '14a_enwg.module_3'))],
    ],
    [
      'module 3 with an analog meter',
      [modules(1, 3)],
      {},
      [400, entry('missing_smart_meter', at(0, '14a_enwg.module_3'))],
    ],
    [
      'module 3 with an analog meter, although a smart one is ordered',
      [smartMeter, modules(1, 3)],
      {},
      [400, entry('missing_smart_meter', at(1, '14a_enwg.module_3'))],
    ],
    [
      'module 2 beside 1',
      [modules(1, 2)],
      {},
      [400, entry('unsupported_product', at(0, '14a_enwg.module_2'))],
    ],
    [
      'module 2 beside 1 in another item',
      [modules(1), modules(2)],
      {},
      [400, entry('unsupported_product', at(1, '14a_enwg.module_2'))],
    ],
    [
      'all of it at once, in the order of the fields; twice is not told beside it',
      [modules(2, 3), smartMeter, modules(2), smartMeter],
      {},
      [
        400,
        entry('unsupported_product', at(0, '14a_enwg.module_2')),
        entry('missing_module_1', at(0, '14a_enwg.module_3')),
        entry('missing_smart_meter', at(0, '14a_enwg.module_3')),
        entry('unsupported_product', at(2, '14a_enwg.module_2')),
      ],
    ],
  ])('%s', async (_title, items, meter, refusal) => {
    expect(await signUps.refused(ordered(items, meter))).toEqual(refusal);
  });

  test('what the plan does not sell, at each item', async () => {
    const items = [smartMeter, modules(1), modules(), modules(3)];
    const refusal = [0, 1, 3].map((index) => entry('unsupported_product', at(index)));
    expect(await signUps.refused(ordered(items, {}, { plan: bare }))).toEqual([400, ...refusal]);
  });

  test('of a plan that sells module 1 alone the others, while its own rules go on', async () => {
    const { id: plan } = await signUps.contracts.plan({
      terms: [{ sells_module_1: true, sells_module_3: true }],
    });
    expect(await signUps.refused(ordered([modules(2, 3), smartMeter], {}, { plan }))).toEqual([
      400,
      entry('unsupported_product', at(0)),
      entry('missing_module_1', at(0, '14a_enwg.module_3')),
      entry('missing_smart_meter', at(0, '14a_enwg.module_3')),
      entry('unsupported_product', at(1)),
    ]);
  });

  test('every product beside feed-in', async () => {
    const items = [smartMeter, modules(), modules(1)];
    const refusal = [0, 1, 2].map((index) => entry('unsupported_product', at(index)));
    expect(await signUps.refused(signUps.feedIn({ product_orders: items }))).toEqual([400, ...refusal]);
    await signUps.signUp(signUps.feedIn({ product_orders: [] }));
  });
});

test('the rules look at the type of the meter that is sent, not at the stored one', async () => {
  const { customer, household, number } = await signUps.known({ meter: signUps.meter(smart) });
  await signUps.rows(
    "UPDATE subscriptions SET status = 'ended', end_at = created_at WHERE household_id = $1",
    [household],
  );
  const body = ordered([smartMeter, modules(1, 3)], {}, { customer, meter: signUps.meter({ number }) });
  expect(await signUps.refused(body)).toEqual([
    400,
    entry('missing_smart_meter', 'product_orders.1.14a_enwg.module_3'),
  ]);
});
