import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dataFolder } from '../../../scripts/data-folder.mjs';
import { resetLocalServices, startLocalServices } from '../../../scripts/local-services.ts';
import { clientProgram, fitProgram } from '../../../src/cli/backup/programs.ts';
import { withCommandIo } from '../../../src/cli/engine/io.ts';
import { roleAddress, withDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { startApi } from '../../setup/api.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { clonesOf, dropClone } from '../../setup/template.ts';
import { isLongTier } from '../../setup/tier.ts';
import { collectingIo, runCommand, runDatabaseCommand } from '../command-line.ts';
import { canDump, keysOf, makeStore, type Store } from './store.ts';

let folder: string;
let backup: string;
let store: Store;
let before: unknown[];
const made: string[] = [];

beforeAll(async () => {
  if (!canDump) return;
  folder = await mkdtemp(join(tmpdir(), 'voltstream-backup-'));
  backup = join(folder, 'copy');
  store = await makeStore();
  before = await store.answersOf(store.api);
});
afterAll(async () => {
  if (!canDump) return;
  for (const name of made) await dropClone(inject('servers'), name);
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

function newDatabase(): { name: string; urls: Record<string, string> } {
  const name = `${clonesOf(inject('run'))}${randomBytes(6).toString('hex')}`;
  made.push(name, `${name}_restoring`);
  const { databaseAdminUrl, passwords } = inject('servers');
  const address = (role: 'owner' | 'app' | 'maintenance') =>
    roleAddress(databaseAdminUrl, name, role, passwords[role]);
  return {
    name,
    urls: {
      DATABASE_ADMIN_URL: databaseAdminUrl,
      DATABASE_OWNER_URL: address('owner'),
      DATABASE_URL: address('app'),
      DATABASE_MAINTENANCE_URL: address('maintenance'),
    },
  };
}

async function databases(prefix: string): Promise<string[]> {
  return await withDatabaseClient(inject('servers').databaseAdminUrl, async (server) => {
    const { rows } = await server.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1) ORDER BY 1',
      [prefix],
    );
    return rows.map(({ name }) => name);
  });
}

test.runIf(canDump)('a backup is a folder for its owner alone, with a manifest of every table', async () => {
  const { exitCode, stderr, stdout } = await runDatabaseCommand(
    { DATABASE_OWNER_URL: store.database.ownerUrl },
    ...['backup', backup, '--json'],
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(await readdir(backup)).toEqual(['database.dump', 'manifest.json']);
  for (const path of ['.', 'database.dump', 'manifest.json']) {
    const { mode } = await stat(join(backup, path));
    expect([path, mode & 0o077]).toEqual([path, 0]);
  }
  const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'));
  expect(manifest.tables).toMatchObject({
    'public.asset_snapshots': 3,
    'public.events': 1,
    'public.invoices': 1,
    'public.organizations': 1,
  });
  expect(manifest.migration).toMatch(/^migrations\/\d{4}-/);
  expect(JSON.parse(stdout)).toMatchObject({ folder: backup, bytes: manifest.bytes });
  /* Known to the doctor from now on. */
  const known = async () => {
    const doctor = await runCommand(store.environment, 'doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; found: string }[] };
    return checks.find(({ check }) => check === 'backups');
  };
  await expect.poll(known).toMatchObject({ level: 'ok', found: expect.stringContaining(manifest.taken_at) });
});

test.runIf(canDump)('a second backup into the same folder is refused, and the first stays', async () => {
  const { exitCode, stderr } = await runDatabaseCommand(
    { DATABASE_OWNER_URL: store.database.ownerUrl },
    ...['backup', backup],
  );
  expect([exitCode, stderr]).toEqual([1, `The folder ${backup} is not empty: a backup is a new folder\n`]);
  expect(await readdir(backup)).toHaveLength(2);
});

test.runIf(canDump)('a copy that is whole stays where it cannot be noted, with a warning', async () => {
  const whole = join(folder, 'whole');
  const full = 'ALTER TABLE job_runs ADD CONSTRAINT full_disk CHECK (false) NOT VALID';
  await withDatabaseClient(store.database.ownerUrl, (owner) => owner.query(full));
  const environment = { DATABASE_OWNER_URL: store.database.ownerUrl };
  const { exitCode, stderr } = await runDatabaseCommand(environment, 'backup', whole);
  await withDatabaseClient(store.database.ownerUrl, (owner) =>
    owner.query('ALTER TABLE job_runs DROP CONSTRAINT full_disk'),
  );
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: cli doctor does not hear of this copy: .*full_disk/),
  ]);
  expect(await readdir(whole)).toEqual(['database.dump', 'manifest.json']);
});

