import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { migrate, migrationStatus, schemaProblems } from '../../../src/platform/database/migrate.ts';
import {
  keptMigrations,
  MigrationError,
  readMigrations,
  sqlFolder,
} from '../../../src/platform/database/migration-files.ts';
import { migrateDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

let database: TestDatabase;
let folder: string;
let admin: pg.Client;
let owner: pg.Client;

const asAdmin = (text: string) => admin.query(text);

/* One database, one folder and two connections for all tests: what they make goes again, and what they changed is as before. */
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await Promise.all([admin.connect(), owner.connect()]);
  await asAdmin('CREATE TABLE ran_before AS TABLE schema_migrations');
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(sqlFolder, folder, { recursive: true });
});
afterAll(async () => {
  await Promise.all([admin?.end(), owner?.end()]);
  await database?.drop();
  await rm(folder, { recursive: true });
});

const written: string[] = [];

async function write(name: string, text: string): Promise<void> {
  written.push(name);
  await writeFile(join(folder, name), text);
}

afterEach(async () => {
  await asAdmin(`
    DROP VIEW IF EXISTS extra; DROP TABLE IF EXISTS half, things, spans, future, indexed;
    ALTER TABLE households DROP COLUMN IF EXISTS busy;
    DELETE FROM schema_migrations; INSERT INTO schema_migrations TABLE ran_before`);
  for (const name of written.splice(0)) {
    const before = await readFile(join(sqlFolder, name)).catch(() => null);
    if (before === null) await rm(join(folder, name), { force: true });
    else await writeFile(join(folder, name), before);
  }
});

const run = (options: Parameters<typeof migrate>[1] = {}) => migrate(owner, { folder, ...options });

const statusOf = () =>
  withDatabaseClient(database.appUrl, (client) => migrationStatus(client, keptMigrations(folder)));

async function nextName(what: string): Promise<string> {
  const numbered = (await readMigrations(folder)).filter((file) => !file.repeatable);
  return `migrations/${String(numbered.length + 1).padStart(4, '0')}-${what}.sql`;
}

async function add(what: string, text: string): Promise<string> {
  const name = await nextName(what);
  await write(name, text);
  return name;
}

const rowOf = async <Row>(text: string) => (await asAdmin(text)).rows[0] as Row | undefined;

test('a migrated database has nothing left to run', async () => {
  expect(await migrateDatabase(database.ownerUrl)).toEqual([]);
  expect(await withDatabaseClient(database.appUrl, schemaProblems)).toEqual([]);
});

test('a file that fails leaves nothing behind and is named', async () => {
  const name = await add('half', 'CREATE TABLE half (id bigint); SELECT 1 / 0');
  await expect(run()).rejects.toThrow(`${name}: division by zero`);
  expect(await rowOf("SELECT to_regclass('half') AS found")).toEqual({ found: null });
  expect((await statusOf()).pending.map((file) => file.name)).toEqual([name]);
});

test('a file whose rule stored rows break names the rows and what to do; after a correction it runs', async () => {
  await add(
    'spans',
    "CREATE TABLE spans (day daterange); INSERT INTO spans VALUES ('[2026-01-01,)'), ('[2026-05-01,)')",
  );
  await run();
  const name = await add(
    'one-span',
    'ALTER TABLE spans ADD CONSTRAINT one_span EXCLUDE USING gist (day WITH &&)',
  );
  const refusal = await run().catch((error: Error) => error.message);
  expect(refusal).toContain(`${name}: could not create exclusion constraint "one_span"`);
  expect(refusal).toContain('Key (day)=([2026-01-01,)) conflicts with key (day)=([2026-05-01,)).');
  expect(refusal).toContain('Correct the rows ("Update" in docs/deployment.md), then migrate again.');
  await rowOf("UPDATE spans SET day = '[2026-01-01,2026-05-01)' WHERE lower(day) = '2026-01-01'");
  expect(await run()).toEqual([name]);
});

test('a file that changed after it ran stops the runner and the service', async () => {
  await write('migrations/0002-identity.sql', '-- something else');
  await expect(run()).rejects.toThrow('migrations/0002-identity.sql changed after it ran');
  expect((await statusOf()).changed).toEqual(['migrations/0002-identity.sql']);
});

test('a repeatable file runs again when its text changed, and only then', async () => {
  const view = 'repeatable/extra.sql';
  await write(view, 'CREATE OR REPLACE VIEW extra AS SELECT 1 AS a');
  expect(await run()).toEqual([view]);
  await write(view, 'CREATE OR REPLACE VIEW extra AS SELECT 2 AS a');
  expect(await run()).toEqual([view]);
  expect(await rowOf('SELECT a FROM extra')).toEqual({ a: 2 });
  expect(await run()).toEqual([]);
});

