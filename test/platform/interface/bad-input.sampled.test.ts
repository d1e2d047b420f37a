import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import { createTenant } from '../../setup/factories.ts';
import { sampled } from '../../setup/tier.ts';

/*
 * Every operation that the description of the newest version lists gets every kind of bad input that its parameters
 * allow: a route that is added later is tested without anybody thinking of it. By `npm test` every operation gets every
 * fourth input, and every input is sent to every fourth operation. Bodies: test/bad-input.
 */

interface Operation {
  parameters: { name?: string; $ref?: string }[];
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
  /* The endpoints for tokens follow the rules of RFC 6749 and have tests of their own. */
  const paths = Object.entries(description.paths).filter(([path]) => !path.startsWith('/oauth/'));
  operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{[a-z_]+\}/g, 'ast_000000000000000000000000'),
      operation,
    })),
  );
});
afterAll(() => api.close());

function expectRefusal(answer: Answer, field: string): void {
  expect([answer.status, answer.text]).toEqual([400, expect.any(String)]);
  expect(answer.body).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.any(String),
    docs: `${api.baseUrl}/docs/errors/BAD_REQUEST`,
    requestId: answer.headers.get('x-request-id'),
    errors: expect.arrayContaining([{ code: expect.any(String), field, message: expect.any(String) }]),
  });
  expect(answer.headers.get('x-api-version')).toBe('2026-09-08.gauss');
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

test('B100 no operation that is no list ignores a filter', async () => {
  const others = operations.filter(({ operation }) => {
    const names = operation.parameters.map(({ $ref, name }) => $ref ?? name ?? '');
    return !names.some((name) => /limit$|^filter/.test(name));
  });
  expect(others.length).toBeGreaterThan(10);
  for (const { method, path } of sampled(others, 4)) {
    const body = method === 'GET' ? {} : { body: '{}' };
    const known = 'filter[status][eq]';
    expectRefusal(await client.request(method, `${path}?${known}=open`, body), known);
    expectRefusal(await client.request(method, `${path}?filter=x`, body), 'filter');
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
      expectRefusal(answer, field);
    }
  });

  test('B98 a date filter takes no rubbish, no year 999999, no infinity', async () => {
    const values = ['rubbish', '999999-01-01T00:00:00Z', 'infinity', '2026-10-05T08:30:00'];
    for (const [turn, { path, operation }] of lists().entries()) {
      const dates = operation.parameters.filter(({ name }) => name?.endsWith('[gte]'));
      for (const { name = '' } of dates) {
        for (const value of sampled(values, 4, turn)) {
          expectRefusal(await client.get(`${path}?${name}=${value}`), name);
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
        expectRefusal(await client.get(`${path}?${name}=${Array(101).fill('a').join(',')}`), name);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(2);
  });

  test('B23 a NUL in a filter is refused before it reaches the database', async () => {
    for (const [turn, { path, operation }] of lists().entries()) {
      const fields = operation.parameters.filter((parameter) => parameter.name?.endsWith('[eq]'));
      for (const { name = '' } of sampled(fields, 4, turn)) {
        expectRefusal(await client.get(`${path}?${name}=a%00b`), name);
      }
    }
  });
});
