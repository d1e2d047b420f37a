import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import { createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';

/*
 * Every operation that the description of the newest version lists gets every kind of bad input that its transport or
 * its parameters allow: a route that is added later is tested without anybody thinking of it. By `npm test` every
 * operation gets every fourth input, and every input is sent to every fourth operation.
 */

interface Operation {
  parameters: { name?: string; $ref?: string }[];
  requestBody?: unknown;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
}

let api: TestApi;
let client: ApiClient;
let operations: { method: string; path: string; operation: Operation }[];

beforeAll(async () => {
  api = await startApi();
  const { token } = await createTenant(api);
  client = api.client(token);
  const description = (await (
    await fetch(`${api.baseUrl}/openapi.2026-09-08.gauss.json`)
  ).json()) as Description;
  /* The token endpoint follows the rules of RFC 6749 and has tests of its own. */
  const paths = Object.entries(description.paths).filter(([path]) => path !== '/oauth/token');
  operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{[a-z_]+\}/g, 'ast_000000000000000000000000'),
      operation,
    })),
  );
});
afterAll(() => api.close());

async function rowCounts(): Promise<unknown> {
  return await storedRows(
    api,
    `SELECT (SELECT count(*) FROM assets) AS assets, (SELECT count(*) FROM asset_snapshots) AS snapshots,
            (SELECT count(*) FROM idempotency_keys) AS keys`,
  );
}

function expectRefusal(answer: Answer, status: number, field?: string): void {
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  expect(answer.body).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.any(String),
    docs: `${api.baseUrl}/docs/errors/BAD_REQUEST`,
    requestId: answer.headers.get('x-request-id'),
    errors: expect.arrayContaining([
      { code: expect.any(String), field: field ?? expect.any(String), message: expect.any(String) },
    ]),
  });
  expect(answer.headers.get('x-api-version')).toBe('2026-09-08.gauss');
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

type Input = [title: string, status: number, body: string | Buffer, headers?: Record<string, string>];

