import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createPlan, createTenant, tokenFor } from '../../setup/factories.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { storedRows } from '../../setup/stored-rows.ts';

let api: TestApi;
let clock: FakeClock;
let organization: string;
let token: string;

const NOW = '2026-10-05T08:30:00.000Z';

beforeAll(async () => {
  clock = fakeClock(NOW);
  api = await startApi({ clock, alone: true });
  await insertReferenceRows(api);
  ({ organization, token } = await createTenant(api));
});
afterAll(() => api?.close());

async function priceAt(plan: string, instant: string): Promise<unknown> {
  clock.set(instant);
  try {
    /* A token lives an hour. */
    const client = await createClient(api.deps, organization);
    const fresh = await tokenFor(api, client);
    const { body } = await api.client(fresh).get<{ price: number }>(`/plans/${plan}`);
    return body.price;
  } finally {
    clock.set(NOW);
  }
}

describe('the price', () => {
  test.each([
    ['5', 5.95],
    ['6', 7.14],
    ['0', 0],
    ['0.01', 0.01],
    ['4.197', 4.99],
    ['2.5', 2.98],
    ['100000000', 119_000_000],
  ])('of a base fee of %s EUR is %d EUR with VAT, half up', async (base_fee_net, price) => {
    const { id } = await createPlan(api.deps, organization, { terms: [{ base_fee_net }] });
    const { body } = await api.client(token).get<{ price: number }>(`/plans/${id}`);
    expect(body.price).toBe(price);
  });

  test('is that of the terms valid today, in Germany', async () => {
    const { id } = await createPlan(api.deps, organization, {
      terms: [
        { base_fee_net: '1', valid_from: '2026-11-01', valid_to: '2026-12-01' },
        { base_fee_net: '2', valid_from: '2027-01-01', valid_to: null },
      ],
    });
    expect(await priceAt(id, '2026-10-31T22:59:59.999Z')).toBe(1.19);
    expect(await priceAt(id, '2026-10-31T23:00:00Z')).toBe(1.19);
    expect(await priceAt(id, '2026-12-15T12:00:00Z')).toBe(1.19);
    expect(await priceAt(id, '2026-12-31T22:59:59.999Z')).toBe(1.19);
    expect(await priceAt(id, '2026-12-31T23:00:00Z')).toBe(2.38);
  });

  test('behind the last terms is that of those that ended last', async () => {
    const { id } = await createPlan(api.deps, organization, {
      terms: [
        { base_fee_net: '1', valid_from: null, valid_to: '2026-01-01' },
        { base_fee_net: '3', valid_from: '2026-02-01', valid_to: '2026-03-01' },
        { base_fee_net: '2', valid_from: '2026-01-01', valid_to: '2026-02-01' },
      ],
    });
    expect(await priceAt(id, '2025-12-31T22:59:59Z')).toBe(1.19);
    expect(await priceAt(id, '2026-01-15T12:00:00Z')).toBe(2.38);
    expect(await priceAt(id, '2026-06-01T12:00:00Z')).toBe(3.57);
  });

  test('follows VAT', async () => {
    const { id } = await createPlan(api.deps, organization);
    await storedRows(api, "UPDATE vat_rates SET valid_to = '2028-01-01'");
    await storedRows(
      api,
      "INSERT INTO vat_rates (rate, valid_from, source) VALUES (0.21, '2028-01-01', 'tests')",
    );
    expect(await priceAt(id, '2027-12-31T12:00:00Z')).toBe(5.95);
    /* Rates are kept for seconds. */
    await expect.poll(() => priceAt(id, '2028-01-01T12:00:00Z')).toBe(6.05);
  });
});

test.each(VERSION_NAMES)('%s shows the plan in its own shape', async (version) => {
  const { id, slug } = await createPlan(api.deps, organization, { status: 'archived' });
  const type = version < '2026-05-27' ? {} : { type: 'consumption' };
  const { status, body } = await api.client(token, { version }).get(`/plans/${id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'plan',
    id,
    name: 'Strom Dynamisch',
    slug,
    description: '',
    ...type,
    price: 5.95,
    currency: 'EUR',
    created_at: NOW,
  });
});

describe('not found', () => {
  test('is a feed-in plan before curie, as one that does not exist', async () => {
    const { id } = await createPlan(api.deps, organization, { type: 'feed_in' });
    for (const version of VERSION_NAMES) {
      const { status, body } = await api.client(token, { version }).get<{ message: string }>(`/plans/${id}`);
      const isHidden = version < '2026-05-27';
      expect([status, body.message]).toEqual(isHidden ? [404, 'Resource not found'] : [200, undefined]);
    }
  });

  test("is another organization's plan, also one of the same slug, and whatever is no id", async () => {
    const other = await createTenant(api);
    const theirs = await createPlan(api.deps, other.organization, { slug: 'both' });
    await createPlan(api.deps, organization, { slug: 'both' });
    for (const id of [theirs.id, 'pln_000000000000000000000000', 'x', 'both', 'a%00b']) {
      expect((await api.client(token).get(`/plans/${id}`)).status, id).toBe(404);
    }
  });
});

test('a customer token reads the plans of its organization', async () => {
  const { id } = await createPlan(api.deps, organization);
  const { customer } = await createHousehold(api.deps, organization);
  const credentials = await createClient(api.deps, organization, { customer_id: customer });
  const client = api.client(await tokenFor(api, credentials));
  expect((await client.get(`/plans/${id}`)).status).toBe(200);
  expect((await api.client(null).get(`/plans/${id}`)).status).toBe(401);
});
