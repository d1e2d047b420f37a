import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createLead,
  createPlan,
  createSubscription,
  createTenant,
  tokenFor,
} from '../../setup/factories.ts';
import { filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api?.close());

async function newTenant() {
  const { organization, token } = await createTenant(api);
  const plan = await createPlan(api.deps, organization, { slug: 'strom' });
  const add = async (input: Parameters<typeof createLead>[2] = {}) => {
    clock.advance(1);
    return (await createLead(api.deps, organization, { plan_id: plan.id, ...input })).id;
  };
  return { organization, token, plan: plan.id, client: api.client(token), add };
}

describe('GET /leads/{id}', () => {
  test.each(VERSION_NAMES)('%s shows a lead that became a contract', async (version) => {
    const { organization, token, plan, add } = await newTenant();
    const place = await createHousehold(api.deps, organization);
    const subscription = await createSubscription(api.deps, organization, place, { plan_id: plan });
    const at = '2026-10-04T08:00:00.000001Z';
    const id = await add({
      subscription_id: subscription.id,
      subscribed_at: at,
      last_visited_at: at,
      created_by: 'staff@example.org',
      metadata: JSON.stringify({ crm: 'A-1' }),
    });
    const { status, body } = await api.client(token, { version }).get(`/leads/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'lead',
      id,
      link: `https://strom.checkout.localhost/?id=${id}`,
      subscription: subscription.id,
      subscribed_at: at,
      created_by: 'staff@example.org',
      last_visited_at: at,
      metadata: { crm: 'A-1' },
      created_at: clock.now().toISOString(),
    });
  });

  test("another organization's lead is as unknown as nothing", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    const theirs = await b.add();
    for (const id of [theirs, 'lead_000000000000000000000000', 'x', 'a%00b', a.plan]) {
      expect((await a.client.get(`/leads/${id}`)).status).toBe(404);
    }
    expect((await api.client(null).get(`/leads/${theirs}`)).status).toBe(401);
  });

  test('a customer token is turned away from one and from all', async () => {
    const { organization, add } = await newTenant();
    const id = await add();
    const { customer } = await createHousehold(api.deps, organization);
    const credentials = await createClient(api.deps, organization, { customer_id: customer });
    const client = api.client(await tokenFor(api, credentials));
    for (const path of [`/leads/${id}`, '/leads', '/leads/x']) {
      const { status, body } = await client.get<ErrorBody>(path);
      expect([status, body.message]).toEqual([
        403,
        'This token acts for one customer and cannot be used here',
      ]);
    }
  });
});

describe('GET /leads', () => {
  test('shows leads of all plans, feed-in ones on every version too, newest first', async () => {
    const { organization, token, add } = await newTenant();
    const first = await add();
    const feedIn = await createPlan(api.deps, organization, { type: 'feed_in' });
    const second = await add({ plan_id: feedIn.id });
    for (const version of VERSION_NAMES) {
      const client = api.client(token, { version });
      expect(await idsOf(client, '/leads')).toEqual([second, first]);
    }
  });

  test('all pages together have every lead once, also while others are created', async () => {
    const { client, organization, add } = await newTenant();
    for (let count = 0; count < 7; count += 1) await add();
    const moment = '2026-10-01T00:00:00.000001Z';
    await storedRows(api, 'UPDATE leads SET created_at = $2 WHERE organization_id = $1', [
      organization,
      moment,
    ]);
    const known = await idsOf(client, '/leads?limit=100');
    expect(known).toEqual(known.toSorted().toReversed());
    expect(await idsOfAllPages(client, '/leads', () => add())).toEqual(known);
  });

  test('chucky answers all at once, whatever limit and cursor say', async () => {
    const { token, organization, plan } = await newTenant();
    await storedRows(
      api,
      `INSERT INTO leads (organization_id, id, plan_id, details)
       SELECT $1, 'lead_' || lpad(n::text, 24, '0'), $2, '{}' FROM generate_series(1, 1001) AS n`,
      [organization, plan],
    );
    const chucky = api.client(token, { version: '2025-12-01.chucky' });
    const answer = await chucky.get<{ items: { id: string }[] }>('/leads?limit=0&cursor=y');
    expect(Object.keys(answer.body)).toEqual(['object', 'items']);
    expect(new Set(answer.body.items.map(({ id }) => id)).size).toBe(1001);
  });

  test('created_at is inclusive, to the microsecond', async () => {
    const { client, add } = await newTenant();
    const first = await add({ created_at: '2026-10-01T08:00:00.000001Z' });
    const second = await add({ created_at: '2026-10-01T08:00:00.000002Z' });
    const found = (query: string) => idsOf(client, `/leads?filter[created_at]${query}`);
    expect(await found('[gte]=2026-10-01T08:00:00.000002Z')).toEqual([second]);
    expect(await found('[lte]=2026-10-01T08:00:00.000001Z')).toEqual([first]);
    expect(await found('[is_null]=true')).toEqual([]);
    expect(await found('[is_null]=false')).toEqual([second, first]);
  });

  test('filters and pages that are wrong are refused', async () => {
    const { client } = await newTenant();
    const refusals: [string, string][] = [
      ...filterRefusals({ created_at: { type: 'date' } }),
      ['filter[plan][eq]=x', 'unrecognized_keys filter[plan][eq]'],
      ['limit=0', 'too_small limit'],
      ['limit=101', 'too_big limit'],
      ['cursor=x', 'custom cursor'],
    ];
    for (const [query, entry] of refusals) {
      expect(refusal(await client.get<ErrorBody>(`/leads?${query}`)), query).toEqual([400, entry]);
    }
    expect((await client.patch('/leads', {})).status).toBe(405);
  });
});

test('who read leads, with the address of a member of staff in them, is kept', async () => {
  const { client, organization, add } = await newTenant();
  const id = await add({ created_by: 'staff@example.org' });
  await client.get('/leads');
  await client.get(`/leads/${id}`);
  await expect.poll(async () => (await auditRows(api, organization, 'personal_data.read')).length).toBe(2);
  const rows = await auditRows(api, organization, 'personal_data.read');
  expect(rows.map(({ route, object_id }) => `${route} ${object_id}`).sort()).toEqual([
    `GET /leads ${id}`,
    `GET /leads/{id} ${id}`,
  ]);
});
