import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { type AssetBody, type AssetList, addDevice, devices, type ErrorBody, refusal } from './devices.ts';

let api: TestApi;
let clock: FakeClock;
let client: ApiClient;
let household: string;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
  const { organization, token } = await createTenant(api);
  client = api.client(token);
  household = (await createHousehold(api.deps, organization)).household;
});
afterAll(() => api.close());

const end = (asset: Pick<AssetBody, 'id'>, body?: unknown) =>
  client.post<AssetBody & ErrorBody>(`/assets/${asset.id}/decommission`, body);

describe('decommissioned_at', () => {
  test('is now where nothing is sent; the asset stays readable and listed', async () => {
    const asset = await addDevice(client, household, { ...devices.wallbox, external_id: 'old' });
    clock.advance(60_000);
    const now = clock.now().toISOString();
    const { status, body } = await end(asset);
    expect(status).toBe(200);
    expect(body).toEqual({ ...asset, decommissioned_at: now, updated_at: now });
    expect((await client.get(`/assets/${asset.id}`)).body).toEqual(body);
    const list = await client.get<AssetList>('/assets?filter[external_id][eq]=old');
    expect(list.body.items).toEqual([body]);
  });

  test.each([
    ['2020-02-29T23:59:59.999999+01:00', '2020-02-29T22:59:59.999999Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('may lie before created_at: %s is kept to the microsecond', async (sent, kept) => {
    const asset = await addDevice(client, household, devices.wallbox);
    expect((await end(asset, { decommissioned_at: sent })).body.decommissioned_at).toBe(kept);
  });

  test('may be this very moment, not a microsecond later', async () => {
    const asset = await addDevice(client, household, devices.wallbox);
    const now = clock.now().toISOString();
    const later = now.replace('Z', '001Z');
    expect(refusal(await end(asset, { decommissioned_at: later }))).toEqual([
      400,
      'too_big decommissioned_at',
    ]);
    expect((await end(asset, { decommissioned_at: now })).body.decommissioned_at).toBe(now);
  });

  test.each([
    [null, 'invalid_type'],
    [5, 'invalid_type'],
    ['', 'invalid_format'],
    ['2026-10-05', 'invalid_format'],
    ['2026-10-05T08:30:00', 'invalid_format'],
    ['2026-02-30T00:00:00Z', 'invalid_format'],
    ['2026-10-05T08:30:00.1234567Z', 'invalid_format'],
    ['0001-01-01T00:00:00+05:00', 'invalid_format'],
  ])('%j is %s', async (sent, code) => {
    const asset = await addDevice(client, household, devices.wallbox);
    expect(refusal(await end(asset, { decommissioned_at: sent }))).toEqual([
      400,
      `${code} decommissioned_at`,
    ]);
  });
});

test('repeating the call returns the asset unchanged', async () => {
  const asset = await addDevice(client, household, devices.wallbox);
  const first = await end(asset, { decommissioned_at: '2026-09-01T00:00:00Z' });
  clock.advance(60_000);
  expect((await end(asset)).text).toBe(first.text);
  expect((await end(asset, { decommissioned_at: '2026-09-02T00:00:00Z' })).text).toBe(first.text);
});

test('an inverter waits for its children', async () => {
  const inverter = await addDevice(client, household, devices.inverter);
  const solar = await addDevice(client, household, { ...devices.solar, parent_inverter: inverter.id });
  const battery = await addDevice(client, household, { ...devices.battery, parent_inverter: inverter.id });
  expect(refusal(await end(inverter))).toEqual([409, 'custom asset']);
  await end(solar);
  expect(refusal(await end(inverter))).toEqual([409, 'custom asset']);
  await end(battery);
  expect((await end(inverter)).status).toBe(200);
  expect((await end(inverter)).status).toBe(200);
});

test('an inverter and a new child exclude each other when both come at the same moment', async () => {
  for (let round = 0; round < 10; round += 1) {
    const inverter = await addDevice(client, household, devices.inverter);
    const [ended, added] = await Promise.all([
      end(inverter),
      client.post('/assets', { household, ...devices.solar, parent_inverter: inverter.id }),
    ]);
    expect([`${ended.status} ${added.status}`]).toEqual([ended.status === 200 ? '200 400' : '409 200']);
  }
});

test("a household's own assets stay", async () => {
  await addDevice(client, household, devices.wallbox);
  const { body } = await client.get<AssetList>(`/assets?limit=100&filter[household][eq]=${household}`);
  const own = body.items.filter(({ type }) => type.startsWith('household_'));
  expect(own).toHaveLength(2);
  for (const asset of own) {
    expect(refusal(await end(asset))).toEqual([400, 'custom asset']);
    const future = { decommissioned_at: '2999-01-01T00:00:00Z' };
    expect(refusal(await end(asset, future))).toEqual([400, 'custom asset', 'too_big decommissioned_at']);
  }
});

test('an unknown asset is 404, a read-only key 403, no token 401', async () => {
  const unknown = { id: 'ast_000000000000000000000000' };
  expect(refusal(await end(unknown))).toEqual([404]);
  const reader = await createTenant(api, { read_only: true });
  expect((await api.client(reader.token).post(`/assets/${unknown.id}/decommission`)).status).toBe(403);
  expect((await api.client(null).post(`/assets/${unknown.id}/decommission`)).status).toBe(401);
});
