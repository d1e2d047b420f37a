import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../../src/identity/oauth/access/access.ts';
import { clientWithSecrets } from '../../../../src/identity/oauth/clients/clients.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { createLogger } from '../../../../src/platform/log/logger.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import { basic, callStatus, refreshed, registeredClient, requestToken, tokensOf } from '../token-requests.ts';
import { clientWithCustomer, consented, exchange } from '../visitor.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let lines = '';
const destination = new Writable({
  write(chunk, _encoding, done) {
    lines += String(chunk);
    done();
  },
});
const origin = 'https://console.example';
let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({
    clock,
    database,
    log: createLogger({ level: 'trace', name: 'api', destination }),
    environment: { CORS_ORIGINS: origin },
  });
});
afterAll(async () => {
  await api.close();
  await database.drop();
});

const credentials = { grant_type: 'client_credentials' };

/** No connection to this database is accepted, and those that there are end. */
async function withDatabaseAway(work: () => Promise<void>): Promise<void> {
  const server = new URL(database.adminUrl);
  server.pathname = '/postgres';
  await withDatabaseClient(server.href, async (admin) => {
    await admin.query(`ALTER DATABASE ${database.name} WITH ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      database.name,
    ]);
    /* One that the pool has not yet found ended would be taken, and fail with the server's own words. */
    await expect.poll(() => api.deps.database.pool.totalCount).toBe(0);
    try {
      await work();
    } finally {
      await admin.query(`ALTER DATABASE ${database.name} WITH ALLOW_CONNECTIONS true`);
    }
  });
  await connectedAgain();
}

/** A connection that was ended while it lay in the pool fails the first query that takes it. */
async function connectedAgain(): Promise<void> {
  for (let left = TRIES_MAX; left > 0; left -= 1) {
    const isBack = await api.deps.database.pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
    if (isBack) return;
  }
  throw new Error('The database did not come back');
}

/** More than a pool holds. */
const TRIES_MAX = 100;

describe('outages', () => {
  test('while the database is away a remembered token lives out its 5 seconds, then 503, never 401', async () => {
    const client = await registeredClient(api.deps);
    const { access_token, refresh_token } = await tokensOf(api.baseUrl, client);
    const authenticate = createAuthenticator(api.deps);
    const authorization = `Bearer ${access_token}`;
    await authenticate(authorization);
    await withDatabaseAway(async () => {
      clock.advance(4_999);
      expect((await authenticate(authorization)).principal.client).toBe(client.id);
      clock.advance(1);
      await expect(authenticate(authorization)).rejects.toMatchObject({ status: 503 });
      const call = await fetch(`${api.baseUrl}/assets`, { headers: { authorization } });
      expect(call.status).toBe(503);
      expect(Number(call.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
      for (const answer of [
        await requestToken(api.baseUrl, credentials, { authorization: basic(client) }),
        await refreshed(api.baseUrl, client, refresh_token),
      ]) {
        expect(answer.status).toBe(503);
        expect(answer.body).toMatchObject({
          code: 'INTERNAL_SERVER_ERROR',
          error: 'temporarily_unavailable',
          error_description: answer.body.message,
        });
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    });
    expect((await authenticate(authorization)).principal.client).toBe(client.id);
    expect((await refreshed(api.baseUrl, client, refresh_token)).status).toBe(200);
  });

  test('without a key to sign with nothing is used up: the same refresh token and the same code are good later', async () => {
    const { client, email } = await clientWithCustomer(api);
    const { refresh_token } = await tokensOf(api.baseUrl, client);
    const code = (await consented(api, client, email)).get('code') ?? '';
    /* The keys that are remembered are read again. */
    clock.advance(60_000);
    const asAdmin = (text: string) => withDatabaseClient(database.adminUrl, (admin) => admin.query(text));
    await asAdmin('REVOKE SELECT ON signing_keys FROM voltstream_app');
    for (const answer of [
      await refreshed(api.baseUrl, client, refresh_token),
      await exchange(api, client, code),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([500, 'server_error']);
    }
    await asAdmin('GRANT SELECT ON signing_keys TO voltstream_app');
    expect((await refreshed(api.baseUrl, client, refresh_token)).status).toBe(200);
    expect((await exchange(api, client, code)).status).toBe(200);
  });

  test('a token of a service with other keys is 401, and its flood does not read the keys again and again', async () => {
    const authenticate = createAuthenticator(api.deps);
    const foreign = `Bearer ${[{ alg: 'RS256', typ: 'at+jwt', kid: 'foreign' }, {}]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')}.AA`;
    await expect(authenticate(foreign)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await withDatabaseAway(async () => {
      for (let round = 0; round < 10; round += 1) {
        await expect(authenticate(foreign)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      }
    });
  });
});

describe('traces', () => {
  test('T11 no log line at any level holds a secret or a token, wherever the client put it', async () => {
    const client = await registeredClient(api.deps);
    const tokens = await tokensOf(api.baseUrl, client);
    const authorization = basic(client);
    const inBody = { ...credentials, client_id: client.id, client_secret: client.secret };
    await requestToken(api.baseUrl, inBody);
    await requestToken(api.baseUrl, inBody, { authorization });
    const query = `?client_id=${client.id}&client_secret=${client.secret}&x=${client.secret}`;
    await requestToken(api.baseUrl, credentials, { query });
    await requestToken(api.baseUrl, undefined, { query, method: 'GET' });
    await requestToken(api.baseUrl, JSON.stringify(inBody), {
      headers: { 'content-type': 'application/json' },
    });
    await fetch(`${api.baseUrl}/assets?access_token=${tokens.access_token}`);
    await callStatus(api.baseUrl, `${tokens.access_token}x`);
    await callStatus(api.baseUrl, tokens.refresh_token);
    const next = (await refreshed(api.baseUrl, client, tokens.refresh_token)).body;
    await refreshed(api.baseUrl, client, tokens.refresh_token);
    const { config } = api.deps;
    expect(lines).toContain('POST /oauth/token');
    for (const secret of [
      client.secret,
      authorization.slice('Basic '.length),
      tokens.access_token,
      tokens.refresh_token,
      String(next.access_token),
      String(next.refresh_token),
      config.SECRET_PEPPER,
      config.ENCRYPTION_KEY,
    ]) {
      expect(lines).not.toContain(secret);
    }
  });

  test('the database holds neither secrets nor refresh tokens nor a readable private key', async () => {
    const client = await registeredClient(api.deps);
    const tokens = await tokensOf(api.baseUrl, client);
    const { rows } = await asAdmin(
      `SELECT (SELECT string_agg(s::text, ' ') FROM client_secrets s) || (SELECT string_agg(r::text, ' ') FROM refresh_tokens r)
        || (SELECT string_agg(k::text, ' ') FROM signing_keys k) || (SELECT string_agg(a::text, ' ') FROM audit_log a)
        AS everything, (SELECT private_key_encrypted FROM signing_keys) AS key`,
    );
    for (const secret of [client.secret, tokens.refresh_token, Buffer.from(client.secret).toString('hex')]) {
      expect(rows[0].everything).not.toContain(secret);
    }
    expect(rows[0].key.length).toBeGreaterThan(1_000);
    expect(rows[0].key.includes('"d"')).toBe(false);
  });

  test('a refused request with an unknown client id stands in the audit log without an organization', async () => {
    for (const id of ['oac_123456789012345678901234', 'somebody@example.org']) {
      const answer = await requestToken(api.baseUrl, credentials, {
        authorization: basic({ id, secret: 'x' }),
      });
      const { rows } = await asAdmin(
        `SELECT organization_id, client_id, act, object_id, result FROM audit_log WHERE request_id = '${String(answer.body.requestId)}'`,
      );
      expect(rows).toEqual([
        {
          organization_id: null,
          client_id: null,
          act: 'token.issue',
          object_id: id.startsWith('oac_') ? id : null,
          result: 'invalid_client',
        },
      ]);
    }
  });

  test('the last use of a client is kept, to the minute', async () => {
    const client = await registeredClient(api.deps);
    const lastUse = async () => (await clientWithSecrets(api.deps.database, client.id)).client.last_used_at;
    expect(await lastUse()).toBeNull();
    const { access_token } = await tokensOf(api.baseUrl, client);
    const issued = clock.now().toISOString();
    expect(await lastUse()).toBe(issued);
    clock.advance(59_000);
    await callStatus(api.baseUrl, access_token);
    clock.advance(5_000);
    const authenticate = createAuthenticator(api.deps);
    await authenticate(`Bearer ${access_token}`);
    const used = clock.now().toISOString();
    /* Written beside the request: asked for until it is there. */
    while ((await lastUse()) === issued);
    expect(await lastUse()).toBe(used);
  });

  test('T34 a preflight from a configured origin is answered, from another one without permission', async () => {
    const preflight = async (from: string) =>
      await fetch(`${api.baseUrl}/oauth/token`, {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
    const allowed = await preflight(origin);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
    const foreign = await preflight('https://evil.example');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });
});

async function asAdmin(text: string) {
  return await withDatabaseClient(database.adminUrl, (admin) => admin.query(text));
}
