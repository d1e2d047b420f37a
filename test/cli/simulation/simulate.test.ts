import { afterAll, beforeAll, expect, test } from 'vitest';
import { administrator } from '../../setup/administrator.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createAsset, createHousehold, createTenant, type TestHousehold } from '../../setup/factories.ts';
import { runCommand, runTypedCommand } from '../command-line.ts';

let api: TestApi;
let home: TestHousehold;
let measured: TestHousehold;
let options: string[];
let secret: string;

beforeAll(async () => {
  api = await startApi();
  const { organization, client } = await createTenant(api);
  home = await createHousehold(api.deps, organization);
  measured = await createHousehold(api.deps, organization);
  await createAsset(api.deps, organization, measured, { type: 'battery' });
  options = ['--base-url', api.baseUrl, '--client-id', client.client_id, '--secret-stdin', '--json'];
  secret = client.client_secret;
});
afterAll(() => api?.close());

const simulate = (...args: string[]) =>
  runTypedCommand({ APP_ENV: 'test' }, `${secret}\n`, 'simulate', ...args, ...options);

test('a household gets the values of its devices, and the same ones are duplicates when they are sent again', async () => {
  const first = await simulate('--household', home.household, '--equip', '--hours', '2', '--step', '600');
  expect({ exitCode: first.exitCode, stderr: first.stderr }).toEqual({ exitCode: 0, stderr: '' });
  const sent = JSON.parse(first.stdout) as Record<string, number>;
  const { devices = 0 } = sent;
  expect(devices).toBeGreaterThanOrEqual(4);
  expect(sent).toMatchObject({ instants: 12, batches: 1, stored: 12 * devices, duplicates: 0 });
  const again = await simulate('--household', home.household, '--hours', '1', '--step', '600');
  const { stored, duplicates } = JSON.parse(again.stdout) as { stored: number; duplicates: number };
  /* Ten minutes may have begun meanwhile. */
  expect(stored + duplicates).toBe(6 * devices);
  expect(duplicates).toBeGreaterThanOrEqual(5 * devices);
});

test('a household with a device of its own gets no invented values', async () => {
  for (const equip of [[], ['--equip']]) {
    const refused = await simulate('--household', measured.household, ...equip);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/invented values may not stand beside measured ones\. Take .* households create/),
    ]);
  }
  const { rows } = await administrator(api.database.adminUrl).query(
    'SELECT FROM asset_snapshots WHERE asset_id IN (SELECT key FROM assets WHERE household_id = $1)',
    [measured.household],
  );
  expect(rows).toEqual([]);
});

test('a household that is not there, and credentials that are refused, are one sentence', async () => {
  for (const id of [`dom_${'0'.repeat(24)}`, 'home1', 'dom_…']) {
    expect(await simulate('--household', id)).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr: expect.stringMatching(
        new RegExp(
          `^This client sees no household ${id}\\. Take a household without .*cli households create`,
        ),
      ),
    });
  }
  const refused = await runTypedCommand(
    { APP_ENV: 'test' },
    'wrong\n',
    ...['simulate', '--household', home.household, '--base-url', api.baseUrl],
    ...['--client-id', `oac_${'0'.repeat(24)}`, '--secret-stdin'],
  );
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('Token refused with 401')]);
});

test('the secret comes from the standard input, never from an argument', async () => {
  const simulated = ['simulate', '--household', home.household, ...options];
  const without = simulated.filter((word) => word !== '--secret-stdin');
  for (const [args, exitCode, sentence] of [
    [[...without, '--client-secret', secret], 2, "unknown option '--client-secret'"],
    [without, 1, 'With --base-url also give --secret-stdin'],
    [simulated, 1, '--secret-stdin: the standard input has no line with the secret'],
  ] as const) {
    const refused = await runCommand({ APP_ENV: 'test' }, ...args);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(sentence)]);
    expect(refused.stderr).not.toContain(secret);
  }
});

test('where no service answers the command says so after four tries', async () => {
  const nobody = ['--base-url', 'http://127.0.0.1:1', '--client-id', 'oac_x', '--secret-stdin'];
  const { exitCode, stderr } = await runTypedCommand(
    { APP_ENV: 'test' },
    'ocs_x',
    ...['simulate', '--household', home.household, ...nobody],
  );
  expect(exitCode).toBe(1);
  expect(stderr.match(/Tried again/g)).toHaveLength(3);
  expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:1 did not serve GET \/.* in 4 tries: .*ECONNREFUSED/);
});
