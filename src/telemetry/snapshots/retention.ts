import type { RowRemoval } from '../../platform/retention.ts';
import { deleteSnapshotChunks } from './queries.ts';

/** Raw snapshots. Whole chunks go, so a little more than the period stays. */
export const snapshotsKept: RowRemoval<{ SNAPSHOT_RETENTION_MONTHS: number }> = {
  name: 'snapshot_chunks',
  hypertable: 'asset_snapshots',
  keptFor: ({ SNAPSHOT_RETENTION_MONTHS: months }) => (months === 0 ? null : { months }),
  /* Each takes the table from its writers for a moment. */
  portion: 10,
  remove: deleteSnapshotChunks,
};
