import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dataFolder } from '../../../scripts/data-folder.mjs';
import { resetLocalServices, startLocalServices } from '../../../scripts/local-services.ts';
import { topics } from '../../../src/api/topics.ts';
import { clientProgram, fitProgram } from '../../../src/cli/backup/programs.ts';
import { withCommandIo } from '../../../src/cli/engine/io.ts';
import { recordEvents } from '../../../src/events/record.ts';
import { roleAddress, withDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { enterIssuer } from '../../governance/personal-data/settle.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';
import { happened } from '../../setup/events.ts';
import {
  createAsset,
  createHousehold,
  createSubscription,
  createTenant,
  tokenFor,
} from '../../setup/factories.ts';
import { createInvoice } from '../../setup/invoice-factories.ts';
import { clonesOf, dropClone } from '../../setup/template.ts';
import { isLongTier } from '../../setup/tier.ts';
import { collectingIo, runCommand, runDatabaseCommand } from '../command-line.ts';

/* Of Citus each node is backed up by itself, and pg_dump in a container has another file system. */
const canDump = engine === 'timescaledb' && !inject('servers').dump.inContainer;

let folder: string;
let backup: string;
let source: TestDatabase;
let api: TestApi;
let organization: string;
let client: Awaited<ReturnType<typeof createTenant>>['client'];
let paths: string[];
let before: unknown[];
let environment: Record<string, string>;
const made: string[] = [];
const ANALYST = `copy_${randomBytes(4).toString('hex')}`;

/** What the interface answers about everything that was stored. */
async function answersOf(of: TestApi): Promise<unknown[]> {
  const reader = of.client(await tokenFor(of, client));
  const answers: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await reader.get(path);
    expect([path, status]).toEqual([path, 200]);
    answers.push(body);
  }
  return answers;
}

beforeAll(async () => {
  if (!canDump) return;
  folder = await mkdtemp(join(tmpdir(), 'voltstream-backup-'));
  backup = join(folder, 'copy');
  source = await createTestDatabase();
  api = await startApi({ database: source });
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL, REDIS_URL } = api.deps.config;
  environment = { APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL, REDIS_URL };
  const tenant = await createTenant(api);
  ({ organization, client } = tenant);
  const analyst = await runCommand(
    { ...environment, DATABASE_OWNER_URL: source.ownerUrl },
    ...['analysts', 'create', ANALYST, '--organization', organization, '--reason', 'reads the copy'],
  );
  expect([analyst.exitCode, analyst.stderr]).toEqual([0, expect.any(String)]);
  const home = await createHousehold(api.deps, organization);
  const { id: asset } = await createAsset(api.deps, organization, home, { type: 'heat_pump' });
  const subscription = await createSubscription(api.deps, organization, home);
  await enterIssuer(environment, organization);
  await createInvoice(api.deps, organization, {
    customer_id: home.customer,
    subscription_id: subscription.id,
  });
  const now = api.deps.clock.now().toISOString();
  const [topic] = topics;
  if (topic === undefined) throw new Error('No topic');
  await api.deps.database.inOrganization({ organization }, (connection) =>
    recordEvents(connection, organization, [happened(topic, now)]),
  );
  const at = (days: number) => new Date(Date.parse(now) - days * 86_400_000).toISOString();
  const sent = await api.client(tenant.token).post('/asset-snapshots', {
    household: home.household,
    snapshots: [40, 20, 0.1].map((days) => ({ asset, timestamp: at(days), power_kw: days / 10 })),
  });
  expect(sent.status).toBe(200);
  await compressOldChunks();
  paths = [
    `/asset-snapshots?filter[household][eq]=${home.household}`,
    `/assets?filter[household][eq]=${home.household}`,
    `/households/${home.household}`,
    `/invoices?filter[subscription][eq]=${subscription.id}`,
    '/events',
  ];
  before = await answersOf(api);
});
afterAll(async () => {
  if (!canDump) return;
  for (const name of made) await dropClone(inject('servers'), name);
  await runCommand(
    { ...environment, DATABASE_OWNER_URL: source.ownerUrl },
    ...['analysts', 'revoke', ANALYST, '--reason', 'end of the test'],
  );
  await api?.close();
  await source?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The Apache edition has none. */
async function compressOldChunks(): Promise<void> {
  await withDatabaseClient(source.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ license: string }>(
      "SELECT current_setting('timescaledb.license') AS license",
    );
    if (rows[0]?.license !== 'timescale') return;
    await admin.query(
      "SELECT compress_chunk(chunk) FROM show_chunks('asset_snapshots', older_than => interval '30 days') AS chunk",
    );
  });
}

