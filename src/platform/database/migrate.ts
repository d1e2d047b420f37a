import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { adoptBaseline } from './baseline.ts';
import { engineOf, findEngine, type Queryable } from './engine.ts';
import {
  keptMigrations,
  type Migration,
  MigrationError,
  type MigrationFiles,
  ownMigrations,
} from './migration-files.ts';
import { SQLSTATE, sqlState } from './pg-errors.ts';

/*
 * Migrations: numbered files run once, repeatable ones again whenever their text changes, those of the analysts' views all
 * together whenever the text of one changes. A version whose repeatable text ran here once, and was replaced, is an older
 * one: its processes go on, and do not put their text back. The role that owns the tables runs them; a service process only
 * asks whether the schema is the one it was written for.
 */

const OUTSIDE_TRANSACTION = '-- outside a transaction';
const CONCURRENT_INDEX = /CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/i;
const OWNER_ROLE = 'voltstream_owner';
const LOCK_TIMEOUT_MILLISECONDS = 5_000;
const LOCK_TRIES = 3;
/** Class of SQLSTATE: a constraint does not hold. */
const INTEGRITY_CLASS = '23';
const LOCK_POLL_MILLISECONDS = 100;

export interface MigrationStatus {
  applied: string[];
  /** Would run: numbered ones that did not yet, repeatable ones whose text changed. */
  pending: Migration[];
  /** Ran with another text than the file has today. */
  changed: string[];
  /** Ran, but this version of the service does not have them, or has a repeatable one as it was before: the database is newer. */
  unknown: string[];
}

/** A row of `schema_migrations`. */
export interface RanMigration {
  name: string;
  sha256: string;
  /** Null where a version that did not keep them migrated last. */
  earlier: string[] | null;
}

/** Compares the files with what the database says it ran; needs no right but to read `schema_migrations`. */
export async function migrationStatus(
  database: Queryable,
  filesOf: MigrationFiles = ownMigrations,
): Promise<MigrationStatus> {
  const files = await filesOf((await findEngine(database)) ?? undefined);
  const { rows: found } = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('public.schema_migrations') IS NOT NULL AS exists",
  );
  const { rows } = found[0]?.exists
    ? await database.query<RanMigration>(
        /* As JSON: the column may be missing. */
        "SELECT name, sha256, to_jsonb(ran) -> 'earlier' AS earlier FROM schema_migrations AS ran ORDER BY name",
      )
    : { rows: [] };
  return compareMigrations(files, rows);
}

export function compareMigrations(
  files: readonly Migration[],
  rows: readonly RanMigration[],
): MigrationStatus {
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const earlier = new Map(rows.map((row) => [row.name, row.earlier]));
  const known = new Set(files.map((file) => file.name));
  const differs = (file: Migration) => applied.has(file.name) && applied.get(file.name) !== file.sha256;
  const isReplaced = (file: Migration) => earlier.get(file.name)?.includes(file.sha256) === true;
  return {
    applied: [...applied.keys()],
    pending: files.filter(
      (file) => !applied.has(file.name) || (file.repeatable && differs(file) && !isReplaced(file)),
    ),
    changed: files.filter((file) => !file.repeatable && differs(file)).map((file) => file.name),
    unknown: [
      ...[...applied.keys()].filter((name) => !known.has(name)),
      ...files.filter(isReplaced).map((file) => file.name),
    ],
  };
}

/**
 * The reasons for which a service process of this version cannot work with the database; empty when there are none. A newer
 * schema is no reason: while an upgrade rolls out, old processes run beside new ones.
 */
export async function schemaProblems(database: Queryable, filesOf?: MigrationFiles): Promise<string[]> {
  const { pending, changed, unknown } = await migrationStatus(database, filesOf);
  const missing = pending.filter((file) => !file.repeatable || unknown.length === 0).map((file) => file.name);
  const problems: string[] = [];
  if (missing.length > 0) {
    problems.push(`The schema is older than this version (${missing.join(', ')}): run npm run db -- migrate`);
  }
  if (changed.length > 0) problems.push(`Migrations were changed after they ran: ${changed.join(', ')}`);
  return problems;
}

