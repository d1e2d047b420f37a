import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type AssetBody, type AssetList, addDevice, devices, type ErrorBody, refusal } from './devices.ts';

/** One customer's household with a wallbox and what came with it. */
interface Place {
  customer: string;
  household: string;
  asset: AssetBody;
}

interface Side {
  organization: string;
  client: ApiClient;
  first: Place;
  second: Place;
}

const MISSING = 'ast_000000000000000000000000';
const FORBIDDEN = 'This token acts for one customer and cannot be used here';

let api: TestApi;
let a: Side;
let b: Side;
/** Acts for A's first customer, with read and write scope. */
let customer: ApiClient;

beforeAll(async () => {
  api = await startApi();
  a = await side();
  b = await side();
  const own = await createClient(api.deps, a.organization, { customer_id: a.first.customer });
  customer = api.client(await tokenFor(api, own));
});
afterAll(() => api.close());

async function side(): Promise<Side> {
  const { organization, token } = await createTenant(api);
  const client = api.client(token);
  const place = async (): Promise<Place> => {
    const { household, customer: owner } = await createHousehold(api.deps, organization);
    return { household, customer: owner, asset: await addDevice(client, household, devices.wallbox) };
  };
  return { organization, client, first: await place(), second: await place() };
}

function withoutRequestId(answer: Answer<ErrorBody>) {
  const { requestId: _, ...body } = answer.body as ErrorBody & { requestId?: string };
  return { status: answer.status, body };
}

async function ids(client: ApiClient, query = ''): Promise<string[]> {
  const { body } = await client.get<AssetList>(`/assets?limit=100${query}`);
  return body.items.map((item) => item.id);
}

async function assetsStored(): Promise<unknown> {
  return await storedRows(api, 'SELECT * FROM assets ORDER BY key');
}

describe("another organization's asset", () => {
  test.each([
    ['GET', '', undefined],
    ['HEAD', '', undefined],
    ['PATCH', '', { display_name: 'mine now' }],
    ['PATCH', '', { wallbox: { max_power_kw: -1, kw: 2 } }],
    ['PATCH', '', { external_id: 'mine' }],
    ['POST', '/decommission', {}],
    ['POST', '/decommission', { decommissioned_at: '2999-01-01T00:00:00Z' }],
  ])(
    'I01 I07 %s /assets/{id}%s %j is the same 404 as for an id that does not exist',
    async (method, path, body) => {
      const before = await assetsStored();
      const send = async (id: string) => {
        const options = {
          ...(body && { body }),
          headers: { 'x-http-method-override': 'GET', 'x-method-override': 'GET' },
        };
        return withoutRequestId(await a.client.request<ErrorBody>(method, `/assets/${id}${path}`, options));
      };
      const foreign = await send(b.first.asset.id);
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(await send(MISSING));
      expect(await assetsStored()).toEqual(before);
    },
  );

  test('I20 shows nothing to HEAD, OPTIONS and If-None-Match', async () => {
    const path = `/assets/${b.first.asset.id}`;
    expect((await a.client.request('HEAD', path)).status).toBe(404);
    const options = await a.client.request('OPTIONS', path);
    expect([options.status, options.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH']);
    expect((await a.client.request('OPTIONS', `/assets/${MISSING}`)).status).toBe(405);
    expect((await a.client.get(path, { headers: { 'if-none-match': '*' } })).status).toBe(404);
  });

  /** With as many requests of each kind 0.3 and 0.7 lie six standard deviations from 0.5. */
  const ROUNDS = 150;

  test('I13 takes as long to be not found as one that does not exist', async () => {
    const seconds = async (id: string) => {
      const begin = performance.now();
      await a.client.get(`/assets/${id}`);
      return performance.now() - begin;
    };
    const foreign: number[] = [];
    const missing: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      /* In turn, and each as often first as second, so that both see the same load of the machine. */
      if (round % 2 === 0) foreign.push(await seconds(b.first.asset.id));
      missing.push(await seconds(MISSING));
      if (round % 2 === 1) foreign.push(await seconds(b.first.asset.id));
    }
    const slower = foreign.flatMap((time) => missing.filter((other) => time > other)).length;
    const share = slower / (ROUNDS * ROUNDS);
    /* 0.5 where the two cannot be told apart; 0 or 1 where the distributions do not overlap. */
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.7);
  });
});

