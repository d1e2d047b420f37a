import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { type AssetBody, type AssetList, addDevice, devices, type ErrorBody, refusal } from './devices.ts';

let api: TestApi;
let clock: FakeClock;
let client: ApiClient;
let newHousehold: () => Promise<string>;
let household: string;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
  const { organization, token } = await createTenant(api);
  client = api.client(token);
  newHousehold = async () => (await createHousehold(api.deps, organization)).household;
  household = await newHousehold();
});
afterAll(() => api.close());

async function change(asset: AssetBody, body: unknown): Promise<AssetBody> {
  const answer = await client.patch<AssetBody>(`/assets/${asset.id}`, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

async function refused(asset: Pick<AssetBody, 'id'>, body: unknown) {
  return refusal(await client.patch<ErrorBody>(`/assets/${asset.id}`, body));
}

async function householdAsset(type: string): Promise<AssetBody> {
  const { body } = await client.get<AssetList>(`/assets?limit=100&filter[household][eq]=${household}`);
  const found = body.items.find((item) => item.type === type);
  if (found === undefined) throw new Error(`No ${type}`);
  return found;
}

describe('what changes', () => {
  test('only what was sent, and null clears', async () => {
    const asset = await addDevice(client, household, {
      ...devices.wallbox,
      display_name: 'Garage',
      manufacturer: 'A',
      model: 'B',
    });
    clock.advance(1_000);
    const changed = await change(asset, { display_name: 'Carport', manufacturer: null });
    expect(changed).toEqual({
      ...asset,
      display_name: 'Carport',
      manufacturer: null,
      updated_at: '2026-10-05T08:30:01.000Z',
    });
    expect((await client.get(`/assets/${asset.id}`)).body).toEqual(changed);
  });

  test('a type object is merged field by field', async () => {
    const inverter = await addDevice(client, household, devices.inverter);
    const solar = await addDevice(client, household, {
      type: 'solar',
      parent_inverter: inverter.id,
      solar: { peak_power_kw: 5, azimuth: 180, tilt: 30 },
    });
    const changed = await change(solar, { solar: { azimuth: null, tilt: 35.5 } });
    expect(changed.solar).toEqual({ peak_power_kw: 5, azimuth: null, tilt: 35.5 });
    const wallbox = await addDevice(client, household, devices.wallbox);
    expect((await change(wallbox, { wallbox: { phases: 1 } })).wallbox).toEqual({
      max_power_kw: 11,
      phases: 1,
      bidirectional: false,
    });
  });

  test('nothing, when nothing is sent or the values are the same: updated_at stays', async () => {
    const asset = await addDevice(client, household, { ...devices.wallbox, display_name: 'Garage' });
    clock.advance(1_000);
    expect(await change(asset, {})).toEqual(asset);
    expect(await change(asset, undefined)).toEqual(asset);
    expect(await change(asset, { display_name: 'Garage', wallbox: { max_power_kw: 11 } })).toEqual(asset);
  });

  test('I19 not id, household, type or moments: another value than the stored one is refused', async () => {
    const other = await newHousehold();
    const asset = await addDevice(client, household, devices.wallbox);
    const fixed = {
      object: 'x',
      id: 'ast_000000000000000000000000',
      household: other,
      type: 'battery',
      decommissioned_at: '2020-01-01T00:00:00Z',
      created_at: '2020-01-01T00:00:00Z',
    };
    const answer = await client.patch<ErrorBody>(`/assets/${asset.id}`, { ...fixed, display_name: 'X' });
    expect(refusal(answer)).toEqual([400, ...Object.keys(fixed).map((field) => `custom ${field}`)]);
    expect((await client.get(`/assets/${asset.id}`)).body).toEqual(asset);
    expect(await change(asset, { ...asset, updated_at: '2020-01-01T00:00:00.000Z' })).toEqual(asset);
  });

  test('I19 B47 not customer or organization, nor an unknown field', async () => {
    const asset = await addDevice(client, household, devices.wallbox);
    const body = {
      customer: 'cus_000000000000000000000000',
      customer_id: 'cus_000000000000000000000000',
      organization_id: 'org_000000000000000000000000',
      key: 1,
      status: 'x',
      constructor: 1,
    };
    expect(await change(asset, body)).toEqual(asset);
  });

  test('not the data object of another type, whatever is in it', async () => {
    const asset = await addDevice(client, household, devices.wallbox);
    expect(await change(asset, { battery: { nonsense: 1 }, solar: null, inverter: 7 })).toEqual(asset);
  });
});

describe('validation', () => {
  test.each([
    [{ wallbox: null }, [400, 'invalid_type wallbox']],
    [{ wallbox: [] }, [400, 'invalid_type wallbox']],
    [{ wallbox: { max_power_kw: null } }, [400, 'invalid_type wallbox.max_power_kw']],
    [{ wallbox: { bidirectional: null } }, [400, 'invalid_type wallbox.bidirectional']],
    [{ wallbox: { max_power_kw: 0 } }, [400, 'too_small wallbox.max_power_kw']],
    [{ wallbox: { phases: 2 } }, [422, 'invalid_value wallbox.phases']],
    [
      { wallbox: { phases: 2, kw: 1 } },
      [400, 'invalid_value wallbox.phases', 'unrecognized_keys wallbox.kw'],
    ],
    [{ wallbox: { capacity_kwh: 5 } }, [400, 'unrecognized_keys wallbox.capacity_kwh']],
    [{ display_name: '' }, [400, 'too_small display_name']],
    [{ display_name: 5, model: 'x'.repeat(101) }, [400, 'invalid_type display_name', 'too_big model']],
    [[], [400, 'invalid_type ']],
  ])('%j is refused', async (body, expected) => {
    const asset = await addDevice(client, household, devices.wallbox);
    expect(await refused(asset, body)).toEqual(expected);
  });

  test('an unknown asset is 404, before its type data can be looked at', async () => {
    for (const id of ['ast_000000000000000000000000', 'x', 'a%00']) {
      expect(await refused({ id }, { wallbox: { kw: 1 } })).toEqual([404]);
    }
  });
});

describe('external_id', () => {
  test('can be set once, then neither changed nor cleared', async () => {
    const asset = await addDevice(client, household, devices.wallbox);
    expect((await change(asset, { external_id: 'late' })).external_id).toBe('late');
    expect((await change(asset, { external_id: 'late' })).external_id).toBe('late');
    expect(await refused(asset, { external_id: 'other' })).toEqual([400, 'custom external_id']);
    expect(await refused(asset, { external_id: null })).toEqual([400, 'custom external_id']);
  });

  test('that another asset has or had is a conflict', async () => {
    const first = await addDevice(client, household, { ...devices.wallbox, external_id: 'taken' });
    const second = await addDevice(client, household, devices.wallbox);
    const answer = await client.patch<ErrorBody>(`/assets/${second.id}`, { external_id: 'taken' });
    expect(answer.body.errors?.[0]?.message).toContain(`"taken" belongs to ${first.id}`);
    await client.post(`/assets/${first.id}/decommission`);
    expect(await refused(second, { external_id: 'taken' })).toEqual([409, 'custom external_id']);
  });

  test('given to assets of different households at the same moment goes to one of them', async () => {
    const assets = await Promise.all(
      Array.from({ length: 6 }, async () => addDevice(client, await newHousehold(), devices.wallbox)),
    );
    const answers = await Promise.all(assets.map((asset) => refused(asset, { external_id: 'raced' })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([status]) => status === 409)).toEqual(Array(5).fill([409, 'custom external_id']));
  });
});

describe('parent_inverter', () => {
  test('of a solar array cannot be cleared, of a battery it can', async () => {
    const inverter = await addDevice(client, household, devices.inverter);
    const solar = await addDevice(client, household, { ...devices.solar, parent_inverter: inverter.id });
    const battery = await addDevice(client, household, { ...devices.battery, parent_inverter: inverter.id });
    expect(await refused(solar, { parent_inverter: null })).toEqual([400, 'invalid_type parent_inverter']);
    expect((await change(battery, { parent_inverter: null })).parent_inverter).toBeNull();
    expect((await change(battery, { parent_inverter: inverter.id })).parent_inverter).toBe(inverter.id);
  });

  test('on another type is refused unless null', async () => {
    const inverter = await addDevice(client, household, devices.inverter);
    const wallbox = await addDevice(client, household, devices.wallbox);
    expect(await refused(wallbox, { parent_inverter: inverter.id })).toEqual([400, 'custom parent_inverter']);
    expect(await change(wallbox, { parent_inverter: null })).toEqual(wallbox);
  });
});

describe('hybrid', () => {
  test('stays true while a battery in use names the inverter', async () => {
    const inverter = await addDevice(client, household, devices.inverter);
    await addDevice(client, household, { ...devices.solar, parent_inverter: inverter.id });
    const battery = await addDevice(client, household, { ...devices.battery, parent_inverter: inverter.id });
    expect(await refused(inverter, { inverter: { hybrid: false } })).toEqual([400, 'custom inverter.hybrid']);
    expect((await change(inverter, { inverter: { hybrid: true, max_power_kw: 8 } })).inverter).toEqual({
      max_power_kw: 8,
      hybrid: true,
    });
    await change(battery, { parent_inverter: null });
    expect((await change(inverter, { inverter: { hybrid: false } })).inverter).toMatchObject({
      hybrid: false,
    });
  });

  test('and a new battery exclude each other when both come at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const inverter = await addDevice(client, household, devices.inverter);
      const [changed, added] = await Promise.all([
        client.patch(`/assets/${inverter.id}`, { inverter: { hybrid: false } }),
        client.post('/assets', { household, ...devices.battery, parent_inverter: inverter.id }),
      ]);
      expect([changed.status, added.status].toSorted((left, right) => left - right)).toEqual([200, 400]);
    }
  });
});

