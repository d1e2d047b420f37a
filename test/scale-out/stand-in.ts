import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { serversFolder } from '../../scripts/local-services/server-packages.ts';
import { resetLocalServices, startLocalServices } from '../../scripts/local-services.ts';
import { newPassword } from '../../src/platform/database/passwords.ts';
import { initDatabase, migrateDatabase, withDatabase } from '../../src/platform/database/setup.ts';
import type { TestDatabase } from '../setup/database.ts';

/*
 * A server without TimescaleDB whose extension `citus` is a stand-in, so that the SQL for Citus runs where Citus cannot be
 * installed. It has one node: what nodes do with each other it does not show.
 */

const extensionSource = fileURLToPath(new URL('./stand-in', import.meta.url));
const extensionFolder = join(serversFolder, 'usr', 'share', 'postgresql', '17', 'extension');

/** As PostgreSQL wants them to be called. */
const FILES = { 'citus.control': 'citus.control', 'citus.sql': 'citus--14.0-1.sql' };

export interface StandIn {
  adminUrl: string;
  /** A migrated database. */
  createDatabase(name: string): Promise<TestDatabase>;
  stop(): Promise<void>;
}

/** Null where the machine's containers would be used: they have no such extension. */
export async function startStandIn(): Promise<StandIn | null> {
  const folder = join(dataFolder, `test-scale-out-${process.pid}`);
  const { postgres, kind } = await startLocalServices({
    folder,
    needs: { postgres: true },
    postgresSettings: { shared_preload_libraries: '' },
  });
  const stop = async () => {
    await resetLocalServices(folder);
    await rm(folder, { recursive: true, force: true });
  };
  if (kind !== 'private') {
    await stop();
    return null;
  }
  for (const [name, installed] of Object.entries(FILES)) {
    await copyFile(join(extensionSource, name), join(extensionFolder, installed));
  }
  const { adminUrl } = postgres;
  const passwords = { owner: newPassword(), app: newPassword(), maintenance: newPassword() };
  return {
    adminUrl,
    stop,
    createDatabase: async (name) => {
      const addresses = await initDatabase({ adminUrl, database: name, engine: 'citus', passwords });
      await migrateDatabase(addresses.ownerUrl);
      return { ...addresses, name, adminUrl: withDatabase(adminUrl, name), drop: async () => {} };
    },
  };
}