/** For people: what the database is. */
export async function databaseVersions(
  database: Queryable,
): Promise<{ postgresql: string; timescaledb: string | null; citus: string | null }> {
  const { rows } = await database.query<{
    postgresql: string;
    timescaledb: string | null;
    citus: string | null;
  }>(`
    SELECT current_setting('server_version') AS postgresql,
           (SELECT extversion FROM pg_extension WHERE extname = 'timescaledb') AS timescaledb,
           (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS citus`);
  return rows[0] ?? { postgresql: 'unknown', timescaledb: null, citus: null };
}

interface MigrateOptions {
  folder?: string;
  /** How long a statement waits behind a busy table before it lets the others pass. */
  lockTimeoutMilliseconds?: number;
  report?: (line: string) => void;
}

/** Brings the schema up to date and returns the names of the files that ran. Any number may be started at once. */
export async function migrate(client: pg.ClientBase, options: MigrateOptions = {}): Promise<string[]> {
  const lockTimeout = options.lockTimeoutMilliseconds ?? LOCK_TIMEOUT_MILLISECONDS;
  await client.query(`SET statement_timeout = 0; SET lock_timeout = ${lockTimeout}; SET TimeZone = 'UTC'`);
  await refuseOtherRoles(client);
  const engine = await engineOf(client);
  const filesOf = options.folder === undefined ? ownMigrations : keptMigrations(options.folder);
  /* Nearly all that migrations make stays on the coordinator; files that make something on every node say so. */
  if (engine === 'citus') await client.query('SET citus.enable_ddl_propagation = off');
  return await whileLocked(client, async () => {
    await withTries(() => rememberRuns(client));
    await adoptBaseline(client, await filesOf(engine));
    /* Of before the files of views stood in folders of districts. They run all together, under the names of today. */
    await client.query("DELETE FROM schema_migrations WHERE name ~ '^analytics/[0-9]'");
    const { pending, changed, unknown } = await migrationStatus(client, filesOf);
    if (changed.length > 0) {
      throw new MigrationError(`${changed.join(', ')} changed after it ran: write a new migration instead`);
    }
    if (unknown.length > 0) {
      throw new MigrationError(`The database is newer than this version: it ran ${unknown.join(', ')}`);
    }
    for (const file of pending.filter((migration) => !migration.repeatable)) {
      options.report?.(file.name);
      if (file.text.startsWith(OUTSIDE_TRANSACTION)) await runOutsideTransaction(client, file);
      else await inOneTransaction(client, [file]);
    }
    const repeatable = pending.filter((migration) => migration.repeatable);
    for (const file of repeatable) options.report?.(file.name);
    const plain = repeatable.filter((migration) => !migration.ofAnalytics);
    if (plain.length > 0) await inOneTransaction(client, plain);
    const ofAnalytics = (await filesOf(engine)).filter((migration) => migration.ofAnalytics);
    await remakeAnalytics(client, repeatable, ofAnalytics);
    return pending.map((file) => file.name);
  });
}

