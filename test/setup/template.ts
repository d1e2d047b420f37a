import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../src/platform/database/db.ts';
import type { Engine } from '../../src/platform/database/engine.ts';
import { sqlFolder } from '../../src/platform/database/migration-files.ts';
import {
  initDatabase,
  migrateDatabase,
  roleAddress,
  withDatabase,
  withDatabaseClient,
} from '../../src/platform/database/setup.ts';
import { importFirstReferenceData } from '../../src/tariffs/reference-data/files/import.ts';
import { administrator, CONNECTS_WITHIN, endConnections } from './administrator.ts';
import type { TestServers } from './servers.ts';

/** Decide how a database is created, and so what the template is. */
const setupFiles = ['setup.ts', 'nodes.ts'];

const referenceFolder = join(sqlFolder, '../reference');

const TEMPLATE_PREFIX = 'voltstream_template_';
const CLONE_PREFIX = 'voltstream_test_';

/** Names of the databases that are cloned. */
export interface Templates {
  /** Migrated, without rows. */
  empty: string;
  /** With the reference data of the project besides. */
  withReferenceData: string;
}

/** Made once for every text of sql/ and every file of reference/, and cloned for each test file. */
export async function prepareTemplates(
  servers: TestServers,
  { alone, engine }: { alone: boolean; engine: Engine },
): Promise<Templates> {
  const { databaseAdminUrl: adminUrl, workerAdminUrls, passwords } = servers;
  return await withDatabaseClient(
    adminUrl,
    async (server) => {
      const empty = `${TEMPLATE_PREFIX}${await hashOfSql(server, engine)}`;
      const withReferenceData = `${empty}_${await hashOfReferenceData()}`;
      await lock(server);
      if (alone) await dropRemains(server, [empty, withReferenceData]);
      const nodes = [adminUrl, ...workerAdminUrls];
      await makeTemplate(server, nodes, empty, async (database) => {
        const { ownerUrl } = await initDatabase({ adminUrl, workerAdminUrls, database, passwords });
        await migrateDatabase(ownerUrl);
      });
      await makeTemplate(server, nodes, withReferenceData, async (database) => {
        await cloneTemplate(servers, empty, database);
        await takeInReferenceData(roleAddress(adminUrl, database, 'app', passwords.app));
      });
      return { empty, withReferenceData };
    },
    CONNECTS_WITHIN,
  );
}

async function makeTemplate(
  server: pg.ClientBase,
  nodes: readonly string[],
  template: string,
  make: (database: string) => Promise<void>,
): Promise<void> {
  const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [template]);
  if (rowCount === 1) return;
  const unfinished = `${template}_new`;
  await onEach(nodes, (node) => node.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`));
  await make(unfinished);
  // The coordinator last: what has its name there is whole.
  await onEach(nodes.toReversed(), (node) => turnIntoTemplate(node, unfinished, template));
}

/** Before the days at which the clocks of tests stand. */
const TAKEN_IN_AT = '2024-01-01T00:00:00Z';

async function takeInReferenceData(url: string): Promise<void> {
  const database = openDatabase({
    ...{ url, applicationName: 'test-reference-data', connectionsMax: 1 },
    ...CONNECTS_WITHIN,
    onError: () => {},
  });
  try {
    const act = { staff: 'tests', reason: 'test', command: 'test', now: TAKEN_IN_AT };
    const report = await importFirstReferenceData(database, referenceFolder, act);
    if (report?.problems.length !== 0) throw new Error(`reference/ has problems: ${JSON.stringify(report)}`);
  } finally {
    await database.close();
  }
}

/** One after the other: servers that hold one database together. */
export async function onEach(
  adminUrls: readonly string[],
  work: (server: pg.Client) => Promise<unknown>,
): Promise<void> {
  for (const url of adminUrls) await withDatabaseClient(url, work, CONNECTS_WITHIN);
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

/** Of the files, and of the code that takes them in. */
async function hashOfReferenceData(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of [referenceFolder, join(referenceFolder, '../src/tariffs/reference-data/files')]) {
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) hash.update(await readFile(join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest('hex').slice(0, 8);
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
  for (const url of [...workerAdminUrls, databaseAdminUrl]) {
    const server = administrator(url);
    await server.query(
      `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy OWNER voltstream_owner`,
    );
    /* As sql/roles.sql and sql/citus/roles.sql give them. */
    const readers =
      workerAdminUrls.length > 0 ? ', voltstream_snapshot_reader, voltstream_analyst_reader' : '';
    await server.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
                        GRANT CONNECT ON DATABASE ${name} TO voltstream_app, voltstream_maintenance${readers}`);
  }
  if (workerAdminUrls.length === 0) return;
  await withDatabaseClient(
    withDatabase(databaseAdminUrl, name),
    async (client) => {
      await client.query(`ALTER SERVER voltstream_nodes OPTIONS (SET dbname '${name}')`);
      /* Tests put triggers on tables, as a defect or another program could: Citus hands them on to the shards. */
      await client.query(`ALTER DATABASE ${name} SET citus.enable_unsafe_triggers = on`);
    },
    CONNECTS_WITHIN,
  );
}

export async function dropClone(
  { databaseAdminUrl, workerAdminUrls }: TestServers,
  name: string,
): Promise<void> {
  for (const url of [databaseAdminUrl, ...workerAdminUrls]) {
    await whenFree(() => administrator(url).query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  }
}

/** How the names of databases begin that one run makes. */
export const clonesOf = (run: string): string => `${CLONE_PREFIX}${run}_`;

/** Those of services that files share: nobody knows which file is the last one. */
export async function dropClonesOf(run: string, servers: TestServers): Promise<void> {
  const { rows } = await administrator(servers.databaseAdminUrl).query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [clonesOf(run)],
  );
  for (const { name } of rows) await dropClone(servers, name);
  await endConnections([servers.databaseAdminUrl]);
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
async function dropRemains(server: pg.ClientBase, templates: readonly string[]): Promise<void> {
  const { rows } = await server.query<{ name: string; is_template: boolean }>(
    'SELECT datname AS name, datistemplate AS is_template FROM pg_database WHERE (starts_with(datname, $1) OR starts_with(datname, $2)) AND datname <> ALL ($3)',
    [TEMPLATE_PREFIX, CLONE_PREFIX, templates],
  );
  for (const { name, is_template } of rows) {
    if (is_template) await server.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE false`);
    await whenFree(() => server.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}
