import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTenant } from '../../setup/factories.ts';
import { type Entry, type Item, sent } from './collection.ts';

interface Collection {
  info: { name: string; schema: string };
  auth: { type: string; oauth2: Entry[] };
  variable: Entry[];
  item: { name: string; item: Item[] }[];
}

type Described = Record<
  string,
  Record<string, { tags: string[]; requestBody?: { content: Record<string, { example?: unknown }> } }>
>;

let api: TestApi;
let collection: Collection;
let paths: Described;
beforeAll(async () => {
  api = await startApi();
  const read = async (path: string) => (await fetch(`${api.baseUrl}${path}`)).json();
  collection = (await read('/docs/postman.json')) as Collection;
  ({ paths } = (await read('/openapi.2026-09-08.gauss.json')) as { paths: Described });
});
afterAll(() => api?.close());

const nameOf = ({ request: { method, url } }: Item) =>
  `${method} /${url.path.map((step) => step.replace(/^:(.*)$/, '{$1}')).join('/')}`;

const empty = (name: string) => [name, ''];

test('the collection is of format 2.1, with its variables, and asks for the token by itself', () => {
  expect(collection.info).toMatchObject({
    name: 'Voltstream 2026-09-08.gauss',
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  });
  expect(collection.variable.map(({ key, value }) => [key, value])).toEqual([
    ['base_url', api.baseUrl],
    ['client_id', ''],
    ['client_secret', ''],
    ...['asset', 'customer', 'event', 'grid_fee_reduction', 'household', 'invoice', 'lead'].map(empty),
    ...['meter_order', 'plan', 'subscription'].map(empty),
  ]);
  expect(collection.auth.type).toBe('oauth2');
  const auth = Object.fromEntries(collection.auth.oauth2.map(({ key, value }) => [key, value]));
  expect(auth).toMatchObject({
    grant_type: 'client_credentials',
    accessTokenUrl: '{{base_url}}/oauth/token',
    clientId: '{{client_id}}',
    clientSecret: '{{client_secret}}',
  });
});

test('each operation is there once, in the folder of its tag, with the example of its body', () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, requestBody }]) => ({
      place: `${tags[0]}: ${method.toUpperCase()} ${path}`,
      example: requestBody?.content['application/json']?.example,
    })),
  );
  const shown = collection.item.flatMap(({ name, item }) =>
    item.map((entry) => ({
      place: `${name}: ${nameOf(entry)}`,
      example: entry.request.body?.raw === undefined ? undefined : JSON.parse(entry.request.body.raw),
    })),
  );
  const byPlace = (left: { place: string }, right: { place: string }) => (left.place < right.place ? -1 : 1);
  expect(shown.toSorted(byPlace)).toEqual(described.toSorted(byPlace));
});

test('every request has the members that Postman reads', () => {
  for (const { name, request, response } of collection.item.flatMap(({ item }) => item)) {
    expect(name).not.toBe('');
    expect(response).toEqual([]);
    expect(request.url.host).toEqual(['{{base_url}}']);
    expect(request.url.raw.split('?')[0]).toBe(`{{base_url}}/${request.url.path.join('/')}`);
    const variables = request.url.path.filter((step) => step.startsWith(':')).map((step) => step.slice(1));
    expect((request.url.variable ?? []).map(({ key }) => key)).toEqual(variables);
    /* None is sent empty: each has a value, or names a variable that has none here. */
    const sent = (request.url.query ?? []).filter(({ disabled }) => disabled !== true);
    expect(sent.filter(({ value }) => value === '')).toEqual([]);
    for (const { key, value } of [...request.header, ...(request.url.query ?? [])])
      expect([typeof key, typeof value]).toEqual(['string', 'string']);
  }
});

test('requests sent as the collection says them are answered', async () => {
  const { client } = await createTenant(api);
  const items = collection.item.flatMap(({ item }) => item);
  const address = (item?: Item) => item?.request.url.raw.replace('{{base_url}}', api.baseUrl) ?? '';
  const tokenItem = items.find((item) => nameOf(item) === 'POST /oauth/token');
  expect(tokenItem?.request.auth?.type).toBe('basic');
  const answer = await fetch(address(tokenItem), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
    body: new URLSearchParams(sent(tokenItem?.request.body?.urlencoded)),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const lists = items.filter(({ request }) => request.method === 'GET' && request.url.path.length === 1);
  const statuses = await Promise.all(
    lists.map(async (item) => {
      const headers = { ...sent(item.request.header), authorization: `Bearer ${access_token}` };
      return [nameOf(item), (await fetch(address(item), { headers })).status];
    }),
  );
  /* A filter that is required has no value yet. */
  expect(statuses.filter(([, status]) => status !== 200).map(([name]) => name)).toEqual([
    'GET /asset-snapshots',
  ]);
});
