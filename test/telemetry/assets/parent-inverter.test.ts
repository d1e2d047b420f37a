import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { addDevice, devices, type ErrorBody, refusal } from './devices.ts';

let api: TestApi;
let client: ApiClient;
let household: string;
let elsewhere: string;

beforeAll(async () => {
  api = await startApi();
  const { organization, token } = await createTenant(api);
  client = api.client(token);
  household = (await createHousehold(api.deps, organization)).household;
  elsewhere = (await createHousehold(api.deps, organization)).household;
});
afterAll(() => api.close());

const REFUSED = [400, 'custom parent_inverter'];

async function added(device: Record<string, unknown>, parent: unknown) {
  const body = { household, ...device, parent_inverter: parent };
  return refusal(await client.post<ErrorBody>('/assets', body));
}

test('a solar array needs one; a battery may have one', async () => {
  expect(await added(devices.solar, undefined)).toEqual([400, 'invalid_type parent_inverter']);
  expect(await added(devices.solar, null)).toEqual([400, 'invalid_type parent_inverter']);
  expect(await added(devices.battery, undefined)).toEqual([200]);
  expect(await added(devices.battery, null)).toEqual([200]);
});

test('it is an inverter of the same household', async () => {
  const inverter = await addDevice(client, household, devices.inverter);
  expect(await added(devices.solar, inverter.id)).toEqual([200]);
  expect(await added(devices.battery, inverter.id)).toEqual([200]);

  const wallbox = await addDevice(client, household, devices.wallbox);
  const foreign = await addDevice(client, elsewhere, devices.inverter);
  for (const parent of [
    wallbox.id,
    foreign.id,
    'ast_000000000000000000000000',
    'x',
    '',
    '\u0000',
    household,
  ]) {
    expect(await added(devices.solar, parent)).toEqual(REFUSED);
    expect(await added(devices.battery, parent)).toEqual(REFUSED);
  }
  expect(await added(devices.solar, 5)).toEqual([400, 'invalid_type parent_inverter']);
});

test('a battery is behind a hybrid inverter, a solar array behind any', async () => {
  const plain = await addDevice(client, household, devices.plainInverter);
  expect(await added(devices.battery, plain.id)).toEqual(REFUSED);
  expect(await added(devices.solar, plain.id)).toEqual([200]);
});

test('a decommissioned inverter takes no more', async () => {
  const inverter = await addDevice(client, household, devices.inverter);
  await client.post(`/assets/${inverter.id}/decommission`);
  expect(await added(devices.solar, inverter.id)).toEqual(REFUSED);
});

test('other devices have none', async () => {
  const inverter = await addDevice(client, household, devices.inverter);
  for (const device of [devices.inverter, devices.wallbox, devices.heatPump]) {
    expect(await added(device, inverter.id)).toEqual(REFUSED);
    expect(await added(device, null)).toEqual([200]);
  }
});

test("I04 another organization's inverter is refused with the words for one that does not exist", async () => {
  const other = await createTenant(api);
  const place = await createHousehold(api.deps, other.organization);
  const theirs = await addDevice(api.client(other.token), place.household, devices.inverter);
  const answerTo = async (parent: string) => {
    const body = { household, ...devices.solar, parent_inverter: parent };
    const { status, body: refused } = await client.post<ErrorBody & { requestId?: string }>('/assets', body);
    delete refused.requestId;
    return { status, refused };
  };
  expect(await answerTo(theirs.id)).toEqual(await answerTo('ast_000000000000000000000000'));
});