/** The table of what ran. `earlier` only where it is missing: a backup that is under way would be waited for. */
async function rememberRuns(client: pg.ClientBase): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
      earlier text[] NOT NULL DEFAULT '{}'
    );
    GRANT SELECT ON schema_migrations TO voltstream_app, voltstream_maintenance;
    COMMENT ON TABLE schema_migrations IS 'Files of sql/ that ran in this database.';
    COMMENT ON COLUMN schema_migrations.name IS 'Folder and file.';
    COMMENT ON COLUMN schema_migrations.sha256 IS 'Hash of the text that ran.';
    COMMENT ON COLUMN schema_migrations.applied_at IS 'Instant of the run.'`);
  const { rowCount } = await client.query(
    "SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'earlier'",
  );
  if (rowCount === 0)
    await client.query("ALTER TABLE schema_migrations ADD COLUMN earlier text[] NOT NULL DEFAULT '{}'");
  await client.query(
    "COMMENT ON COLUMN schema_migrations.earlier IS 'Hashes of the texts that ran before: a version that has one of them is older.'",
  );
}

/** A superuser would own what it makes; a role that row-level security binds would change 0 rows and call it done. */
async function refuseOtherRoles(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; bypasses: boolean }>(
    'SELECT rolname AS name, rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
  );
  const role = rows[0];
  if (role?.name === OWNER_ROLE && role.bypasses) return;
  throw new MigrationError(
    `Migrations run as ${OWNER_ROLE} with BYPASSRLS, not as ${role?.name}: see DATABASE_OWNER_URL, or run npm run db -- init`,
  );
}

/**
 * Asked for again and again: a waiting `pg_advisory_lock` holds a snapshot, and CREATE INDEX CONCURRENTLY of the
 * runner that has the lock waits for that snapshot. Measured: 16 of 20 runners ended in a deadlock.
 */
async function whileLocked<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  const key = "hashtextextended('voltstream migrations', 0)";
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${key}) AS held`);
    if (rows[0]?.held) break;
    await wait(LOCK_POLL_MILLISECONDS);
  }
  try {
    return await work();
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${key})`);
  }
}

/** Work that waits for a busy table gives up after the lock time-out, lets the others pass, and tries again. */
async function withTries(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const state = sqlState(error);
      const busy = state === SQLSTATE.lockNotAvailable || state === SQLSTATE.deadlockDetected;
      if (!busy || tries === LOCK_TRIES) throw error;
    }
  }
}

async function inOneTransaction(
  client: pg.ClientBase,
  files: readonly Migration[],
  first?: Pick<Migration, 'name' | 'text'>,
): Promise<void> {
  await withTries(async () => {
    await client.query('BEGIN');
    try {
      if (first !== undefined) await runFile(client, first);
      for (const file of files) {
        await runFile(client, file);
        await record(client, file);
      }
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  });
}

/**
 * The views of analysts, where their text changed or a migration took them away. Those of each organization go and come in
 * transactions of their own, because each view takes a lock, and the server has room for some thousands. What an
 * interruption leaves out, the next run makes.
 */
async function remakeAnalytics(
  client: pg.ClientBase,
  pending: readonly Migration[],
  all: readonly Migration[],
): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regnamespace('analytics') IS NOT NULL AS exists",
  );
  const exists = rows[0]?.exists === true;
  if (!exists || pending.some((migration) => migration.ofAnalytics)) {
    await dropAnalystSchemas(client);
    const clear = { name: 'analytics', text: 'DROP SCHEMA IF EXISTS analytics CASCADE' };
    await inOneTransaction(client, all, clear);
  }
  await makeMissingAnalystSchemas(client);
}

/**
 * The schemas of analysts, one for each organization, go before the views that they build on are made anew. A statement that
 * waits behind a running query of an analyst gives up and is tried again.
 */
async function dropAnalystSchemas(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE starts_with(nspname, 'analytics_org_')",
  );
  for (const { name } of rows) {
    await withTries(async () => {
      await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    });
  }
}

/** Made out of the views of sql/analytics by sql/repeatable/analyst-schemas.sql. */
async function makeMissingAnalystSchemas(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ organization: string }>(
    'SELECT organization FROM public.missing_analyst_schemas()',
  );
  for (const { organization } of rows) {
    await withTries(async () => {
      await client.query('SELECT public.make_analyst_schema($1)', [organization]);
    });
  }
}

/** One statement, guarded by itself: nothing undoes it when it fails halfway. */
async function runOutsideTransaction(client: pg.ClientBase, file: Migration): Promise<void> {
  await withTries(async () => {
    const index = CONCURRENT_INDEX.exec(file.text)?.[1];
    if (index !== undefined) await dropInvalidIndex(client, index);
    await runFile(client, file);
  });
  await record(client, file);
}

/** An interrupted build leaves an index that IF NOT EXISTS takes for a good one. */
async function dropInvalidIndex(client: pg.ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ index: string }>(
    'SELECT indexrelid::regclass::text AS index FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [name],
  );
  for (const row of rows) await client.query(`DROP INDEX CONCURRENTLY ${row.index}`);
}

async function runFile(client: pg.ClientBase, file: Pick<Migration, 'name' | 'text'>): Promise<void> {
  try {
    await client.query(file.text);
  } catch (error) {
    if (error instanceof pg.DatabaseError) error.message = `${file.name}: ${error.message}${remedyOf(error)}`;
    throw error;
  }
}

/** A new rule that stored rows break: which ones, and that nothing but them stands in the way. */
function remedyOf({ code, detail }: pg.DatabaseError): string {
  if (code?.startsWith(INTEGRITY_CLASS) !== true) return '';
  const rows = detail === undefined ? '' : `\n${detail}`;
  return `${rows}\nStored rows break this rule, and nothing of the file was kept. Correct the rows ("Update" in docs/deployment.md), then migrate again.`;
}

async function record(client: pg.ClientBase, { name, sha256 }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, applied_at = now(),
       earlier = array_remove(schema_migrations.earlier || schema_migrations.sha256, excluded.sha256)`,
    [name, sha256],
  );
}
