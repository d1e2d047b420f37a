import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import type { CheckLine } from '../../../src/cli/doctor/check.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createAsset, createClient, createHousehold, createTenant } from '../../setup/factories.ts';
import { collectingIo, runTypedCommand } from '../command-line.ts';

let api: TestApi;
let client: { client_id: string; client_secret: string };
let reader: typeof client;
let household: string;
let asset: string;
let token: string;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  const tenant = await createTenant(api);
  ({ client, token } = tenant);
  reader = await createClient(api.deps, tenant.organization, { read_only: true });
  const home = await createHousehold(api.deps, tenant.organization);
  household = home.household;
  ({ id: asset } = await createAsset(api.deps, tenant.organization, home, { type: 'heat_pump' }));
  folder = await mkdtemp(join(tmpdir(), 'voltstream-gateway-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await api?.close();
});

async function asGateway(batch?: unknown, { client_id, client_secret } = client, baseUrl = api.baseUrl) {
  const file = join(folder, 'batch.json');
  if (batch !== undefined) await writeFile(file, JSON.stringify(batch));
  const { exitCode, stdout, stderr } = await runTypedCommand(
    { APP_ENV: 'test' },
    client_secret,
    ...['doctor', '--as-gateway', '--json', '--base-url', baseUrl],
    ...['--client-id', client_id, '--secret-stdin'],
    ...(batch === undefined ? [] : ['--batch', file]),
  );
  expect(stderr).toBe('');
  const { checks } = JSON.parse(stdout) as { checks: CheckLine[] };
  return { exitCode, checks, last: checks.at(-1) };
}

const row = (changed: object = {}) => ({
  asset,
  timestamp: new Date().toISOString(),
  power_kw: 1,
  ...changed,
});

test('an open way is told step by step, and a good batch is found good without being stored', async () => {
  const { exitCode, checks } = await asGateway();
  expect([exitCode, checks.map(({ check, level }) => `${check} ${level}`)]).toEqual([
    0,
    ['name ok', 'tls warning', 'service ok', 'token ok', 'scope ok', 'batch ok'],
  ]);
  const good = await asGateway({ household, snapshots: [row()] });
  expect(good.last).toMatchObject({ check: 'batch', level: 'ok' });
  const { body } = await api
    .client(token)
    .get<{ items: unknown[] }>(`/asset-snapshots?filter[household][eq]=${household}`);
  expect(body.items).toEqual([]);
});

test('problems of a batch are told by their paths in the file', async () => {
  const { exitCode, last } = await asGateway({
    household,
    snapshots: [row(), row({ power_kw: 'much' }), row({ timestamp: '2099-01-01T00:00:00Z' })],
  });
  expect([exitCode, last?.level]).toEqual([1, 'failure']);
  expect(last?.found).toBe('refused with 400');
  expect(last?.problems).toEqual([
    expect.stringMatching(/^snapshots\.1\.power_kw: ./),
    expect.stringMatching(/^snapshots\.2\.timestamp: .+ahead/),
  ]);
  const unknown = await asGateway({ household: `dom_${'0'.repeat(24)}`, snapshots: [row()] });
  expect(unknown.last).toMatchObject({ check: 'batch', level: 'failure' });
});

test('a value that differs from the stored one of its instant is told before the batch is sent, by its path', async () => {
  const stored = row();
  const { status } = await api.client(token).post('/asset-snapshots', { household, snapshots: [stored] });
  expect(status).toBe(200);
  const { exitCode, last } = await asGateway({ household, snapshots: [row(), { ...stored, power_kw: 2 }] });
  expect([exitCode, last?.problems]).toEqual([
    1,
    [expect.stringMatching(/^snapshots\.1\.power_kw: 2 differs from 1 stored/)],
  ]);
  const again = await asGateway({ household, snapshots: [stored] });
  /* The service looks where it can: nobody may say that it did. */
  expect(again.last).toMatchObject({ level: 'ok', found: expect.not.stringContaining('nor stored values') });
});

