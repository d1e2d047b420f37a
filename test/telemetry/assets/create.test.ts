import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type AssetBody, type AssetList, addDevice, devices, type ErrorBody, refusal } from './devices.ts';

let api: TestApi;
let organization: string;
let client: ApiClient;
let household: string;

beforeAll(async () => {
  api = await startApi();
  const tenant = await createTenant(api);
  organization = tenant.organization;
  client = api.client(tenant.token);
  household = await newHousehold();
});
afterAll(() => api.close());

async function newHousehold(): Promise<string> {
  return (await createHousehold(api.deps, organization)).household;
}

async function refused(body: unknown) {
  return refusal(await client.post<ErrorBody>('/assets', body));
}

async function typesIn(of: string): Promise<string[]> {
  const { body } = await client.get<AssetList>(`/assets?limit=100&filter[household][eq]=${of}`);
  return body.items.map((item) => item.type).sort();
}

describe('the answer', () => {
  test('shows every field of the type, null or the default where nothing was sent', async () => {
    const inverter = await addDevice(client, household, devices.plainInverter);
    expect(inverter.inverter).toEqual({ max_power_kw: 10, hybrid: false });
    const solar = await addDevice(client, household, { ...devices.solar, parent_inverter: inverter.id });
    expect(solar.solar).toEqual({ peak_power_kw: 9.8, azimuth: null, tilt: null });
    expect(solar.parent_inverter).toBe(inverter.id);
    const battery = await addDevice(client, household, devices.battery);
    expect(battery.battery).toEqual(devices.battery.battery);
    const wallbox = await addDevice(client, household, devices.wallbox);
    expect(wallbox.wallbox).toEqual({ max_power_kw: 11, phases: null, bidirectional: false });
    const heatPump = await addDevice(client, household, devices.heatPump);
    expect(heatPump.heat_pump).toEqual({ max_power_kw: 3.5, thermal_power_kw: null });
  });

  test('gives back every field that was sent', async () => {
    const sent = {
      household,
      type: 'wallbox',
      external_id: 'Wallbox Süd ',
      display_name: ' Garage',
      manufacturer: 'Zähler & Söhne',
      model: 'W-11',
      wallbox: { max_power_kw: 11.04, phases: 3, bidirectional: true },
    };
    const { status, body } = await client.post<AssetBody>('/assets', sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...sent, object: 'asset', parent_inverter: null, decommissioned_at: null });
    expect(body.updated_at).toBe(body.created_at);
    expect((await client.get(`/assets/${body.id}`)).body).toEqual(body);
  });

  test.each([0.1, 1 / 3, 1e-7, 5e-324, 123456.12345678901, 999999.9999999999])(
    'B39 gives back the number %d to the last bit',
    async (number) => {
      const { id } = await addDevice(client, household, {
        type: 'wallbox',
        wallbox: { max_power_kw: number },
      });
      expect((await client.get<AssetBody>(`/assets/${id}`)).body.wallbox).toMatchObject({
        max_power_kw: number,
      });
    },
  );

  test('B32 knows no negative zero', async () => {
    const inverter = await addDevice(client, household, devices.plainInverter);
    const body = `{"household":"${household}","type":"solar","parent_inverter":"${inverter.id}","solar":{"peak_power_kw":1,"azimuth":-0,"tilt":-0.0}}`;
    const { text } = await client.post('/assets', body);
    expect(text).toContain('"azimuth":0,"tilt":0');
  });
});

describe("the household's own assets", () => {
  test('come with the first device, in the same step, and with no later one', async () => {
    const home = await newHousehold();
    expect(await typesIn(home)).toEqual([]);
    const first = await addDevice(client, home, devices.wallbox);
    expect(await typesIn(home)).toEqual(['household_net', 'household_residual', 'wallbox']);
    await addDevice(client, home, devices.wallbox);
    expect(await typesIn(home)).toEqual(['household_net', 'household_residual', 'wallbox', 'wallbox']);
    const { body } = await client.get<AssetList>(`/assets?filter[household][eq]=${home}`);
    const net = body.items.find((item) => item.type === 'household_net');
    expect(net).toMatchObject({ external_id: null, parent_inverter: null, created_at: first.created_at });
    expect(Object.keys(net ?? {})).not.toContain('household_net');
  });

  test('do not come with a device that is refused', async () => {
    const home = await newHousehold();
    await refused({ household: home, ...devices.solar, parent_inverter: 'ast_000000000000000000000000' });
    expect(await typesIn(home)).toEqual([]);
  });

  test.each(['household_net', 'household_residual', 'toaster', ''])(
    'cannot be added: type %j is 422',
    async (type) => {
      expect(await refused({ household, type })).toEqual([422, 'invalid_value type']);
    },
  );

  test('a type of another JSON type, or none, is 400', async () => {
    expect(await refused({ household, type: 5 })).toEqual([400, 'invalid_type type']);
    expect(await refused({ household })).toEqual([400, 'invalid_type type']);
  });
});

