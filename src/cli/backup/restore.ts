import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { loadedEngine } from '../../platform/database/engine.ts';
import { compareMigrations } from '../../platform/database/migrate.ts';
import { ownMigrations } from '../../platform/database/migration-files.ts';
import {
  type DatabaseAddresses,
  initDatabase,
  type RolePasswords,
  withDatabase,
  withDatabaseClient,
} from '../../platform/database/setup.ts';
import { packageVersion } from '../engine/version.ts';
import { countRows, DUMP_FILE, listTables, type Manifest, readManifest } from './manifest.ts';
import { connectionOf, fitProgram, runProgramOf } from './programs.ts';
import { migrateAsOwner, type RowPrograms, ranMigrations, refillRows } from './rows.ts';

/*
 * A backup becomes a database under another name, is compared with its manifest, and gets its name last of all. A restore
 * that fails or is killed on the way never had the name by which anybody looks for it.
 */

interface RestoreOptions {
  /** A superuser's. */
  adminUrl: string;
  database: string;
  /** Of roles, where their addresses are given. */
  passwords: Partial<RolePasswords>;
  folder: string;
  report(line: string): void;
}

export interface RestoredDatabase extends DatabaseAddresses {
  manifest: Manifest;
  /** Roles of logins that the server did not have: without a password, and nobody signs in. */
  roles: string[];
  unchanged: (keyof RolePasswords)[];
}

export async function restoreDatabase(options: RestoreOptions): Promise<RestoredDatabase> {
  const { adminUrl, database, folder, report } = options;
  report('Comparing the files with the manifest');
  const manifest = await readManifest(folder);
  const restore = async (server: pg.Client): Promise<RestoredDatabase> => {
    const dump = join(folder, DUMP_FILE);
    const programs = await refuseUnfit(server, manifest, dump);
    await server.query("SELECT pg_advisory_lock(hashtextextended('voltstream restore', 0))");
    await refuseFull(server, adminUrl, database);
    const unfinished = `${database}_restoring`;
    await dropDatabase(server, unfinished);
    try {
      report('Making roles, extensions and rights');
      const init = { adminUrl, database: unfinished, passwords: options.passwords };
      const url = withDatabase(adminUrl, unfinished);
      const isByRows = 'psql' in programs;
      const addresses = await initDatabase({
        ...init,
        ...(isByRows ? {} : { timescaledb: manifest.timescaledb }),
      });
      const roles = await makeMissingRoles(server, manifest.roles);
      report(`Restoring ${manifest.bytes.toLocaleString('en')} bytes`);
      await (isByRows ? refillRows(programs, url, dump) : refill(programs.restore, url, dump));
      // Brings TimescaleDB from the version of the backup to that of the server, and gives the owner the accounts of analysts.
      await initDatabase(init);
      report('Counting the rows of every table');
      await compareCounts(url, manifest);
      // The views of analysts, which are no rows.
      if (isByRows) await migrateAsOwner(url);
      // Views give their analysts the right to sign in.
      for (const role of roles) await server.query(`ALTER ROLE ${pg.escapeIdentifier(role)} NOLOGIN`);
      await refuseFull(server, adminUrl, database);
      await giveName(server, unfinished, database);
      const named = (url: string) => withDatabase(url, database);
      return {
        ...{ manifest, roles, unchanged: addresses.unchanged },
        ownerUrl: named(addresses.ownerUrl),
        appUrl: named(addresses.appUrl),
        maintenanceUrl: named(addresses.maintenanceUrl),
      };
    } catch (error) {
      await dropDatabase(server, unfinished);
      throw error;
    }
  };
  return await withDatabaseClient(adminUrl, restore, { variable: 'DATABASE_ADMIN_URL' });
}

/**
 * TimescaleDB's own tables are part of the copy: only the version that wrote them reads them, so that the server has to bring
 * it as well. A server that has newer ones only is given the rows alone, where nothing else stands in the way. Gives the
 * programs that fit.
 */
async function refuseUnfit(
  server: pg.ClientBase,
  manifest: Manifest,
  dump: string,
): Promise<RowPrograms | { restore: string }> {
  if ((await loadedEngine(server)) === 'citus')
    throw new Error('This is a backup of TimescaleDB, and the server has loaded citus');
  const { rows } = await server.query<{ major: number; versions: string[]; license: string }>(`
    SELECT current_setting('server_version_num')::integer / 10000 AS major,
           ARRAY(SELECT version FROM pg_available_extension_versions WHERE name = 'timescaledb') AS versions,
           current_setting('timescaledb.license', true) AS license`);
  const { major, versions, license } = rows[0] ?? { major: 0, versions: [], license: '' };
  const majorMin = Number.parseInt(manifest.postgresql, 10);
  if (major < majorMin)
    throw new Error(
      `The backup is of PostgreSQL ${majorMin}, the server is ${major}: ${majorMin} or newer is needed`,
    );
  if (manifest.license === 'timescale' && license !== 'timescale')
    throw new Error(
      'The backup is of the Community edition, whose compressed rows the Apache edition cannot read',
    );
  const hasVersion = versions.includes(manifest.timescaledb);
  if (!hasVersion) await refuseMoreThanRows(manifest, versions);
  const restore = await fitProgram('pg_restore', major);
  if (hasVersion) return { restore };
  await refuseNewer(restore, dump);
  return { restore, psql: await fitProgram('psql', major) };
}

