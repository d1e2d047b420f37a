import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/db.ts';
import type { JobResult, JobRun } from '../platform/jobs/jobs.ts';
import { deleteFinishedRuns } from '../platform/jobs/queries.ts';
import {
  AUDIT_MONTHS,
  AUTHORIZATION_REQUEST_HOURS,
  before,
  DEAD_TOKEN_DAYS,
  IDEMPOTENCY_HOURS,
  JOB_RUN_DAYS,
  LEAD_MONTHS,
  SIGNING_KEY_HOURS,
  WRONG_CODE_HOURS,
} from './periods.ts';
import {
  deleteAuditRows,
  deleteExpired,
  deleteSnapshotChunks,
  type ExpiringTable,
  listOrganizationIds,
  updateSigningKeysRemoved,
} from './queries.ts';

const ROWS_MAX = 5_000;
/** Each takes the table from its writers for a moment. */
const CHUNKS_MAX = 10;

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
  const tokensBefore = before(now, { days: DEAD_TOKEN_DAYS });
  const nowText = before(now, {});
  /* In this order: what refers to a row goes before it. */
  const limits: Readonly<Record<ExpiringTable, string>> = {
    idempotency_keys: before(now, { hours: IDEMPOTENCY_HOURS }),
    authorization_requests: before(now, { hours: AUTHORIZATION_REQUEST_HOURS }),
    authorization_codes: tokensBefore,
    refresh_tokens: tokensBefore,
    grants: tokensBefore,
    revoked_tokens: nowText,
    wrong_one_time_codes: before(now, { hours: WRONG_CODE_HOURS }),
    magic_links: tokensBefore,
    portal_sessions: tokensBefore,
    leads: before(now, { months: LEAD_MONTHS }),
  };
  const tables = Object.keys(limits) as ExpiringTable[];
  const counts = Object.fromEntries(tables.map((table) => [table, 0])) as Record<ExpiringTable, number>;
  for (const organization of await database.asService(listOrganizationIds)) {
    for (const table of tables) {
      counts[table] += await untilNothingIsLeft(run.signal, () =>
        database.inOrganization({ organization }, (connection) =>
          deleteExpired(connection, organization, table, { before: limits[table], rowsMax: ROWS_MAX }),
        ),
      );
    }
  }
  const signedBefore = before(now, { hours: SIGNING_KEY_HOURS });
  const signing_keys = await database.asService((connection) =>
    updateSigningKeysRemoved(connection, signedBefore, nowText),
  );
  const runsBefore = now - JOB_RUN_DAYS * 24 * 3_600_000;
  const job_runs = await untilNothingIsLeft(run.signal, () =>
    database.asService((connection) => deleteFinishedRuns(connection, runsBefore, ROWS_MAX)),
  );
  return { ...counts, signing_keys, job_runs };
}

async function untilNothingIsLeft(
  signal: AbortSignal,
  round: () => Promise<number>,
  roundMax = ROWS_MAX,
): Promise<number> {
  let total = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await round();
    total += count;
    if (count < roundMax) return total;
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
  const snapshotsBefore = before(now, { months });
  const snapshot_chunks = await untilNothingIsLeft(
    run.signal,
    () =>
      maintenance.asService((connection) => deleteSnapshotChunks(connection, snapshotsBefore, CHUNKS_MAX)),
    CHUNKS_MAX,
  );
  return { audit_rows, snapshot_chunks };
}
