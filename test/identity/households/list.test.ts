import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

interface HouseholdList {
  items: { id: string; customer: string; address: string | null; created_at: string }[];
  has_more: boolean;
  next_page: string | null;
}

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api.close());

async function newTenant() {
  const { organization, token } = await createTenant(api);
  const add = (input = {}) => createHousehold(api.deps, organization, input);
  return { organization, client: api.client(token), add };
}

async function ids(client: ApiClient, query = ''): Promise<string[]> {
  const answer = await client.get<HouseholdList>(`/households?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.items.map((item) => item.id);
}

test('shows customer and address as ids, the address as null where there is none', async () => {
  const { client, add } = await newTenant();
  const first = await add({ display_name: 'Haus am See' });
  clock.advance(1);
  const second = await add({ address: null });
  const { body } = await client.get<HouseholdList>('/households');
  expect(body).toEqual({
    object: 'list',
    items: [
      {
        object: 'household',
        id: second.household,
        display_name: null,
        created_at: clock.now().toISOString(),
        updated_at: clock.now().toISOString(),
        customer: second.customer,
        address: null,
      },
      expect.objectContaining({
        id: first.household,
        display_name: 'Haus am See',
        customer: first.customer,
        address: first.address,
      }),
    ],
    has_more: false,
    next_page: null,
  });
});

test('all pages together have every household once, also while others are created', async () => {
  const { client, add } = await newTenant();
  for (let count = 0; count < 9; count += 1) {
    if (count % 2 === 0) clock.advance(1);
    await add();
  }
  const known = await ids(client, 'limit=100');
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await client.get<HouseholdList>(`/households?limit=2${cursor}`);
    seen.push(...body.items.map((item) => item.id));
    cursor = body.next_page === null ? '' : `&cursor=${body.next_page}`;
    clock.advance(1);
    await add();
  } while (cursor !== '');
  expect(seen).toEqual(known);
});

test('customer takes every operator of a string', async () => {
  const { client, add } = await newTenant();
  const household = await add();
  const two = await add();
  const third = await add({ customer: household.customer });
  const both = [household.household, third.household].toSorted();
  const found = async (query: string) => (await ids(client, query)).toSorted();
  expect(await found(`filter[customer][eq]=${household.customer}`)).toEqual(both);
  expect(await found(`filter[customer][ne]=${two.customer}`)).toEqual(both);
  expect(await found(`filter[customer][in]=${household.customer},cus_unknown`)).toEqual(both);
  expect(await found(`filter[customer][contains]=${household.customer.slice(6, 20).toUpperCase()}`)).toEqual(
    both,
  );
  expect(await found(`filter[customer][starts_with]=${two.customer.slice(0, 20)}`)).toEqual([two.household]);
  expect(await found(`filter[customer][ends_with]=${two.customer.slice(10)}`)).toEqual([two.household]);
  expect(await found('filter[customer][is_null]=true')).toEqual([]);
  expect(await found('filter[customer][contains]=%25')).toEqual([]);
});

test('created_at is filtered inclusively, to the microsecond', async () => {
  const { client, add } = await newTenant();
  clock.set('2026-10-05T08:40:00.500Z');
  const first = await add();
  clock.set('2026-10-05T08:41:00.000Z');
  const second = await add();
  const from = (instant: string) => ids(client, `filter[created_at][gte]=${encodeURIComponent(instant)}`);
  const until = (instant: string) => ids(client, `filter[created_at][lte]=${encodeURIComponent(instant)}`);
  expect(await from('2026-10-05T10:41:00+02:00')).toEqual([second.household]);
  expect(await from('2026-10-05T08:41:00.000001Z')).toEqual([]);
  expect(await until('2026-10-05T08:40:00.500Z')).toEqual([first.household]);
  expect(await until('2026-10-05T08:40:00.499999Z')).toEqual([]);
});

test.each([
  ['filter[display_name][eq]=x', 'unrecognized_keys filter[display_name][eq]'],
  ['filter[address][eq]=x', 'unrecognized_keys filter[address][eq]'],
  ['filter[created_at][eq]=2026-11-01T00:00:00Z', 'unrecognized_keys filter[created_at][eq]'],
  ['filter[created_at][gte]=2026-11-01', 'invalid_value filter[created_at][gte]'],
  ['filter[customer][eq]=a&filter[customer][ne]=b', 'custom filter[customer][ne]'],
])('%s is refused', async (query, entry) => {
  const { client } = await newTenant();
  expect(refusal(await client.get<ErrorBody>(`/households?${query}`))).toEqual([400, entry]);
});

test('I02 I03 I09 each token sees its own households, also when a filter names others', async () => {
  const a = await newTenant();
  const b = await newTenant();
  const own = await a.add();
  const neighbour = await a.add();
  const theirs = await b.add();
  expect((await ids(a.client)).toSorted()).toEqual([own.household, neighbour.household].toSorted());
  expect(await ids(a.client, `filter[customer][eq]=${theirs.customer}`)).toEqual([]);
  expect(await ids(a.client, `filter[customer][in]=${theirs.customer},${own.customer}`)).toEqual([
    own.household,
  ]);

  const credentials = await createClient(api.deps, a.organization, { customer_id: own.customer });
  const customer = api.client(await tokenFor(api, credentials));
  expect(await ids(customer)).toEqual([own.household]);
  expect(await ids(customer, `filter[customer][eq]=${neighbour.customer}`)).toEqual([]);
  expect(await ids(customer, `filter[customer][ne]=${own.customer}`)).toEqual([]);
});

test('before gauss there is no such list; without a token it is 401; households cannot be created', async () => {
  const { client } = await newTenant();
  const older = await client.get<ErrorBody>('/households', {
    headers: { 'x-api-version': '2026-05-27.curie' },
  });
  expect(refusal(older)).toEqual([404, 'upgrade_api_version ']);
  expect(older.body.message).toBe(
    'GET /households is available from API version 2026-09-08.gauss. This request used 2026-05-27.curie.',
  );
  expect((await api.client(null).get('/households')).status).toBe(401);
  expect((await client.post('/households', {})).status).toBe(405);
});

test('who read the list, with the names of places in it, is kept', async () => {
  const { client, organization } = await newTenant();
  await client.get('/households');
  await expect
    .poll(() => auditRows(api, organization, 'personal_data.read'))
    .toEqual([expect.objectContaining({ route: 'GET /households', object_id: null })]);
});
