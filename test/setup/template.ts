import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Engine } from '../../src/platform/database/engine.ts';
import { sqlFolder } from '../../src/platform/database/migration-files.ts';
import {
  initDatabase,
  migrateDatabase,
  withDatabase,
  withDatabaseClient,
} from '../../src/platform/database/setup.ts';
import type { TestServers } from './servers.ts';

/** Decide how a database is created, and so what the template is. */
const setupFiles = ['setup.ts', 'nodes.ts'];

const TEMPLATE_PREFIX = 'voltstream_template_';
export const CLONE_PREFIX = 'voltstream_test_';

/** A migrated database for every text of sql/, made once and cloned for each test file. */
export async function prepareTemplate(
  { databaseAdminUrl: adminUrl, workerAdminUrls, passwords }: TestServers,
  { alone, engine }: { alone: boolean; engine: Engine },
): Promise<string> {
  return await withDatabaseClient(adminUrl, async (server) => {
    const template = `${TEMPLATE_PREFIX}${await hashOfSql(server, engine)}`;
    await lock(server);
    if (alone) await dropRemains(server, template);
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 1) return template;
    const unfinished = `${template}_new`;
    const nodes = [adminUrl, ...workerAdminUrls];
    await onEach(nodes, (node) => node.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`));
    const { ownerUrl } = await initDatabase({ adminUrl, workerAdminUrls, database: unfinished, passwords });
    await migrateDatabase(ownerUrl);
    // The coordinator last: what has its name there is whole.
    await onEach(nodes.reverse(), (node) => turnIntoTemplate(node, unfinished, template));
    return template;
  });
}

/** One after the other: servers that hold one database together. */
export async function onEach(
  adminUrls: readonly string[],
  work: (server: pg.Client) => Promise<unknown>,
): Promise<void> {
  for (const url of adminUrls) await withDatabaseClient(url, work);
}

async function turnIntoTemplate(server: pg.ClientBase, unfinished: string, template: string): Promise<void> {
  // On a server whose background workers run, the scheduler of this database must go before it can be copied.
  await server.query(`ALTER DATABASE ${unfinished} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    unfinished,
  ]);
  await whenFree(() => server.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`));
}

async function hashOfSql(server: pg.ClientBase, engine: Engine): Promise<string> {
  const hash = createHash('sha256');
  const { rows } = await server.query<{ default_version: string }>(
    'SELECT default_version FROM pg_available_extensions WHERE name = $1',
    [engine],
  );
  hash.update(rows[0]?.default_version ?? '');
  for (const name of ['roles.sql', 'migrations', 'repeatable', 'analytics', 'citus']) {
    const files = name.endsWith('.sql') ? [name] : await sqlFilesIn(name);
    for (const file of files) hash.update(`\n-- ${file}\n`).update(await readFile(join(sqlFolder, file)));
  }
  for (const file of setupFiles)
    hash.update(await readFile(join(sqlFolder, '../src/platform/database', file)));
  return hash.digest('hex').slice(0, 16);
}

async function sqlFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(join(sqlFolder, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => join(folder, name));
}

/** Copies the template under a name, on each node with the rights on the database itself, which are not copied with it. */
export async function cloneTemplate(
  { databaseAdminUrl, workerAdminUrls }: TestServers,
  template: string,
  name: string,
): Promise<void> {
  await onEach([...workerAdminUrls, databaseAdminUrl], async (server) => {
    await server.query(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER voltstream_owner`);
    /* As sql/roles.sql and sql/citus/roles.sql give them. */
    const readers =
      workerAdminUrls.length > 0 ? ', voltstream_snapshot_reader, voltstream_analyst_reader' : '';
    await server.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
                        GRANT CONNECT, TEMPORARY ON DATABASE ${name} TO voltstream_app;
                        GRANT CONNECT ON DATABASE ${name} TO voltstream_maintenance${readers}`);
  });
  if (workerAdminUrls.length === 0) return;
  await withDatabaseClient(withDatabase(databaseAdminUrl, name), async (client) => {
    await client.query(`ALTER SERVER voltstream_nodes OPTIONS (SET dbname '${name}')`);
    /* Tests put triggers on tables, as a defect or another program could: Citus hands them on to the shards. */
    await client.query(`ALTER DATABASE ${name} SET citus.enable_unsafe_triggers = on`);
  });
}

export async function dropClone(
  { databaseAdminUrl, workerAdminUrls }: TestServers,
  name: string,
): Promise<void> {
  await onEach([databaseAdminUrl, ...workerAdminUrls], (server) =>
    whenFree(() => server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  );
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

/** A process that was told to end may not have ended yet, and the one that Citus keeps in each database starts again by itself. */
async function whenFree(change: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await change();
      return;
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === '55006';
      if (!isBusy || tries === 50) throw error;
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
    await whenFree(() => server.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}