test('an older service keeps working on a newer database, but does not migrate it', async () => {
  const newest = await add('future', 'CREATE TABLE future (id bigint)');
  await run();
  await rm(join(folder, newest));
  await expect(run()).rejects.toThrow(`it ran ${newest}`);
  expect(await withDatabaseClient(database.appUrl, schemaProblems)).toEqual([]);
});

test('an older service keeps working where a newer one changed functions alone, and does not put back its own', async () => {
  const view = 'repeatable/extra.sql';
  const version = async (a: number) => await write(view, `CREATE OR REPLACE VIEW extra AS SELECT ${a} AS a`);
  const problems = () =>
    withDatabaseClient(database.appUrl, (client) => schemaProblems(client, keptMigrations(folder)));
  await version(1);
  await run();
  await version(2);
  expect(await problems()).toEqual([expect.stringContaining(`older than this version (${view})`)]);
  await run();
  expect(await problems()).toEqual([]);
  await version(1);
  expect(await problems()).toEqual([]);
  expect(await statusOf()).toMatchObject({ pending: [], unknown: [view] });
  await expect(run()).rejects.toThrow(`The database is newer than this version: it ran ${view}`);
  expect(await rowOf('SELECT a FROM extra')).toEqual({ a: 2 });
});

test('files of the next version beside a process that works, as an update puts them there, are none of its own', async () => {
  const atStart = keptMigrations(folder);
  const problems = (filesOf = atStart) =>
    withDatabaseClient(database.appUrl, (client) => schemaProblems(client, filesOf));
  expect(await problems()).toEqual([]);
  const added = await add('future', 'CREATE TABLE future (id bigint)');
  await write('repeatable/chunks.sql', '-- of the next version');
  expect(await problems()).toEqual([]);
  const [ofNext] = await problems(keptMigrations(folder));
  expect(ofNext).toContain(`older than this version (${added}, repeatable/chunks.sql)`);
});

test('a store of before begins to remember, and a version that is newer says so there', async () => {
  await asAdmin('ALTER TABLE schema_migrations DROP COLUMN earlier');
  await asAdmin("UPDATE schema_migrations SET sha256 = 'x' WHERE name = 'repeatable/chunks.sql'");
  const [problem] = await withDatabaseClient(database.appUrl, schemaProblems);
  expect(problem).toContain('older than this version (repeatable/chunks.sql)');
  expect(await run()).toEqual(['repeatable/chunks.sql']);
  expect(await rowOf("SELECT earlier FROM schema_migrations WHERE name = 'repeatable/chunks.sql'")).toEqual({
    earlier: ['x'],
  });
});

test('a service of a newer version names what is missing and the command', async () => {
  await asAdmin("DELETE FROM schema_migrations WHERE name = 'migrations/0021-platform.sql'");
  const [problem, ...others] = await withDatabaseClient(database.appUrl, schemaProblems);
  expect(problem).toContain('migrations/0021-platform.sql');
  expect(problem).toContain('npm run db -- migrate');
  expect(others).toEqual([]);
});

test('F30 what waits for a busy table gives up three times, then says so; later it runs', async () => {
  const name = await add('busy', 'ALTER TABLE households ADD COLUMN busy text');
  await withDatabaseClient(database.adminUrl, async (client) => {
    await client.query('BEGIN; LOCK TABLE households IN ACCESS SHARE MODE');
    const startedAt = performance.now();
    await expect(run({ lockTimeoutMilliseconds: 100 })).rejects.toMatchObject({ code: '55P03' });
    expect(performance.now() - startedAt).toBeGreaterThan(300);
  });
  expect(await run()).toEqual([name]);
});

test('an index that an interrupted run left invalid is built again', async () => {
  await add(
    'table',
    'CREATE TABLE indexed (id bigint, other bigint); INSERT INTO indexed VALUES (1, 1), (1, 2)',
  );
  const name = await add(
    'index',
    '-- outside a transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_id ON indexed (id)',
  );
  await expect(run()).rejects.toMatchObject({ code: '23505' });
  const valid = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'by_id'::regclass";
  expect(await rowOf(valid)).toEqual({ valid: false });
  await rowOf('DELETE FROM indexed WHERE other = 2');
  expect(await run()).toEqual([name]);
  expect(await rowOf(valid)).toEqual({ valid: true });
});

test('only the owner of the tables migrates', async () => {
  for (const url of [database.adminUrl, database.appUrl, database.maintenanceUrl]) {
    const attempt = withDatabaseClient(url, (client) => migrate(client));
    await expect(attempt).rejects.toThrow(MigrationError);
    await expect(attempt).rejects.toThrow('Migrations run as voltstream_owner');
  }
});

test('files are named and numbered without a gap', async () => {
  await write('migrations/0099-gap.sql', 'SELECT 1');
  await expect(readMigrations(folder)).rejects.toThrow('numbered without a gap');
});
