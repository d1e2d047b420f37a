import type pg from 'pg';
import { inject } from 'vitest';
import { withDatabase, withDatabaseClient } from '../../src/platform/database/setup.ts';
import { CHUNK_FUNCTIONS } from '../../src/platform/process/boot-check.ts';
import { CONNECTS_WITHIN } from './administrator.ts';
import type { TestDatabase } from './database.ts';
import { engine } from './engine.ts';

/*
 * Where rows of a large table lie, and what an extension offers to move or remove them: chunks with TimescaleDB, partitions
 * and their shards on each node with Citus. The barrier between organizations has to hold there as well.
 */

/** One server, with the tables on it that hold rows of another one, or stand for it. */
export interface Place {
  /** An address of the database as this server's. */
  at(url: string): string;
  tables: string[];
}

const CHUNKS = 'SELECT c::text AS name FROM show_chunks($1::regclass) AS c';
const SHARDS = `SELECT relname AS name FROM pg_class
                 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND starts_with(relname, $1)`;

/** The coordinator first, with the table itself. */
export async function placesOf(database: TestDatabase, table: string): Promise<Place[]> {
  const { databaseAdminUrl, workerAdminUrls } = inject('servers');
  const places: Place[] = [];
  for (const serverUrl of [databaseAdminUrl, ...workerAdminUrls]) {
    const tables = await withDatabaseClient(
      withDatabase(serverUrl, database.name),
      async (client) => {
        const { rows } = await client.query<{ name: string }>(engine === 'citus' ? SHARDS : CHUNKS, [table]);
        return rows.map(({ name }) => name);
      },
      /* Without this Citus shows no shards. */
      { ...CONNECTS_WITHIN, options: engine === 'citus' ? '-c citus.override_table_visibility=off' : '' },
    );
    places.push({ at: (url) => onServer(url, serverUrl), tables: [...new Set([table, ...tables])] });
  }
  return places;
}

function onServer(url: string, serverUrl: string): string {
  const address = new URL(url);
  address.host = new URL(serverUrl).host;
  return address.href;
}

/** Calls of the extension by which rows are removed, moved, or no longer written: to be refused to everybody but their owner. */
export function storageCalls(admin: pg.Client): Promise<string[]> {
  return engine === 'citus' ? callsOnShards(admin) : callsOnChunks(admin);
}

/** Real values: a strict function with a null is not called at all, and nobody asks for the right. */
async function callsOnChunks(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ call: string }>(
    `SELECT format('SELECT %s(%s)', p.oid::regproc, (
              SELECT string_agg(CASE t.type
                       WHEN 'regclass'::regtype
                         THEN format('%s::oid::regclass', (SELECT min(c::oid::bigint) FROM show_chunks('asset_snapshots') AS c))
                       WHEN 'anyelement'::regtype THEN '''2020-01-01''::timestamptz'
                       ELSE format('''0''::%s', t.type::regtype) END, ', ' ORDER BY t.position)
                FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS t (type, position))) AS call
       FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname IN ('_timescaledb_functions', '_timescaledb_internal') AND p.proname = ANY ($1)`,
    [CHUNK_FUNCTIONS],
  );
  return [
    ...rows.map(({ call }) => call),
    "SELECT public.drop_chunks('public.asset_snapshots', older_than => now())",
  ];
}

async function callsOnShards(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{
    shard: string;
    node: number;
    other: number;
    name: string;
    port: number;
  }>(
    `SELECT s.shardid::text AS shard, p.nodeid AS node, o.nodeid AS other, p.nodename AS name, p.nodeport AS port
       FROM pg_dist_shard AS s JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node AS p USING (groupid)
       JOIN pg_dist_node AS o ON o.groupid NOT IN (0, p.groupid)
      WHERE s.logicalrelid = 'asset_snapshots'::regclass ORDER BY s.shardid LIMIT 1`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('There is no shard that could be moved');
  const { shard, node, other, name, port } = found;
  return [
    "SELECT undistribute_table('public.asset_snapshots')",
    "SELECT alter_distributed_table('public.asset_snapshots', shard_count => 2)",
    "SELECT alter_table_set_access_method('public.asset_snapshots_other', 'heap')",
    `SELECT citus_move_shard_placement(${shard}, ${node}, ${other})`,
    `SELECT citus_split_shard_by_split_points(${shard}, ARRAY['-2000000000'], ARRAY[${node}, ${other}], 'block_writes')`,
    "SELECT isolate_tenant_to_new_shard('public.asset_snapshots', 1::bigint, 'CASCADE', 'block_writes')",
    `SELECT worker_split_copy(${shard}, 'asset_id', ARRAY[]::split_copy_info[])`,
    `SELECT worker_copy_table_to_node(0::regclass, ${node})`,
    "CALL drop_old_time_partitions('public.asset_snapshots', now() + interval '1 year')",
    "SELECT worker_drop_distributed_table('public.asset_snapshots')",
    "SELECT worker_drop_shell_table('public.asset_snapshots')",
    'SELECT citus_rebalance_start()',
    `SELECT citus_remove_node('${name}', ${port})`,
    `SELECT citus_disable_node('${name}', ${port})`,
    `SELECT citus_update_node(${node}, '${name}', 1)`,
    'SELECT * FROM pg_dist_authinfo',
  ];
}
