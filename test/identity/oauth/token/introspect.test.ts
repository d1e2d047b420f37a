import { afterAll, beforeAll, expect, test } from 'vitest';
import { setClientDisabled } from '../../../../src/identity/oauth/clients/clients.ts';
import { setStanding } from '../../../../src/identity/organizations/service.ts';
import { logLines } from '../../../platform/counted-requests.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { createHousehold } from '../../../setup/factories.ts';
import { auditRows } from '../../../setup/stored-rows.ts';
import { askAbout } from '../access/token-questions.ts';
import {
  actAt,
  basic,
  refreshed,
  registeredClient,
  requestToken,
  type TestClient,
  tokensOf,
} from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
const lines = logLines();
let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi({ clock, log: lines.log });
  client = await registeredClient(api.deps);
});
afterAll(() => api.close());

const introspect = (as: TestClient | null, form: Record<string, string> | string) =>
  askAbout(api.baseUrl, '/oauth/introspect', as, form);

async function expectInactive(as: TestClient, token: string): Promise<void> {
  const { status, text, headers } = await introspect(as, { token });
  expect([status, text]).toEqual([200, '{"active":false}']);
  expect(headers.get('cache-control')).toBe('no-store');
}

test('a living access token: who, what, until when, and by whom', async () => {
  const { access_token } = await tokensOf(api.baseUrl, client);
  const answer = await introspect(client, { token: access_token });
  const now = Math.floor(clock.nowMilliseconds() / 1000);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual({
    active: true,
    scope: 'read:* write:*',
    client_id: client.id,
    sub: client.id,
    token_type: 'Bearer',
    iat: now,
    exp: now + 3600,
    iss: api.deps.config.BASE_URL,
    aud: api.deps.config.BASE_URL,
  });
});

test('a token that acts for one customer names the customer as subject', async () => {
  const { customer } = await createHousehold(api.deps, client.organization);
  const app = await registeredClient(api.deps, { customer_id: customer }, client.organization);
  const tokens = await tokensOf(api.baseUrl, app);
  expect((await introspect(client, { token: tokens.access_token })).body).toMatchObject({
    active: true,
    sub: customer,
    client_id: app.id,
  });
  expect((await introspect(app, { token: tokens.refresh_token })).body).toMatchObject({ sub: customer });
});

test('an own refresh token is told from an access token, whatever the hint says', async () => {
  const { refresh_token } = await tokensOf(api.baseUrl, client);
  const answer = await introspect(client, { token: refresh_token, token_type_hint: 'access_token' });
  const now = Math.floor(clock.nowMilliseconds() / 1000);
  expect(answer.body).toEqual({
    active: true,
    scope: 'read:* write:*',
    client_id: client.id,
    sub: client.id,
    token_type: 'refresh_token',
    iat: now,
    exp: now + 30 * 86_400,
    iss: api.deps.config.BASE_URL,
    aud: api.deps.config.BASE_URL,
  });
});

test('V07 a dead token is exactly {"active":false}', async () => {
  const used = await tokensOf(api.baseUrl, client);
  await refreshed(api.baseUrl, client, used.refresh_token);
  await expectInactive(client, used.refresh_token);

  const revoked = await tokensOf(api.baseUrl, client);
  await askAbout(api.baseUrl, '/oauth/revoke', client, { token: revoked.access_token });
  await expectInactive(client, revoked.access_token);
  await askAbout(api.baseUrl, '/oauth/revoke', client, { token: revoked.refresh_token });
  await expectInactive(client, revoked.refresh_token);

  const ended = await tokensOf(api.baseUrl, client);
  await askAbout(api.baseUrl, '/oauth/revoke', client, { token: ended.refresh_token });
  await expectInactive(client, ended.access_token);

  const colleague = await registeredClient(api.deps, {}, client.organization);
  const off = await tokensOf(api.baseUrl, colleague);
  await setClientDisabled(api.deps.database, colleague.id, true, actAt(api.deps));
  await expectInactive(client, off.access_token);

  const old = await tokensOf(api.baseUrl, client);
  clock.advance(3_600_000);
  await expectInactive(client, old.access_token);
  clock.advance(30 * 86_400_000);
  await expectInactive(client, old.refresh_token);
  for (const token of ['garbage', 'a.b.c', '0'.repeat(64), 'x'.repeat(9_000), `${old.access_token}x`]) {
    await expectInactive(client, token);
  }
});