test('of a full batch every row is looked at, and each problem is told once', async () => {
  const begun = Date.now() - 10_000;
  const rows = Array.from({ length: 10_000 }, (_, index) =>
    row({ timestamp: new Date(begun + index).toISOString() }),
  );
  expect((await asGateway({ household, snapshots: rows })).last).toMatchObject({ level: 'ok' });
  for (const wrong of [0, 5_000, 9_999]) {
    const snapshots = rows.with(wrong, row({ power_kw: 'much' }));
    const { last } = await asGateway({ household, snapshots });
    expect(last?.problems).toEqual([expect.stringMatching(new RegExp(`^snapshots\\.${wrong}\\.power_kw: `))]);
  }
});

test('a batch of too many rows is to be divided', async () => {
  const { last } = await asGateway({ household, snapshots: Array.from({ length: 10_001 }, () => row()) });
  expect(last).toMatchObject({
    found: 'refused with 400',
    remedy: 'Divide it: a batch has at most 10000 rows.',
    problems: [expect.stringMatching(/^snapshots: /)],
  });
});

test('on a narrow terminal each problem stands whole below the table, with what to do', async () => {
  const file = join(folder, 'batch.json');
  const snapshots = [row({ power_kw: 99 }), row({ timestamp: '2099-01-01T00:00:00Z' })];
  await writeFile(file, JSON.stringify({ household, snapshots }));
  const io = collectingIo({ APP_ENV: 'test' }, `${client.client_secret}\n`);
  Object.assign(io.stdout, { isTTY: true, columns: 80 });
  const words = ['doctor', '--as-gateway', '--base-url', api.baseUrl, '--client-id', client.client_id];
  expect(await runCommandLine([...words, '--secret-stdin', '--batch', file], io)).toBe(1);
  const { text } = io.stdout;
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(text).toMatch(
    /^batch +refused with 400\n +snapshots\.0\.power_kw: 99 kW is more than .*\n +snapshots\.1\.timestamp: .*\n(.*\n)? +→ Correct each; the paths are those of the file\.$/m,
  );
});

test('a port without TLS is told as such, and an address of numbers is looked at like a name', async () => {
  const told = await asGateway(undefined, client, api.baseUrl.replace('http:', 'https:'));
  expect(told.last).toMatchObject({
    check: 'tls',
    found: `port ${new URL(api.baseUrl).port} does not speak TLS`,
    remedy: 'Begin the address with http:// where it speaks http, or name the port for https.',
  });
});

test('a server that refuses the handshake is told as one that speaks TLS', async () => {
  /* Without a certificate. */
  const server = createServer({}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const told = await asGateway(undefined, client, `https://127.0.0.1:${port}`);
  server.close();
  expect(told.last).toMatchObject({
    check: 'tls',
    level: 'failure',
    found: expect.stringMatching(
      new RegExp(`^port ${port} speaks TLS, and the handshake fails: ERR_SSL_\\S*ALERT_HANDSHAKE_FAILURE$`),
    ),
    remedy: expect.not.stringContaining('http://'),
  });
});

test('the first step that fails is the last one', async () => {
  const refused = await asGateway(undefined, { ...client, client_secret: 'wrong' });
  expect(refused.last).toMatchObject({
    check: 'token',
    level: 'failure',
    found: expect.stringContaining('401'),
  });
  const reading = await asGateway(undefined, reader);
  expect(reading.last).toMatchObject({ check: 'scope', level: 'failure', found: 'the token has read:*' });
  const nowhere = await asGateway(undefined, client, 'http://127.0.0.1:1');
  expect(nowhere.last).toMatchObject({ check: 'service', level: 'failure' });
});

test('an address alone, or a client alone, is told what belongs to it', async () => {
  const told = async (...given: string[]) =>
    (await runTypedCommand({ APP_ENV: 'test' }, '', 'doctor', '--as-gateway', ...given)).stderr;
  expect(await told('--base-url', api.baseUrl)).toContain(
    'With --base-url also give --client-id and --secret-stdin',
  );
  expect(await told('--base-url', api.baseUrl, '--client-id', client.client_id)).toContain(
    'With --base-url also give --secret-stdin',
  );
});
