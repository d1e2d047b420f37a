import { forEachOrganization } from '../../identity/organizations/service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { instantBefore, type RowRemoval } from '../../platform/retention.ts';
import { expiringRows, maintenanceRemovals, type RetentionConfig, removals } from './lines.ts';
import { deleteExpired } from './queries.ts';

/** No statement holds its locks for long. */
const ROWS_MAX = 5_000;

interface SweepParts {
  database: Database;
  clock: Clock;
}

/** Removes what expired; a sweep that was cut off goes on where the next one begins. */
export async function sweepExpiredRows(
  { database, clock }: SweepParts,
  run: Pick<JobRun, 'signal' | 'log'>,
): Promise<JobResult> {
  const now = clock.nowMilliseconds();
  const removed = await removeAll(database, removals, { now, config: {}, signal: run.signal });
  const counts = new Map<string, number>(expiringRows.map(({ table }) => [table, 0]));
  await forEachOrganization(
    database,
    run,
    { undone: 'expired rows were not removed' },
    async (organization) => {
      await forEachLine(expiringRows, run.signal, async (rows) => {
        const before = instantBefore(now, rows.keptFor);
        const count = await untilNothingIsLeft(run.signal, ROWS_MAX, () =>
          database.inOrganization({ organization }, (connection) =>
            deleteExpired(connection, organization, rows, { before, rowsMax: ROWS_MAX }),
          ),
        );
        counts.set(rows.table, (counts.get(rows.table) ?? 0) + count);
      });
    },
  );
  return { ...Object.fromEntries(counts), ...removed };
}

interface RemovalParts {
  /** Opened with the role for maintenance. */
  maintenance: Database;
  clock: Clock;
  config: RetentionConfig;
}

/** What lives for months: by the role for maintenance. */
export async function removeOldRecords(
  { maintenance, clock, config }: RemovalParts,
  run: Pick<JobRun, 'signal'>,
): Promise<JobResult> {
  const now = clock.nowMilliseconds();
  const removed = await removeAll(maintenance, maintenanceRemovals, { now, config, signal: run.signal });
  /* For `cli storage status`: 0 keeps without limit. */
  const kept_months = Object.fromEntries(
    maintenanceRemovals.flatMap(({ hypertable, keptFor }) =>
      hypertable === undefined ? [] : [[hypertable, keptFor(config)?.months ?? 0]],
    ),
  );
  return { ...removed, kept_months };
}

async function removeAll<Config>(
  database: Database,
  lines: readonly RowRemoval<Config>[],
  { now, config, signal }: { now: number; config: Config; signal: AbortSignal },
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  await forEachLine(lines, signal, async ({ name, keptFor, portion, remove }) => {
    removed[name] = 0;
    const period = keptFor(config);
    if (period === null) return;
    const limits = { before: instantBefore(now, period), now: instantBefore(now, {}), portion };
    removed[name] = await untilNothingIsLeft(signal, portion, () =>
      database.asService((connection) => remove(connection, limits)),
    );
  });
  return removed;
}

/** One that cannot get its lock, beside a backup for instance, keeps none behind it from its work; at last all reasons are told. */
async function forEachLine<Line extends { readonly name: string } | { readonly table: string }>(
  lines: readonly Line[],
  signal: AbortSignal,
  work: (line: Line) => Promise<void>,
): Promise<void> {
  const failures: { name: string; error: Error }[] = [];
  for (const line of lines) {
    try {
      await work(line);
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ name: 'name' in line ? line.name : line.table, error: error as Error });
    }
  }
  if (failures.length === 0) return;
  const reasons = failures.map(({ name, error }) => `${name}: ${error.message}`);
  throw new AggregateError(
    failures.map(({ error }) => error),
    `Not removed: ${reasons.join('; ')}`,
  );
}

async function untilNothingIsLeft(
  signal: AbortSignal,
  portion: number,
  round: () => Promise<number>,
): Promise<number> {
  let total = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await round();
    total += count;
    if (count < portion) return total;
  }
}
