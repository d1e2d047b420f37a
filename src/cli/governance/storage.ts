import { removeOldRecordsJob } from '../../governance/retention/jobs.ts';
import { listHypertables, type StoredHypertable } from '../../governance/retention/storage-queries.ts';
import { listEnabledSchedules } from '../../platform/jobs/schedule-queries.ts';
import { nextTick } from '../../platform/jobs/ticks.ts';
import { delays } from '../../telemetry/quarter-hours/gauges.ts';
import { sumQuarterHoursJob } from '../../telemetry/quarter-hours/jobs.ts';
import { findProgress } from '../../telemetry/quarter-hours/queries.ts';
import { command } from '../engine/command.ts';
import { JSON_OBJECT } from '../engine/fields.ts';
import { fields, table } from '../engine/output.ts';

const NOT_TOLD_YET = 'How long rows are kept is known once remove-old-records has run, at next_removal_at.';
const ENTRIES_COUNTED_MAX = 1_000_000;
const MEBIBYTE = 1_048_576;

export const commands = {
  status: command({
    words:
      'hypertables with chunks, sizes, compression and period; how far the sums by quarter hour are; next runs',
    examples: ['', '--json'],
    options: JSON_OBJECT,
    work: async ({ database, clock }) => {
      const now = clock.nowMilliseconds();
      const { hypertables, progress, schedules } = await database.asService(async (connection) => ({
        hypertables: await listHypertables(connection),
        progress: await findProgress(connection, ENTRIES_COUNTED_MAX),
        schedules: await listEnabledSchedules(connection),
      }));
      const { behind, late } = delays(progress, now);
      const next = (name: string) => {
        const ticks = schedules
          .filter(({ job }) => job === name)
          .map(({ cron, time_zone: timeZone }) => nextTick({ cron, timeZone }, now));
        const nextMilliseconds = Math.min(...ticks);
        return ticks.length === 0 ? null : new Date(nextMilliseconds).toISOString();
      };
      const sums = {
        final_until: progress.summed_until,
        summed_at: progress.summed_at,
        behind_seconds: behind,
        late_entries: progress.late_entries,
        oldest_late_seconds: Math.round(late),
        next_sums_at: next(sumQuarterHoursJob.name),
        next_removal_at: next(removeOldRecordsJob.name),
      };
      return { hypertables: hypertables.map(withRatio), sums };
    },
    print: ({ hypertables, sums }) => [
      table(
        hypertables,
        [
          ...(['hypertable', 'chunks'] as const),
          ['compressed', (row) => row.compressed_chunks],
          ['rows (about)', (row) => row.rows_estimated.toLocaleString('en')],
          ['MiB', (row) => Math.round(row.bytes / MEBIBYTE)],
          ['index MiB', (row) => Math.round(row.index_bytes / MEBIBYTE)],
          ['ratio', (row) => row.compression_ratio],
          ['from', (row) => row.oldest_at?.slice(0, 10)],
          ['until', (row) => row.newest_until?.slice(0, 10)],
          ['kept months', (row) => (row.kept_months === 0 ? 'all' : row.kept_months)],
          ['next compression', (row) => row.next_compression_at],
        ],
        ['next compression', 'index MiB', 'from', 'until', 'ratio'],
      ),
      ...(hypertables.some((row) => row.kept_months === null) ? [NOT_TOLD_YET] : []),
      '',
      fields(sums),
    ],
  }),
};

/** How many times smaller compression made what it took. */
function withRatio(table: StoredHypertable): StoredHypertable & { compression_ratio: number | null } {
  const { bytes_before_compression: before, bytes_after_compression: after } = table;
  return { ...table, compression_ratio: before && after ? Math.round((before / after) * 10) / 10 : null };
}
