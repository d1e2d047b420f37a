import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';
import { processorMilliseconds } from '../setup/fastest.ts';

/*
 * What anybody can send without a body, each at its worst and as long as the server takes it: headers and address together
 * have 16 KiB. A pattern that takes quadratic time needs 100 ms and more for one of these, and everybody waits for it.
 */

const LENGTH = 15_000;
/** Of processor time, far above what the longest of them takes. The fastest of some tries counts. */
const MILLISECONDS_MAX = 40;
const TRIES = 20;

const repeated = (unit: string) => unit.repeat(Math.floor(LENGTH / unit.length));
const SHAPES: readonly [name: string, text: string][] = [
  ['blanks', `a${repeated(' ')}b`],
  ['tabs', `a${repeated('\t')}b`],
  ['semicolons', repeated(';')],
  ['blanks and semicolons', `a/b${repeated(' ;')}`],
  ['a type and blanks', `application/json;charset=utf-8${repeated(' ')}x`],
  ['parameters', `a/b${repeated(';a=b')}x`],
  ['commas', repeated(',')],
  ['weights', repeated('a;q=0.1,')],
  ['quotes', repeated('"')],
  ['escaped quotes', `"${repeated('\\"')}`],
  ['backslashes', repeated('\\')],
  ['percents', repeated('%25')],
  ['plus signs', repeated('+')],
  ['dots', repeated('a.')],
  ['dashes', repeated('a-')],
  ['digits', repeated('1')],
  ['colons', repeated('::')],
  ['equals', repeated('a=b; ')],
  ['slashes', repeated('a/')],
  ['letters', repeated('T')],
];

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await startApi({
    environment: { TRUSTED_PROXIES: '127.0.0.1', CORS_ORIGINS: 'https://app.example.org' },
  });
  ({ token } = await createTenant(api));
});
afterAll(() => api.close());

interface Sent {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

function answered({ path, method = 'GET', headers = {}, body }: Sent): Promise<void> {
  const { port } = new URL(api.baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      answer.resume();
      answer.on('end', resolve);
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function isSlow(sent: Sent): Promise<boolean> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if ((await processorMilliseconds(() => answered(sent))) < MILLISECONDS_MAX) return false;
  }
  return true;
}

async function slowOf(make: (text: string) => Sent): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, text] of SHAPES) if (await isSlow(make(text))) slow.push(name);
  return slow;
}

const bearer = () => ({ authorization: `Bearer ${token}`, 'x-api-version': '2026-09-08.gauss' });
const JSON_BODY = { 'content-type': 'application/json' };

/** Each header that somebody reads, at a route that does. */
const HEADERS: readonly [header: string, sent: () => Sent][] = [
  ['accept', () => ({ path: '/changelog' })],
  ['accept', () => ({ path: '/oauth/authorize' })],
  ['accept-language', () => ({ path: '/auth/login' })],
  ['accept-language', () => ({ path: '/portal/overview' })],
  ['accept-encoding', () => ({ path: '/spot-prices', headers: bearer() })],
  ['accept-encoding', () => ({ path: '/changelog' })],
  ['if-none-match', () => ({ path: '/spot-prices', headers: bearer() })],
  ['authorization', () => ({ path: '/assets' })],
  [
    'authorization',
    () => ({
      path: '/oauth/token',
      method: 'POST',
      headers: JSON_BODY,
      body: '{"grant_type":"client_credentials"}',
    }),
  ],
  ['authorization', () => ({ path: '/metrics' })],
  ['x-api-version', () => ({ path: '/assets', headers: { authorization: `Bearer ${token}` } })],
  ['content-type', () => ({ path: '/leads', method: 'POST', headers: bearer(), body: '{}' })],
  ['content-type', () => ({ path: '/oauth/token', method: 'POST', body: 'a=b' })],
  ['content-type', () => ({ path: '/auth/login', method: 'POST', body: 'a=b' })],
  [
    'content-encoding',
    () => ({ path: '/leads', method: 'POST', headers: { ...bearer(), ...JSON_BODY }, body: '{}' }),
  ],
  [
    'idempotency-key',
    () => ({ path: '/leads', method: 'POST', headers: { ...bearer(), ...JSON_BODY }, body: '{}' }),
  ],
  ['cookie', () => ({ path: '/auth/login' })],
  ['cookie', () => ({ path: '/portal/overview' })],
  [
    'origin',
    () => ({ path: '/assets', method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }),
  ],
  [
    'access-control-request-headers',
    () => ({ path: '/assets', method: 'OPTIONS', headers: { origin: 'https://app.example.org' } }),
  ],
  ['host', () => ({ path: '/prices' })],
  ['expect', () => ({ path: '/assets' })],
  ['x-forwarded-for', () => ({ path: '/oauth/token', method: 'POST', headers: JSON_BODY, body: '{}' })],
  ['x-forwarded-proto', () => ({ path: '/assets' })],
  ['x-forwarded-host', () => ({ path: '/assets' })],
];

test.each(HEADERS)('the header %s (%#) is read in linear time', async (header, sent) => {
  const call = sent();
  expect(await slowOf((text) => ({ ...call, headers: { ...call.headers, [header]: text } }))).toEqual([]);
});

const encoded = (text: string) => encodeURIComponent(text).slice(0, LENGTH).replace(/%.?$/, '');
const authorize = 'response_type=code&client_id=oac_000000000000000000000000';
const ADDRESSES: readonly [what: string, path: (text: string) => string][] = [
  ['a path', (text) => `/${text}`],
  ['an id', (text) => `/assets/${text}`],
  ['a file name', (text) => `/prices/files/${text}`],
  ['an error page', (text) => `/docs/errors/${text}`],
  ['a query', (text) => `/assets?${text}`],
  ['limit', (text) => `/assets?limit=${text}`],
  ['cursor', (text) => `/assets?cursor=${text}`],
  ['the name of a filter', (text) => `/assets?filter[${text}]=1`],
  ['a list in a filter', (text) => `/assets?filter[household][in]=${text}`],
  ['an instant in a filter', (text) => `/subscriptions?filter[created_at][gte]=${text}`],
  ['a number in a filter', (text) => `/asset-snapshots?filter[household][eq]=${text}`],
  ['a day', (text) => `/spot-prices?start=${text}`],
  ['a resolution', (text) => `/spot-prices?resolution=${text}`],
  ['a redirect address', (text) => `/oauth/authorize?${authorize}&redirect_uri=${text}`],
  ['a scope', (text) => `/oauth/authorize?${authorize}&scope=${text}`],
  ['a challenge', (text) => `/oauth/authorize?${authorize}&code_challenge=${text}`],
  ['a transaction', (text) => `/auth/login?transaction=${text}`],
  ['a link', (text) => `/portal/auth/confirm?token_hash=${text}`],
];

test.each(ADDRESSES)('%s in the address is read in linear time', async (_what, path) => {
  expect(await slowOf((text) => ({ path: path(encoded(text)), headers: bearer() }))).toEqual([]);
});
