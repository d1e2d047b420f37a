import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import {
  type DatabaseAddresses,
  roleAddress,
  withDatabase,
  withDatabaseClient,
} from '../../src/platform/database/setup.ts';
import { CLONE_PREFIX, databaseRights } from './template.ts';

export interface TestDatabase extends DatabaseAddresses {
  name: string;
  /** The superuser in this database: row-level security does not bind it. */
  adminUrl: string;
  drop(): Promise<void>;
}

/** A migrated, empty database of its own. `empty`: without schema and roles' rights, only the name. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const { databaseAdminUrl, passwords } = inject('servers');
  const name = `${CLONE_PREFIX}${process.pid}_${randomBytes(6).toString('hex')}`;
  // The other template of PostgreSQL may hold the extension already.
  const source = options.empty
    ? ' TEMPLATE template0'
    : ` TEMPLATE ${inject('template')} OWNER voltstream_owner`;
  await withDatabaseClient(databaseAdminUrl, async (server) => {
    await server.query(`CREATE DATABASE ${name}${source}`);
    // Rights on the database itself are not copied with it.
    if (!options.empty) await server.query(databaseRights(name));
  });
  return {
    name,
    adminUrl: withDatabase(databaseAdminUrl, name),
    ownerUrl: roleAddress(databaseAdminUrl, name, 'owner', passwords.owner),
    appUrl: roleAddress(databaseAdminUrl, name, 'app', passwords.app),
    maintenanceUrl: roleAddress(databaseAdminUrl, name, 'maintenance', passwords.maintenance),
    drop: async () => {
      await withDatabaseClient(databaseAdminUrl, (server) =>
        server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
    },
  };
}
