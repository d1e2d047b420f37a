import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { type AssetList, addDevice, devices, type ErrorBody, refusal } from './devices.ts';

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.123Z');
  api = await startApi({ clock });
});
afterAll(() => api.close());

async function newTenant() {
  const { organization, token } = await createTenant(api);
  const client = api.client(token);
  const newHousehold = async () => (await createHousehold(api.deps, organization)).household;
  return { client, newHousehold };
}

async function page(client: ApiClient, query: string): Promise<AssetList> {
  const answer = await client.get<AssetList>(`/assets?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

const idsOf = (list: AssetList) => list.items.map((item) => item.id);

describe('pages', () => {
  test('an organization without assets has an empty list', async () => {
    const { client } = await newTenant();
    expect((await client.get('/assets')).body).toEqual({
      object: 'list',
      items: [],
      has_more: false,
      next_page: null,
    });
  });

  test('assets come newest first, those of one moment by descending id, decommissioned ones included', async () => {
    const { client, newHousehold } = await newTenant();
    const household = await newHousehold();
    const first = await addDevice(client, household, devices.wallbox);
    await addDevice(client, household, devices.wallbox);
    clock.advance(1);
    const newest = await addDevice(client, household, devices.heatPump);
    await client.post(`/assets/${first.id}/decommission`);
    const ids = idsOf(await page(client, ''));
    expect(ids).toHaveLength(5);
    expect(ids[0]).toBe(newest.id);
    expect(ids.slice(1)).toEqual(ids.slice(1).toSorted().toReversed());
    expect(ids).toContain(first.id);
  });

  test('all pages together have every asset once, also while others are added', async () => {
    const { client, newHousehold } = await newTenant();
    const household = await newHousehold();
    for (let count = 0; count < 11; count += 1) {
      if (count % 3 === 0) clock.advance(1);
      await addDevice(client, household, devices.wallbox);
    }
    const known = idsOf(await page(client, 'limit=100'));
    expect(known).toHaveLength(13);

    const seen: string[] = [];
    let cursor = '';
    do {
      const list = await page(client, `limit=2${cursor}`);
      seen.push(...idsOf(list));
      expect(list.has_more).toBe(list.next_page !== null);
      cursor = list.next_page === null ? '' : `&cursor=${list.next_page}`;
      clock.advance(1);
      await addDevice(client, household, devices.wallbox);
    } while (cursor !== '');
    expect(seen).toEqual(known);
  });

  test('a full last page says that there is no more', async () => {
    const { client, newHousehold } = await newTenant();
    await addDevice(client, await newHousehold(), devices.wallbox);
    expect(await page(client, 'limit=3')).toMatchObject({ has_more: false, next_page: null });
  });

  test.each([
    ['limit=0', 'too_small limit'],
    ['limit=101', 'too_big limit'],
    ['limit=1.5', 'invalid_type limit'],
    ['limit=', 'invalid_type limit'],
    ['limit=5&limit=5', 'custom limit'],
    ['cursor=nonsense', 'custom cursor'],
  ])('%s is refused', async (query, entry) => {
    const { client } = await newTenant();
    expect(refusal(await client.get<ErrorBody>(`/assets?${query}`))).toEqual([400, entry]);
  });

  test('a cursor is bound to limit and filters and cannot be altered', async () => {
    const { client, newHousehold } = await newTenant();
    const household = await newHousehold();
    await addDevice(client, household, devices.wallbox);
    const { next_page: cursor } = await page(client, 'limit=2');
    const refused = async (query: string) => refusal(await client.get<ErrorBody>(`/assets?${query}`));
    expect(await refused(`limit=1&cursor=${cursor}`)).toEqual([400, 'custom cursor']);
    expect(await refused(`limit=2&filter[household][eq]=${household}&cursor=${cursor}`)).toEqual([
      400,
      'custom cursor',
    ]);
    const altered = `${cursor?.startsWith('A') ? 'B' : 'A'}${cursor?.slice(1)}`;
    expect(await refused(`limit=2&cursor=${altered}`)).toEqual([400, 'custom cursor']);
    const households = await client.get<ErrorBody>(`/households?limit=2&cursor=${cursor}`);
    expect(refusal(households)).toEqual([400, 'custom cursor']);
  });
});

describe('filters', () => {
  async function fixture() {
    const { client, newHousehold } = await newTenant();
    const [here, there] = [await newHousehold(), await newHousehold()];
    const inverter = await addDevice(client, here, { ...devices.inverter, external_id: 'inverter, left' });
    const solar = await addDevice(client, here, { ...devices.solar, parent_inverter: inverter.id });
    const other = await addDevice(client, there, { ...devices.wallbox, external_id: 'wallbox' });
    return { client, here, there, inverter, solar, other };
  }

  test('household, external_id and parent_inverter take eq and in', async () => {
    const { client, here, there, inverter, solar, other } = await fixture();
    const ids = async (query: string) => idsOf(await page(client, query)).toSorted();
    expect(await ids(`filter[household][eq]=${there}`)).toHaveLength(3);
    expect(await ids(`filter[household][in]=${here},${there}`)).toHaveLength(7);
    expect(await ids('filter[external_id][eq]=inverter,%20left')).toEqual([inverter.id]);
    expect(await ids('filter[external_id][in]=wallbox,unknown')).toEqual([other.id]);
    expect(await ids(`filter[parent_inverter][eq]=${inverter.id}`)).toEqual([solar.id]);
    expect(await ids(`filter%5Bparent_inverter%5D%5Bin%5D=${inverter.id}`)).toEqual([solar.id]);
  });

  test('all of them must hold', async () => {
    const { client, there, inverter } = await fixture();
    const query = `filter[household][eq]=${there}&filter[parent_inverter][eq]=${inverter.id}`;
    expect(idsOf(await page(client, query))).toEqual([]);
  });

  test('external_id is compared with regard to case, and wild cards stand for themselves', async () => {
    const { client } = await fixture();
    for (const value of ['WALLBOX', 'wall%25', 'wallbo_', "wallbox' OR '1'='1"]) {
      expect(idsOf(await page(client, `filter[external_id][eq]=${encodeURIComponent(value)}`))).toEqual([]);
    }
  });

  test('an empty in matches nothing, an unknown id neither', async () => {
    const { client } = await fixture();
    expect(idsOf(await page(client, 'filter[household][in]='))).toEqual([]);
    expect(idsOf(await page(client, 'filter[household][eq]=dom_unknown'))).toEqual([]);
  });

  test.each([
    ['filter[type][eq]=wallbox', 'unrecognized_keys filter[type][eq]'],
    ['filter[created_at][gte]=2026-01-01T00:00:00Z', 'unrecognized_keys filter[created_at][gte]'],
    ['filter[household][contains]=dom', 'unrecognized_keys filter[household][contains]'],
    ['filter[external_id][is_null]=true', 'unrecognized_keys filter[external_id][is_null]'],
    ['filter[household]=dom', 'invalid_key filter[household]'],
    ['filter=x', 'invalid_key filter'],
    ['filter[household][eq]=a&filter[household][eq]=a', 'custom filter[household][eq]'],
    ['filter[household][eq]=a&filter[household][in]=a', 'custom filter[household][in]'],
    [`filter[external_id][eq]=${'x'.repeat(256)}`, 'invalid_value filter[external_id][eq]'],
    ['filter[external_id][eq]=a%00b', 'invalid_value filter[external_id][eq]'],
  ])('%s is refused with 400, naming the parameter', async (query, entry) => {
    const { client } = await newTenant();
    expect(refusal(await client.get<ErrorBody>(`/assets?${query}`))).toEqual([400, entry]);
  });
});

test('without a token there is no list', async () => {
  expect((await api.client(null).get('/assets')).status).toBe(401);
});
