import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { engineOf } from '../../platform/database/engine.ts';
import { databaseVersions, migrationStatus } from '../../platform/database/migrate.ts';
import { withDatabaseClient } from '../../platform/database/setup.ts';
import { commandIo } from '../engine/io.ts';
import { packageVersion } from '../engine/version.ts';
import { countRows, DUMP_FILE, digestOf, MANIFEST_FILE, type Manifest } from './manifest.ts';
import { connectionOf, fitProgram, runProgramOf } from './programs.ts';

/**
 * Copies the whole database into a new folder, as it is at one instant, while everything works on. As its owner, who sees
 * every row. Nothing is left of an attempt that failed.
 */
export async function backupDatabase(ownerUrl: string, folder: string): Promise<Manifest> {
  const copy = async (client: pg.Client): Promise<Manifest> => {
    if ((await engineOf(client)) === 'citus')
      throw new Error(
        'On Citus each node is backed up by itself: "Standby servers and backups" of docs/scale-out.md',
      );
    const facts = await findFacts(client);
    const program = await fitProgram('pg_dump', facts.major);
    await makeEmptyFolder(folder);
    let manifest: Manifest;
    try {
      const made = await dumpOneInstant(client, program, ownerUrl, folder);
      const { postgresql, timescaledb } = await databaseVersions(client);
      manifest = {
        format: 1,
        taken_at: made.takenAt,
        database: facts.database,
        postgresql,
        timescaledb: timescaledb ?? '',
        license: facts.license,
        voltstream: packageVersion(),
        migration: made.migration,
        roles: facts.roles,
        tables: made.tables,
        ...(await digestOf(join(folder, DUMP_FILE))),
      };
      await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    } catch (error) {
      /* A folder that is the root of a disk stays, and why the copy failed is what counts. */
      await rm(folder, { recursive: true, force: true }).catch(() => {});
      throw error;
    }
    /* The copy is whole and stays. */
    await recordBackup(client, manifest).catch(({ message }: Error) => {
      commandIo().stderr.write(`warning: cli doctor does not hear of this copy: ${message}\n`);
    });
    return manifest;
  };
  return await withDatabaseClient(ownerUrl, copy, { variable: 'DATABASE_OWNER_URL' });
}

/** Whoever reads it reads all customers: for its owner alone. */
async function makeEmptyFolder(folder: string): Promise<void> {
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0) throw new Error(`The folder ${folder} is not empty: a backup is a new folder`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Rows are counted in the very snapshot that pg_dump copies: the counts are those of the copy. */
async function dumpOneInstant(client: pg.ClientBase, program: string, ownerUrl: string, folder: string) {
  await client.query(
    'SET statement_timeout = 0; SET transaction_timeout = 0; SET idle_in_transaction_session_timeout = 0',
  );
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows } = await client.query<{ snapshot: string; now: Date }>(
    'SELECT pg_export_snapshot() AS snapshot, now() AS now',
  );
  const [{ snapshot, now } = { snapshot: '', now: new Date() }] = rows;
  const { address, environment } = connectionOf(ownerUrl);
  const dump = join(folder, DUMP_FILE);
  /* pg_dump would make a file that others may read, which is seen once it is copied out of its folder. */
  await writeFile(dump, '', { mode: 0o600 });
  await runProgramOf(
    program,
    [
      ...['--format=custom', '--no-password', `--snapshot=${snapshot}`],
      ...[`--file=${dump}`, `--dbname=${address}`],
    ],
    environment,
  );
  const tables = await countRows(client);
  const { applied } = await migrationStatus(client);
  await client.query('COMMIT');
  const migration = applied.filter((name) => name.startsWith('migrations/')).at(-1) ?? '';
  return { takenAt: now.toISOString(), tables, migration };
}

async function findFacts(client: pg.ClientBase) {
  const { rows } = await client.query<{ major: number; database: string; license: string; roles: string[] }>(`
    SELECT current_setting('server_version_num')::integer / 10000 AS major, current_database() AS database,
           current_setting('timescaledb.license', true) AS license,
           ARRAY(SELECT DISTINCT r.rolname::text FROM pg_shdepend AS d JOIN pg_roles AS r ON r.oid = d.refobjid
                  WHERE d.refclassid = 'pg_authid'::regclass
                    AND d.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
                  ORDER BY 1) AS roles`);
  const [facts] = rows;
  if (facts === undefined) throw new Error('The database told nothing about itself');
  return facts;
}

/** Among the finished runs of jobs, which are kept for 90 days: `cli doctor` says when nobody made a copy for too long. */
export const BACKUP_RUN = 'backup-database';

async function recordBackup(client: pg.ClientBase, { taken_at, bytes, tables }: Manifest): Promise<void> {
  await client.query(
    `INSERT INTO job_runs (job, state, attempts, due_at, next_at, started_at, finished_at, result)
     VALUES ($1, 'done', 1, $2, $2, $2, clock_timestamp(), $3)`,
    [BACKUP_RUN, taken_at, { bytes, rows: sumOf(tables) }],
  );
}

/** Rows of all tables. */
export function sumOf(tables: Manifest['tables']): number {
  return Object.values(tables).reduce((sum, count) => sum + count, 0);
}
