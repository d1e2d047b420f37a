import pg from 'pg';
import { administrator } from './administrator.ts';
import type { TestDatabase } from './database.ts';
import { activityOf } from './engine.ts';

/** Holds a row as a transaction of another process would, while `meanwhile` goes on, which may change it; then lets go. */
export async function whileHeld<Result>(
  database: Pick<TestDatabase, 'adminUrl'>,
  [table, id, key = 'id']: readonly [table: string, id: string, key?: string],
  start: () => Promise<Result>,
  meanwhile: (holder: pg.Client) => unknown,
): Promise<Result> {
  const holder = new pg.Client({ connectionString: database.adminUrl });
  holder.on('error', () => {});
  await holder.connect();
  try {
    await holder.query('BEGIN');
    const row = `${pg.escapeIdentifier(table)} WHERE ${pg.escapeIdentifier(key)} = $1`;
    await holder.query(`SELECT FROM ${row} FOR UPDATE`, [id]);
    const started = start();
    await Promise.race([untilSomebodyWaits(holder), started]);
    await meanwhile(holder);
    await holder.query('COMMIT');
    return await started;
  } finally {
    await holder.end();
  }
}

/**
 * How many sessions of this database wait for a lock. Tests of other files wait on the same server: a lock names its database
 * only where it is that of a table, and tables of all copies of the template have equal numbers.
 */
export async function waitingForLocks({ adminUrl }: Pick<TestDatabase, 'adminUrl'>): Promise<number> {
  const admin = administrator(adminUrl);
  const { rows } = await admin.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${await activityOf(admin)}
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

/** Asks the table of locks: inside a transaction pg_stat_activity goes on showing the connections that its first look saw. */
async function untilSomebodyWaits(holder: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await holder.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    );
    if ((rows[0]?.count ?? 0) > 0) return;
  }
}