test.runIf(canDump)('a folder that cannot be made is no database that cannot be reached', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const environment = { DATABASE_OWNER_URL: store.database.ownerUrl };
  const { exitCode, stderr } = await runDatabaseCommand(environment, 'backup', join(file, 'copy'));
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^ENOTDIR: not a directory/)]);
});

test.runIf(canDump)(
  'the first client program that is new enough is taken, one too old is named',
  async () => {
    const programs = join(folder, 'programs');
    await mkdir(programs);
    const newer = "#!/bin/sh\necho 'pg_dump (PostgreSQL) 99.1'\n";
    await writeFile(join(programs, 'pg_dump'), newer, { mode: 0o755 });
    const taken: string[] = [];
    await withCommandIo(collectingIo({ PATH: programs }), async () => {
      for (const major of [17, 98]) taken.push(await fitProgram('pg_dump', major));
      await expect(fitProgram('pg_dump', 100)).rejects.toThrow(
        'pg_dump on the path is of PostgreSQL 99: install that of 100 or newer, and put it first in PATH',
      );
    });
    expect(taken).toEqual([clientProgram('pg_dump'), 'pg_dump']);
  },
);

test.runIf(canDump && isLongTier)('restored, the interface answers what it answered before', async () => {
  const { name, urls } = newDatabase();
  const { exitCode, stdout, stderr } = await runDatabaseCommand(urls, 'restore', backup);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stdout).toContain('npm run db -- migrate');
  expect(stdout).toMatch(
    /^- cli analysts rotate NAME for each of cli analysts list: .* into DATA_SETS_ACCOUNTS and ANALYST_PASSWORD, /m,
  );
  /* Access that was ended since the backup, and that of bookkeepers, which no backup has. */
  expect(stdout).toMatch(
    /\n- end again, before the API starts, what access was ended since 20\d\d-.*: standings, clients /,
  );
  expect(stdout).toMatch(new RegExp(`\n- GRANT CONNECT ON DATABASE "${name}" for each bookkeeper, `));
  /* What banks and customers have and the copy has not, before the worker goes on. */
  expect(stdout).toMatch(
    /\n- .*begin-series .*before the worker starts.*\n- no new file for the bank .*payments import.*\n- .*audit verify --heads .*\n- start the service/,
  );
  expect(await databases(name)).toEqual([name]);
  const restored: TestDatabase = {
    name,
    adminUrl: withDatabase(inject('servers').databaseAdminUrl, name),
    ownerUrl: urls.DATABASE_OWNER_URL ?? '',
    appUrl: urls.DATABASE_URL ?? '',
    maintenanceUrl: urls.DATABASE_MAINTENANCE_URL ?? '',
    drop: async () => {},
  };
  const again = await startApi({ database: restored, environment: keysOf(store.api) });
  try {
    expect(await store.answersOf(again)).toEqual(before);
    expect(await again.deps.bootProblems()).toEqual([]);
    const status = await runDatabaseCommand(urls, 'status');
    expect([status.exitCode, status.stderr]).toEqual([0, '']);
  } finally {
    await again.close();
  }
  const second = await runDatabaseCommand(urls, 'restore', backup);
  expect([second.exitCode, second.stderr]).toEqual([
    1,
    expect.stringMatching(`The database ${name} is not empty .*: restore beside it with --database`),
  ]);
  expect(await databases(name)).toEqual([name]);
});

test.runIf(canDump)(
  'files that are not those of the manifest are refused, and leave no database',
  async () => {
    const changed = join(folder, 'changed');
    await cp(backup, changed, { recursive: true });
    const path = join(changed, 'manifest.json');
    const good = await readFile(path, 'utf8');
    const { name, urls } = newDatabase();
    const restore = () => runDatabaseCommand(urls, 'restore', changed);

    const refused = async (changes: Record<string, string>, sentence: string | RegExp) => {
      await writeFile(path, JSON.stringify({ ...JSON.parse(good), ...changes }));
      expect((await restore()).stderr).toMatch(sentence);
    };
    await refused(
      { postgresql: '99.1' },
      /The backup is of PostgreSQL 99, the server is \d+: 99 or newer is /,
    );
    await refused(
      { timescaledb: '99.0.0' },
      /The backup is of TimescaleDB 99\.0\.0, the server has [\d., ]+: that version or a newer one is needed/,
    );
    await refused(
      { timescaledb: '1.0.0', license: 'apache', migration: 'migrations/0001-shared.sql' },
      /the tables have to be the same\. The backup has them after migrations\/0001-shared\.sql .*: run migrate of this version on the original, or on a restore of this backup on a server with TimescaleDB 1\.0\.0, and back that up\n/,
    );
    await refused(
      { timescaledb: '1.0.0', license: 'apache', migration: 'migrations/9999-later.sql' },
      /the tables have to be the same\. .*: restore with the version of the backup\n/,
    );

    if (isLongTier) {
      await writeFile(path, good.replace('"public.asset_snapshots": 3', '"public.asset_snapshots": 4'));
      expect((await restore()).stderr).toContain('public.asset_snapshots: 3, not 4');
    }

    const bytes = await readFile(join(changed, 'database.dump'));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(join(changed, 'database.dump'), bytes);
    await writeFile(path, good);
    expect((await restore()).stderr).toContain('is not the file of the manifest');

    await rm(join(changed, 'database.dump'));
    expect((await restore()).stderr).toMatch(/\n\S+ is no whole backup: its database\.dump cannot be read/);

    await rm(path);
    expect((await restore()).stderr).toContain('is no backup');
    expect(await databases(name)).toEqual([]);
  },
);

