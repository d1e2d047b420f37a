import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createMarketPartner,
  createPlan,
  createSubscription,
  createTenant,
  type TestHousehold,
  tokenFor,
} from '../../setup/factories.ts';
import { filterAnswers, filterRefusals } from '../../setup/lists.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

interface SubscriptionList {
  object: string;
  items: { id: string; [field: string]: unknown }[];
  has_more: boolean;
  next_page: string | null;
}

type Input = NonNullable<Parameters<typeof createSubscription>[3]>;

let api: TestApi;
let clock: FakeClock;
/** Of an organization that has nothing. */
let stranger: ApiClient;
beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
  stranger = api.client((await createTenant(api)).token);
});
afterAll(() => api.close());

async function newTenant() {
  const { organization, token } = await createTenant(api);
  const place = await createHousehold(api.deps, organization);
  const add = async (input: Input = {}, at: TestHousehold = place) =>
    (await createSubscription(api.deps, organization, at, input)).id;
  return { organization, token, client: api.client(token), place, add };
}

async function ids(client: ApiClient, query = ''): Promise<string[]> {
  const answer = await client.get<SubscriptionList>(`/subscriptions?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.items.map((item) => item.id);
}

test('shows what belongs to a subscription as ids, and null where there is nothing', async () => {
  const { organization, client, place } = await newTenant();
  const supplier = await createMarketPartner(api.deps);
  const made = await createSubscription(api.deps, organization, place, {
    number: 'K7P2M9QX',
    supplier_id: supplier.id,
    metadata: JSON.stringify({ crm: 'A-1182' }),
    estimated_usage: '4888.5',
  });
  clock.advance(1);
  const imported = await createSubscription(api.deps, organization, place, {
    type: 'feed_in',
    number: null,
    address_id: null,
    status: 'active',
    start_at: '2026-06-30T22:00:00Z',
    confirmed_at: '2026-06-10T08:00:00.123456Z',
  });
  const { body } = await client.get<SubscriptionList>('/subscriptions');
  const moment = clock.now().toISOString();
  expect(body).toEqual({
    object: 'list',
    items: [
      {
        object: 'subscription',
        id: imported.id,
        plan: imported.plan,
        customer: place.customer,
        household: place.household,
        address: null,
        billing_address: imported.billing_address,
        meter: imported.meter,
        payment_method: imported.payment_method,
        supplier: null,
        number: null,
        status: 'active',
        type: 'feed_in',
        estimated_usage: 2500,
        start_at: '2026-06-30T22:00:00.000Z',
        terminated_at: null,
        end_at: null,
        metadata: null,
        created_at: moment,
        updated_at: moment,
      },
      expect.objectContaining({
        id: made.id,
        address: place.address,
        supplier: supplier.id,
        number: 'K7P2M9QX',
        status: 'pending',
        type: 'consumption',
        estimated_usage: 4888.5,
        start_at: null,
        metadata: { crm: 'A-1182' },
      }),
    ],
    has_more: false,
    next_page: null,
  });
});

test('all pages together have every subscription once, also while others are created', async () => {
  const { client, add } = await newTenant();
  for (let count = 0; count < 9; count += 1) {
    if (count % 2 === 0) clock.advance(1);
    await add();
  }
  const known = await ids(client, 'limit=100');
  expect(known).toHaveLength(9);
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await client.get<SubscriptionList>(`/subscriptions?limit=2${cursor}`);
    seen.push(...body.items.map((item) => item.id));
    cursor = body.next_page === null ? '' : `&cursor=${body.next_page}`;
    clock.advance(1);
    await add();
  } while (cursor !== '');
  expect(seen).toEqual(known);
});

const fields = {
  status: { type: 'enum' },
  customer: { type: 'string' },
  plan: { type: 'string' },
  household: { type: 'string' },
  created_at: { type: 'date' },
  updated_at: { type: 'date' },
} as const;

describe('filters', () => {
  test('take every operator of every field', async () => {
    const { organization, client, add } = await newTenant();
    const elsewhere = await createHousehold(api.deps, organization);
    await add();
    clock.advance(1);
    await add({ status: 'active', updated_at: '2026-11-06T08:40:00.000001Z' });
    clock.advance(1);
    await add({ status: 'ended', type: 'feed_in' }, elsewhere);
    const { items } = (await client.get<SubscriptionList>('/subscriptions')).body;
    for (const item of sampled(items, 3)) {
      for (const [query, expected] of filterAnswers(fields, items, item)) {
        expect(await ids(client, query), query).toEqual(expected);
      }
    }
  });

  test('status takes eq, ne and in of the three values', async () => {
    const { client, add } = await newTenant();
    const [pending, active, ended] = [
      await add(),
      await add({ status: 'active' }),
      await add({ status: 'ended' }),
    ];
    const found = async (query: string) => (await ids(client, query)).toSorted();
    expect(await found('filter[status][eq]=pending')).toEqual([pending]);
    expect(await found('filter[status][ne]=pending')).toEqual([active, ended].toSorted());
    expect(await found('filter[status][in]=active,ended')).toEqual([active, ended].toSorted());
    expect(await found('filter[status][in]=')).toEqual([]);
  });

  test('customer, plan and household take every operator of a string', async () => {
    const { organization, client, place, add } = await newTenant();
    const plan = await createPlan(api.deps, organization);
    const elsewhere = await createHousehold(api.deps, organization);
    const second = await createHousehold(api.deps, organization, { customer: place.customer });
    const subscription = await add({ plan_id: plan.id });
    const two = await add({ plan_id: plan.id }, second);
    const three = await add({}, elsewhere);
    const found = async (query: string) => (await ids(client, query)).toSorted();
    const both = [subscription, two].toSorted();
    for (const [field, value, expected] of [
      ['customer', place.customer, both],
      ['plan', plan.id, both],
      ['household', elsewhere.household, [three]],
    ] as const) {
      const others = [subscription, two, three].filter((id) => !expected.includes(id)).toSorted();
      expect(await found(`filter[${field}][eq]=${value}`)).toEqual(expected);
      expect(await found(`filter[${field}][ne]=${value}`)).toEqual(others);
      expect(await found(`filter[${field}][in]=${value},unknown`)).toEqual(expected);
      expect(await found(`filter[${field}][contains]=${value.slice(6, 22).toUpperCase()}`)).toEqual(expected);
      expect(await found(`filter[${field}][starts_with]=${value.slice(0, 22)}`)).toEqual(expected);
      expect(await found(`filter[${field}][ends_with]=${value.slice(8)}`)).toEqual(expected);
      expect(await found(`filter[${field}][is_null]=true`)).toEqual([]);
      expect(await found(`filter[${field}][is_null]=false`)).toHaveLength(3);
    }
    const together = `filter[plan][eq]=${plan.id}&filter[household][eq]=${second.household}`;
    expect(await found(together)).toEqual([two]);
  });

  test('created_at and updated_at are compared inclusively, to the microsecond', async () => {
    const { client, add } = await newTenant();
    const at = { created_at: '2026-10-05T08:40:00.5Z', updated_at: '2026-10-06T08:40:00.000001Z' };
    const first = await add(at);
    const second = await add({ created_at: '2026-10-05T08:41:00Z', updated_at: '2026-10-06T09:00:00Z' });
    const found = (field: string, operator: string, instant: string) =>
      ids(client, `filter[${field}][${operator}]=${encodeURIComponent(instant)}`);
    expect(await found('created_at', 'gte', '2026-10-05T10:41:00+02:00')).toEqual([second]);
    expect(await found('created_at', 'lte', '2026-10-05T08:40:00.500Z')).toEqual([first]);
    expect(await found('created_at', 'lte', '2026-10-05T08:40:00.499999Z')).toEqual([]);
    expect(await found('updated_at', 'lte', '2026-10-06T08:40:00.000001Z')).toEqual([first]);
    expect(await found('updated_at', 'gte', '2026-10-06T08:40:00.000002Z')).toEqual([second]);
    expect(await found('updated_at', 'is_null', 'true')).toEqual([]);
  });

  test.each([
    ['filter[status][eq]=cancelled', 'invalid_value filter[status][eq]'],
    ['filter[status][in]=active,nonsense', 'invalid_value filter[status][in]'],
    ['filter[status][contains]=act', 'unrecognized_keys filter[status][contains]'],
    ['filter[status][is_null]=true', 'unrecognized_keys filter[status][is_null]'],
    ['filter[type][eq]=consumption', 'unrecognized_keys filter[type][eq]'],
    ['filter[number][eq]=K7P2M9QX', 'unrecognized_keys filter[number][eq]'],
    ['filter[created_at][eq]=2026-11-01T00:00:00Z', 'unrecognized_keys filter[created_at][eq]'],
    ['filter[updated_at][gte]=2026-11-01', 'invalid_value filter[updated_at][gte]'],
    ['filter[customer][eq]=a&filter[customer][in]=b', 'custom filter[customer][in]'],
    ['filter[status]=active', 'invalid_key filter[status]'],
    ['limit=0', 'too_small limit'],
    ['limit=101', 'too_big limit'],
    ['cursor=nonsense', 'custom cursor'],
    ...sampled(filterRefusals(fields), 4),
  ])('%s is refused', async (query, entry) => {
    expect(refusal(await stranger.get<ErrorBody>(`/subscriptions?${query}`))).toEqual([400, entry]);
  });
});

describe('older versions', () => {
  test.each(['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'])(
    '%s shows consumption without type and billing address',
    async (version) => {
      const { token, add, place } = await newTenant();
      const id = await add();
      const feedIn = await add({ type: 'feed_in' });
      const client = api.client(token, { version });
      const { body } = await client.get<SubscriptionList>(
        `/subscriptions?filter[household][eq]=${place.household}`,
      );
      expect(body.items.map((item) => item.id)).toEqual([id]);
      expect(Object.keys(body.items[0] ?? {})).toEqual(
        expect.arrayContaining(['object', 'household', 'supplier', 'address', 'metadata', 'updated_at']),
      );
      expect(body.items[0]).not.toHaveProperty('type');
      expect(body.items[0]).not.toHaveProperty('billing_address');
      expect('has_more' in body).toBe(version !== '2025-12-01.chucky');
      expect(await ids(client, `filter[plan][ne]=x`)).not.toContain(feedIn);
    },
  );

  test('curie shows both kinds with type and billing address', async () => {
    const { token, add } = await newTenant();
    await add();
    await add({ type: 'feed_in' });
    const client = api.client(token, { version: '2026-05-27.curie' });
    const { body } = await client.get<SubscriptionList>('/subscriptions');
    expect(body.items.map(({ type }) => type).toSorted()).toEqual(['consumption', 'feed_in']);
    expect(body.items.every(({ billing_address }) => /^adr_/.test(String(billing_address)))).toBe(true);
  });
});

test('I02 I03 I09 each token sees its own, also when a filter names others', async () => {
  const a = await newTenant();
  const b = await newTenant();
  const elsewhere = await createHousehold(api.deps, a.organization);
  const [own, neighbour, theirs] = [await a.add(), await a.add({}, elsewhere), await b.add()];
  expect((await ids(a.client)).toSorted()).toEqual([own, neighbour].toSorted());
  expect(await ids(a.client, `filter[customer][eq]=${b.place.customer}`)).toEqual([]);
  expect(await ids(b.client)).toEqual([theirs]);
  const credentials = await createClient(api.deps, a.organization, { customer_id: a.place.customer });
  const customer = api.client(await tokenFor(api, credentials));
  expect(await ids(customer)).toEqual([own]);
  expect(await ids(customer, `filter[customer][eq]=${elsewhere.customer}`)).toEqual([]);
  expect(await ids(customer, `filter[customer][ne]=${a.place.customer}`)).toEqual([]);
});

test('without a token it is 401; who read a list is kept', async () => {
  const { organization, client, add } = await newTenant();
  await add();
  await ids(client);
  expect((await api.client(null).get('/subscriptions')).status).toBe(401);
  await expect
    .poll(() => auditRows(api, organization, 'personal_data.'))
    .toMatchObject([{ route: 'GET /subscriptions', object_id: expect.stringMatching(/^cus_/) }]);
});
