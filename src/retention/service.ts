import type { Clock } from '../platform/clock.ts';
import type { Connection, Database } from '../platform/db.ts';
import { deleteFinishedRuns } from '../platform/job-queries.ts';
import type { JobResult, JobRun } from '../platform/jobs.ts';
import { AUDIT_MONTHS, before, DEAD_TOKEN_DAYS, IDEMPOTENCY_HOURS, JOB_RUN_DAYS } from './periods.ts';
import {
  deleteAuditRows,
  deleteGrants,
  deleteIdempotencyKeys,
  deleteRefreshTokens,
  deleteSnapshotChunks,
  listOrganizationIds,
} from './queries.ts';

const ROWS_MAX = 5_000;

interface SweepParts {
  database: Database;
  clock: Clock;
}

/** Removes what expired, organization by organization; a sweep that was cut off goes on where the next one begins. */
export async function sweepExpiredRows(
  { database, clock }: SweepParts,
  run: Pick<JobRun, 'signal'>,
): Promise<JobResult> {
  const now = clock.nowMilliseconds();
  const counts = { idempotency_keys: 0, refresh_tokens: 0, grants: 0, job_runs: 0 };
  const keysBefore = before(now, { hours: IDEMPOTENCY_HOURS });
  const tokensBefore = before(now, { days: DEAD_TOKEN_DAYS });
  for (const organization of await database.asService(listOrganizationIds)) {
    const inTurns = (statement: Deletion) =>
      untilNothingIsLeft(run.signal, () =>
        database.inOrganization({ organization }, (connection) => statement(connection, organization)),
      );
    counts.idempotency_keys += await inTurns((connection, id) =>
      deleteIdempotencyKeys(connection, id, keysBefore, ROWS_MAX),
    );
    counts.refresh_tokens += await inTurns((connection, id) =>
      deleteRefreshTokens(connection, id, tokensBefore, ROWS_MAX),
    );
    counts.grants += await inTurns((connection, id) => deleteGrants(connection, id, tokensBefore, ROWS_MAX));
  }
  const runsBefore = now - JOB_RUN_DAYS * 24 * 3_600_000;
  counts.job_runs = await database.asService((connection) => deleteFinishedRuns(connection, runsBefore));
  return counts;
}

type Deletion = (connection: Connection, organization: string) => Promise<number>;

async function untilNothingIsLeft(signal: AbortSignal, round: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await round();
    total += count;
    if (count < ROWS_MAX) return total;
  }
}

interface RemovalParts {
  /** Opened with the role for maintenance. */
  maintenance: Database;
  clock: Clock;
  config: { SNAPSHOT_RETENTION_MONTHS: number };
}

/** Audit rows after 24 months; raw snapshots after the configured months, never where that is 0. */
export async function removeOldRecords(
  { maintenance, clock, config }: RemovalParts,
  run: Pick<JobRun, 'signal'>,
): Promise<JobResult> {
  const now = clock.nowMilliseconds();
  const auditBefore = before(now, { months: AUDIT_MONTHS });
  const audit_rows = await untilNothingIsLeft(run.signal, () =>
    maintenance.asService((connection) => deleteAuditRows(connection, auditBefore, ROWS_MAX)),
  );
  const months = config.SNAPSHOT_RETENTION_MONTHS;
  if (months === 0) return { audit_rows, snapshot_chunks: 0 };
  const snapshot_chunks = await maintenance.asService((connection) =>
    deleteSnapshotChunks(connection, before(now, { months })),
  );
  return { audit_rows, snapshot_chunks };
}
