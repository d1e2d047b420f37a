import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createPlan, createTenant, tokenFor } from '../../setup/factories.ts';
import { filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
  await insertReferenceRows(api);
});
afterAll(() => api?.close());

async function newTenant() {
  const { organization, token } = await createTenant(api);
  const add = async (input: Parameters<typeof createPlan>[2] = {}) => {
    clock.advance(1);
    return (await createPlan(api.deps, organization, input)).id;
  };
  return { organization, token, client: api.client(token), add };
}

test('shows plans with the price that VAT makes of the base fee, archived ones too, newest first', async () => {
  const { client, add } = await newTenant();
  const terms = [{ base_fee_net: '6' }];
  const first = await add({ slug: 'strom-dynamisch', description: 'Preis nach Börse', terms });
  const createdAt = clock.now().toISOString();
  const archived = await add({ status: 'archived' });
  const feedIn = await add({ type: 'feed_in', terms: [{ base_fee_net: '0' }] });
  const { body } = await client.get<{ items: Record<string, unknown>[] }>('/plans');
  expect(body).toEqual({
    object: 'list',
    items: [
      expect.objectContaining({ id: feedIn, type: 'feed_in', price: 0 }),
      expect.objectContaining({ id: archived, type: 'consumption', price: 5.95 }),
      {
        object: 'plan',
        id: first,
        name: 'Strom Dynamisch',
        slug: 'strom-dynamisch',
        description: 'Preis nach Börse',
        type: 'consumption',
        price: 7.14,
        currency: 'EUR',
        created_at: createdAt,
      },
    ],
    has_more: false,
    next_page: null,
  });
});

test('all pages together have every plan once, also while others are created', async () => {
  const { client, add, organization } = await newTenant();
  for (let count = 0; count < 7; count += 1) await add();
  await storedRows(api, 'UPDATE plans SET created_at = $2 WHERE organization_id = $1', [
    organization,
    '2026-10-01T00:00:00.000001Z',
  ]);
  const known = await idsOf(client, '/plans?limit=100');
  expect(known).toEqual(known.toSorted().toReversed());
  expect(await idsOfAllPages(client, '/plans', () => add())).toEqual(known);
});

test('feed-in plans are left out before curie, of pages and of whole lists', async () => {
  const { token, add } = await newTenant();
  const plans = [await add(), await add({ type: 'feed_in' }), await add(), await add({ type: 'feed_in' })];
  const all = plans.toReversed();
  const [consumption] = [all.filter((_id, index) => index % 2 === 1)];
  for (const version of ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison']) {
    expect(await idsOf(api.client(token, { version }), '/plans')).toEqual(consumption);
  }
  for (const version of ['2026-05-27.curie', '2026-09-08.gauss']) {
    expect(await idsOf(api.client(token, { version }), '/plans')).toEqual(all);
  }
  const edison = api.client(token, { version: '2026-01-29.edison' });
  expect(await idsOfAllPages(edison, '/plans')).toEqual(consumption);
});

test('chucky answers all at once, whatever limit and cursor say', async () => {
  const { token, organization, add } = await newTenant();
  const newest = await add();
  await storedRows(
    api,
    `WITH added AS (
       INSERT INTO plans (organization_id, id, slug, name, type, created_at)
       SELECT $1, 'pln_' || lpad(n::text, 24, '0'), 'p-' || n, 'P', 'consumption', '2026-01-01Z'
         FROM generate_series(1, 2500) AS n RETURNING id)
     INSERT INTO plan_terms (organization_id, plan_id, base_fee_net) SELECT $1, id, 1 FROM added`,
    [organization],
  );
  const chucky = api.client(token, { version: '2025-12-01.chucky' });
  const answer = await chucky.get<{ items: { id: string }[] }>('/plans?limit=x&cursor=y');
  expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['object', 'items']]);
  const listed = answer.body.items.map(({ id }) => id);
  expect(listed).toHaveLength(2501);
  expect(new Set(listed).size).toBe(2501);
  expect(listed[0]).toBe(newest);
});

