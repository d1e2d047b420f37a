import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { filterAnswers, filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, startMetered } from '../usage/metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
let first: Contract;
let second: Contract;
/** Newest first. */
let all: string[];
beforeAll(async () => {
  metered = await startMetered(NOW);
  first = await metered.contract();
  second = await metered.contract();
  all = [];
  const client = await metered.client();
  for (let day = 1; day <= 9; day += 1) {
    if (day % 2 === 0) metered.clock.advance(1);
    const { id } = day % 3 === 0 ? second : first;
    const timestamp = `2026-11-0${day}T12:00:00Z`;
    const { body } = await client.post('/meter-readings', { subscription: id, value: 1000 + day, timestamp });
    all.unshift(String(body.id));
  }
  await metered.read(second, { '2026-10-01': 900 }, 'grid_reading');
  await metered.read(second, { '2026-10-02': 901 }, 'grid_estimation');
});
afterAll(() => metered?.close());

const LIST = '/meter-readings';

describe('the list', () => {
  test('shows all readings of the organization, newest first', async () => {
    const client = await metered.client();
    const ids = await idsOf(client, `${LIST}?limit=100`);
    expect(ids).toHaveLength(11);
    expect(await idsOfAllPages(client, LIST)).toEqual(ids);
    const { body } = await client.get<{ items: unknown[] }>(`${LIST}?filter[type][eq]=grid_reading`);
    expect(body.items).toEqual([
      {
        object: 'meter_reading',
        id: expect.stringMatching(/^mr_/),
        customer: second.place.customer,
        subscription: second.id,
        meter: second.meter,
        value: 900,
        timestamp: '2026-09-30T22:00:00.000Z',
        type: 'grid_reading',
        created_at: expect.any(String),
      },
    ]);
  });

  const fields = {
    type: { type: 'string' },
    subscription: { type: 'string' },
    created_at: { type: 'date' },
  } as const;

  test('takes every operator of every field', async () => {
    const client = await metered.client();
    type Shown = { id: string; type: string };
    const { items } = (await client.get<{ items: Shown[] }>(`${LIST}?limit=100`)).body;
    const reading = items.find(({ type }) => type === 'grid_reading');
    if (reading === undefined) throw new Error('There is no grid reading');
    for (const [query, expected] of filterAnswers(fields, items, reading)) {
      expect(await idsOf(client, `${LIST}?limit=100&${query}`), query).toEqual(expected);
    }
  });

  test('is filtered by type, subscription and moment', async () => {
    const client = await metered.client();
    const count = async (...filters: string[]) =>
      (await idsOf(client, `${LIST}?limit=100&${filters.map((filter) => `filter${filter}`).join('&')}`))
        .length;
    expect(await count(`[subscription][eq]=${first.id}`)).toBe(6);
    expect(await count(`[subscription][ne]=${first.id}`)).toBe(5);
    expect(await count(`[subscription][in]=${first.id},${second.id}`)).toBe(11);
    expect(await count('[subscription][eq]=sub_000000000000000000000000')).toBe(0);
    expect(await count('[subscription][is_null]=true')).toBe(0);
    expect(await count('[type][in]=grid_reading,grid_estimation')).toBe(2);
    expect(await count('[type][starts_with]=GRID_')).toBe(2);
    expect(await count('[type][eq]=unknown')).toBe(0);
    expect(await count('[type][eq]=customer_report', `[subscription][eq]=${second.id}`)).toBe(3);
    expect(await count(`[created_at][lte]=${NOW}`)).toBe(1);
    expect(await count(`[created_at][gte]=${NOW}`)).toBe(11);
    expect(await count('[created_at][gte]=2026-11-21T17:05:00.001%2B01:00')).toBe(10);
  });

  test('changes in between lose and repeat nothing', async () => {
    const client = await metered.client();
    const known = await idsOf(client, `${LIST}?limit=100`);
    let day = 9;
    const seen = await idsOfAllPages(client, LIST, async () => {
      day += 1;
      metered.clock.advance(1);
      const timestamp = `2026-11-${day}T12:00:00Z`;
      await client.post(LIST, { subscription: first.id, value: 1020, timestamp });
    });
    expect(seen).toEqual(known);
  });

  test.each(sampled(filterRefusals(fields), 3))('%s is refused', async (query, entry) => {
    expect(refusal(await (await metered.client()).get<ErrorBody>(`${LIST}?${query}`))).toEqual([400, entry]);
  });
});

describe('who', () => {
  test('a customer sees and sends the own ones', async () => {
    const { api, organization } = metered;
    const credentials = await createClient(api.deps, organization, { customer_id: second.place.customer });
    const customer = api.client(await tokenFor(api, credentials));
    expect(await idsOf(customer, `${LIST}?limit=100`)).toHaveLength(5);
    expect(await idsOf(customer, `${LIST}?filter[subscription][eq]=${first.id}`)).toEqual([]);
    const body = { value: 1100, timestamp: '2026-11-20T12:00:00Z' };
    const foreign = await customer.post<ErrorBody>(LIST, { subscription: first.id, ...body });
    expect(refusal(foreign)).toEqual([404, 'custom subscription']);
    expect((await customer.post(LIST, { subscription: second.id, ...body })).status).toBe(200);
  });

  test('I01 a stranger sees none and sends none; a read-only key sends none', async () => {
    const { api, organization } = metered;
    const stranger = api.client((await createTenant(api)).token);
    expect(await idsOf(stranger, LIST)).toEqual([]);
    const body = { value: 1100, timestamp: '2026-11-21T12:00:00Z' };
    for (const subscription of [first.id, 'sub_000000000000000000000000', 'x', 'sub_\u00e4']) {
      const answer = await stranger.post<ErrorBody>(LIST, { subscription, ...body });
      expect(refusal(answer)).toEqual([404, 'custom subscription']);
      expect(answer.body.message).toBe('Resource not found');
    }
    const reader = api.client(
      await tokenFor(api, await createClient(api.deps, organization, { read_only: true })),
    );
    expect((await reader.get(LIST)).status).toBe(200);
    expect((await reader.post(LIST, { subscription: first.id, ...body })).status).toBe(403);
    expect((await api.client(null).get(LIST)).status).toBe(401);
  });
});

test.each([
  ['2026-09-08.gauss', LIST, () => LIST, null],
  [
    '2025-12-01.chucky',
    '/subscriptions/{id}/meter_readings',
    (id: string) => `/subscriptions/${id}/meter_readings`,
    'id',
  ],
])('on %s who read %s is kept', async (version, route, path, object) => {
  const { api, organization } = metered;
  const reader = await createClient(api.deps, organization, { read_only: true });
  const client = api.client(await tokenFor(api, reader), { version });
  const { status, body } = await client.get<{ items?: { customer: string }[] }>(path(first.id));
  expect(status).toBe(200);
  const owners = new Set(body.items?.map(({ customer }) => customer));
  const object_id = object === 'id' ? first.id : [...owners].join(' ');
  const kept = { client_id: reader.client_id, route: `GET ${route}`, object_id };
  await expect
    .poll(() => auditRows(api, organization, 'personal_data.read'))
    .toContainEqual(expect.objectContaining(kept));
});
