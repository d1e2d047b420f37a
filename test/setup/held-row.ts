import pg from 'pg';
import type { TestDatabase } from './database.ts';

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

/** Asks the table of locks: inside a transaction pg_stat_activity goes on showing the connections that its first look saw. */
async function untilSomebodyWaits(holder: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await holder.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    );
    if ((rows[0]?.count ?? 0) > 0) return;
  }
}
