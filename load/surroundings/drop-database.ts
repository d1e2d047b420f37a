import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { withDatabase } from '../../src/platform/database/setup.ts';
import { connect } from './connect.ts';

/** Superusers' addresses. */
export interface DatabaseServers {
  /** Of Citus: the coordinator. */
  adminUrl: string;
  /** Of Citus. */
  workerAdminUrls: readonly string[];
}

/** The coordinator first, whose daemon connects to the workers. */
export async function dropDatabase(
  { adminUrl, workerAdminUrls }: DatabaseServers,
  name: string,
): Promise<void> {
  for (const url of [adminUrl, ...workerAdminUrls]) {
    const server = await connect(url, 'The database went away');
    try {
      await dropWhenFree(server, url, name);
    } finally {
      await server.end();
    }
  }
}

const TRIES = 50;
const IN_USE = '55006';

/** Citus starts its daemon of a database again as soon as it has ended. */
export async function dropWhenFree(server: pg.Client, adminUrl: string, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await server.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
      return;
    } catch (error) {
      const isInUse = error instanceof pg.DatabaseError && error.code === IN_USE;
      if (!isInUse || tries === TRIES) throw error;
      await release(server, withDatabase(adminUrl, name), name);
      await wait(100);
    }
  }
}

/**
 * Releases a database of Citus after a run that was ended in the middle. It is held by transactions that wait for their
 * second phase, which nobody is left to decide, and by the two ends of a shard's move.
 */
async function release(server: pg.Client, url: string, name: string): Promise<void> {
  await server.query(
    `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = $1 AND active`,
    [name],
  );
  await server.query(
    `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = $1 AND NOT active`,
    [name],
  );
  const client = await connect(url, 'The database does not answer');
  try {
    const { rows: prepared } = await client.query<{ gid: string }>(
      'SELECT gid FROM pg_prepared_xacts WHERE database = $1',
      [name],
    );
    for (const { gid } of prepared) await client.query(`ROLLBACK PREPARED ${pg.escapeLiteral(gid)}`);
    const { rows: subscriptions } = await client.query<{ name: string }>(
      `SELECT quote_ident(subname) AS name FROM pg_subscription JOIN pg_database ON pg_database.oid = subdbid
        WHERE datname = $1`,
      [name],
    );
    for (const { name: subscription } of subscriptions) {
      await client.query(`ALTER SUBSCRIPTION ${subscription} DISABLE`);
      await client.query(`ALTER SUBSCRIPTION ${subscription} SET (slot_name = NONE)`);
      await client.query(`DROP SUBSCRIPTION ${subscription}`);
    }
  } finally {
    await client.end();
  }
}
