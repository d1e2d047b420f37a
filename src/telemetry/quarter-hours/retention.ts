import { type RowRemoval, yearOf } from '../../platform/retention.ts';
import { deleteOldDays, deleteSumChunks } from './queries.ts';

interface Config {
  QUARTER_HOUR_RETENTION_MONTHS: number;
}

const keptFor = ({ QUARTER_HOUR_RETENTION_MONTHS: months }: Config) => (months === 0 ? null : { months });

/** Their sums by day: by whole years, so that no year is compared with a part of another. */
export const daysKept: RowRemoval<Config> = {
  name: 'asset_days',
  hypertable: 'asset_days',
  keptFor,
  portion: 10_000,
  remove: (connection, { before, portion }) => deleteOldDays(connection, yearOf(before), portion),
};

/** Sums of snapshots by quarter hour. Whole chunks go, so a little more than the period stays. */
export const quarterHoursKept: RowRemoval<Config> = {
  name: 'quarter_hour_chunks',
  hypertable: 'asset_quarter_hours',
  keptFor,
  /* Each takes the table from its readers for a moment. */
  portion: 10,
  remove: deleteSumChunks,
};
