import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { createHousehold, createTenant, type TestClient } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { addDevice, devices } from './devices.ts';

let api: TestApi;
let organization: string;
let credentials: TestClient;
let client: ApiClient;
let household: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
});
afterAll(() => api.close());
beforeEach(async () => {
  const tenant = await createTenant(api);
  organization = tenant.organization;
  credentials = tenant.client;
  client = api.client(tenant.token);
  household = (await createHousehold(api.deps, organization)).household;
});

const acts = async () =>
  (await auditRows(api, organization, 'asset.')).map(({ act, object_id, result }) => [
    act,
    object_id,
    result,
  ]);

test('each change leaves exactly one line: who, what, by which route, how it ended', async () => {
  const created = await client.post<{ id: string }>('/assets', { household, ...devices.wallbox });
  const { id } = created.body;
  expect(await auditRows(api, organization, 'asset.')).toEqual([
    {
      organization_id: organization,
      client_id: credentials.client_id,
      grant_id: expect.stringMatching(/^grt_/),
      staff: null,
      act: 'asset.create',
      object_id: id,
      route: 'POST /assets',
      reason: null,
      result: 'done',
      request_id: created.headers.get('x-request-id'),
      address: '127.0.0.0/24',
    },
  ]);
  await client.patch(`/assets/${id}`, { display_name: 'Garage' });
  await client.patch(`/assets/${id}`, { display_name: 'Garage' });
  await client.post(`/assets/${id}/decommission`);
  await client.post(`/assets/${id}/decommission`);
  expect(await acts()).toEqual([
    ['asset.create', id, 'done'],
    ['asset.update', id, 'done'],
    ['asset.update', id, 'unchanged'],
    ['asset.decommission', id, 'done'],
    ['asset.decommission', id, 'unchanged'],
  ]);
});

test('what is refused leaves none', async () => {
  const { id } = await addDevice(client, household, { ...devices.wallbox, external_id: 'x' });
  await client.post('/assets', { household, ...devices.wallbox, external_id: 'x' });
  await client.post('/assets', { household: 'dom_unknown', ...devices.wallbox });
  await client.patch(`/assets/${id}`, { external_id: 'y' });
  await client.patch('/assets/ast_000000000000000000000000', {});
  await client.post(`/assets/${id}/decommission`, { decommissioned_at: '2999-01-01T00:00:00Z' });
  expect(await acts()).toEqual([['asset.create', id, 'done']]);
});

test('a change whose line cannot be written does not happen', async () => {
  const asset = await addDevice(client, household, devices.wallbox);
  await storedRows(api, 'REVOKE INSERT ON audit_log FROM voltstream_app');
  const refused = [
    await client.post('/assets', { household, ...devices.wallbox }),
    await client.patch(`/assets/${asset.id}`, { display_name: 'x' }),
    await client.post(`/assets/${asset.id}/decommission`),
  ];
  await storedRows(api, 'GRANT INSERT ON audit_log TO voltstream_app');
  expect(refused.map((answer) => answer.status)).toEqual([500, 500, 500]);
  expect((await client.get(`/assets/${asset.id}`)).body).toEqual(asset);
  expect(await storedRows(api, 'SELECT id FROM assets WHERE household_id = $1', [household])).toHaveLength(3);
});

test('no line holds a value of a payload', async () => {
  const canary = 'canary-4711';
  const { id } = await addDevice(client, household, {
    ...devices.wallbox,
    external_id: canary,
    display_name: canary,
    manufacturer: canary,
  });
  await client.patch(`/assets/${id}`, { model: canary });
  const lines = await storedRows<{ line: string }>(api, 'SELECT audit_log::text AS line FROM audit_log');
  expect(lines.filter(({ line }) => line.includes(canary) || line.includes('example.org'))).toEqual([]);
});

test('who read assets, with the names that people gave them, is kept', async () => {
  const { id } = await addDevice(client, household, devices.wallbox);
  await client.get(`/assets/${id}`);
  await client.get('/assets');
  await expect
    .poll(async () =>
      (await auditRows(api, organization, 'personal_data.read')).map(
        ({ route, object_id }) => `${route} ${object_id}`,
      ),
    )
    .toEqual(expect.arrayContaining([`GET /assets/{id} ${id}`, `GET /assets ${household}`]));
});
