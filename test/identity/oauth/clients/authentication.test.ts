import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertSecret } from '../../../../src/identity/oauth/clients/queries.ts';
import { keyedHash } from '../../../../src/platform/keyed-hash.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import {
  basic,
  callStatus,
  registeredClient,
  requestToken,
  type TestClient,
  type TokenAnswer,
  tokensOf,
} from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
let full: TestClient;

beforeAll(async () => {
  api = await startApi({ clock });
  full = await registeredClient(api.deps);
});
afterAll(() => api.close());

const credentials = { grant_type: 'client_credentials' };

function expectInvalidClient(answer: TokenAnswer): void {
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: 'UNAUTHORIZED', error: 'invalid_client' });
  expect(answer.body.error_description).toBe(answer.body.message);
  expect(answer.headers.get('www-authenticate')).toBe('Basic realm="oauth"');
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

function expectInvalidRequest(answer: TokenAnswer): void {
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', error: 'invalid_request' });
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

const withBasic = (text: string) => ({
  authorization: `Basic ${Buffer.from(text, 'latin1').toString('base64')}`,
});
const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

describe('client authentication at the token endpoint', () => {
  test('T01 a confidential client gets an access and a refresh token for both scopes', async () => {
    const answer = await requestToken(api.baseUrl, credentials, { authorization: basic(full) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'read:* write:*',
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(await callStatus(api.baseUrl, String(answer.body.access_token))).toBe(200);
  });

  test('T02 a read-only client gets the scope read:*', async () => {
    const readOnly = await registeredClient(api.deps, { read_only: true });
    expect((await tokensOf(api.baseUrl, readOnly)).scope).toBe('read:*');
  });

  test('T03 id and secret may be percent-encoded, in part or every character', async () => {
    for (const text of [
      `${full.id.replace('_', '%5F')}:${full.secret.replace('_', '%5f')}`,
      `${percentEncoded(full.id)}:${percentEncoded(full.secret)}`,
    ]) {
      expect((await requestToken(api.baseUrl, credentials, withBasic(text))).status).toBe(200);
    }
  });

  test('T04 a secret with plus, percent, colon and an accent works when encoded', async () => {
    const client = await registeredClient(api.deps);
    const secret = 'a+b%c:dé f';
    const hash = keyedHash(api.deps.config.SECRET_PEPPER, 'client-secret', secret);
    await api.deps.database.inOrganization(client, (connection) =>
      insertSecret(connection, client.organization, {
        client_id: client.id,
        secret_hash: hash,
        created_at: clock.now().toISOString(),
      }),
    );
    for (const encoded of [
      encodeURIComponent(secret),
      new URLSearchParams({ x: secret }).toString().slice(2),
    ]) {
      const answer = await requestToken(api.baseUrl, credentials, withBasic(`${client.id}:${encoded}`));
      expect(answer.status).toBe(200);
    }
  });

  test('T05 a wrong secret is 401 invalid_client with a Basic challenge', async () => {
    const answer = await requestToken(api.baseUrl, credentials, {
      authorization: basic({ ...full, secret: `${full.secret}x` }),
    });
    expectInvalidClient(answer);
  });

  test('T06 an unknown client id answers exactly like a wrong secret', async () => {
    const wrongSecret = await requestToken(api.baseUrl, credentials, {
      authorization: basic({ ...full, secret: 'wrong' }),
    });
    for (const id of ['oac_000000000000000000000000', 'nobody', "' OR 1=1 --", 'ä'.repeat(2_000)]) {
      const unknown = await requestToken(api.baseUrl, credentials, {
        authorization: `Basic ${Buffer.from(`${id}:wrong`).toString('base64')}`,
      });
      expectInvalidClient(unknown);
      expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrongSecret.body, requestId: '' });
    }
  });

  test('T06 an unknown client id takes as long as a wrong secret', async () => {
    const measure = async (id: string) => {
      const begun = performance.now();
      await requestToken(api.baseUrl, credentials, { authorization: basic({ id, secret: 'wrong' }) });
      return performance.now() - begun;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      known.push(await measure(full.id));
      unknown.push(await measure('oac_000000000000000000000000'));
    }
    const at = (times: number[], part: number) =>
      times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
    /* The distributions overlap: the middle of one lies well inside the other. */
    expect(at(unknown, 0.5)).toBeGreaterThan(at(known, 0.05));
    expect(at(unknown, 0.5)).toBeLessThan(at(known, 0.95));
    expect(at(known, 0.5)).toBeGreaterThan(at(unknown, 0.05));
    expect(at(known, 0.5)).toBeLessThan(at(unknown, 0.95));
  });

  test('T07 a secret in the body is refused although it is right, and the answer names Basic', async () => {
    const body = { ...credentials, client_id: full.id, client_secret: full.secret };
    const answer = await requestToken(api.baseUrl, body);
    expectInvalidClient(answer);
    expect(answer.body.error_description).toContain('Basic');
  });

  test('T08 credentials in the header and in the body are invalid_request', async () => {
    const body = { ...credentials, client_secret: full.secret };
    expectInvalidRequest(await requestToken(api.baseUrl, body, { authorization: basic(full) }));
  });

  test('T09 a client id in the body that differs from the header is invalid_request, never a token', async () => {
    const other = await registeredClient(api.deps);
    const answer = await requestToken(
      api.baseUrl,
      { ...credentials, client_id: other.id },
      { authorization: basic(full) },
    );
    expectInvalidRequest(answer);
    expect(answer.body).not.toHaveProperty('access_token');
    const same = { ...credentials, client_id: full.id };
    expect((await requestToken(api.baseUrl, same, { authorization: basic(full) })).status).toBe(200);
  });

  test('T10 without credentials client_credentials is 401 with a Basic challenge', async () => {
    expectInvalidClient(await requestToken(api.baseUrl, credentials));
    expectInvalidClient(await requestToken(api.baseUrl, { ...credentials, client_id: full.id }));
  });

  test('T11 credentials in the query are not read', async () => {
    const query = `?client_id=${full.id}&client_secret=${full.secret}&grant_type=client_credentials`;
    expectInvalidClient(await requestToken(api.baseUrl, credentials, { query }));
    expectInvalidRequest(await requestToken(api.baseUrl, {}, { query, authorization: basic(full) }));
  });

  test.each([
    ['not base64', 'Basic !!!'],
    ['nothing', 'Basic'],
    ['nothing behind a blank', 'Basic '],
    ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
    ['empty user', `Basic ${Buffer.from(':secret').toString('base64')}`],
    ['empty password', `Basic ${Buffer.from('oac_000000000000000000000000:').toString('base64')}`],
    ['NUL', `Basic ${Buffer.from('oac_0\0:x').toString('base64')}`],
    ['NUL, encoded', `Basic ${Buffer.from('oac_0%00:x').toString('base64')}`],
    ['bytes that are no text', `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0xff]).toString('base64')}`],
    ['broken percent-encoding', `Basic ${Buffer.from('%zz:%').toString('base64')}`],
    ['another scheme', 'Bearer abc'],
    ['a long one', `Basic ${Buffer.from(`a:${'b'.repeat(6_000)}`).toString('base64')}`],
  ])('T12 malformed Basic credentials are 401: %s', async (_, authorization) => {
    expectInvalidClient(await requestToken(api.baseUrl, credentials, { authorization }));
  });

  test('T13 the scheme is read without regard to case', async () => {
    const authorization = basic(full).replace('Basic', 'bAsIc');
    expect((await requestToken(api.baseUrl, credentials, { authorization })).status).toBe(200);
  });

  test('T14 two Authorization headers are invalid_request here and 401 on the interface', async () => {
    const { access_token } = await tokensOf(api.baseUrl, full);
    const token = await withTwoHeaders('POST', '/oauth/token', basic(full), 'grant_type=client_credentials');
    expect(token).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const call = await withTwoHeaders('GET', '/assets', `Bearer ${access_token}`);
    expect(call).toMatchObject({ status: 401, body: { message: 'Invalid or malformed token' } });
  });

  test('T18 twenty simultaneous requests give twenty different tokens that all work', async () => {
    const client = await registeredClient(api.deps);
    const all = await Promise.all(Array.from({ length: 20 }, () => tokensOf(api.baseUrl, client)));
    expect(new Set(all.map((tokens) => tokens.access_token)).size).toBe(20);
    expect(new Set(all.map((tokens) => tokens.refresh_token)).size).toBe(20);
    const statuses = await Promise.all(all.map((tokens) => callStatus(api.baseUrl, tokens.access_token)));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
  });

  test('a public client names itself in the body, and a secret makes it a stranger', async () => {
    const app = await registeredClient(api.deps, {
      public: true,
      redirect_uris: ['https://app.example/callback'],
    });
    const unauthorized = await requestToken(api.baseUrl, { ...credentials, client_id: app.id });
    expect(unauthorized.status).toBe(400);
    expect(unauthorized.body.error).toBe('unauthorized_client');
    const body = { grant_type: 'refresh_token', refresh_token: 'f'.repeat(64) };
    const refused = await requestToken(api.baseUrl, { ...body, client_id: app.id });
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_grant' } });
    const authorization = basic({ id: app.id, secret: 'made-up' });
    expectInvalidClient(await requestToken(api.baseUrl, body, { authorization }));
  });
});

/** fetch joins repeated headers into one; this sends two lines. */
function withTwoHeaders(method: string, path: string, authorization: string, body?: string) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const url = new URL(path, api.baseUrl);
    const headers = ['Host', url.host, 'Authorization', authorization, 'Authorization', authorization];
    if (body !== undefined) {
      headers.push(
        'Content-Type',
        'application/x-www-form-urlencoded',
        'Content-Length',
        String(body.length),
      );
    }
    const request = httpRequest(url, { method, headers }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    request.on('error', reject);
    request.end(body);
  });
}