const WITH_ITS_VERSION = 'restore with the version of the backup';

const byNumber = new Intl.Collator('en', { numeric: true });

/** Rows that an older version compressed are no text, and tables of another schema may not take them. */
async function refuseMoreThanRows(manifest: Manifest, versions: readonly string[]): Promise<void> {
  const { timescaledb, license, voltstream, migration } = manifest;
  const found = versions.toSorted(byNumber.compare).join(', ') || 'none';
  const fact = `The backup is of TimescaleDB ${timescaledb}, the server has ${found}`;
  if (!versions.some((version) => byNumber.compare(version, timescaledb) > 0))
    throw new Error(`${fact}: that version or a newer one is needed`);
  if (license === 'timescale')
    throw new Error(`${fact}: install that version beside it, no other reads compressed rows`);
  const newest = (await ownMigrations('timescaledb')).findLast((file) => !file.repeatable)?.name;
  if (migration === newest) return;
  const way =
    byNumber.compare(migration, newest ?? '') > 0
      ? WITH_ITS_VERSION
      : `run migrate of this version on the original, or on a restore of this backup on a server with TimescaleDB ${timescaledb}, and back that up`;
  throw new Error(
    `${fact}: rows alone go into the newer one, and the tables have to be the same. The backup has them after ${migration} (Voltstream ${voltstream}), this version after ${newest} (${packageVersion()}): ${way}`,
  );
}

/** Behind the last numbered file views and functions may be newer, which only the last step would find, behind all rows. */
async function refuseNewer(program: string, dump: string): Promise<void> {
  const files = await ownMigrations('timescaledb');
  const { changed, unknown } = compareMigrations(files, await ranMigrations(program, dump));
  const others = [...changed, ...unknown].join(', ');
  if (others !== '')
    throw new Error(`The backup is newer than this version, by ${others}: ${WITH_ITS_VERSION}`);
}

async function refuseFull(server: pg.ClientBase, adminUrl: string, database: string): Promise<void> {
  if (!(await exists(server, database))) return;
  const [table] = await withDatabaseClient(withDatabase(adminUrl, database), listTables);
  if (table !== undefined)
    throw new Error(
      `The database ${database} is not empty (it has ${table.schema}.${table.name}): restore beside it with --database, compare both, then rename them`,
    );
}

async function exists(server: pg.ClientBase, database: string): Promise<boolean> {
  const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  return rowCount === 1;
}

async function dropDatabase(server: pg.ClientBase, database: string): Promise<void> {
  await server.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`);
}

/** Rights in a copy name roles of its server. Those that are no roles of the service get no login. */
async function makeMissingRoles(server: pg.ClientBase, roles: readonly string[]): Promise<string[]> {
  const { rows } = await server.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE name NOT IN (SELECT rolname FROM pg_roles)',
    [roles],
  );
  for (const { name } of rows) await server.query(`CREATE ROLE ${pg.escapeIdentifier(name)} NOLOGIN`);
  return rows.map(({ name }) => name);
}

/** One program at a time: side by side it puts TimescaleDB's own tables back in the wrong order. */
async function refill(program: string, url: string, dump: string): Promise<void> {
  await withDatabaseClient(url, (client) => client.query('SELECT timescaledb_pre_restore()'));
  const { address, environment } = connectionOf(url);
  await runProgramOf(program, ['--exit-on-error', '--no-password', `--dbname=${address}`, dump], environment);
  await withDatabaseClient(url, (client) => client.query('SELECT timescaledb_post_restore()'));
  await withDatabaseClient(url, (client) => client.query('ANALYZE'));
}

async function compareCounts(url: string, { tables }: Manifest): Promise<void> {
  const found = await withDatabaseClient(url, countRows);
  const names = [...new Set([...Object.keys(tables), ...Object.keys(found)])].sort();
  const different = names.filter((name) => tables[name] !== found[name]);
  if (different.length === 0) return;
  const lines = different.map(
    (name) => `${name}: ${found[name] ?? 'missing'}, not ${tables[name] ?? 'there'}`,
  );
  throw new Error(`What was restored is not what was backed up:\n${lines.join('\n')}`);
}

const NAMING_TRIES = 20;
const NAMING_PAUSE_MILLISECONDS = 250;

/** TimescaleDB's scheduler connects to a database that has its extension: a name is given when it is not there. */
async function giveName(server: pg.ClientBase, unfinished: string, database: string): Promise<void> {
  await dropDatabase(server, database);
  for (let tries = 1; ; tries += 1) {
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      unfinished,
    ]);
    try {
      await server.query(
        `ALTER DATABASE ${pg.escapeIdentifier(unfinished)} RENAME TO ${pg.escapeIdentifier(database)}`,
      );
      return;
    } catch (error) {
      if (tries === NAMING_TRIES) throw error;
      await wait(NAMING_PAUSE_MILLISECONDS);
    }
  }
}
