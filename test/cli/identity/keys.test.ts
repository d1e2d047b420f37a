import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

let database: TestDatabase;
let environment: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = {
    APP_ENV: 'test',
    SECRET_PEPPER: 'p'.repeat(43),
    ENCRYPTION_KEY: 'e'.repeat(43),
    DATABASE_URL: database.appUrl,
  };
});
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(environment, 'keys', ...args);

interface Shown {
  kid: string;
  state: string;
  signs_from: string;
  signs_until: string | null;
  published_until: string | null;
}

async function listed(): Promise<Shown[]> {
  const { exitCode, stdout, stderr } = await run('list', '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Shown[];
}

test('list makes the first key where there is none, and never shows a private one', async () => {
  const keys = await listed();
  expect(keys).toHaveLength(1);
  const [key] = keys;
  expect(Object.keys(key ?? {}).sort()).toEqual([
    'created_at',
    'kid',
    'published_until',
    'signs_from',
    'signs_until',
    'state',
  ]);
  expect(key).toMatchObject({ state: 'signing', signs_until: null, published_until: null });
});

test('rotate publishes the next key, names when it signs, and when the old one goes', async () => {
  const [old] = await listed();
  const { exitCode, stdout } = await run('rotate', '--reason', 'ticket 17', '--staff', 'ada', '--json');
  expect(exitCode).toBe(0);
  const { kid, signs_from } = JSON.parse(stdout) as { kid: string; signs_from: string };
  const keys = await listed();
  expect(keys.map((key) => [key.kid, key.state])).toEqual([
    [kid, 'next'],
    [old?.kid, 'signing'],
  ]);
  expect(keys[0]?.signs_from).toBe(signs_from);
  expect(keys[1]?.signs_until).toBe(signs_from);
  const minutes = (Date.parse(keys[1]?.published_until ?? '') - Date.parse(signs_from)) / 60_000;
  expect(minutes).toBe(70);
});

test('rotate again while one waits, or without a reason, is refused with one sentence', async () => {
  const again = await run('rotate', '--reason', 'ticket 18');
  expect(again).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'signing key: A new key is published already and has not begun to sign\n',
  });
  expect((await run('rotate')).exitCode).toBe(2);
});

test('rotate-encryption seals keys and secrets anew: the old key is needed before and not behind it', async () => {
  const [oldKey, newKey] = ['e'.repeat(43), 'n'.repeat(43)];
  const webhook = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const cli = (key: string, ...args: string[]) =>
    runCommand({ ...environment, ...webhook, ENCRYPTION_KEY: key }, ...args, '--reason', 'ticket 18');
  expect((await cli(oldKey, 'organizations', 'create', '--name', 'One')).exitCode).toBe(0);
  const created = await cli(oldKey, 'webhooks', 'create', '--url', 'http://127.0.0.1:9/events', '--json');
  expect(created.stderr).toBe('');
  const { endpoint } = JSON.parse(created.stdout) as { endpoint: string };
  const { length } = await listed();

  const missing = await cli(newKey, 'keys', 'rotate-encryption');
  expect([missing.exitCode, missing.stdout]).toEqual([1, '']);
  const both = `${newKey},${oldKey}`;
  const done = await cli(both, 'keys', 'rotate-encryption', '--json');
  expect({ ...done, stdout: JSON.parse(done.stdout) }).toEqual({
    ...{ exitCode: 0, stderr: '' },
    stdout: { signing_keys: length, webhook_endpoints: 1 },
  });
  const again = await cli(both, 'keys', 'rotate-encryption', '--json');
  expect(JSON.parse(again.stdout)).toEqual({ signing_keys: 0, webhook_endpoints: 0 });
  const resealed = await storedRows<{ act: string; object: string }>(
    { database },
    "SELECT act, object_id AS object FROM audit_log WHERE act LIKE '%.reseal' AND reason = 'ticket 18' ORDER BY act, object_id",
  );
  const kids = (await listed()).map(({ kid }) => kid).sort();
  expect(resealed).toEqual([
    ...kids.map((object) => ({ act: 'signing_key.reseal', object })),
    { act: 'webhook_secret.reseal', object: endpoint },
  ]);

  /* Signed and refused by nobody: the secret opened. */
  const sent = await cli(newKey, 'webhooks', 'test', endpoint, '--json');
  expect(JSON.parse(sent.stdout)).toMatchObject({ endpoint, result: 'failed', status: null });
  const tooLate = await cli(oldKey, 'webhooks', 'test', endpoint);
  expect(tooLate.stderr).toContain(`ENCRYPTION_KEY does not open the secret of ${endpoint}`);
});
