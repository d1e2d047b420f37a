import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, inject, test } from 'vitest';
import { dataFolder, projectFolder } from '../../scripts/data-folder.mjs';
import { isAlive, serverProcessesIn, waitUntilGone } from '../../scripts/local-services/server-processes.ts';
import { type LocalServices, startLocalServices, stopLocalServices } from '../../scripts/local-services.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { makeClone } from '../cli/start/clone.ts';

/*
 * Private servers of this file's own. Where the tests run on containers or on given servers there are none to be
 * had without fetching them.
 */
const isPrivate = inject('servers').arePrivate;
const name = `test-services-${randomBytes(4).toString('hex')}`;
const folder = join(dataFolder, name);
let services: LocalServices;

const start = () =>
  startLocalServices({
    folder,
    needs: { postgres: true, redis: true },
    postgresSettings: { 'timescaledb.max_background_workers': '0', shared_buffers: '32MB' },
  });

const ask = async (text: string) =>
  (await withDatabaseClient(services.postgres.adminUrl, (client) => client.query(text))).rows as unknown[];

function servicesCommand(...parameters: string[]) {
  const command = [join(projectFolder, 'scripts/services.ts'), ...parameters];
  return spawnSync(process.execPath, command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

afterAll(async () => {
  if (!isPrivate) return;
  await stopLocalServices(folder);
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(!isPrivate)(
  'a first start gives a database with TimescaleDB and a queue, both on the loopback only',
  async () => {
    services = await start();
    expect(services).toMatchObject({ kind: 'private', started: { postgres: true, redis: true } });
    expect(
      await ask(
        "SELECT setting FROM pg_settings WHERE name IN ('listen_addresses', 'unix_socket_directories') ORDER BY name",
      ),
    ).toEqual([{ setting: '127.0.0.1' }, { setting: '' }]);
    await ask('CREATE EXTENSION timescaledb');
    await ask('CREATE TABLE kept AS SELECT 42 AS number');
    const redis = new Redis(services.redis.url);
    expect(await redis.set('kept', '42')).toBe('OK');
    await expect(redis.flushall()).rejects.toThrow(/NOPERM/);
    redis.disconnect();
  },
);

test.skipIf(!isPrivate)('an acknowledged commit is on the disk', async () => {
  const rows = await ask(
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'on'",
  );
  expect(rows).toHaveLength(3);
});

test.skipIf(!isPrivate)('text is ordered the same on every machine', async () => {
  expect(await ask("SELECT datlocprovider, datlocale FROM pg_database WHERE datname = 'postgres'")).toEqual([
    { datlocprovider: 'b', datlocale: 'C.UTF-8' },
  ]);
});

test.skipIf(!isPrivate)('passwords stand in files that only their owner may read', async () => {
  for (const file of ['services.json', 'valkey/valkey.conf']) {
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  }
  const commands = [services.postgres.pid, services.redis.pid].map((pid) => `/proc/${pid}/cmdline`);
  const secrets = JSON.parse(await readFile(join(folder, 'services.json'), 'utf8')) as LocalServicesSecrets;
  for (const command of commands) {
    const text = await readFile(command, 'utf8');
    for (const secret of [secrets.postgres.password, secrets.redis.password, secrets.redis.adminPassword]) {
      expect(text).not.toContain(secret);
    }
  }
});

interface LocalServicesSecrets {
  postgres: { password: string };
  redis: { password: string; adminPassword: string };
}

test.skipIf(!isPrivate)('a second start finds both and begins nothing', async () => {
  const again = await start();
  expect(again.started).toEqual({ postgres: false, redis: false });
  expect([again.postgres.pid, again.redis.pid]).toEqual([services.postgres.pid, services.redis.pid]);
});

test.skipIf(!isPrivate)('five starts at once begin nothing twice either', async () => {
  const all = await Promise.all([1, 2, 3, 4, 5].map(start));
  expect(new Set(all.map((each) => each.postgres.pid))).toEqual(new Set([services.postgres.pid]));
  expect(new Set(all.map((each) => each.redis.pid))).toEqual(new Set([services.redis.pid]));
});

test.skipIf(!isPrivate)(
  'servers whose starter is gone belong to the next start, which ends them',
  async () => {
    await stopLocalServices(folder);
    const script = `
    import { startLocalServices } from ${JSON.stringify(join(projectFolder, 'scripts/local-services.ts'))};
    await startLocalServices({ folder: ${JSON.stringify(folder)}, needs: { postgres: true, redis: true } });
    process.kill(process.pid, 'SIGKILL');`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect([ended.signal, ended.stderr]).toEqual(['SIGKILL', '']);
    services = await start();
    expect(services.started).toEqual({ postgres: true, redis: true });
    expect((await start()).started).toEqual({ postgres: false, redis: false });
    expect(await stopLocalServices(folder, services.started)).toEqual({ postgres: true, redis: true });
    services = await start();
    expect(services.started).toEqual({ postgres: true, redis: true });
  },
);

test.skipIf(!isPrivate)('after SIGKILL of both, the next start finds what was committed', async () => {
  const pids = [services.postgres.pid ?? 0, services.redis.pid ?? 0];
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  expect(await waitUntilGone(pids, 10)).toBe(true);
  services = await start();
  expect(services.started).toEqual({ postgres: true, redis: true });
  expect(await ask('SELECT number FROM kept')).toEqual([{ number: 42 }]);
});

test.skipIf(!isPrivate)('where its port was taken meanwhile, a server comes up on another one', async () => {
  const { port } = services.postgres;
  await stopLocalServices(folder, { postgres: true });
  const stranger = await listenOn(port);
  try {
    services = await start();
    expect(services.postgres.port).not.toBe(port);
    expect(services.started).toEqual({ postgres: true, redis: false });
    expect(await ask('SELECT number FROM kept')).toEqual([{ number: 42 }]);
  } finally {
    stranger.close();
  }
});

function listenOn(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

test.skipIf(!isPrivate)('"services status" says what runs and where', () => {
  const { stdout, status } = servicesCommand('status', name);
  expect(status).toBe(0);
  expect(stdout).toContain(
    `PostgreSQL 127.0.0.1:${services.postgres.port} (process ${services.postgres.pid}`,
  );
  expect(stdout).toContain(`Valkey 127.0.0.1:${services.redis.port} (process ${services.redis.pid}`);
});

test.skipIf(!isPrivate)('"services reset" deletes nothing without a yes', async () => {
  const { stdout, stderr, status } = servicesCommand('reset', name);
  expect(status).toBe(1);
  expect(stdout).toContain(`.data/${name}/postgres`);
  expect(stderr).toContain('Nothing was deleted');
  expect(await ask('SELECT number FROM kept')).toEqual([{ number: 42 }]);
});

test.skipIf(!isPrivate)('"services stop" ends both and nothing else; the data stays', async () => {
  const pids = [services.postgres.pid ?? 0, services.redis.pid ?? 0];
  const stranger = inject('servers').databaseAdminUrl;
  expect(servicesCommand('stop', name)).toMatchObject({
    status: 0,
    stdout: `${name}: PostgreSQL and Valkey stopped\n`,
  });
  expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
  await withDatabaseClient(stranger, (client) => client.query('SELECT 1'));
  expect(existsSync(join(folder, 'postgres/PG_VERSION'))).toBe(true);
  for (const each of ['postgres', 'valkey']) {
    expect(await serverProcessesIn(join(folder, each), join(dataFolder, 'servers'))).toEqual([]);
  }
});

test.skipIf(!isPrivate)(
  '"services stop" without a name ends those of every folder of the clone',
  async () => {
    const clone = await makeClone();
    try {
      await writeFile(
        join(clone.folder, 'two.ts'),
        `import { startLocalServices } from './scripts/local-services.ts';
       for (const folder of ['.data/local', '.data/test']) {
         await startLocalServices({ folder: \`\${import.meta.dirname}/\${folder}\`, needs: { postgres: false, redis: true } });
       }
       process.exit();`,
      );
      expect(clone.shell('node scripts/node.mjs two.ts')).toMatchObject({ status: 0, stderr: '' });
      expect(clone.processes()).toHaveLength(2);
      expect(clone.shell('npm run --silent services -- stop').stdout).toBe(
        'local: Valkey stopped\ntest: Valkey stopped\n',
      );
      expect(clone.processes()).toEqual([]);
    } finally {
      await clone.remove();
    }
  },
);

test.skipIf(!isPrivate)('"services reset --yes" deletes data and passwords', () => {
  expect(servicesCommand('reset', name, '--yes').status).toBe(0);
  for (const each of ['postgres', 'valkey', 'services.json'])
    expect(existsSync(join(folder, each))).toBe(false);
});
