import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readServiceConfig } from '../../../src/config/config.ts';
import { timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';
import { registeredClient, type TestClient } from '../../identity/oauth/token-requests.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

/* The pages of npm start have the keys of its client in their examples, and no other service has. */

let database: TestDatabase;
let plain: TestApi;
let demo: TestApi;
let client: TestClient;

beforeAll(async () => {
  database = await createTestDatabase();
  const key = () => randomBytes(32).toString('base64url');
  const environment = { SECRET_PEPPER: key(), ENCRYPTION_KEY: key() };
  plain = await startApi({ database, environment });
  client = await registeredClient(plain.deps);
  demo = await startApi({
    database,
    environment: {
      ...environment,
      DEMO_CLIENT: `${client.id}:${client.secret}`,
      SNAPSHOT_RETENTION_MONTHS: '0',
    },
  });
});
afterAll(async () => {
  await demo?.close();
  await plain?.close();
  await database?.drop();
});

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
  const all = Object.entries(testEnvironment(database, 'redis://localhost'));
  const base = Object.fromEntries(all.filter(([name]) => !name.startsWith('PRICES_')));
  const environment = { ...base, APP_ENV: 'production', BASE_URL: 'https://energy.example' };
  expect(readServiceConfig(environment).DEMO_CLIENT).toBeUndefined();
  expect(() => readServiceConfig({ ...environment, DEMO_CLIENT: 'oac_x:ocs_y' })).toThrow(
    'DEMO_CLIENT: in production no page shows keys',
  );
  expect(() => readServiceConfig({ ...environment, DEMO_CLIENT: 'secret' })).toThrow('DEMO_CLIENT: needs');
});
