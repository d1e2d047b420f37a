import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { type DatabaseAddresses, roleAddress, withDatabase } from '../../src/platform/database/setup.ts';
import { administrator, endConnections } from './administrator.ts';
import { clonesOf, cloneTemplate, dropClone } from './template.ts';

export interface TestDatabase extends DatabaseAddresses {
  name: string;
  /** The superuser in this database: row-level security does not bind it. */
  adminUrl: string;
  drop(): Promise<void>;
}

interface Contents {
  /** Without schema and roles' rights, only the name. */
  empty?: boolean;
  /** With the figures of `reference/`. */
  referenceData?: boolean;
}

/** A database of its own: migrated and without rows where nothing else is asked for. */
export async function createTestDatabase(options: Contents = {}): Promise<TestDatabase> {
  const servers = inject('servers');
  const { databaseAdminUrl, passwords } = servers;
  const name = `${clonesOf(inject('run'))}${randomBytes(6).toString('hex')}`;
  if (options.empty) {
    // The other template of PostgreSQL may hold the extension already.
    await administrator(databaseAdminUrl).query(`CREATE DATABASE ${name} TEMPLATE template0`);
  } else {
    const { empty, withReferenceData } = inject('templates');
    await cloneTemplate(servers, options.referenceData ? withReferenceData : empty, name);
  }
  const addresses = {
    adminUrl: withDatabase(databaseAdminUrl, name),
    ownerUrl: roleAddress(databaseAdminUrl, name, 'owner', passwords.owner),
    appUrl: roleAddress(databaseAdminUrl, name, 'app', passwords.app),
    maintenanceUrl: roleAddress(databaseAdminUrl, name, 'maintenance', passwords.maintenance),
  };
  return {
    name,
    ...addresses,
    drop: async () => {
      await endConnections(Object.values(addresses));
      await dropClone(servers, name);
    },
  };
}
