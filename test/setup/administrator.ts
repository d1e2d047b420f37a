import pg from 'pg';
import type { Database } from '../../src/platform/database/db.ts';

/** On a busy machine a test was seen to stand still for 54 s. */
export const CONNECTS_WITHIN = { connectTimeoutMilliseconds: 60_000 } as const;

const pools = new Map<string, pg.Pool>();

/** Services that stay for the next file of their process. */
export const lasting = { servers: 0 };

/**
 * Connections of the superuser that stay open for the next statement: opening one takes the time of many statements, and five
 * files of plans and leads opened 135.
 */
export function administrator(url: string): pg.Pool {
  const known = pools.get(url);
  if (known !== undefined) return known;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'voltstream-setup',
    allowExitOnIdle: true,
    // With the driver's 10 s a process of tests opened each of them three times.
    idleTimeoutMillis: 300_000,
  });
  // A connection that a test or a dropped database ended is no failure: the next statement opens another one.
  pool.on('error', () => {});
  // The pool listens no more when it has told a connection to end.
  pool.on('connect', (client) => client.on('error', () => {}));
  pools.set(url, pool);
  return pool;
}

/** Connections of commands, by address, open until their database is dropped: a fifth of all that tests opened were theirs. */
export const commandDatabases = new Map<string, Database>();

/** Of the administrator and of commands. */
export async function endConnections(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const pool = pools.get(url);
    pools.delete(url);
    await pool?.end();
    const database = commandDatabases.get(url);
    commandDatabases.delete(url);
    await database?.close();
  }
}