describe("the household's own assets", () => {
  test.each(['household_net', 'household_residual'])('%s takes a display name', async (type) => {
    await addDevice(client, household, devices.wallbox);
    const asset = await householdAsset(type);
    clock.advance(1_000);
    const changed = await change(asset, { display_name: 'Netz' });
    expect(changed).toEqual({ ...asset, display_name: 'Netz', updated_at: clock.now().toISOString() });
  });

  test('take nothing else: each field is named', async () => {
    await addDevice(client, household, devices.wallbox);
    const asset = await householdAsset('household_net');
    const body = {
      external_id: 'net',
      display_name: 'Netz 2',
      manufacturer: 'm',
      model: 'm',
      parent_inverter: 'ast_1',
    };
    expect(await refused(asset, body)).toEqual([
      400,
      'custom external_id',
      'custom manufacturer',
      'custom model',
      'custom parent_inverter',
    ]);
    expect(await refused(asset, { wallbox: { max_power_kw: 5 } })).toEqual([400, 'custom wallbox']);
    expect((await householdAsset('household_net')).display_name).not.toBe('Netz 2');
  });

  test('take back what was read of them, with another display name', async () => {
    await addDevice(client, household, devices.wallbox);
    const asset = await householdAsset('household_residual');
    clock.advance(1_000);
    const changed = await change(asset, { ...asset, display_name: 'Rest' });
    expect(changed).toEqual({ ...asset, display_name: 'Rest', updated_at: clock.now().toISOString() });
  });
});

