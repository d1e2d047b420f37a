import pg from 'pg';
import { initDatabase, migrateDatabase, withDatabase } from '../../src/platform/database/setup.ts';
import type { Cleanup } from './cleanup.ts';
import { Unreachable, WrongUse } from './failures.ts';

const PREFIX = 'voltstream_load_';

export interface OwnDatabase {
  /** As the administrator, for counting and for `\copy`. */
  url: string;
  /** As the service. */
  appUrl: string;
  /** As the job that sums and removes. */
  maintenanceUrl: string;
  /** As the one who makes accounts of analysts. */
  ownerUrl: string;
}

/**
 * A fresh database with the service's roles and schema, on the server of the service: nothing that is stored gets in
 * the way, nothing stays behind, and settings are the same for the service and for `\copy`.
 */
export async function createOwnDatabase(
  adminUrl: string,
  passwords: { owner: string; app: string; maintenance: string },
  cleanup: Cleanup,
): Promise<OwnDatabase> {
  const name = `${PREFIX}${process.pid}`;
  const server = await connect(adminUrl, 'The database of npm start does not answer: is it running?');
  try {
    const { rows } = await server.query('SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper');
    if (rows.length === 0) {
      throw new WrongUse(
        'A database for this run needs a superuser: give DATABASE_ADMIN_URL, or the four addresses',
      );
    }
    await dropLeftOver(server);
  } finally {
    await server.end();
  }
  cleanup.add(() => dropDatabase(adminUrl, name));
  const roles = await initDatabase({ adminUrl, database: name, passwords });
  await migrateDatabase(roles.ownerUrl);
  const { appUrl, maintenanceUrl, ownerUrl } = roles;
  return { url: withDatabase(adminUrl, name), appUrl, maintenanceUrl, ownerUrl };
}

/** Databases of runs that were killed: nobody is connected to them. */
async function dropLeftOver(server: pg.Client): Promise<void> {
  const { rows } = await server.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database
      WHERE starts_with(datname, $1)
        AND NOT EXISTS (SELECT FROM pg_stat_activity
                         WHERE pg_stat_activity.datname = pg_database.datname AND backend_type = 'client backend')`,
    [PREFIX],
  );
  for (const { name } of rows) {
    await server.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  }
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const server = await connect(adminUrl, 'The database went away');
  await server.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  await server.end();
}

export async function connect(url: string, otherwise: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'voltstream-load',
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new Unreachable(`${otherwise} (${error instanceof Error ? error.message : error})`);
  }
}

/**
 * Autovacuum comes once a minute and reads what was inserted for up to twenty seconds, in the turn of whichever side it
 * falls. The database is the run's own.
 */
export async function leaveToRounds(database: pg.ClientBase): Promise<void> {
  await database.query('ALTER TABLE asset_snapshots SET (autovacuum_enabled = off)');
}
