import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setClientDisabled } from '../../../../src/identity/oauth/clients/clients.ts';
import { revokeSecret, rotateSecret } from '../../../../src/identity/oauth/clients/rotate-secrets.ts';
import { setStanding } from '../../../../src/identity/organizations/service.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import {
  actAt,
  basic,
  callStatus,
  refreshed,
  registeredClient,
  requestToken,
  type TokenAnswer,
  tokensOf,
} from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ clock });
});
afterAll(() => api.close());

const credentials = { grant_type: 'client_credentials' };

function expectInvalidClient(answer: TokenAnswer): void {
  expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', error: 'invalid_client' } });
}

describe('clients and organizations that are switched off, secrets that end', () => {
  test('T15 a client that is switched off gets no token, and its tokens die within 5 seconds', async () => {
    const client = await registeredClient(api.deps);
    const tokens = await tokensOf(api.baseUrl, client);
    expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(200);
    await setClientDisabled(api.deps.database, client.id, true, actAt(api.deps));
    expectInvalidClient(await requestToken(api.baseUrl, credentials, { authorization: basic(client) }));
    expectInvalidClient(await refreshed(api.baseUrl, client, tokens.refresh_token));
    clock.advance(5_000);
    await api.deps.changes.look();
    expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);

    await setClientDisabled(api.deps.database, client.id, false, actAt(api.deps));
    expect((await refreshed(api.baseUrl, client, tokens.refresh_token)).status).toBe(200);
  });

  test('T16 after a rotation the old and the new secret work until the overlap ends', async () => {
    const client = await registeredClient(api.deps);
    const overlap = { hours: 24, nowMilliseconds: clock.nowMilliseconds() };
    const rotated = await rotateSecret(api.deps, client.id, overlap, actAt(api.deps));
    const old = basic(client);
    const fresh = basic({ ...client, secret: rotated.client_secret });
    expect((await requestToken(api.baseUrl, credentials, { authorization: old })).status).toBe(200);
    expect((await requestToken(api.baseUrl, credentials, { authorization: fresh })).status).toBe(200);
    clock.advance(24 * 3_600_000 - 1);
    expect((await requestToken(api.baseUrl, credentials, { authorization: old })).status).toBe(200);
    clock.advance(1);
    expectInvalidClient(await requestToken(api.baseUrl, credentials, { authorization: old }));
    expect((await requestToken(api.baseUrl, credentials, { authorization: fresh })).status).toBe(200);
    await revokeSecret(api.deps.database, client.id, rotated.secret.id, actAt(api.deps));
    expectInvalidClient(await requestToken(api.baseUrl, credentials, { authorization: fresh }));
  });

  test('I18 clients of a suspended or deleted organization count as switched off, within 5 seconds', async () => {
    for (const standing of ['suspended', 'deleted'] as const) {
      const client = await registeredClient(api.deps);
      const tokens = await tokensOf(api.baseUrl, client);
      expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(200);
      await setStanding(api.deps.database, client.organization, standing, actAt(api.deps));
      clock.advance(5_000);
      await api.deps.changes.look();
      expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
      expectInvalidClient(await requestToken(api.baseUrl, credentials, { authorization: basic(client) }));
      expectInvalidClient(await refreshed(api.baseUrl, client, tokens.refresh_token));
    }
  });

  test('a past due organization still gets tokens; its calls answer 402', async () => {
    const client = await registeredClient(api.deps);
    await setStanding(api.deps.database, client.organization, 'past_due', actAt(api.deps));
    const tokens = await tokensOf(api.baseUrl, client);
    expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(402);
    expect((await refreshed(api.baseUrl, client, tokens.refresh_token)).status).toBe(200);
  });
});
