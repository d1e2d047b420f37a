import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { type AssetBody, addDevice, devices, type ErrorBody, refusal } from './devices.ts';

let api: TestApi;
let client: ApiClient;
let household: string;

beforeAll(async () => {
  api = await startApi();
  const { organization, token } = await createTenant(api);
  client = api.client(token);
  household = (await createHousehold(api.deps, organization)).household;
});
afterAll(() => api.close());

async function refused(body: unknown) {
  return refusal(await client.post<ErrorBody>('/assets', body));
}

describe('type data', () => {
  test('B51 of 110,000 unknown fields the first eight are named, and all are counted', async () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 110_000 }, (_, index) => [index.toString(36), 1]),
    );
    const body = { household, type: 'wallbox', wallbox: { max_power_kw: 11, ...unknown } };
    const answer = await client.post<ErrorBody>('/assets', body);
    expect(answer.status).toBe(400);
    const named = answer.body.errors?.map(({ field }) => field);
    expect(named).toEqual([
      ...Object.keys(unknown)
        .slice(0, 8)
        .map((name) => `wallbox.${name}`),
      'wallbox',
    ]);
    expect(answer.body.errors?.at(-1)?.message).toBe('109992 more unrecognized keys');
  });

  test('a field of another type is told which fields this type has', async () => {
    const body = { household, type: 'wallbox', wallbox: { max_power_kw: 11, capacity_kwh: 5 } };
    const { body: answer } = await client.post<ErrorBody>('/assets', body);
    expect(answer.errors).toEqual([
      {
        code: 'unrecognized_keys',
        field: 'wallbox.capacity_kwh',
        message: 'Unrecognized key. An asset of type wallbox has max_power_kw, phases, bidirectional',
      },
    ]);
  });

  test.each(['inverter', 'solar', 'battery', 'wallbox', 'heat_pump'])('%s needs its object', async (type) => {
    expect(await refused({ household, type, parent_inverter: 'x' })).toEqual([400, `invalid_type ${type}`]);
    expect(await refused({ household, type, parent_inverter: 'x', [type]: null })).toEqual([
      400,
      `invalid_type ${type}`,
    ]);
  });

  test.each([
    ['inverter', { max_power_kw: 0 }, 'too_small inverter.max_power_kw'],
    ['inverter', { max_power_kw: -1 }, 'too_small inverter.max_power_kw'],
    ['inverter', {}, 'invalid_type inverter.max_power_kw'],
    ['inverter', { max_power_kw: 5, hybrid: null }, 'invalid_type inverter.hybrid'],
    ['inverter', { max_power_kw: 5, hybrid: 'true' }, 'invalid_type inverter.hybrid'],
    ['solar', { peak_power_kw: null }, 'invalid_type solar.peak_power_kw'],
    ['solar', { peak_power_kw: 5, azimuth: 360.1 }, 'too_big solar.azimuth'],
    ['solar', { peak_power_kw: 5, azimuth: -1 }, 'too_small solar.azimuth'],
    ['solar', { peak_power_kw: 5, tilt: 90.5 }, 'too_big solar.tilt'],
    [
      'battery',
      { capacity_kwh: '12', max_charge_power_kw: 6, max_discharge_power_kw: 5 },
      'invalid_type battery.capacity_kwh',
    ],
    ['battery', { capacity_kwh: 12, max_charge_power_kw: 6 }, 'invalid_type battery.max_discharge_power_kw'],
    ['wallbox', { max_power_kw: 11, phases: '3' }, 'invalid_type wallbox.phases'],
    ['wallbox', { max_power_kw: 11, bidirectional: 1 }, 'invalid_type wallbox.bidirectional'],
    ['heat_pump', { max_power_kw: 3, thermal_power_kw: 0 }, 'too_small heat_pump.thermal_power_kw'],
  ])('B60 %s with %j is refused', async (type, data, entry) => {
    expect(await refused({ household, type, parent_inverter: 'x', [type]: data })).toEqual([400, entry]);
  });

  test('B30 B108 a rating that is no finite number, or zero, never gets in', async () => {
    for (const number of ['1e400', '1e-400', '0', '-0']) {
      const body = `{"household":"${household}","type":"wallbox","wallbox":{"max_power_kw":${number}}}`;
      expect((await client.post<ErrorBody>('/assets', body)).status).toBe(400);
    }
  });

  test('two phases are 422: the number of phases is a choice', async () => {
    const body = { household, type: 'wallbox', wallbox: { max_power_kw: 11, phases: 2 } };
    expect(await refused(body)).toEqual([422, 'invalid_value wallbox.phases']);
    expect(await refused({ ...body, display_name: '' })).toEqual([
      400,
      'too_small display_name',
      'invalid_value wallbox.phases',
    ]);
  });

  test('B56 B47 an unknown field in it is refused by its path, one entry each', async () => {
    const body = `{"household":"${household}","type":"wallbox","wallbox":{"max_power_kw":11,"power":3,"constructor":1,"toString":1,"hasOwnProperty":1,"valueOf":1}}`;
    expect(refusal(await client.post<ErrorBody>('/assets', body))).toEqual([
      400,
      'unrecognized_keys wallbox.power',
      'unrecognized_keys wallbox.constructor',
      'unrecognized_keys wallbox.toString',
      'unrecognized_keys wallbox.hasOwnProperty',
      'unrecognized_keys wallbox.valueOf',
    ]);
  });

  test('B47 B57 an unknown field beside it is ignored', async () => {
    const asset = await addDevice(client, household, {
      ...devices.wallbox,
      constructor: 1,
      valueOf: 2,
      colour: 'red',
    });
    expect(Object.keys(asset)).not.toContain('colour');
  });

  test('data of another type is ignored, whatever is in it', async () => {
    const asset = await addDevice(client, household, {
      ...devices.wallbox,
      battery: { nonsense: true },
      solar: 7,
    });
    expect(asset).not.toHaveProperty('battery');
    expect(asset).not.toHaveProperty('solar');
  });

  test('B42 of a key sent twice the last value counts', async () => {
    const body = `{"household":"${household}","type":"wallbox","wallbox":{"max_power_kw":-5,"max_power_kw":7}}`;
    expect((await client.post<AssetBody>('/assets', body)).body.wallbox).toMatchObject({ max_power_kw: 7 });
  });
});

