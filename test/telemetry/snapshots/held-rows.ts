import { once } from 'node:events';
import pg from 'pg';
import { activityOf, addTrigger, onEachNode } from '../../setup/engine.ts';
import { instant, type SnapshotApi, type SnapshotHousehold } from './snapshot-api.ts';

/** One group at a time: what is sent while it is held up joins the next one. */
export const ONE_AT_A_TIME = { INGEST_GROUPS_MAX: '1' };

export interface Held {
  letGo(command?: 'ROLLBACK' | 'COMMIT'): Promise<void>;
}

/** Holds up every writer of this row, or of those of these assets, as a transaction of another process would, until it is let go. */
export async function holdRow(
  service: SnapshotApi,
  home: SnapshotHousehold,
  second: number,
  assets: readonly { key: number }[] = [home.assets.household_net],
): Promise<Held> {
  const holder = new pg.Client({ connectionString: service.api.database.adminUrl });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('BEGIN');
  for (const { key } of assets) {
    await holder.query('INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, 1)', [
      key,
      instant(second),
    ]);
  }
  return {
    letGo: async (command = 'ROLLBACK') => {
      await holder.query(command);
      await holder.end();
    },
  };
}

/** Until this many sessions of the service wait for a lock. */
export async function untilWaiting(service: SnapshotApi, count: number): Promise<void> {
  const activity = await activityOf(service.admin);
  for (;;) {
    const { rows } = await service.admin.query<{ count: string }>(
      `SELECT count(*) FROM ${activity} WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (Number(rows[0]?.count) >= count) return;
  }
}

/** What the process remembers of stored batches is a guess from here on: the database may be another one. */
export async function reconnect({ api }: SnapshotApi): Promise<void> {
  const { pool } = api.deps.database;
  const removed = once(pool, 'remove');
  await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
  await removed;
}

export async function metric(service: SnapshotApi, name: string): Promise<number> {
  const text = await service.api.deps.metrics.text();
  return Number(new RegExp(`^voltstream_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Until this many batches wait for a group. */
export async function untilBatchesWait(service: SnapshotApi, count: number): Promise<void> {
  while ((await metric(service, 'snapshot_batches_waiting')) < count) await new Promise(setImmediate);
}

/** A row trigger: what the database does with a row, as a defect or another program could. */
export async function onInsert(service: SnapshotApi, body: string): Promise<void> {
  await onEachNode(service.admin, 'CREATE SEQUENCE attempts');
  await onEachNode(service.admin, 'GRANT USAGE ON SEQUENCE attempts TO PUBLIC');
  await addTrigger(service.admin, {
    name: 'misbehave',
    when: 'BEFORE INSERT ON asset_snapshots FOR EACH ROW',
    body: `${body} RETURN NEW;`,
  });
}

/** Rows go in as before. */
export async function endOnInsert(service: SnapshotApi): Promise<void> {
  await service.admin.query('DROP FUNCTION IF EXISTS misbehave CASCADE');
  await onEachNode(service.admin, 'DROP SEQUENCE IF EXISTS attempts');
}

/** How often such a trigger asked for the next of `attempts`. Rows of one household lie on one node. */
export async function attempts(service: SnapshotApi): Promise<number> {
  const counts = await onEachNode(
    service.admin,
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM attempts',
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}
