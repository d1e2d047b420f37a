import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHousehold, createPlan } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { CURIE, EDISON, GAUSS, Orders } from './orders.ts';

let orders: Orders;
let bare: string;
let feedIn: string;
beforeAll(async () => {
  orders = await Orders.start();
  bare = (await createPlan(orders.api.deps, orders.organization)).id;
  feedIn = (await createPlan(orders.api.deps, orders.organization, { type: 'feed_in' })).id;
});
afterAll(() => orders?.close());

type Made = ErrorBody & Record<string, string>;

async function order(subscription: unknown, version = CURIE, headers: Record<string, string> = {}) {
  const client = await orders.client(version);
  return await client.post<Made>('/meter-orders', { subscription }, { headers });
}

const isId = expect.stringMatching(/^prdo_[0-9a-z]{24}$/);
const isInstant = expect.stringMatching(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/);
const NOTHING_YET = {
  ...{ appointment_at: null, installed_at: null, activated_at: null, cancelled_at: null },
  ...{ cancelled_reason: null, blocked_at: null, blocked_reason: null },
};

describe('an order', () => {
  test('is waiting with the provider of the plan, tells that it was created, and is read as it was answered', async () => {
    const { id: subscription, place } = await orders.contract();
    const { status, body, headers } = await order(subscription);
    expect(status).toBe(200);
    const common = { object: 'meter_order', id: isId, subscription, customer: place.customer };
    const shown = { ...common, provider: 'partner-b', status: 'created', ...NOTHING_YET };
    expect(body).toEqual({ ...shown, created_at: isInstant });
    const read = async (version: string) =>
      (await (await orders.client(version)).get(`/meter-orders/${body.id}`)).body;
    expect(await read(CURIE)).toEqual(body);
    expect(await read(GAUSS)).toEqual(body);
    expect(await read(EDISON)).toEqual({
      ...{ ...common, provider: 'partner-b', status: 'waiting' },
      ...{ created_at: body.created_at, updated_at: body.created_at },
    });
    const events = await storedRows(
      orders.api,
      `SELECT topic, context FROM events WHERE context ->> 'subscription' = $1`,
      [subscription],
    );
    expect(events).toEqual([
      { topic: 'meter_order.created', context: { meter_order: body.id, subscription } },
    ]);
    const lines = await auditRows(orders.api, orders.organization, 'meter_order.');
    expect(lines.filter(({ object_id }) => object_id === body.id)).toEqual([
      expect.objectContaining({
        ...{ act: 'meter_order.create', route: 'POST /meter-orders', result: 'done' },
        request_id: headers.get('x-request-id'),
      }),
    ]);
  });

  test('in the form of edison has its internal status', async () => {
    const { id } = await orders.contract();
    const { status, body } = await order(id, EDISON);
    expect([status, body.status]).toEqual([200, 'waiting']);
    expect(Object.keys(body).sort()).toEqual(
      'created_at customer id object provider status subscription updated_at'.split(' '),
    );
  });

  test('is possible for an active contract as for a pending one', async () => {
    const { id } = await orders.contract({ status: 'active' });
    expect((await order(id)).status).toBe(200);
  });

  test('with a key is made once; another version gets the same answer in its form', async () => {
    const [{ id }, other] = [await orders.contract(), await orders.contract()];
    const headers = { 'idempotency-key': 'order-1' };
    const first = await order(id, CURIE, headers);
    const again = await order(id, CURIE, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const older = await order(id, EDISON, headers);
    expect([older.status, older.body.id, older.body.status]).toEqual([200, first.body.id, 'waiting']);
    expect((await order(other.id, CURIE, headers)).status).toBe(409);
    expect(await orders.topics({ id: first.body.id ?? '' })).toEqual(['meter_order.created']);
  });
});

describe('a rule', () => {
  const SUBSCRIPTION = 'subscription';
  const refused = async (subscription: string) => refusal(await order(subscription));
  const entry = (code: string) => `${code} ${SUBSCRIPTION}`;

  test('an ended contract takes no order', async () => {
    const { id } = await orders.contract({ status: 'ended' });
    expect(await refused(id)).toEqual([400, entry('ended_subscription')]);
  });

  test('feed-in takes none, not even in versions that hide it', async () => {
    const { id } = await orders.contract({ type: 'feed_in', plan_id: feedIn });
    expect(await refused(id)).toEqual([400, entry('unsupported_meter_order')]);
    const { status, body } = await order(id, EDISON);
    expect([status, body.message]).toEqual([400, 'A smart meter cannot be ordered here']);
  });

  test('a smart meter takes none, whatever says that it is or will be smart', async () => {
    const { id } = await orders.contract({ meter_type: 'smart' });
    expect(await refused(id)).toEqual([400, entry('unsupported_meter_order')]);
    const place = await createHousehold(orders.api.deps, orders.organization);
    const pending = await orders.contract({ place });
    await storedRows(orders.api, `UPDATE subscriptions SET meter_type = 'smart' WHERE id = $1`, [pending.id]);
    expect(await refused(pending.id)).toEqual([400, entry('unsupported_meter_order')]);
  });

  test('a plan without a smart meter sells none', async () => {
    const { id } = await orders.contract({ plan_id: bare });
    expect(await refused(id)).toEqual([400, entry('unsupported_product')]);
  });

  test('a contract has one order for ever, a cancelled one included', async () => {
    const positions = [
      { stage: 'waiting', step: 'waiting' },
      { stage: 'activated', step: 'activated' },
      { stage: 'cancelled', step: null },
      { stage: 'blocked', step: 'ordered' },
    ] as const;
    for (const position of positions) {
      const { subscription } = await orders.order(position);
      expect(await refused(subscription)).toEqual([409, entry('duplicate_meter_order')]);
    }
  });

  test('all that is wrong with 400 is told together, in order, before a conflict', async () => {
    const { subscription } = await orders.order(
      { stage: 'cancelled', step: null },
      { status: 'ended', meter_type: 'smart', plan_id: bare },
    );
    const all = ['ended_subscription', 'unsupported_meter_order', 'unsupported_product'];
    expect(await refused(subscription)).toEqual([400, ...all.map(entry)]);
  });

  test('before curie the message alone names it', async () => {
    const { subscription } = await orders.order({ stage: 'waiting', step: 'waiting' });
    const { status, body } = await order(subscription, EDISON);
    expect([status, body.code, body.message]).toEqual([409, 'CONFLICT', 'A meter order already exists']);
    expect(body.errors).toBeUndefined();
  });

  test.each([
    ['sub_000000000000000000000000', 404],
    ['nothing', 404],
    ['', 400],
    [null, 400],
    [7, 400],
    [undefined, 400],
  ])('the subscription %j is %d', async (subscription, status) => {
    expect((await order(subscription)).status).toBe(status);
  });

  test('what is refused leaves nothing', async () => {
    const [{ count } = { count: -1 }] = await storedRows<{ count: number }>(
      orders.api,
      `SELECT count(*)::int FROM meter_orders JOIN subscriptions ON subscriptions.id = subscription_id
        WHERE subscriptions.type = 'feed_in' OR plan_id = $1 AND meter_orders.status <> 'cancelled'`,
      [bare],
    );
    expect(count).toBe(0);
  });
});

test('of twenty orders of one contract at once one is made', async () => {
  const { id } = await orders.contract();
  const answers = await Promise.all(Array.from({ length: 20 }, () => order(id)));
  const made = answers.filter(({ status }) => status === 200);
  expect(made).toHaveLength(1);
  expect(
    new Set(
      answers
        .filter((answer) => answer !== made[0])
        .map(refusal)
        .map(String),
    ),
  ).toEqual(new Set(['409,duplicate_meter_order subscription']));
  expect(await orders.topics({ id: made[0]?.body.id ?? '' })).toEqual(['meter_order.created']);
});