const BYTES = (text: string) => Buffer.from(text, 'latin1');
const INPUTS: readonly Input[] = [
  ['B02 white space only', 400, ' \n'],
  ['B03 cut off', 400, '{"household": "dom_'],
  ['B05 trailing comma', 400, '{"household": "a",}'],
  ['B06 two documents', 400, '{}{}'],
  ['B07 comment', 400, '{} // c'],
  ['B08 single quotes', 400, "{'a': 1}"],
  ['B09 raw newline in a string', 400, '{"a": "b\nc"}'],
  ['B10 bad escape', 400, String.raw`{"a": "\x41"}`],
  ['B11 null', 400, 'null'],
  ['B12 list', 400, '[]'],
  ['B12 text', 400, '"text"'],
  ['B16 byte order mark', 400, BYTES('\xef\xbb\xbf{}')],
  ['B17 UTF-16', 400, Buffer.from('{}', 'utf16le')],
  ['B18 byte FF', 400, BYTES('{"a": "\xff"}')],
  ['B20 surrogate in UTF-8', 400, BYTES('{"a": "\xed\xa0\x80"}')],
  ['B28 charset', 415, '{}', { 'content-type': 'application/json; charset=utf-16' }],
  ['B29 NaN', 400, '{"a": NaN}'],
  ['B43 __proto__', 400, '{"__proto__": {"a": 1}}'],
  ['B45 __proto__ by escape', 400, String.raw`{"\u005f_proto__": {"a": 1}}`],
  ['B46 constructor.prototype', 400, '{"constructor": {"prototype": {"a": 1}}}'],
  ['B49 nested 100,000 deep', 400, '['.repeat(100_000) + ']'.repeat(100_000)],
  ['B64 text/plain', 415, '{}', { 'content-type': 'text/plain' }],
  ['B65 form', 415, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['B70 unknown coding', 415, '{}', { 'content-encoding': 'compress' }],
  ['B70 two codings', 415, gzipSync('{}'), { 'content-encoding': 'gzip, gzip' }],
  ['B70 no gzip data', 400, '{}', { 'content-encoding': 'gzip' }],
  ['B70 cut gzip data', 400, gzipSync('{"a": 1}').subarray(0, 20), { 'content-encoding': 'gzip' }],
  ['B70 raw deflate', 400, deflateRawSync('{"a": 1}'), { 'content-encoding': 'deflate' }],
  [
    'B69 more than any route takes, compressed',
    413,
    gzipSync(Buffer.alloc(20_000_000, ' ')),
    { 'content-encoding': 'gzip' },
  ],
  ['B71 more than any route takes', 413, Buffer.alloc(17_000_000, ' ')],
];

describe('every operation that takes a body', () => {
  test.each(INPUTS)('%s is %i, and nothing is stored', async (title, status, body, headers = {}) => {
    const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined);
    expect(withBody.length).toBeGreaterThan(2);
    const before = await rowCounts();
    const turn = INPUTS.findIndex(([name]) => name === title);
    for (const { method, path } of sampled(withBody, 4, turn)) {
      const answer = await client.request(method, path, { body, headers });
      expectRefusal(answer, status, '');
      if (status === 413) expect(answer.headers.get('connection')).toBe('close');
    }
    expect(await rowCounts()).toEqual(before);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

test('B100 no operation that is no list ignores a filter', async () => {
  const others = operations.filter(({ operation }) => {
    const names = operation.parameters.map(({ $ref, name }) => $ref ?? name ?? '');
    return !names.some((name) => /limit$|^filter/.test(name));
  });
  expect(others.length).toBeGreaterThan(10);
  for (const { method, path } of sampled(others, 4)) {
    const body = method === 'GET' ? {} : { body: '{}' };
    const known = 'filter[status][eq]';
    expectRefusal(await client.request(method, `${path}?${known}=open`, body), 400, known);
    expectRefusal(await client.request(method, `${path}?filter=x`, body), 400, 'filter');
  }
});

describe('every list', () => {
  const lists = () =>
    operations.filter(({ operation }) =>
      operation.parameters.some(({ $ref }) => $ref?.endsWith('/limit') === true),
    );

  const queries: readonly [title: string, query: string, field: string][] = [
    ['B91 encoding', 'limit=%zz', 'limit'],
    ['B94 limit', 'limit=0', 'limit'],
    ['B94 limit', 'limit=101', 'limit'],
    ['B94 limit', 'limit=1.5', 'limit'],
    ['B94 limit', 'limit=abc', 'limit'],
    ['B94 limit', 'limit=1e2', 'limit'],
    ['B94 limit', 'limit=%205', 'limit'],
    ['B94 limit', 'limit=', 'limit'],
    ['B94 limit twice', 'limit=5&limit=5', 'limit'],
    ['B95 cursor', 'cursor=abc', 'cursor'],
    ['B95 cursor', 'cursor=', 'cursor'],
    ['B95 cursor', `cursor=${'A'.repeat(10_000)}`, 'cursor'],
    ['B96 field', 'filter[unknown][eq]=1', 'filter[unknown][eq]'],
    ['B96 field', 'filter[__proto__][eq]=1', 'filter[__proto__][eq]'],
    ['B96 field', 'filter[constructor][eq]=1', 'filter[constructor][eq]'],
    ['B96 syntax', 'filter[a][b][c]=1', 'filter[a][b][c]'],
    ['B96 syntax', 'filter[]=1', 'filter[]'],
    ['B96 syntax', 'filter=x', 'filter'],
  ];

  test.each(queries)('%s ?%s is refused and named', async (_title, query, field) => {
    expect(lists().length).toBeGreaterThan(2);
    const turn = queries.findIndex((item) => item[1] === query);
    for (const { path } of sampled(lists(), 4, turn)) {
      const answer = await client.get(`${path}?${query}`);
      expectRefusal(answer, 400, field);
    }
  });

  test('B98 a date filter takes no rubbish, no year 999999, no infinity', async () => {
    const values = ['rubbish', '999999-01-01T00:00:00Z', 'infinity', '2026-10-05T08:30:00'];
    for (const [turn, { path, operation }] of lists().entries()) {
      const dates = operation.parameters.filter(({ name }) => name?.endsWith('[gte]'));
      for (const { name = '' } of dates) {
        for (const value of sampled(values, 4, turn)) {
          expectRefusal(await client.get(`${path}?${name}=${value}`), 400, name);
        }
      }
    }
  });

  test('B97 an empty in is an empty list, 101 values are refused', async () => {
    let tried = 0;
    for (const [turn, { path, operation }] of lists().entries()) {
      const fields = operation.parameters.filter((parameter) => parameter.name?.endsWith('[in]'));
      for (const { name = '' } of sampled(fields, 4, turn)) {
        expect((await client.get(`${path}?${name}=`)).body).toMatchObject({ items: [], has_more: false });
        expectRefusal(await client.get(`${path}?${name}=${Array(101).fill('a').join(',')}`), 400, name);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(2);
  });

  test('B23 a NUL in a filter is refused before it reaches the database', async () => {
    for (const [turn, { path, operation }] of lists().entries()) {
      const fields = operation.parameters.filter((parameter) => parameter.name?.endsWith('[eq]'));
      for (const { name = '' } of sampled(fields, 4, turn)) {
        expectRefusal(await client.get(`${path}?${name}=a%00b`), 400, name);
      }
    }
  });
});