describe('household', () => {
  test.each(['dom_000000000000000000000000', 'nonsense', '', '\u0000', 'dom_00000000000000000000000\uD800'])(
    '%j is unknown: 400 missing_household',
    async (unknown) => {
      const answer = await client.post<ErrorBody>('/assets', { household: unknown, ...devices.wallbox });
      expect(refusal(answer)).toEqual([400, 'missing_household household']);
      expect(answer.body.message).toBe('The household is missing or unknown');
    },
  );

  test('null, a number and nothing are invalid_type', async () => {
    for (const sent of [null, 7, undefined]) {
      expect(await refused({ household: sent, ...devices.wallbox })).toEqual([400, 'invalid_type household']);
    }
  });
});

describe('external_id', () => {
  const again = (of: string) =>
    client.post<ErrorBody>('/assets', { household: of, ...devices.wallbox, external_id: 'once' });
  const taken = ({ id }: { id: string }) => `"once" belongs to ${id} and is never given to a second one`;

  test('is never used twice in an organization, not in another household and not after decommissioning', async () => {
    const first = await addDevice(client, household, { ...devices.wallbox, external_id: 'once' });
    const answer = await again(household);
    expect(refusal(answer)).toEqual([409, 'custom external_id']);
    expect(answer.body).toMatchObject({ code: 'CONFLICT', errors: [{ message: taken(first) }] });
    expect(refusal(await again(await newHousehold()))).toEqual([409, 'custom external_id']);
    await client.post(`/assets/${first.id}/decommission`, {});
    expect(refusal(await again(household))).toEqual([409, 'custom external_id']);
  });

  test('of several requests at the same moment one gets it', async () => {
    const homes = await Promise.all(Array.from({ length: 8 }, newHousehold));
    const answers = await Promise.all(
      homes.map((of) => client.post('/assets', { household: of, ...devices.wallbox, external_id: 'race' })),
    );
    expect(answers.map((answer) => answer.status).toSorted((left, right) => left - right)).toEqual([
      200, 409, 409, 409, 409, 409, 409, 409,
    ]);
  });

  test('many devices without one do not disturb each other', async () => {
    await addDevice(client, household, { ...devices.wallbox, external_id: null });
    await addDevice(client, household, { ...devices.wallbox, external_id: null });
  });
});

describe('first devices at the same moment', () => {
  test('create one pair of household assets between them', async () => {
    const home = await newHousehold();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.post('/assets', { household: home, ...devices.wallbox })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const types = await typesIn(home);
    expect(types.filter((type) => type.startsWith('household_'))).toEqual([
      'household_net',
      'household_residual',
    ]);
  });
});

describe('several problems', () => {
  test('are listed together, each by its path', async () => {
    const body = { external_id: '', type: 'solar', solar: { peak_power_kw: 0, kwp: 5 } };
    expect(await refused(body)).toEqual([
      400,
      'invalid_type household',
      'too_small external_id',
      'invalid_type parent_inverter',
      'too_small solar.peak_power_kw',
      'unrecognized_keys solar.kwp',
    ]);
  });

  test('the body must be an object', async () => {
    for (const body of ['[]', 'null', '5', '"a"']) {
      expect(refusal(await client.post<ErrorBody>('/assets', body))).toEqual([400, 'invalid_type ']);
    }
    expect(await refused(undefined)).toEqual([400, 'invalid_type household', 'invalid_type type']);
  });

  test('nothing of a refused request is stored', async () => {
    const [before] = await storedRows<{ rows: number }>(api, 'SELECT count(*)::int AS rows FROM assets');
    await refused({ household, ...devices.wallbox, external_id: 'once' });
    await refused({ household, ...devices.wallbox, parent_inverter: 'ast_000000000000000000000000' });
    await refused({ household, type: 'wallbox' });
    const [after] = await storedRows<{ rows: number }>(api, 'SELECT count(*)::int AS rows FROM assets');
    expect(after).toEqual(before);
  });
});