describe('lists', () => {
  test('I02 hold the own organization only', async () => {
    const stored = await storedRows<{ id: string }>(api, 'SELECT id FROM assets WHERE organization_id = $1', [
      a.organization,
    ]);
    expect((await ids(a.client)).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
  });

  test('I03 filters that name another organization find nothing of it', async () => {
    expect(await ids(a.client, `&filter[household][eq]=${b.first.household}`)).toEqual([]);
    const mixed = `&filter[household][in]=${b.first.household},${a.first.household}`;
    expect(await ids(a.client, mixed)).toHaveLength(3);
    expect(await ids(a.client, `&filter[external_id][eq]=${b.first.asset.external_id}`)).toEqual([]);
    expect(await ids(a.client, `&filter[parent_inverter][in]=${b.first.asset.id}`)).toEqual([]);
  });

  test('I05 a cursor is refused by another organization, and between customer and organization', async () => {
    const cursorOf = async (client: ApiClient) =>
      (await client.get<AssetList>('/assets?limit=1')).body.next_page ?? '';
    const use = async (client: ApiClient, cursor: string) =>
      refusal(await client.get<ErrorBody>(`/assets?limit=1&cursor=${cursor}`));
    const refused = [400, 'custom cursor'];
    expect(await use(a.client, await cursorOf(b.client))).toEqual(refused);
    expect(await use(a.client, await cursorOf(customer))).toEqual(refused);
    expect(await use(customer, await cursorOf(a.client))).toEqual(refused);
    expect(await use(customer, await cursorOf(customer))).toEqual([200]);
  });
});

describe('bodies', () => {
  test("I04 another organization's household is as unknown as one that does not exist", async () => {
    const before = await assetsStored();
    const add = async (household: string) =>
      withoutRequestId(await a.client.post<ErrorBody>('/assets', { household, ...devices.wallbox }));
    const foreign = await add(b.first.household);
    expect(foreign.status).toBe(400);
    expect(foreign).toEqual(await add('dom_000000000000000000000000'));
    expect(await assetsStored()).toEqual(before);
  });

  test('I08 both organizations may use one external id', async () => {
    const asset = { ...devices.wallbox, external_id: 'wallbox-1' };
    await addDevice(a.client, a.first.household, asset);
    await addDevice(b.client, b.first.household, asset);
    expect(await ids(a.client, '&filter[external_id][eq]=wallbox-1')).toHaveLength(1);
  });

  test('I19 cannot say whose the asset is, who it is or when it began', async () => {
    const asset = await addDevice(a.client, a.first.household, {
      ...devices.wallbox,
      id: MISSING,
      key: 1,
      organization_id: b.organization,
      organization: b.organization,
      customer: b.first.customer,
      customer_id: b.first.customer,
      created_at: '2020-01-01T00:00:00Z',
      updated_at: '2020-01-01T00:00:00Z',
      decommissioned_at: '2020-01-01T00:00:00Z',
      status: 'x',
    });
    expect(asset).toMatchObject({ decommissioned_at: null, household: a.first.household });
    const [row] = await storedRows<Record<string, unknown>>(
      api,
      `SELECT organization_id, customer_id, key > 1 AS has_own_key, created_at > '2026-01-01' AS is_new
       FROM assets WHERE id = $1`,
      [asset.id],
    );
    expect(row).toEqual({
      organization_id: a.organization,
      customer_id: a.first.customer,
      has_own_key: true,
      is_new: true,
    });
    expect(asset.id).not.toBe(MISSING);
  });
});

describe('a customer token', () => {
  test('I09 reads the own assets only', async () => {
    expect((await customer.get(`/assets/${a.first.asset.id}`)).status).toBe(200);
    for (const id of [a.second.asset.id, b.first.asset.id, MISSING]) {
      expect((await customer.get(`/assets/${id}`)).status).toBe(404);
    }
    const own = await ids(a.client, `&filter[household][eq]=${a.first.household}`);
    expect(await ids(customer)).toEqual(own);
    expect(await ids(customer, `&filter[household][eq]=${a.second.household}`)).toEqual([]);
    const mixed = `&filter[household][in]=${a.second.household},${a.first.household}`;
    expect(await ids(customer, mixed)).toEqual(own);
  });

  test('I09 changes nothing, not even the own assets', async () => {
    const before = await assetsStored();
    const { id } = a.first.asset;
    const answers = [
      await customer.post<ErrorBody>('/assets', { household: a.first.household, ...devices.wallbox }),
      await customer.patch<ErrorBody>(`/assets/${id}`, { display_name: 'mine' }),
      await customer.post<ErrorBody>(`/assets/${id}/decommission`, {}),
      await customer.patch<ErrorBody>(`/assets/${b.first.asset.id}`, {}),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'FORBIDDEN', message: FORBIDDEN });
    }
    expect(await assetsStored()).toEqual(before);
  });
});

test('I06 the database refuses an asset that would link two organizations', async () => {
  const insert = (organization: string, household: string, owner: string, parent: string | null) =>
    storedRows(
      api,
      `INSERT INTO assets (organization_id, id, household_id, customer_id, type, parent_inverter,
         capacity_kwh, max_charge_power_kw, max_discharge_power_kw)
       VALUES ($1, 'ast_' || substr(md5(random()::text), 1, 24), $2, $3, 'battery', $4, 1, 1, 1)`,
      [organization, household, owner, parent],
    );
  const theirs = await addDevice(b.client, b.first.household, devices.inverter);
  const fails = { code: '23503' };
  await expect(insert(a.organization, b.first.household, b.first.customer, null)).rejects.toMatchObject(
    fails,
  );
  await expect(insert(a.organization, a.first.household, b.first.customer, null)).rejects.toMatchObject(
    fails,
  );
  await expect(insert(a.organization, a.first.household, a.second.customer, null)).rejects.toMatchObject(
    fails,
  );
  await expect(insert(a.organization, a.first.household, a.first.customer, theirs.id)).rejects.toMatchObject(
    fails,
  );
});

test('I17 an older version tells the two apart no better', async () => {
  for (const version of ['2025-12-01.chucky', '2026-05-27.curie']) {
    const headers = { 'x-api-version': version };
    const foreign = await a.client.get<ErrorBody>(`/assets/${b.first.asset.id}`, { headers });
    const missing = await a.client.get<ErrorBody>(`/assets/${MISSING}`, { headers });
    expect(withoutRequestId(foreign)).toEqual(withoutRequestId(missing));
    expect(foreign.status).toBe(404);
  }
});