describe('a decommissioned asset', () => {
  test('cannot be changed: 409; what is wrong with the request comes first', async () => {
    const asset = await addDevice(client, household, { ...devices.wallbox, external_id: 'ended' });
    await client.post(`/assets/${asset.id}/decommission`);
    expect(await refused(asset, { display_name: 'x' })).toEqual([409, 'custom asset']);
    expect(await refused(asset, {})).toEqual([409, 'custom asset']);
    expect(await refused(asset, { external_id: 'x' })).toEqual([400, 'custom external_id']);
    expect(await refused(asset, { display_name: '' })).toEqual([400, 'too_small display_name']);
  });
});

test('several rules broken at once are listed together', async () => {
  const inverter = await addDevice(client, household, { ...devices.inverter, external_id: 'both' });
  await addDevice(client, household, { ...devices.battery, parent_inverter: inverter.id });
  const body = { external_id: null, parent_inverter: inverter.id, inverter: { hybrid: false } };
  expect(await refused(inverter, body)).toEqual([
    400,
    'custom external_id',
    'custom parent_inverter',
    'custom inverter.hybrid',
  ]);
});

test('a read-only key is 403, no token 401', async () => {
  const asset = await addDevice(client, household, devices.wallbox);
  const reader = await createTenant(api, { read_only: true });
  const forbidden = await api.client(reader.token).patch(`/assets/${asset.id}`, {});
  expect(forbidden.status).toBe(403);
  expect(forbidden.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
  expect((await api.client(null).patch(`/assets/${asset.id}`, {})).status).toBe(401);
});
