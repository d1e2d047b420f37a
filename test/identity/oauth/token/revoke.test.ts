import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { askAbout } from '../access/token-questions.ts';
import { callStatus, refreshed, registeredClient, type TestClient, tokensOf } from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi({ clock });
  client = await registeredClient(api.deps);
});
afterAll(() => api.close());

const revoke = (as: TestClient | null, form: Record<string, string> | string) =>
  askAbout(api.baseUrl, '/oauth/revoke', as, form);

async function expectRevoked(as: TestClient, form: Record<string, string>): Promise<void> {
  const { status, headers, text } = await revoke(as, form);
  expect([status, text]).toEqual([200, '']);
  expect(headers.get('content-length')).toBe('0');
  /* Who reads this type reads a body, and an empty one is no JSON. */
  expect(headers.get('content-type')).not.toMatch(/^application\/(.*\+)?json/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('pragma')).toBe('no-cache');
}

test('V01 the own refresh token: 200 with an empty body, and the whole family is dead', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  const others = await tokensOf(api.baseUrl, client);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(200);
  await expectRevoked(client, { token: tokens.refresh_token });
  expect((await refreshed(api.baseUrl, client, tokens.refresh_token)).status).toBe(401);
  clock.advance(5_000);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
  expect(await callStatus(api.baseUrl, others.access_token)).toBe(200);
  expect((await refreshed(api.baseUrl, client, others.refresh_token)).status).toBe(200);
});

test('V01 a refresh token that was used already ends its family too', async () => {
  const first = await tokensOf(api.baseUrl, client);
  const second = (await refreshed(api.baseUrl, client, first.refresh_token)).body;
  await expectRevoked(client, { token: first.refresh_token });
  expect((await refreshed(api.baseUrl, client, String(second.refresh_token))).status).toBe(401);
});

test('V02 the own access token: 401 within 5 seconds, its refresh token lives', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(200);
  await expectRevoked(client, { token: tokens.access_token });
  clock.advance(5_000);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
  const next = await refreshed(api.baseUrl, client, tokens.refresh_token);
  expect(next.status).toBe(200);
  expect(await callStatus(api.baseUrl, String(next.body.access_token))).toBe(200);
  const rows = await storedRows<{ client_id: string; lives: boolean }>(
    api,
    "SELECT client_id, expires_at > revoked_at + interval '59 minutes' AS lives FROM revoked_tokens WHERE client_id = $1",
    [client.id],
  );
  expect(rows).toEqual([{ client_id: client.id, lives: true }]);
});

test('V03 unknown, already revoked and garbage tokens: 200', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  await expectRevoked(client, { token: tokens.access_token });
  for (const token of [
    tokens.access_token,
    'garbage',
    'a.b.c',
    '0'.repeat(64),
    'x'.repeat(9_000),
    "' OR 1=1 --",
    `${tokens.access_token}x`,
    'ä\u0000',
  ]) {
    await expectRevoked(client, { token });
  }
  const expired = (await tokensOf(api.baseUrl, client)).access_token;
  clock.advance(3_600_000);
  await expectRevoked(client, { token: expired });
});

test('V04 a token of another client is answered alike and still works', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  const stranger = await registeredClient(api.deps);
  const colleague = await registeredClient(api.deps, {}, client.organization);
  for (const other of [stranger, colleague]) {
    await expectRevoked(other, { token: tokens.access_token });
    await expectRevoked(other, { token: tokens.refresh_token });
  }
  clock.advance(5_000);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(200);
  expect((await refreshed(api.baseUrl, client, tokens.refresh_token)).status).toBe(200);
});

test('V05 without authentication or with a wrong one: 401 invalid_client, and the token lives', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  const form = { token: tokens.refresh_token };
  for (const answer of [
    await revoke(null, form),
    await revoke({ ...client, secret: 'wrong' }, form),
    await revoke(null, { ...form, client_id: client.id }),
    await revoke(null, { ...form, client_id: client.id, client_secret: client.secret }),
    await revoke({ ...client, id: 'oac_000000000000000000000000' }, form),
  ]) {
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'UNAUTHORIZED', error: 'invalid_client' });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="oauth"');
  }
  expect((await refreshed(api.baseUrl, client, tokens.refresh_token)).status).toBe(200);
});

test('V06 a wrong hint works, an unknown one is ignored', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  await expectRevoked(client, { token: tokens.access_token, token_type_hint: 'refresh_token' });
  clock.advance(5_000);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
  await expectRevoked(client, { token: tokens.refresh_token, token_type_hint: 'saml2' });
  expect((await refreshed(api.baseUrl, client, tokens.refresh_token)).status).toBe(401);
});

test('a public client revokes with its id in the body', async () => {
  const app = await registeredClient(api.deps, {
    public: true,
    redirect_uris: ['https://app.example/callback'],
  });
  const { status, text } = await revoke(null, { client_id: app.id, token: '0'.repeat(64) });
  expect([status, text]).toEqual([200, '']);
});

test('without a token, or with two: 400 invalid_request', async () => {
  const missing = await revoke(client, {});
  expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request']);
  expect(missing.body.errors).toEqual([{ code: 'invalid_type', field: 'token', message: 'Required' }]);
  const twice = await revoke(client, 'token=a&token=b');
  expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
});

test('other methods are 405 with Allow', async () => {
  for (const path of ['/oauth/revoke', '/oauth/introspect']) {
    const response = await fetch(`${api.baseUrl}${path}?token=x`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  }
});

test('each revocation stands in the audit log, by grant and never by token', async () => {
  const own = await registeredClient(api.deps);
  const tokens = await tokensOf(api.baseUrl, own);
  await revoke(own, { token: tokens.access_token });
  await revoke(own, { token: 'unknown' });
  await revoke({ ...own, secret: 'wrong' }, { token: tokens.access_token });
  const rows = await auditRows(api, own.organization, 'token.revoke');
  expect(rows.map(({ result, object_id, route }) => [result, object_id?.slice(0, 4), route])).toEqual([
    ['done', 'grt_', 'POST /oauth/revoke'],
    ['unchanged', undefined, 'POST /oauth/revoke'],
    ['invalid_client', 'oac_', 'POST /oauth/revoke'],
  ]);
  expect(JSON.stringify(rows)).not.toContain(tokens.access_token.slice(-40));
});
