import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';
import { filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api?.close());

const person = { type: 'person' as const, first_name: 'Jule', last_name: 'Brandt' };
const company = {
  type: 'company' as const,
  first_name: 'Jule',
  last_name: 'Brandt',
  company_name: 'Bäckerei Brandt GmbH',
  email: 'info@example.org',
  vat_id: 'DE123456789',
};

let count = 0;

async function newTenant() {
  const { organization, token } = await createTenant(api);
  const add = async (input: object = {}) => {
    clock.advance(1);
    count += 1;
    const customer = { ...person, email: `jule.${count}@example.org`, ...input };
    return (await createHousehold(api.deps, organization, { customer })).customer;
  };
  return { organization, token, client: api.client(token), add };
}

test('shows persons and companies, newest first', async () => {
  const { client, add } = await newTenant();
  const first = await add({ email: 'Jule.Brandt@example.org' });
  const second = await add(company);
  const { body } = await client.get('/customers');
  expect(body).toEqual({
    object: 'list',
    items: [
      { object: 'customer', id: second, ...company, created_at: clock.now().toISOString() },
      {
        object: 'customer',
        id: first,
        ...person,
        email: 'Jule.Brandt@example.org',
        vat_id: null,
        created_at: expect.any(String),
      },
    ],
    has_more: false,
    next_page: null,
  });
});

test('before curie there is no vat_id; chucky shows all at once', async () => {
  const { token, add } = await newTenant();
  const id = await add(company);
  for (const version of ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison']) {
    const { body } = await api.client(token, { version }).get('/customers');
    const { vat_id, ...older } = company;
    const pages = version.endsWith('chucky') ? {} : { has_more: false, next_page: null };
    const items = [{ object: 'customer', id, ...older, created_at: expect.any(String) }];
    expect(body).toEqual({ object: 'list', items, ...pages });
  }
});

test('all pages together have every customer once, also while others are created', async () => {
  const { client, organization, add } = await newTenant();
  for (let added = 0; added < 7; added += 1) await add();
  const moment = '2026-10-01T00:00:00.000001Z';
  await storedRows(api, 'UPDATE customers SET created_at = $2 WHERE organization_id = $1', [
    organization,
    moment,
  ]);
  const known = await idsOf(client, '/customers?limit=100');
  expect(known).toEqual(known.toSorted().toReversed());
  expect(await idsOfAllPages(client, '/customers', () => add())).toEqual(known);
});

test('chucky answers all at once, whatever limit and cursor say', async () => {
  const { token, organization } = await newTenant();
  await storedRows(
    api,
    `INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
     SELECT $1, 'cus_' || lpad(n::text, 24, '0'), 'person', 'A', 'B', n || '@example.org'
       FROM generate_series(1, 2001) AS n`,
    [organization],
  );
  const chucky = api.client(token, { version: '2025-12-01.chucky' });
  const listed = await idsOf(chucky, '/customers?limit=1&cursor=y');
  expect([listed.length, new Set(listed).size]).toEqual([2001, 2001]);
});

describe('filters', () => {
  test('email takes every operator of a string, without regard to case', async () => {
    const { client, add } = await newTenant();
    const jule = await add({ email: 'Jule_B@Example.org' });
    const max = await add({ email: 'max@example.com' });
    const found = (query: string) => idsOf(client, `/customers?filter[email]${query}`);
    expect(await found('[eq]=JULE_b@example.ORG')).toEqual([jule]);
    expect(await found('[ne]=jule_b@example.org')).toEqual([max]);
    expect(await found('[in]=MAX@example.com,x')).toEqual([max]);
    expect(await found('[in]=')).toEqual([]);
    expect(await found('[contains]=E_b')).toEqual([jule]);
    expect(await found('[contains]=%25')).toEqual([]);
    expect(await found('[starts_with]=MAX')).toEqual([max]);
    expect(await found('[ends_with]=.ORG')).toEqual([jule]);
    expect(await found('[is_null]=true')).toEqual([]);
    expect(await found('[is_null]=false')).toEqual([max, jule]);
    expect(await found('[eq]=jule')).toEqual([]);
  });

  test('type takes every operator of a string', async () => {
    const { client, add } = await newTenant();
    const customer = await add();
    const other = await add(company);
    const found = (query: string) => idsOf(client, `/customers?filter[type]${query}`);
    expect(await found('[eq]=person')).toEqual([customer]);
    expect(await found('[eq]=PERSON')).toEqual([]);
    expect(await found('[ne]=person')).toEqual([other]);
    expect(await found('[in]=company,person')).toEqual([other, customer]);
    expect(await found('[contains]=OMP')).toEqual([other]);
    expect(await found('[starts_with]=pers')).toEqual([customer]);
    expect(await found('[ends_with]=ny')).toEqual([other]);
    expect(await found('[is_null]=true')).toEqual([]);
    expect(await found('[eq]=x')).toEqual([]);
  });

  test('created_at is inclusive; filters hold together', async () => {
    const { client, add } = await newTenant();
    clock.set('2026-10-05T09:00:00.000Z');
    const first = await add({ email: 'first@example.org' });
    const second = await add(company);
    const found = (query: string) => idsOf(client, `/customers?${query}`);
    expect(await found('filter[created_at][gte]=2026-10-05T09:00:00.002Z')).toEqual([second]);
    expect(await found('filter[created_at][lte]=2026-10-05T09:00:00.001Z')).toEqual([first]);
    expect(await found('filter[created_at][is_null]=false')).toEqual([second, first]);
    const both = 'filter[created_at][gte]=2026-10-05T09:00:00Z&filter[type][eq]=person';
    expect(await found(both)).toEqual([first]);
  });
});

const fields = { email: { type: 'string' }, type: { type: 'string' }, created_at: { type: 'date' } } as const;

describe('refusals', () => {
  let client: Awaited<ReturnType<typeof newTenant>>['client'];
  beforeAll(async () => {
    ({ client } = await newTenant());
  });

  test.each([
    ...sampled(filterRefusals(fields), 3),
    ['filter[vat_id][eq]=x', 'unrecognized_keys filter[vat_id][eq]'],
    ['limit=0', 'too_small limit'],
    ['limit=101', 'too_big limit'],
    ['cursor=x', 'custom cursor'],
  ])('%s', async (query, entry) => {
    expect(refusal(await client.get<ErrorBody>(`/customers?${query}`))).toEqual([400, entry]);
  });

  test('customers cannot be created here; without a token it is 401', async () => {
    expect((await client.post('/customers', {})).status).toBe(405);
    expect((await api.client(null).get('/customers')).status).toBe(401);
  });
});

test('a customer token is turned away; another organization sees nothing', async () => {
  const a = await newTenant();
  const customer = await a.add({ email: 'own@example.org' });
  const credentials = await createClient(api.deps, a.organization, { customer_id: customer });
  const answer = await api.client(await tokenFor(api, credentials)).get<ErrorBody>('/customers');
  expect([answer.status, answer.body.message]).toEqual([
    403,
    'This token acts for one customer and cannot be used here',
  ]);
  const b = await newTenant();
  expect(await idsOf(b.client, '/customers?filter[email][eq]=own@example.org')).toEqual([]);
});

test.each(['2025-12-01.chucky', '2026-09-08.gauss'])(
  'the audit log keeps that the list was read, on %s',
  async (version) => {
    const { token, organization } = await newTenant();
    await api.client(token, { version }).get('/customers');
    await expect
      .poll(() => auditRows(api, organization, 'personal_data.read'))
      .toEqual([expect.objectContaining({ route: 'GET /customers', object_id: null })]);
  },
);
