import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChangedObject } from '../../../src/platform/process/change-watch.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { addDevice, devices } from './devices.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('every change of an asset names organization and household to the rest of the process, after it is stored', async () => {
  const { organization, token } = await createTenant(api);
  const client = api.client(token);
  const { household } = await createHousehold(api.deps, organization);
  const heard: ChangedObject[] = [];
  const end = api.deps.changed.subscribe((change) => heard.push(change));
  const changed = { organization, object: household };
  const { id } = await addDevice(client, household, devices.wallbox);
  expect(heard).toEqual([changed]);
  await client.patch(`/assets/${id}`, { wallbox: { max_power_kw: 22 } });
  expect(heard).toEqual([changed, changed]);
  await client.post(`/assets/${id}/decommission`);
  expect(heard).toEqual([changed, changed, changed]);
  await client.get(`/assets/${id}`);
  await client.patch(`/assets/${id}`, { display_name: 'refused' });
  expect(heard).toHaveLength(3);
  end();
});