describe('texts', () => {
  const withText = (field: string, text: unknown) =>
    refused({ household, ...devices.wallbox, [field]: text });

  test.each(['display_name', 'manufacturer', 'model'])('B26 %s takes 1 to 100 characters', async (field) => {
    await addDevice(client, household, { ...devices.wallbox, [field]: '🔋'.repeat(100) });
    await addDevice(client, household, { ...devices.wallbox, [field]: null });
    expect(await withText(field, '🔋'.repeat(101))).toEqual([400, `too_big ${field}`]);
    expect(await withText(field, '')).toEqual([400, `too_small ${field}`]);
    expect(await withText(field, 5)).toEqual([400, `invalid_type ${field}`]);
  });

  test('B26 external_id takes 1 to 255 characters', async () => {
    await addDevice(client, household, { ...devices.wallbox, external_id: '🔋'.repeat(255) });
    expect(await withText('external_id', '🔋'.repeat(256))).toEqual([400, 'too_big external_id']);
    expect(await withText('external_id', '')).toEqual([400, 'too_small external_id']);
  });

  test.each([
    ['B22', 'half a surrogate pair', 'a\uD800'],
    ['B23', 'NUL', 'a\u0000'],
    ['B24', 'a control character', 'a\u0007'],
    ['B24', 'DEL', 'a\u007f'],
    ['B24', 'a line end', 'a\nb'],
  ])('%s %s is invalid_format in names and in external_id', async (_row, _what, text) => {
    for (const field of ['display_name', 'external_id']) {
      expect(await withText(field, text)).toEqual([400, `invalid_format ${field}`]);
    }
  });

  test('B24 a bidirectional override is invalid_format in names', async () => {
    expect(await withText('display_name', 'a\u202eb')).toEqual([400, 'invalid_format display_name']);
  });

  test.each(['   ', '\u200b\u200b', '\u3000'])(
    'B27 a name of which nothing is visible (%j) is too_small',
    async (text) => {
      expect(await withText('display_name', text)).toEqual([400, 'too_small display_name']);
    },
  );

  test('B25 external ids are compared as sent: composed and decomposed letters are two ids', async () => {
    const composed = await addDevice(client, household, { ...devices.wallbox, external_id: 'Kü' });
    const decomposed = await addDevice(client, household, { ...devices.wallbox, external_id: 'Ku\u0308' });
    expect(decomposed.external_id).not.toBe(composed.external_id);
  });
});