test('V08 a token of another organization is {"active":false}; a refresh token of another client too', async () => {
  const stranger = await registeredClient(api.deps);
  const tokens = await tokensOf(api.baseUrl, client);
  await expectInactive(stranger, tokens.access_token);
  await expectInactive(stranger, tokens.refresh_token);
  const colleague = await registeredClient(api.deps, {}, client.organization);
  expect((await introspect(colleague, { token: tokens.access_token })).body).toMatchObject({ active: true });
  await expectInactive(colleague, tokens.refresh_token);
});

test('tokens of an organization that is past due are alive, of a suspended one dead', async () => {
  const late = await registeredClient(api.deps);
  const { access_token } = await tokensOf(api.baseUrl, late);
  await setStanding(api.deps.database, late.organization, 'past_due', actAt(api.deps));
  expect((await introspect(late, { token: access_token })).body).toMatchObject({ active: true });
  await setStanding(api.deps.database, late.organization, 'suspended', actAt(api.deps));
  expect((await introspect(late, { token: access_token })).status).toBe(401);
});

test('V05 without or with wrong authentication, and for a public client: 401 invalid_client', async () => {
  const app = await registeredClient(
    api.deps,
    { public: true, redirect_uris: ['https://app.example/callback'] },
    client.organization,
  );
  const { access_token } = await tokensOf(api.baseUrl, client);
  for (const answer of [
    await introspect(null, { token: access_token }),
    await introspect({ ...client, secret: 'wrong' }, { token: access_token }),
    await introspect(null, { token: access_token, client_id: app.id }),
    await introspect(null, { token: access_token, client_id: client.id, client_secret: client.secret }),
  ]) {
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'UNAUTHORIZED', error: 'invalid_client' });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="oauth"');
  }
  const refused = await auditRows(api, client.organization, 'token.introspect');
  expect(refused.map(({ act, object_id, result }) => [act, object_id, result])).toEqual(
    [client.id, app.id].map((id) => ['token.introspect', id, 'invalid_client']),
  );
});

test('T11 no log line at any level holds a token or a secret of these calls', async () => {
  const tokens = await tokensOf(api.baseUrl, client);
  const next = (await refreshed(api.baseUrl, client, tokens.refresh_token)).body;
  for (const path of ['/oauth/introspect', '/oauth/revoke'] as const) {
    for (const token of [tokens.access_token, tokens.refresh_token, String(next.refresh_token)]) {
      await askAbout(api.baseUrl, path, client, { token });
      await askAbout(api.baseUrl, path, { ...client, secret: 'guessed-secret-of-somebody' }, { token });
      await askAbout(api.baseUrl, path, null, { token, client_secret: client.secret });
      await fetch(`${api.baseUrl}${path}?token=${token}&client_secret=${client.secret}`, { method: 'POST' });
    }
  }
  await requestToken(api.baseUrl, { grant_type: 'x' }, { authorization: basic(client) });
  const text = lines.text();
  expect(text).toContain('POST /oauth/introspect');
  for (const secret of [
    client.secret,
    basic(client).slice('Basic '.length),
    'guessed-secret-of-somebody',
    tokens.access_token,
    tokens.access_token.split('.')[2] ?? '',
    tokens.refresh_token,
    String(next.refresh_token),
    api.deps.config.SECRET_PEPPER,
    api.deps.config.ENCRYPTION_KEY,
  ]) {
    expect(text.includes(secret)).toBe(false);
  }
});
