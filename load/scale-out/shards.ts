import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

/* Nodes are named by host and port, as pg_dist_node does. */

const DEFAULT_PORT = '5432';

export function addressOf(adminUrl: string): string {
  const { hostname, port } = new URL(adminUrl);
  return `${hostname}:${port === '' ? DEFAULT_PORT : port}`;
}

const NODES = `pg_dist_placement AS placement JOIN pg_dist_node AS node
   ON node.groupid = placement.groupid AND node.noderole = 'primary'`;

/** On which nodes the rows of each of these assets lie. */
export async function nodesOfKeys(
  client: pg.ClientBase,
  keys: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await client.query<{ key: string; address: string }>(
    `SELECT key, node.nodename || ':' || node.nodeport AS address
       FROM unnest($1::bigint[]) AS key, ${NODES}
      WHERE placement.shardid = get_shard_id_for_distribution_column('asset_snapshots', key)`,
    [keys],
  );
  return new Map(rows.map(({ key, address }) => [Number(key), address]));
}

/** How many shards of the snapshots lie on each node. */
export async function shardsByNode(client: pg.ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ address: string; shards: string }>(
    `SELECT node.nodename || ':' || node.nodeport AS address, count(*) AS shards
       FROM ${NODES} JOIN pg_dist_shard AS shard USING (shardid)
      WHERE shard.logicalrelid = 'asset_snapshots'::regclass GROUP BY address ORDER BY address`,
  );
  return Object.fromEntries(rows.map(({ address, shards }) => [address, Number(shards)]));
}

const LOOK_MILLISECONDS = 200;

/** Moves shards until all nodes have as many; tells how that ended. */
export async function rebalance(client: pg.ClientBase, secondsMax: number): Promise<string> {
  const { rows } = await client.query<{ job: string | null }>('SELECT citus_rebalance_start() AS job');
  const job = rows[0]?.job;
  if (typeof job !== 'string') return 'nothing to move';
  const deadline = performance.now() + secondsMax * 1000;
  for (;;) {
    const { rows: jobs } = await client.query<{ state: string }>(
      'SELECT state FROM pg_dist_background_job WHERE job_id = $1',
      [job],
    );
    const state = jobs[0]?.state ?? 'gone';
    if (!['scheduled', 'running'].includes(state)) return state;
    if (performance.now() > deadline) return `${state} after ${secondsMax} s`;
    await wait(LOOK_MILLISECONDS);
  }
}

/** Transactions over several nodes whose second phase is due, on all of these. */
export async function countUndecided(clients: readonly pg.ClientBase[]): Promise<number> {
  let count = 0;
  for (const client of clients) {
    const { rows } = await client.query<{ count: string }>(
      'SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()',
    );
    count += Number(rows[0]?.count);
  }
  return count;
}
