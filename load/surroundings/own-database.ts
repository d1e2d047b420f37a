import type pg from 'pg';
import { isAlive } from '../../scripts/local-services/server-processes.ts';
import { initDatabase, migrateDatabase, withDatabase } from '../../src/platform/database/setup.ts';
import type { Cleanup } from './cleanup.ts';
import { connect } from './connect.ts';
import { type DatabaseServers, dropDatabase, dropWhenFree } from './drop-database.ts';
import { WrongUse } from './failures.ts';

/** `voltstream_load_<process>_<number>`. */
const PREFIX = 'voltstream_load_';

export interface OwnDatabase {
  name: string;
  /** As the administrator, for counting and for `\copy`. */
  url: string;
  /** The same on each worker of Citus. */
  workerUrls: readonly string[];
  /** As the service. */
  appUrl: string;
  /** As the job that sums and removes. */
  maintenanceUrl: string;
  /** As the one who makes accounts of analysts. */
  ownerUrl: string;
}

let made = 0;

/**
 * A fresh database with the service's roles and schema, on the server of the service: nothing that is stored gets in
 * the way, nothing stays behind, and settings are the same for the service and for `\copy`.
 */
export async function createOwnDatabase(
  servers: DatabaseServers,
  passwords: { owner: string; app: string; maintenance: string },
  cleanup: Cleanup,
): Promise<OwnDatabase> {
  made += 1;
  const name = `${PREFIX}${process.pid}_${made}`;
  const { adminUrl, workerAdminUrls } = servers;
  for (const url of [adminUrl, ...workerAdminUrls]) await dropLeftOver(url);
  cleanup.add(() => dropDatabase(servers, name));
  const { appUrl, maintenanceUrl, ownerUrl } = await initDatabase({ ...servers, database: name, passwords });
  await migrateDatabase(ownerUrl);
  return {
    ...{ name, appUrl, maintenanceUrl, ownerUrl, url: withDatabase(adminUrl, name) },
    workerUrls: workerAdminUrls.map((url) => withDatabase(url, name)),
  };
}

/** Databases of runs that were killed: nobody but the daemon of Citus is connected to them. */
export async function dropLeftOver(adminUrl: string): Promise<void> {
  const server = await connect(
    adminUrl,
    `The database server ${new URL(adminUrl).host} does not answer: is it running?`,
  );
  try {
    const { rows: users } = await server.query(
      'SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper',
    );
    if (users.length === 0) {
      throw new WrongUse(
        'A database for this run needs a superuser: give DATABASE_ADMIN_URL, or the four addresses',
      );
    }
    const { rows } = await server.query<{ name: string }>(
      `SELECT datname AS name FROM pg_database
        WHERE starts_with(datname, $1)
          AND NOT EXISTS (SELECT FROM pg_stat_activity
                           WHERE pg_stat_activity.datname = pg_database.datname
                             AND backend_type = 'client backend'
                             AND NOT starts_with(application_name, 'citus_internal'))`,
      [PREFIX],
    );
    for (const { name } of rows) {
      const starter = Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]);
      if (!(await isAlive(starter))) await dropWhenFree(server, adminUrl, name);
    }
  } finally {
    await server.end();
  }
}

/**
 * Autovacuum comes once a minute and reads what was inserted for up to twenty seconds, in the turn of whichever side it
 * falls. The database is the run's own. On Citus the weeks have to be told one by one.
 */
export async function leaveToRounds(database: pg.ClientBase): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE oid = 'asset_snapshots'::regclass AND relkind = 'r'
     UNION ALL
     SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhparent
      WHERE inhparent = 'asset_snapshots'::regclass AND relkind = 'p'`,
  );
  for (const { name } of rows) await database.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
}
