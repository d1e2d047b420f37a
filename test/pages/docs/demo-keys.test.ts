import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readServiceConfig } from '../../../src/config/config.ts';
import { NEWEST_VERSION } from '../../../src/config/versions.ts';
import { timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';
import type { TestClient } from '../../identity/oauth/token-requests.ts';
import type { Place } from '../../routes/table/row.ts';
import { type TestApi, testEnvironment } from '../../setup/api.ts';
import { tokenFor } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type Entry, type Item, sent } from './collection.ts';
import { CHANGING, type DemoService, startDemoService } from './demo-service.ts';

/* The pages of npm start have the keys of its client and the ids of its things in their examples, and no other service has. */

let service: DemoService;
let plain: TestApi;
let demo: TestApi;
let client: TestClient;
let place: Place;
beforeAll(async () => {
  service = await startDemoService();
  ({ plain, demo, client, place } = service);
});
afterAll(() => service?.close());

const PAGES = ['/docs', '/docs/gateways', '/docs/reference', '/docs/postman.json'];

async function opened(api: TestApi, path: string, headers: Record<string, string> = {}) {
  /* Not by fetch, which sets the name of the host by itself. */
  const { host } = new URL(api.baseUrl);
  const answer = await api.app.inject({ method: 'GET', url: path, headers: { host, ...headers } });
  return { text: answer.body, headers: answer.headers };
}

test.each(PAGES)('%s of a demo has its keys, and is kept by nobody', async (path) => {
  const { text, headers } = await opened(demo, path);
  expect(text).toContain(client.id);
  expect(text).toContain(client.secret ?? 'a secret');
  expect(headers['cache-control']).toBe('no-store');
});

test('its guide says which rows are too old where they are kept without limit, and what no call takes back', async () => {
  const { text } = await opened(demo, '/docs/rows');
  const refusal = timeLimits(Date.now(), 0).tooOld();
  expect(refusal).toMatch(/^Before 1715-01-01/);
  expect(text).toContain('only rows before 1715 are refused as too old');
  expect(text).toContain('No call changes or removes a stored row');
});

test('its reference has a token that works as it stands, the same for half an hour', async () => {
  const tokenOf = async () =>
    /"token": ?"([\w-]+\.[\w-]+\.[\w-]+)"/.exec((await opened(demo, '/docs/reference')).text)?.[1] ?? '';
  const token = await tokenOf();
  expect((await demo.client(token).get('/plans')).status).toBe(200);
  expect(await tokenOf()).toBe(token);
});

test.each(PAGES)('%s under another name than that of the demo has none', async (path) => {
  for (const host of ['evil.example', `evil.example:${new URL(demo.baseUrl).port}`, 'localhost']) {
    const { text } = await opened(demo, path, { host });
    expect([host, text.includes(client.secret ?? ''), text.includes(client.id)]).toEqual([
      host,
      false,
      false,
    ]);
  }
});

test.each(PAGES)('%s of a service that is no demo has none', async (path) => {
  const { text, headers } = await opened(plain, path);
  expect(text).not.toMatch(/oac_[0-9a-z]{24}|ocs_/);
  expect(headers['cache-control']).toBe('public, max-age=300');
});

test('in production keys of a demo are refused at the start', () => {
  const all = Object.entries(testEnvironment(demo.database, 'redis://localhost'));
  const base = Object.fromEntries(all.filter(([name]) => !name.startsWith('PRICES_')));
  const environment = { ...base, APP_ENV: 'production', BASE_URL: 'https://energy.example' };
  expect(readServiceConfig(environment).DEMO_CLIENT).toBeUndefined();
  expect(() => readServiceConfig({ ...environment, DEMO_CLIENT: 'oac_x:ocs_y' })).toThrow(
    'DEMO_CLIENT: in production no page shows keys',
  );
  expect(() => readServiceConfig({ ...environment, DEMO_CLIENT: 'secret' })).toThrow('DEMO_CLIENT: needs');
});

const DESCRIPTION = `/docs/reference/${NEWEST_VERSION}.json`;

test('the description behind its reference has ids of its things, under its own name only', async () => {
  const { text, headers } = await opened(demo, DESCRIPTION);
  expect(headers['cache-control']).toBe('no-store');
  for (const id of [place.customer, place.plan, place.household, place.inverter, place.batteryExternalId])
    expect(text).toContain(id);
  const others = [await opened(plain, DESCRIPTION), await opened(demo, DESCRIPTION, { host: 'localhost' })];
  for (const other of others) {
    expect(other.headers['cache-control']).toBe('public, max-age=300');
    expect(place.private.filter((value) => value !== '' && other.text.includes(value))).toEqual([]);
  }
});

test('opened again a while later it reads its things no second time, and leaves no line of that in the audit log', async () => {
  const readsAfter = async () => {
    await opened(demo, DESCRIPTION);
    const [row] = await storedRows<{ reads: number }>(
      demo,
      "SELECT count(*)::integer AS reads FROM audit_log WHERE client_id = $1 AND route LIKE 'GET %'",
      [client.id],
    );
    return row?.reads ?? 0;
  };
  const reads = await readsAfter();
  expect(reads).toBeGreaterThan(0);
  /* Longer than other answers are kept. */
  await pass(5_100);
  expect(await readsAfter()).toBe(reads);
});

test('it sends no filters that exclude each other, in a demo or not', async () => {
  for (const { text } of [await opened(demo, DESCRIPTION), await opened(plain, DESCRIPTION)]) {
    const { paths } = JSON.parse(text) as { paths: Record<string, { get?: { parameters: Shown[] } }> };
    const sent = Object.values(paths)
      .flatMap(({ get }) => get?.parameters ?? [])
      .filter(({ name = '', schema }) => name.startsWith('filter[') && schema?.enum !== undefined)
      .filter(({ examples }) => examples?.default['x-disabled'] !== true);
    expect(sent).toEqual([]);
  }
});

interface Shown {
  name?: string;
  schema?: { enum?: string[] };
  examples?: { default: { 'x-disabled'?: boolean } };
}

test('each request of its collection for Postman is answered as it stands', async () => {
  const collection = JSON.parse((await opened(demo, '/docs/postman.json')).text) as {
    variable: Entry[];
    item: { item: Item[] }[];
  };
  const values = new Map(collection.variable.map(({ key, value }) => [key, value]));
  const filled = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name) => values.get(name) ?? '');
  const keys = { client_id: client.id, client_secret: client.secret ?? '' };
  const token = await tokenFor(demo, keys);
  const refused: unknown[] = [];
  for (const { request } of collection.item.flatMap(({ item }) => item)) {
    const { method, header, url, body } = request;
    const name = `${method} /${url.path.join('/').replace(':id', '{id}')}`;
    /* Forms with the keys, which Postman itself fills in. */
    if (CHANGING.includes(name) || url.path[0] === 'oauth') continue;
    const id = filled(url.variable?.[0]?.value ?? '');
    const answer = await fetch(filled(url.raw).replace(':id', id), {
      method,
      redirect: 'manual',
      headers: { ...sent(header), 'Idempotency-Key': name, authorization: `Bearer ${token}` },
      ...(body?.raw !== undefined && { body: body.raw }),
    });
    if (![200, 302].includes(answer.status)) refused.push([name, answer.status, await answer.text()]);
  }
  expect(refused).toEqual([]);
});