test('status takes every operator of a string', async () => {
  const { client, add } = await newTenant();
  const active = await add();
  const archived = await add({ status: 'archived' });
  const found = (query: string) => idsOf(client, `/plans?filter[status]${query}`);
  expect(await found('[eq]=active')).toEqual([active]);
  expect(await found('[ne]=active')).toEqual([archived]);
  expect(await found('[in]=archived,x')).toEqual([archived]);
  expect(await found('[in]=')).toEqual([]);
  expect(await found('[contains]=CHIV')).toEqual([archived]);
  expect(await found('[starts_with]=act')).toEqual([active]);
  expect(await found('[ends_with]=ED')).toEqual([archived]);
  expect(await found('[is_null]=true')).toEqual([]);
  expect(await found('[is_null]=false')).toEqual([archived, active]);
  expect(await found('[eq]=nothing')).toEqual([]);
});

test('created_at is filtered inclusively, to the microsecond', async () => {
  const { client, add } = await newTenant();
  const first = await add({ created_at: '2026-10-01T08:00:00.000001Z' });
  const second = await add({ created_at: '2026-10-01T08:00:00.000002Z' });
  const found = (query: string) => idsOf(client, `/plans?filter[created_at]${query}`);
  expect(await found('[gte]=2026-10-01T10:00:00.000002%2B02:00')).toEqual([second]);
  expect(await found('[lte]=2026-10-01T08:00:00.000001Z')).toEqual([first]);
  expect(await found('[lte]=2026-10-01T08:00:00Z')).toEqual([]);
  expect(await found('[is_null]=true')).toEqual([]);
  expect(await found('[is_null]=false')).toEqual([second, first]);
});

test.each(filterRefusals({ status: { type: 'string' }, created_at: { type: 'date' } }))(
  '%s is refused',
  async (query, entry) => {
    const { client } = await refusedTenant();
    expect(refusal(await client.get<ErrorBody>(`/plans?${query}`))).toEqual([400, entry]);
  },
);

test.each([
  ['limit=0', 'too_small limit'],
  ['limit=101', 'too_big limit'],
  ['limit=1.5', 'invalid_type limit'],
  ['limit=1&limit=2', 'custom limit'],
  ['cursor=x', 'custom cursor'],
  ['cursor=', 'custom cursor'],
])('%s is refused', async (query, entry) => {
  const { client } = await refusedTenant();
  expect(refusal(await client.get<ErrorBody>(`/plans?${query}`))).toEqual([400, entry]);
});

let tenant: ReturnType<typeof newTenant> | undefined;
/** One for all refusals, which leave nothing behind. */
const refusedTenant = () => {
  tenant ??= newTenant();
  return tenant;
};

test('a cursor is good for its own list, limit and filters only', async () => {
  const { client, add } = await newTenant();
  for (let count = 0; count < 3; count += 1) await add();
  const { body } = await client.get<{ next_page: string }>('/plans?limit=2&filter[status][eq]=active');
  const use = async (query: string, path = '/plans') =>
    refusal(await client.get<ErrorBody>(`${path}?${query}&cursor=${body.next_page}`));
  expect(await use('limit=2&filter[status][eq]=active')).toEqual([200]);
  expect(await use('limit=3&filter[status][eq]=active')).toEqual([400, 'custom cursor']);
  expect(await use('limit=2')).toEqual([400, 'custom cursor']);
  expect(await use('limit=2&filter[status][ne]=active')).toEqual([400, 'custom cursor']);
  expect(await use('limit=2', '/customers')).toEqual([400, 'custom cursor']);
});

test('a customer token sees all plans of its organization and of no other', async () => {
  const a = await newTenant();
  const b = await newTenant();
  const own = await a.add();
  await b.add();
  const { customer } = await createHousehold(api.deps, a.organization);
  const credentials = await createClient(api.deps, a.organization, { customer_id: customer });
  const token = await tokenFor(api, credentials);
  expect(await idsOf(api.client(token), '/plans')).toEqual([own]);
});

test('without a token it is 401; plans cannot be created here', async () => {
  const { client } = await refusedTenant();
  expect((await api.client(null).get('/plans')).status).toBe(401);
  expect((await client.post('/plans', {})).status).toBe(405);
});
