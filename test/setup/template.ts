import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { sqlFolder } from '../../src/platform/database/migrate.ts';
import { initDatabase, migrateDatabase, withDatabaseClient } from '../../src/platform/database/setup.ts';
import type { TestServers } from './servers.ts';

/** Decides how a database is created, and so what the template is. */
const setupFile = join(sqlFolder, '../src/platform/database/setup.ts');

const TEMPLATE_PREFIX = 'voltstream_template_';
export const CLONE_PREFIX = 'voltstream_test_';

/** A migrated database for every text of sql/, made once and cloned for each test file. */
export async function prepareTemplate(
  { databaseAdminUrl: adminUrl, passwords }: TestServers,
  { alone }: { alone: boolean },
): Promise<string> {
  return await withDatabaseClient(adminUrl, async (server) => {
    const template = `${TEMPLATE_PREFIX}${await hashOfSql(server)}`;
    await lock(server);
    if (alone) await dropRemains(server, template);
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 1) return template;
    const unfinished = `${template}_new`;
    await server.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    const { ownerUrl } = await initDatabase({ adminUrl, database: unfinished, passwords });
    await migrateDatabase(ownerUrl);
    // On a server whose background workers run, the scheduler of this database must go before it can be copied.
    await server.query(`ALTER DATABASE ${unfinished} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      unfinished,
    ]);
    await renameWhenFree(server, unfinished, template);
    return template;
  });
}

async function hashOfSql(server: pg.ClientBase): Promise<string> {
  const hash = createHash('sha256');
  const { rows } = await server.query<{ default_version: string }>(
    "SELECT default_version FROM pg_available_extensions WHERE name = 'timescaledb'",
  );
  hash.update(rows[0]?.default_version ?? '');
  for (const name of ['roles.sql', 'migrations', 'repeatable', 'analytics']) {
    const files = name.endsWith('.sql')
      ? [name]
      : (await readdir(join(sqlFolder, name))).sort().map((file) => join(name, file));
    for (const file of files) hash.update(`\n-- ${file}\n`).update(await readFile(join(sqlFolder, file)));
  }
  hash.update(await readFile(setupFile));
  return hash.digest('hex').slice(0, 16);
}

/** As sql/roles.sql gives them: rights on the database itself are not copied with it. */
export function databaseRights(name: string): string {
  return `REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
          GRANT CONNECT, TEMPORARY ON DATABASE ${name} TO voltstream_app;
          GRANT CONNECT ON DATABASE ${name} TO voltstream_maintenance`;
}

/** Asked for, not waited for: CREATE DATABASE of another run must not find a waiting transaction. */
async function lock(server: pg.ClientBase): Promise<void> {
  for (;;) {
    const { rows } = await server.query<{ held: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('voltstream test template', 0)) AS held",
    );
    if (rows[0]?.held) return;
    await wait(50);
  }
}

async function renameWhenFree(server: pg.ClientBase, from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await server.query(`ALTER DATABASE ${from} RENAME TO ${to}`);
      return;
    } catch (error) {
      // 55006: a process that was told to end has not ended yet.
      const busy = error instanceof pg.DatabaseError && error.code === '55006';
      if (!busy || tries === 50) throw error;
      await wait(20);
    }
  }
}

/** Clones of runs that were killed, and templates of an older text. */
async function dropRemains(server: pg.ClientBase, template: string): Promise<void> {
  const { rows } = await server.query<{ name: string; is_template: boolean }>(
    'SELECT datname AS name, datistemplate AS is_template FROM pg_database WHERE (starts_with(datname, $1) OR starts_with(datname, $2)) AND datname <> $3',
    [TEMPLATE_PREFIX, CLONE_PREFIX, template],
  );
  for (const { name, is_template } of rows) {
    if (is_template) await server.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE false`);
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}
