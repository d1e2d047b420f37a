import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dataFolder, makeFolder } from '../../../scripts/data-folder.mjs';
import { postgresDirectory, startPostgres, stopPostgres } from '../../../scripts/local-services/postgres.ts';
import { fetchNewerPostgres } from '../../../scripts/local-services/server-packages.ts';
import { chooseServerUser } from '../../../scripts/local-services/server-user.ts';
import { withDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { startApi } from '../../setup/api.ts';
import { runCommand, runDatabaseCommand } from '../command-line.ts';
import { canDump, keysOf, makeStore, type Store } from './store.ts';

/* A fresh cluster of the PostgreSQL and TimescaleDB that the next release of Debian has, each newer than those of the tests. */
const canMove = canDump && inject('servers').arePrivate;
const cluster = join(dataFolder, `test-newer-${process.pid}`);

let folder: string;
let backup: string;
let store: Store;
/** The superuser of the newer server, and where its programs are. */
let newer: { DATABASE_ADMIN_URL: string; PATH: string };

beforeAll(async () => {
  if (!canMove) return;
  folder = await mkdtemp(join(tmpdir(), 'voltstream-move-'));
  backup = join(folder, 'copy');
  const PATH = await fetchNewerPostgres((line) => console.log(line));
  const program = (name: string) => join(PATH, name);
  await makeFolder(cluster);
  const { service } = await startPostgres({
    ...{ folder: cluster, program, password: 'newer', settings: {}, rememberedPort: undefined },
    ...{ report: (line) => console.log(line), onBegun: () => {} },
    user: await chooseServerUser(program('postgres'), postgresDirectory(cluster)),
  });
  newer = { DATABASE_ADMIN_URL: service.adminUrl, PATH };
  store = await makeStore();
  await succeed({ DATABASE_OWNER_URL: store.database.ownerUrl }, 'backup', backup);
});
afterAll(async () => {
  if (!canMove) return;
  await store?.close();
  await stopPostgres(cluster);
  for (const path of [folder, cluster]) await rm(path, { recursive: true, force: true });
});

async function succeed(environment: Record<string, string>, ...words: readonly string[]) {
  const { exitCode, stdout, stderr } = await runDatabaseCommand(environment, ...words, '--json');
  expect({ words, exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout);
}

/** What a restore leaves on a server: databases and roles. */
async function madeOn(adminUrl: string, like: string): Promise<string[]> {
  return await withDatabaseClient(adminUrl, async (server) => {
    const { rows } = await server.query<{ name: string }>(
      `SELECT name FROM (SELECT datname::text FROM pg_database UNION ALL SELECT rolname::text FROM pg_roles) AS made (name)
        WHERE name LIKE $1 ORDER BY 1`,
      [like],
    );
    return rows.map(({ name }) => name);
  });
}

/** Every view of an analyst with its rows, less what grows while one looks. */
async function viewsOf(address: string): Promise<[string, string[]][]> {
  return await withDatabaseClient(address, async (analyst) => {
    const { rows: views } = await analyst.query<{ name: string }>(
      'SELECT viewname AS name FROM pg_views WHERE schemaname = current_schema() ORDER BY 1',
    );
    const read: [string, string[]][] = [];
    for (const { name } of views) {
      const { rows } = await analyst.query<{ row: string }>(
        `SELECT (to_jsonb(shown) - 'age_seconds')::text AS row FROM ${name} AS shown ORDER BY 1`,
      );
      read.push([name, rows.map(({ row }) => row)]);
    }
    return read;
  });
}

test.runIf(canMove)('rows of other tables are refused before anything is made', async () => {
  const other = join(folder, 'other');
  await cp(backup, other, { recursive: true });
  const path = join(other, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  const earlier = 'migrations/0001-shared.sql';
  await writeFile(path, JSON.stringify({ ...manifest, migration: earlier }));
  const { exitCode, stderr } = await runDatabaseCommand(newer, 'restore', other);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining(`the tables have to be the same. The backup has them after ${earlier} `),
  ]);
  expect(stderr).toContain(`The backup is of TimescaleDB ${manifest.timescaledb}, the server has `);
  expect(await madeOn(newer.DATABASE_ADMIN_URL, 'voltstream%')).toEqual([]);
});

test.runIf(canMove)(
  'a newer PostgreSQL with a newer TimescaleDB answers what the older one did, and goes on',
  async () => {
    const { api, analyst } = store;
    const [answers, views] = [await store.answersOf(api), await viewsOf(analyst.address)];
    const restored = await succeed(newer, 'restore', backup);
    const role = `voltstream_analyst_${analyst.name}`;
    expect(restored.roles_without_login).toContain(role);
    const mayEnter = await withDatabaseClient(newer.DATABASE_ADMIN_URL, (server) =>
      server.query('SELECT rolcanlogin AS login FROM pg_roles WHERE rolname = $1', [role]),
    );
    expect(mayEnter.rows).toEqual([{ login: false }]);
    const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'));
    const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_MAINTENANCE_URL } = restored;
    const status = await succeed({ DATABASE_OWNER_URL }, 'status');
    expect(Number.parseInt(status.postgresql, 10)).toBeGreaterThan(Number.parseInt(manifest.postgresql, 10));
    expect(status.timescaledb).not.toBe(manifest.timescaledb);

    const { REDIS_URL } = api.deps.config;
    const environment = {
      ...{ ...keysOf(api), APP_ENV: 'test', REDIS_URL, DATABASE_URL, DATABASE_OWNER_URL },
      DATABASE_MAINTENANCE_URL,
    };
    const doctor = await runCommand(environment, 'doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; level: string }[] };
    for (const name of ['versions', 'migrations', 'roles and rights', 'durability', 'keys'])
      expect(checks.filter(({ check }) => check === name)).toMatchObject([{ level: 'ok' }]);

    const rotated = await runCommand(
      environment,
      ...['analysts', 'rotate', analyst.name, '--reason', 'a new server', '--json'],
    );
    expect(await viewsOf(JSON.parse(rotated.stdout).address)).toEqual(views);
    expect(views.filter(([, rows]) => rows.length > 0).length).toBeGreaterThan(3);

    const adminUrl = withDatabase(newer.DATABASE_ADMIN_URL, 'voltstream');
    const again = await startApi({
      environment: keysOf(api),
      database: {
        ...{ name: 'voltstream', adminUrl, ownerUrl: DATABASE_OWNER_URL, appUrl: DATABASE_URL },
        ...{ maintenanceUrl: DATABASE_MAINTENANCE_URL, drop: async () => {} },
      },
    });
    try {
      expect(await again.deps.bootProblems()).toEqual([]);
      expect(await store.answersOf(again)).toEqual(answers);
      /* Counters go on where they were: what is stored now meets nothing that came with the copy. */
      await store.add(again);
    } finally {
      await again.close();
    }
  },
);

test.runIf(canMove)('rows that do not fit into the tables are named, and no database stays', async () => {
  const wider = join(folder, 'wider');
  const asOwner = { DATABASE_OWNER_URL: store.database.ownerUrl };
  const change = (words: string) =>
    withDatabaseClient(store.database.ownerUrl, (owner) => owner.query(`ALTER TABLE job_runs ${words}`));
  await change('ADD COLUMN of_a_customer text');
  await succeed(asOwner, 'backup', wider);
  await change('DROP COLUMN of_a_customer');
  const { exitCode, stderr } = await runDatabaseCommand(newer, 'restore', wider, '--database', 'wider');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(
      /psql ended with 3:\n.*column "of_a_customer" of relation "job_runs" does not exist/,
    ),
  ]);
  expect(await madeOn(newer.DATABASE_ADMIN_URL, 'wider%')).toEqual([]);
});

test.runIf(canMove)(
  'a backup of the newer one is refused by the older one, which keeps nothing',
  async () => {
    const { databaseAdminUrl } = inject('servers');
    const back = join(folder, 'back');
    const database = `moved_back_${process.pid}`;
    const ownerUrl = withDatabase(newer.DATABASE_ADMIN_URL, 'voltstream');
    await succeed({ DATABASE_OWNER_URL: ownerUrl, PATH: newer.PATH }, 'backup', back);
    const { exitCode, stderr } = await runDatabaseCommand(
      { DATABASE_ADMIN_URL: databaseAdminUrl },
      ...['restore', back, '--database', database],
    );
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/The backup is of PostgreSQL (\d+), the server is \d+: \1 or newer is needed\n$/),
    ]);
    expect(await madeOn(databaseAdminUrl, `${database}%`)).toEqual([]);
  },
);
