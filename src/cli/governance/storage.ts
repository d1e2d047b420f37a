import { Command } from 'commander';
import { removeOldRecordsJob } from '../../governance/retention/jobs.ts';
import { listHypertables, type StoredHypertable } from '../../governance/retention/storage-queries.ts';
import { listEnabledSchedules } from '../../platform/jobs/schedule-queries.ts';
import { nextTick } from '../../platform/jobs/ticks.ts';
import { delays } from '../../telemetry/quarter-hours/gauges.ts';
import { sumQuarterHoursJob } from '../../telemetry/quarter-hours/jobs.ts';
import { findProgress } from '../../telemetry/quarter-hours/queries.ts';
import { type OutputRow, printLine, printObject, printTable } from '../output.ts';
import { withSession } from '../session.ts';

const ENTRIES_COUNTED_MAX = 1_000_000;
const MEBIBYTE = 1_048_576;

export function storageCommand(): Command {
  return new Command('storage').addCommand(status());
}

function status(): Command {
  return new Command('status')
    .description(
      'hypertables with chunks, sizes, compression and period; how far the sums by quarter hour are; next runs',
    )
    .option('--json', 'as one JSON object')
    .action((options: { json?: boolean }) =>
      withSession(async ({ database, clock }) => {
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
        if (options.json === true) {
          printObject({ hypertables: hypertables.map(withRatio), sums }, options);
          return;
        }
        printTable(hypertables.map(shown), Object.keys(shown(NOTHING)), options);
        printLine('');
        printObject(sums, options);
      }),
    );
}

const NOTHING: StoredHypertable = {
  hypertable: '',
  chunks: 0,
  compressed_chunks: 0,
  rows_estimated: 0,
  bytes: 0,
  index_bytes: 0,
  bytes_before_compression: null,
  bytes_after_compression: null,
  oldest_at: null,
  newest_until: null,
  next_compression_at: null,
  kept_months: null,
};

/** How many times smaller compression made what it took. */
function withRatio(table: StoredHypertable): StoredHypertable & { compression_ratio: number | null } {
  const { bytes_before_compression: before, bytes_after_compression: after } = table;
  return { ...table, compression_ratio: before && after ? Math.round((before / after) * 10) / 10 : null };
}

function shown(table: StoredHypertable): OutputRow {
  const { compression_ratio } = withRatio(table);
  const day = (instant: string | null) => instant?.slice(0, 10);
  return {
    hypertable: table.hypertable,
    chunks: table.chunks,
    compressed: table.compressed_chunks,
    'rows (about)': table.rows_estimated.toLocaleString('en'),
    MiB: Math.round(table.bytes / MEBIBYTE),
    'index MiB': Math.round(table.index_bytes / MEBIBYTE),
    ratio: compression_ratio,
    from: day(table.oldest_at),
    until: day(table.newest_until),
    'kept months': table.kept_months === 0 ? 'all' : table.kept_months,
    'next compression': table.next_compression_at,
  };
}
