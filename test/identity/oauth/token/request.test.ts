import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { processorMilliseconds } from '../../../setup/fastest.ts';
import {
  basic,
  registeredClient,
  requestToken,
  type TestClient,
  type TokenAnswer,
} from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
let full: TestClient;

beforeAll(async () => {
  api = await startApi({ clock });
  full = await registeredClient(api.deps);
});
afterAll(() => api.close());

const form = 'application/x-www-form-urlencoded';

function send(
  body: Parameters<typeof requestToken>[1],
  contentType = form,
  client = full,
): Promise<TokenAnswer> {
  return requestToken(api.baseUrl, body, {
    authorization: basic(client),
    headers: { 'content-type': contentType },
  });
}

function expectError(answer: TokenAnswer, error: string): void {
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    code: 'BAD_REQUEST',
    error,
    requestId: answer.headers.get('x-request-id'),
    docs: expect.stringContaining('/errors/BAD_REQUEST'),
  });
  expect(answer.body.error_description).toBe(answer.body.message);
  expect(answer.body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('pragma')).toBe('no-cache');
}

describe('shape of the token request', () => {
  test('T20 other methods are 405 with Allow, whatever the query says', async () => {
    const query = `?grant_type=client_credentials&client_id=${full.id}&client_secret=${full.secret}`;
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await requestToken(api.baseUrl, undefined, {
        method,
        query,
        authorization: basic(full),
      });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
      expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual([
        'no-store',
        'no-cache',
      ]);
      if (method !== 'HEAD') {
        expect(answer.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED', error: 'invalid_request' });
      }
    }
  });

  test('T21 JSON with the same names works; other content types are invalid_request', async () => {
    const json = JSON.stringify({ grant_type: 'client_credentials' });
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8']) {
      expect((await send(json, type)).status).toBe(200);
    }
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      '',
    ]) {
      expectError(await send(json, type), 'invalid_request');
    }
  });

  test('T21 JSON that is no object, or holds another type, is invalid_request', async () => {
    for (const body of [
      '[]',
      'null',
      '"x"',
      '7',
      '{',
      '{"grant_type":["client_credentials"]}',
      '{"grant_type":null}',
      '{"__proto__":{"grant_type":"client_credentials"}}',
    ]) {
      expectError(await send(body, 'application/json'), 'invalid_request');
    }
  });

  test('T22 without grant_type: invalid_request that names it, also with an empty body', async () => {
    for (const body of [{ scope: 'read:*' }, '', '&&']) {
      const answer = await send(body);
      expectError(answer, 'invalid_request');
      expect(answer.body.errors).toEqual([
        { code: 'invalid_type', field: 'grant_type', message: 'Required' },
      ]);
    }
    expectError(await send('{}', 'application/json'), 'invalid_request');
  });

  test('T23 an empty grant_type counts as absent', async () => {
    expectError(await send('grant_type='), 'invalid_request');
    expectError(await send('grant_type'), 'invalid_request');
    expectError(await send('{"grant_type":""}', 'application/json'), 'invalid_request');
  });

  test('T24 the password grant does not exist', async () => {
    expectError(
      await send({ grant_type: 'password', username: 'a', password: 'b' }),
      'unsupported_grant_type',
    );
  });

  test.each([
    ['implicit', 'implicit'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['a long one', 'x'.repeat(10_000)],
  ])('T25 unknown grant type: %s', async (_, grantType) => {
    const answer = await send({ grant_type: grantType });
    expectError(answer, 'unsupported_grant_type');
    expect(JSON.stringify(answer.body).length).toBeLessThan(1_000);
  });

  test('T26 a repeated grant_type is invalid_request, also with the same value or an empty one', async () => {
    for (const second of ['client_credentials', 'refresh_token', '']) {
      expectError(await send(`grant_type=client_credentials&grant_type=${second}`), 'invalid_request');
    }
    expectError(await send('x=1&grant_type=client_credentials&x=1'), 'invalid_request');
    expectError(await send('grant_type=client_credentials&scope=a&scope=b'), 'invalid_request');
  });

  test('T26 a name that JSON writes twice is invalid_request, however it is spelt', async () => {
    for (const body of [
      '{"grant_type":"password","grant_type":"client_credentials"}',
      '{"grant_type":"client_credentials","grant_type":"client_credentials"}',
      '{"grant_type":"client_credentials","grant\\u005ftype":"client_credentials"}',
      '{ "scope" : "write:*" , "grant_type":"client_credentials", "scope":"read:*" }',
      '{"x":[{"y":"\\""}],"grant_type":"client_credentials","x":1}',
    ]) {
      const answer = await send(body, 'application/json');
      expectError(answer, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ message: expect.stringContaining('more than once') }]);
    }
    const once = '{"grant_type":"client_credentials","more":{"a":1,"b":{"a":"grant_type"}},"list":["a","a"]}';
    expect((await send(once, 'application/json')).status).toBe(200);
  });

  test('T27 unknown parameters are ignored', async () => {
    const parameters = { grant_type: 'client_credentials', audience: 'x', resource: 'y', constructor: 'z' };
    expect((await send(parameters)).status).toBe(200);
    expect((await send(JSON.stringify({ ...parameters, more: { a: [1] } }), 'application/json')).status).toBe(
      200,
    );
  });

  test('T31 oversized, crowded and broken forms are refused cheaply', async () => {
    const milliseconds = await processorMilliseconds(async () => {
      for (const bytes of [16 * 1024 + 1, 1_100_000]) {
        const large = await send(`grant_type=client_credentials&x=${'a'.repeat(bytes - 32)}`);
        expect(large).toMatchObject({ status: 413, body: { code: 'BAD_REQUEST', error: 'invalid_request' } });
      }
      const pairs = Array.from({ length: 1_000 }, (_, index) => `p${index}=1`).join('&');
      expectError(await send(`grant_type=client_credentials&${pairs}`), 'invalid_request');
      expectError(await send('&'.repeat(16_000)), 'invalid_request');
      expectError(await send('grant_type=client_credentials&x=%zz'), 'invalid_request');
      expectError(await send('grant_type=client_credentials&x=%ff'), 'invalid_request');
      expectError(await send(new Uint8Array([0x61, 0x3d, 0xff, 0xfe])), 'invalid_request');
    });
    /* Seven requests with both ends in this process: 50 ms for each are the limit, a quadratic parser takes seconds. */
    expect(milliseconds).toBeLessThan(7 * 50 * 2);
  });

  test('T31 a hundred pairs are accepted, one more is not', async () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');
    expect((await send(`grant_type=client_credentials&${pairs(99)}`)).status).toBe(200);
    expectError(await send(`grant_type=client_credentials&${pairs(100)}`), 'invalid_request');
  });

  test('a content coding is refused before anything is inflated, at every endpoint', async () => {
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
      for (const coding of ['gzip', 'deflate', 'br', 'zstd']) {
        const body = gzipSync('grant_type=client_credentials');
        const answer = await fetch(`${api.baseUrl}${path}`, {
          method: 'POST',
          headers: { authorization: basic(full), 'content-type': form, 'content-encoding': coding },
          body: new Uint8Array(body),
        });
        expect([path, coding, answer.status]).toEqual([path, coding, 415]);
        expect(answer.headers.get('accept-encoding')).toBe('identity');
        expect(await answer.json()).toMatchObject({ code: 'BAD_REQUEST', error: 'invalid_request' });
      }
    }
    expect((await send('grant_type=client_credentials')).status).toBe(200);
  });

  test('T32 a grant type that the client may not use is unauthorized_client', async () => {
    const client = await registeredClient(api.deps, { grants: ['client_credentials'] });
    const refused = await send({ grant_type: 'refresh_token', refresh_token: 'f'.repeat(64) }, form, client);
    expectError(refused, 'unauthorized_client');
    const issued = await send({ grant_type: 'client_credentials' }, form, client);
    expect(issued.status).toBe(200);
    expect(issued.body).not.toHaveProperty('refresh_token');
  });

  test.each([undefined, '2026-01-29.edison', '2026-05-27.curie', '2026-09-08.gauss', 'nonsense'])(
    'the endpoint has no version: X-API-Version %s changes nothing',
    async (version) => {
      const headers = {
        'content-type': form,
        ...(version === undefined ? {} : { 'x-api-version': version }),
      };
      const refused = await requestToken(api.baseUrl, {}, { authorization: basic(full), headers });
      expectError(refused, 'invalid_request');
      expect(refused.body).toHaveProperty('errors');
      expect(refused.headers.get('x-api-version')).toBe('2026-05-27.curie');
    },
  );

  test('T33 behind https a plain request is refused before its credentials are read', async () => {
    const environment = { BASE_URL: 'https://api.example.org', TRUSTED_PROXIES: '127.0.0.1' };
    const secure = await startApi({ clock, environment });
    try {
      const client = await registeredClient(secure.deps);
      const ask = (protocol: string, secret: string) =>
        requestToken(
          secure.baseUrl,
          { grant_type: 'client_credentials' },
          {
            authorization: basic({ ...client, secret }),
            headers: { 'content-type': form, 'x-forwarded-proto': protocol },
          },
        );
      for (const secret of [client.secret, 'wrong']) {
        const plain = await ask('http', secret);
        expectError(plain, 'invalid_request');
        expect(plain.body).not.toHaveProperty('access_token');
      }
      expect((await ask('https', 'wrong')).status).toBe(401);
      expect((await ask('https', client.secret)).status).toBe(200);
    } finally {
      await secure.close();
    }
  });
});
