import type { RowRemoval } from '../../platform/retention.ts';
import { deleteSumChunks } from './queries.ts';

/** Sums of snapshots by quarter hour. Whole chunks go, so a little more than the period stays. */
export const quarterHoursKept: RowRemoval<{ QUARTER_HOUR_RETENTION_MONTHS: number }> = {
  name: 'quarter_hour_chunks',
  hypertable: 'asset_quarter_hours',
  keptFor: ({ QUARTER_HOUR_RETENTION_MONTHS: months }) => (months === 0 ? null : { months }),
  /* Each takes the table from its readers for a moment. */
  portion: 10,
  remove: deleteSumChunks,
};