function keysOf({ deps: { config } }: TestApi): Record<string, string> {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY } = config;
  return { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY };
}

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
    { DATABASE_OWNER_URL: source.ownerUrl },
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
    const doctor = await runCommand(environment, 'doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; found: string }[] };
    return checks.find(({ check }) => check === 'backups');
  };
  await expect.poll(known).toMatchObject({ level: 'ok', found: expect.stringContaining(manifest.taken_at) });
});

test.runIf(canDump)('a second backup into the same folder is refused, and the first stays', async () => {
  const { exitCode, stderr } = await runDatabaseCommand(
    { DATABASE_OWNER_URL: source.ownerUrl },
    ...['backup', backup],
  );
  expect([exitCode, stderr]).toEqual([1, `The folder ${backup} is not empty: a backup is a new folder\n`]);
  expect(await readdir(backup)).toHaveLength(2);
});

test.runIf(canDump)('a copy that is whole stays where it cannot be noted, with a warning', async () => {
  const whole = join(folder, 'whole');
  const full = 'ALTER TABLE job_runs ADD CONSTRAINT full_disk CHECK (false) NOT VALID';
  await withDatabaseClient(source.ownerUrl, (owner) => owner.query(full));
  const environment = { DATABASE_OWNER_URL: source.ownerUrl };
  const { exitCode, stderr } = await runDatabaseCommand(environment, 'backup', whole);
  await withDatabaseClient(source.ownerUrl, (owner) =>
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
  const environment = { DATABASE_OWNER_URL: source.ownerUrl };
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
  const again = await startApi({ database: restored, environment: keysOf(api) });
  try {
    expect(await answersOf(again)).toEqual(before);
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

    await writeFile(path, good.replace(/"timescaledb": "[^"]+"/, '"timescaledb": "1.0.0"'));
    expect((await restore()).stderr).toContain('The backup is of TimescaleDB 1.0.0');

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

test.runIf(canDump && isLongTier)('a fresh cluster gets roles, passwords and the database', async () => {
  const clusterFolder = join(dataFolder, `test-restore-${process.pid}`);
  const { postgres } = await startLocalServices({ folder: clusterFolder, needs: { postgres: true } });
  try {
    const environment = { DATABASE_ADMIN_URL: postgres.adminUrl };
    const { exitCode, stdout } = await runDatabaseCommand(environment, 'restore', backup, '--json');
    expect(exitCode).toBe(0);
    const { DATABASE_URL, DATABASE_OWNER_URL, rows, passwords_unchanged } = JSON.parse(stdout);
    expect({ passwords_unchanged, hasRows: rows > 3 }).toEqual({ passwords_unchanged: [], hasRows: true });
    const doctor = await runCommand({ ...keysOf(api), APP_ENV: 'test', DATABASE_URL }, 'doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; level: string }[] };
    for (const name of ['versions', 'migrations', 'roles and rights', 'durability', 'keys'])
      expect(checks.filter(({ check }) => check === name)).toMatchObject([{ level: 'ok' }]);
    const { REDIS_URL } = api.deps.config;
    const owner = { ...keysOf(api), APP_ENV: 'test', REDIS_URL, DATABASE_URL, DATABASE_OWNER_URL };
    const done = async (...words: string[]) => {
      const result = await runCommand(owner, ...words, '--reason', 'a new server');
      expect([words, result.exitCode, result.stderr]).toEqual([
        words,
        0,
        expect.not.stringContaining('denied'),
      ]);
    };
    await done('analysts', 'rotate', ANALYST);
    /* As an earlier restore left it. */
    await withDatabaseClient(postgres.adminUrl, (client) =>
      client.query(`REVOKE voltstream_analyst_${ANALYST} FROM voltstream_owner`),
    );
    expect(await runDatabaseCommand(environment, 'init')).toMatchObject({ exitCode: 0 });
    await done('organizations', 'set-standing', organization, 'suspended');
    await done('organizations', 'set-standing', organization, 'in_order');
    await done('analysts', 'revoke', ANALYST);
  } finally {
    await resetLocalServices(clusterFolder);
    await rm(clusterFolder, { recursive: true, force: true });
  }
});
