import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { ShardRow } from './shard-map.ts';

/** Keys of a household share one of 1,024 buckets, so more shards than that make no sense; four places for each. */
const ROWS_MAX = 4_096;

/**
 * The places of the snapshots' shards, one row for each, lowest hashes first. Group 0 is the coordinator. A node without
 * Citus' own tables, or with old ones, does not know where shards lie: it has no address here.
 */
export async function listShards(connection: Connection): Promise<ShardRow[]> {
  const { rows } = await sql<ShardRow>`
    SELECT s.shardminvalue::integer AS first_hash, s.shardmaxvalue::integer AS last_hash,
           n.groupid AS node_group, n.nodename AS host, n.nodeport AS port
      FROM pg_dist_shard s
      JOIN pg_dist_placement p ON p.shardid = s.shardid AND p.shardstate = 1
      LEFT JOIN pg_dist_node n ON n.groupid = p.groupid AND n.groupid <> 0 AND n.noderole = 'primary'
            AND n.nodecluster = 'default' AND n.isactive AND n.hasmetadata AND n.metadatasynced
     WHERE s.logicalrelid = 'asset_snapshots'::regclass
     ORDER BY s.shardminvalue::integer
     LIMIT ${ROWS_MAX}`.execute(connection);
  return rows;
}
