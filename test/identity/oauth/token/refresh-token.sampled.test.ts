import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateGrantRevoked } from '../../../../src/identity/oauth/access/grant-queries.ts';
import { setClientDisabled } from '../../../../src/identity/oauth/clients/clients.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { createHousehold } from '../../../setup/factories.ts';
import { isLongTier } from '../../../setup/tier.ts';
import {
  actAt,
  callStatus,
  refreshed,
  registeredClient,
  requestToken,
  type TestClient,
  type TokenAnswer,
  type Tokens,
  tokensOf,
} from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
const SECOND = 1_000;
const DAY = 86_400_000;
let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi({ clock, environment: { DATABASE_CONNECTIONS_MAX: '24' } });
  client = await registeredClient(api.deps);
});
afterAll(() => api.close());

/** Refused refresh tokens are 401 without a challenge: strict clients would not read the error behind one. */
function expectInvalidGrant(answer: TokenAnswer): void {
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: 'UNAUTHORIZED', error: 'invalid_grant' });
  expect(answer.body.error_description).toBe(answer.body.message);
  expect(answer.headers.get('www-authenticate')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

async function refresh(token: string, as = client): Promise<Tokens> {
  const answer = await refreshed(api.baseUrl, as, token);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Tokens;
}

describe('refresh', () => {
  test('R01 a refresh gives a new access and a new refresh token', async () => {
    const first = await tokensOf(api.baseUrl, client);
    const second = await refresh(first.refresh_token);
    expect(second).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read:* write:*' });
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).toMatch(/^[0-9a-f]{64}$/);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(200);
    await refresh(second.refresh_token);
  });

  test('R03 a rotated token that comes back kills its family, and no other grant of the client', async () => {
    const first = await tokensOf(api.baseUrl, client);
    const other = await tokensOf(api.baseUrl, client);
    const second = await refresh(first.refresh_token);
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(200);
    clock.advance(3 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, client, first.refresh_token));
    expectInvalidGrant(await refreshed(api.baseUrl, client, second.refresh_token));
    clock.advance(5 * SECOND);
    expect(await callStatus(api.baseUrl, first.access_token)).toBe(401);
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(401);
    expect(await callStatus(api.baseUrl, other.access_token)).toBe(200);
    await refresh(other.refresh_token);
    await tokensOf(api.baseUrl, client);
  });

  test('R03 so does a family of a client that acts for one customer', async () => {
    const { customer } = await createHousehold(api.deps, client.organization);
    const app = await registeredClient(api.deps, { customer_id: customer }, client.organization);
    const first = await tokensOf(api.baseUrl, app);
    const second = await refresh(first.refresh_token, app);
    clock.advance(3 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, app, first.refresh_token));
    expectInvalidGrant(await refreshed(api.baseUrl, app, second.refresh_token));
    clock.advance(5 * SECOND);
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(401);
  });

  test('R04 of twenty simultaneous refreshes one wins, and what it won lives', async () => {
    for (let round = 0; round < (isLongTier ? 3 : 1); round += 1) {
      const { refresh_token } = await tokensOf(api.baseUrl, client);
      const answers = await Promise.all(
        Array.from({ length: isLongTier ? 20 : 12 }, () => refreshed(api.baseUrl, client, refresh_token)),
      );
      const won = answers.filter((answer) => answer.status === 200);
      expect(won).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expectInvalidGrant(answer);
      const winner = won[0]?.body as unknown as Tokens;
      expect(await callStatus(api.baseUrl, winner.access_token)).toBe(200);
      await refresh(winner.refresh_token);
    }
  });

  test('a loser within 2 seconds is only refused; the family lives', async () => {
    const first = await tokensOf(api.baseUrl, client);
    const second = await refresh(first.refresh_token);
    clock.advance(2 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, client, first.refresh_token));
    await refresh(second.refresh_token);
  });

  test("R05 another client's token is refused and not used up, and its family lives", async () => {
    const { refresh_token } = await tokensOf(api.baseUrl, client);
    const stranger = await registeredClient(api.deps);
    const sister = await registeredClient(api.deps, {}, client.organization);
    expectInvalidGrant(await refreshed(api.baseUrl, stranger, refresh_token));
    expectInvalidGrant(await refreshed(api.baseUrl, sister, refresh_token));
    const { refresh_token: next } = await refresh(refresh_token);
    clock.advance(3 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, sister, refresh_token));
    await refresh(next);
  });

  test('R06 a confidential client without authentication is 401 invalid_client', async () => {
    const { refresh_token } = await tokensOf(api.baseUrl, client);
    for (const more of [{}, { client_id: client.id }]) {
      const answer = await requestToken(api.baseUrl, { grant_type: 'refresh_token', refresh_token, ...more });
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
    await refresh(refresh_token);
  });

  test('R08 an access token is no refresh token, and the other way round', async () => {
    const tokens = await tokensOf(api.baseUrl, client);
    expectInvalidGrant(await refreshed(api.baseUrl, client, tokens.access_token));
    expect(await callStatus(api.baseUrl, tokens.refresh_token)).toBe(401);
    for (const text of ['x', 'F'.repeat(64), '0'.repeat(64), 'é\u0000', 'a'.repeat(10_000)]) {
      expectInvalidGrant(await refreshed(api.baseUrl, client, text));
    }
    await refresh(tokens.refresh_token);
  });

  test('without a refresh token the request is invalid and names it', async () => {
    const credentials = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
    const answer = await requestToken(
      api.baseUrl,
      { grant_type: 'refresh_token', refresh_token: '' },
      { authorization: `Basic ${credentials}` },
    );
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'invalid_request', errors: [{ field: 'refresh_token' }] });
  });

  test('R09 a token ends 30 days after its issue', async () => {
    const idle = await tokensOf(api.baseUrl, client);
    clock.advance(30 * DAY + SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, client, idle.refresh_token));
    const almost = await tokensOf(api.baseUrl, client);
    clock.advance(30 * DAY - 3_600 * SECOND);
    await refresh(almost.refresh_token);
  });

  test('R09 a family ends 180 days after its grant, however steadily it is used', async () => {
    let { refresh_token } = await tokensOf(api.baseUrl, client);
    for (let month = 0; month < 6; month += 1) {
      clock.advance(29 * DAY);
      ({ refresh_token } = await refresh(refresh_token));
    }
    clock.advance(6 * DAY - SECOND);
    ({ refresh_token } = await refresh(refresh_token));
    clock.advance(2 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, client, refresh_token));
  });

  test('R10 nothing can be refreshed while the client is switched off', async () => {
    const app = await registeredClient(api.deps);
    const { refresh_token } = await tokensOf(api.baseUrl, app);
    await setClientDisabled(api.deps.database, app.id, true, actAt(api.deps));
    expect(await refreshed(api.baseUrl, app, refresh_token)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test('R11 an answer that was lost: the old token is refused, later its family dies, the secret helps', async () => {
    const { refresh_token } = await tokensOf(api.baseUrl, client);
    const lost = await refresh(refresh_token);
    expectInvalidGrant(await refreshed(api.baseUrl, client, refresh_token));
    clock.advance(3 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, client, refresh_token));
    expectInvalidGrant(await refreshed(api.baseUrl, client, lost.refresh_token));
    expect((await tokensOf(api.baseUrl, client)).refresh_token).toMatch(/^[0-9a-f]{64}$/);
  });

  test('R12 a revocation while a refresh is in flight leaves no live token', async () => {
    const { refresh_token, access_token } = await tokensOf(api.baseUrl, client);
    const grant = grantOf(access_token);
    const revoke = { at: clock.now().toISOString(), reason: 'test' };
    let inFlight: Promise<TokenAnswer> | undefined;
    await api.deps.database.inOrganization(client, async (connection) => {
      await updateGrantRevoked(connection, client.organization, grant, revoke);
      inFlight = refreshed(api.baseUrl, client, refresh_token);
      await waiterSeen();
    });
    expectInvalidGrant((await inFlight) as TokenAnswer);
    clock.advance(5 * SECOND);
    expect(await callStatus(api.baseUrl, access_token)).toBe(401);
  });

  test('every outcome stands in the audit log, with ids and without secrets', async () => {
    const app = await registeredClient(api.deps);
    const first = await tokensOf(api.baseUrl, app);
    await refresh(first.refresh_token, app);
    clock.advance(3 * SECOND);
    expectInvalidGrant(await refreshed(api.baseUrl, app, first.refresh_token));
    await requestToken(
      api.baseUrl,
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from(`${app.id}:wrong`).toString('base64')}` },
    );
    const { rows } = await asAdmin(
      `SELECT act, result, client_id, object_id, route, request_id IS NOT NULL AS has_request, address
       FROM audit_log WHERE organization_id = $1 AND route = 'POST /oauth/token' ORDER BY id`,
      [app.organization],
    );
    const line = {
      client_id: app.id,
      route: 'POST /oauth/token',
      has_request: true,
      address: '127.0.0.0/24',
    };
    const grant = grantOf(first.access_token);
    expect(rows).toEqual([
      { ...line, act: 'token.issue', result: 'done', object_id: grant },
      { ...line, act: 'token.issue', result: 'done', object_id: grant },
      { ...line, act: 'token.replay', result: 'invalid_grant', object_id: grant },
      { ...line, act: 'token.issue', result: 'invalid_client', object_id: app.id },
    ]);
  });
});

function grantOf(accessToken: string): string {
  const payload = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(payload) as { grant: string }).grant;
}

/** Resolves when another connection of this database waits for a row lock. */
async function waiterSeen(): Promise<void> {
  for (;;) {
    const { rows } = await asAdmin(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%for no key update%'`,
      [],
    );
    if (rows.length > 0) return;
  }
}

/** Row-level security and the missing right to read the audit log do not bind the administrator. */
async function asAdmin(text: string, values: unknown[]) {
  return await withDatabaseClient(api.database.adminUrl, (server) => server.query(text, values));
}
