import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { serversFolder } from '../../scripts/local-services/server-packages.ts';
import { sendSignal, serverProcessesIn } from '../../scripts/local-services/server-processes.ts';
import { resetLocalServices, startLocalServices } from '../../scripts/local-services.ts';
import {
  initDatabase,
  migrateDatabase,
  type RolePasswords,
  withDatabase,
} from '../../src/platform/database/setup.ts';
import type { TestDatabase } from './database.ts';

/** A server of a test's own with one migrated database, which nobody else minds losing. */
export interface OwnServer {
  readonly database: TestDatabase;
  start(): Promise<void>;
  /** Every process of the server at once, as a power cut would. */
  kill(): Promise<void>;
  /** To all that serve connections of the service. */
  signalBackends(signal: NodeJS.Signals): Promise<void>;
  remove(): Promise<void>;
}

interface OwnServerOptions {
  /** Part of the name of its folder: tests that run at once have different ones. */
  name: string;
  database?: string;
  passwords?: RolePasswords;
}

/** Null where the machine's containers would be used. */
export async function startOwnServer(options: OwnServerOptions): Promise<OwnServer | null> {
  const { name, database: databaseName = name, passwords } = options;
  const folder = join(dataFolder, `test-${name}-${process.pid}`);
  const start = () => startLocalServices({ folder, needs: { postgres: true } });
  const remove = async () => {
    await resetLocalServices(folder);
    await rm(folder, { recursive: true, force: true });
  };
  const { postgres, kind } = await start();
  const { adminUrl, dataDirectory } = postgres;
  if (kind !== 'private' || dataDirectory === undefined) {
    await remove();
    return null;
  }
  const addresses = await initDatabase({
    ...{ adminUrl, database: databaseName },
    ...(passwords && { passwords }),
  });
  await migrateDatabase(addresses.ownerUrl);
  const database: TestDatabase = {
    ...addresses,
    name: databaseName,
    adminUrl: withDatabase(adminUrl, databaseName),
    drop: async () => {},
  };
  return {
    database,
    remove,
    start: async () => void (await start()),
    kill: async () => {
      for (const pid of await serverProcessesIn(dataDirectory, serversFolder)) sendSignal(pid, 'SIGKILL');
    },
    signalBackends: async (signal) => {
      const client = new pg.Client({ connectionString: database.adminUrl });
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE usename = 'voltstream_app'",
      );
      for (const { pid } of rows) sendSignal(pid, signal);
      await client.end();
    },
  };
}
