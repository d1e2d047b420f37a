import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { addDevice, devices, type ErrorBody } from './devices.ts';

let api: TestApi;
let token: string;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  ({ token, organization } = await createTenant(api));
});
afterAll(() => api.close());

test('shows what the creating call answered, byte for byte', async () => {
  const client = api.client(token);
  const { household } = await createHousehold(api.deps, organization);
  const created = await client.post<{ id: string }>('/assets', { household, ...devices.battery });
  const { status, text } = await client.get(`/assets/${created.body.id}`);
  expect(status).toBe(200);
  expect(text).toBe(created.text);
});

test('an id that does not exist is not found, however it looks', async () => {
  const client = api.client(token);
  const answers = await Promise.all(
    [
      'ast_000000000000000000000000',
      'dom_1',
      '5',
      'a%00b',
      '%F0%9F%94%8B',
      'x'.repeat(2_000),
      '%27%20OR%201=1',
    ].map((id) => client.get<ErrorBody>(`/assets/${id}`)),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'NOT_FOUND', message: 'Resource not found' });
  }
});

test('without a token it is 401, also for an id that does not exist', async () => {
  expect((await api.client(null).get('/assets/ast_000000000000000000000000')).status).toBe(401);
});

test('a read-only key may read', async () => {
  const reader = await createTenant(api, { read_only: true });
  const { household } = await createHousehold(api.deps, reader.organization);
  expect((await api.client(reader.token).get(`/assets?filter[household][eq]=${household}`)).status).toBe(200);
});

test.each([
  ['GET', '/assets', '/assets'],
  ['POST', '/assets', '/assets'],
  ['GET', '/assets/{id}', '/assets/ast_000000000000000000000000'],
  ['PATCH', '/assets/{id}', '/assets/ast_000000000000000000000000'],
  ['POST', '/assets/{id}/decommission', '/assets/ast_000000000000000000000000/decommission'],
])('%s %s is not there before gauss, and the answer says so', async (method, path, url) => {
  for (const version of ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison', '2026-05-27.curie']) {
    const client = api.client(token, { version });
    const { status, body } = await client.request<ErrorBody>(
      method,
      url,
      method === 'GET' ? {} : { body: {} },
    );
    const message = `${method} ${path} is available from API version 2026-09-08.gauss. This request used ${version}.`;
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'NOT_FOUND', message });
    expect(body.errors).toEqual(
      version === '2026-05-27.curie' ? [{ code: 'upgrade_api_version', field: '', message }] : undefined,
    );
  }
});

test('gauss is reached only by naming it', async () => {
  const { body } = await api.client(token, { version: null }).get<ErrorBody>('/assets');
  expect(body.message).toContain('This request used 2026-05-27.curie.');
});

test('other methods are 405 and name the allowed ones', async () => {
  const client = api.client(token);
  const created = await addDevice(
    client,
    (await createHousehold(api.deps, organization)).household,
    devices.wallbox,
  );
  const allowed = async (method: string, path: string) => {
    const { status, headers } = await client.request(method, path);
    return [status, headers.get('allow')];
  };
  expect(await allowed('DELETE', `/assets/${created.id}`)).toEqual([405, 'GET, HEAD, PATCH']);
  expect(await allowed('PUT', '/assets')).toEqual([405, 'GET, HEAD, POST']);
  expect(await allowed('GET', `/assets/${created.id}/decommission`)).toEqual([405, 'POST']);
});