test.runIf(canDump)('rows of newer views and functions are refused before anything is made', async () => {
  const newer = join(folder, 'newer');
  const name = 'repeatable/analyst-schemas.sql';
  const asOwner = (text: string) =>
    withDatabaseClient(store.database.ownerUrl, (owner) => owner.query(text, [name]));
  await asOwner("UPDATE schema_migrations SET sha256 = 'newer', earlier = earlier || sha256 WHERE name = $1");
  const environment = { DATABASE_OWNER_URL: store.database.ownerUrl };
  const { exitCode } = await runDatabaseCommand(environment, 'backup', newer);
  await asOwner(
    `UPDATE schema_migrations SET sha256 = earlier[cardinality(earlier)], earlier = trim_array(earlier, 1)
        WHERE name = $1`,
  );
  expect(exitCode).toBe(0);
  const path = join(newer, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...manifest, timescaledb: '1.0.0', license: 'apache' }));
  const { name: database, urls } = newDatabase();
  const restored = await runDatabaseCommand(urls, 'restore', newer);
  expect([restored.exitCode, restored.stderr]).toEqual([
    1,
    expect.stringMatching(
      `The backup is newer than this version, by ${name}: restore with the version of the backup\n`,
    ),
  ]);
  expect(restored.stderr).not.toContain('Making roles');
  expect(await databases(database)).toEqual([]);
});

test.runIf(canDump && isLongTier)('a fresh cluster gets roles, passwords and the database', async () => {
  const clusterFolder = join(dataFolder, `test-restore-${process.pid}`);
  const { postgres } = await startLocalServices({ folder: clusterFolder, needs: { postgres: true } });
  try {
    const environment = { DATABASE_ADMIN_URL: postgres.adminUrl };
    const { exitCode, stdout } = await runDatabaseCommand(environment, 'restore', backup, '--json');
    expect(exitCode).toBe(0);
    const { DATABASE_URL, DATABASE_OWNER_URL, rows, passwords_unchanged } = JSON.parse(stdout);
    expect({ passwords_unchanged, hasRows: rows > 3 }).toEqual({ passwords_unchanged: [], hasRows: true });
    const doctor = await runCommand(
      { ...keysOf(store.api), APP_ENV: 'test', DATABASE_URL },
      'doctor',
      '--json',
    );
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; level: string }[] };
    for (const name of ['versions', 'migrations', 'roles and rights', 'durability', 'keys'])
      expect(checks.filter(({ check }) => check === name)).toMatchObject([{ level: 'ok' }]);
    const { REDIS_URL } = store.api.deps.config;
    const owner = { ...keysOf(store.api), APP_ENV: 'test', REDIS_URL, DATABASE_URL, DATABASE_OWNER_URL };
    const done = async (...words: string[]) => {
      const result = await runCommand(owner, ...words, '--reason', 'a new server');
      expect([words, result.exitCode, result.stderr]).toEqual([
        words,
        0,
        expect.not.stringContaining('denied'),
      ]);
    };
    await done('analysts', 'rotate', store.analyst.name);
    /* As an earlier restore left it. */
    await withDatabaseClient(postgres.adminUrl, (client) =>
      client.query(`REVOKE voltstream_analyst_${store.analyst.name} FROM voltstream_owner`),
    );
    expect(await runDatabaseCommand(environment, 'init')).toMatchObject({ exitCode: 0 });
    await done('organizations', 'set-standing', store.organization, 'suspended');
    await done('organizations', 'set-standing', store.organization, 'in_order');
    await done('analysts', 'revoke', store.analyst.name);
  } finally {
    await resetLocalServices(clusterFolder);
    await rm(clusterFolder, { recursive: true, force: true });
  }
});
