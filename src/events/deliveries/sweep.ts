import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { instant } from '../../platform/jobs/queries.ts';
import { askForRuns, isServed, notBefore } from './ask.ts';
import { lockServedEndpoint, type ServedEndpoint, updateServedEndpoint } from './endpoint-queries.ts';
import { judge, withoutFutures, withoutOldFailure } from './health.ts';
import { instantText, millisecondsOf } from './instants.ts';
import { recordNotice } from './notices.ts';
import { findNextDue, updateFutureDeliveries } from './queries.ts';

interface SweepParts {
  database: Database;
  clock: Clock;
}

interface FoundEndpoint {
  organization_id: string;
  id: string;
}

/**
 * Each minute, for what no run does: endpoints whose run was lost, those that failed for a day or were not tried for five,
 * listeners whose command was killed, and instants that a clock wrote while it was ahead. The database names the endpoints;
 * each is decided about under its lock.
 */
export async function sweepWebhooks(
  { database, clock }: SweepParts,
  run: Pick<JobRun, 'signal' | 'log'>,
): Promise<JobResult> {
  const counts = { looked_at: 0, runs: 0, told: 0, listeners_removed: 0 };
  const found = await database.asService((connection) => listToSweep(connection, clock.nowMilliseconds()));
  for (const { organization_id: organization, id } of found) {
    run.signal.throwIfAborted();
    counts.looked_at += 1;
    const done = await database.inOrganization({ organization }, (connection) =>
      sweepEndpoint(connection, organization, id, clock),
    );
    if (done.hasRun) counts.runs += 1;
    if (done.removed) counts.listeners_removed += 1;
    if (done.notice === null) continue;
    counts.told += 1;
    run.log.warn({ organization, endpoint: id, notice: done.notice }, 'webhook endpoint does not work');
  }
  return counts;
}

async function listToSweep(connection: Connection, now: number): Promise<FoundEndpoint[]> {
  const { rows } = await sql<FoundEndpoint>`
    SELECT organization_id, id FROM list_webhook_endpoints_to_sweep(${instant(now)})`.execute(connection);
  return rows;
}

/** A command that listens gives a sign of life twice a second. */
const LISTENER_SILENCE_MILLISECONDS = 5 * 60_000;

async function sweepEndpoint(connection: Connection, organization: string, id: string, clock: Clock) {
  const stored = await lockServedEndpoint(connection, organization, id);
  const now = clock.nowMilliseconds();
  if (stored === undefined) return { hasRun: false, removed: false, notice: null };
  const { standing: _, ...row } = stored;
  await updateFutureDeliveries(connection, organization, id, now);
  const nextDue = await findNextDue(connection, organization, id);
  /*
   * A delivery that is overdue shows that no request went out lately: the organization was switched off, or no worker ran.
   */
  const isOverdue = nextDue !== null && notBefore(row, nextDue) <= now;
  const { health, notice } = isOverdue
    ? { health: withoutFutures(row, now), notice: null }
    : judge(nextDue === null ? withoutOldFailure(row, now) : row, [], now);
  const removed = isSilentListener(row, now);
  const endpoint = {
    ...row,
    ...health,
    ...(removed ? { deleted_at: instantText(now), served_by: null, served_at: null } : {}),
  };
  if (notice !== null) await recordNotice(connection, organization, { endpoint: id, notice, health, now });
  const run = await askWhereNobodyServes(connection, organization, endpoint, { now, nextDue });
  const { deleted_at, served_by, served_at } = endpoint;
  await updateServedEndpoint(connection, organization, id, {
    ...health,
    deleted_at,
    served_by,
    served_at,
    ...run,
  });
  return { hasRun: run !== null, removed, notice };
}

/**
 * Also for an endpoint that is off: its run cancels what waits. A run that was asked for counts as long as it waits or
 * works; the lanes may be long.
 */
async function askWhereNobodyServes(
  connection: Connection,
  organization: string,
  endpoint: ServedEndpoint,
  { now, nextDue }: { now: number; nextDue: number | null },
): Promise<{ asked_run: number; asked_at: string } | null> {
  if (isServed(endpoint, now)) return null;
  const isOff = endpoint.deleted_at !== null || endpoint.disabled_at !== null;
  if (nextDue === null || (endpoint.kind === 'listener' && !isOff)) return null;
  const atMilliseconds = isOff ? now : notBefore(endpoint, Math.max(now, nextDue));
  const [run] = await askForRuns(connection, organization, [
    { endpoint: { ...endpoint, asked_at: null }, atMilliseconds },
  ]);
  return run === undefined ? null : { asked_run: run.asked_run, asked_at: run.asked_at };
}

function isSilentListener({ kind, deleted_at, served_at, created_at }: ServedEndpoint, now: number): boolean {
  if (kind !== 'listener' || deleted_at !== null) return false;
  return millisecondsOf(served_at ?? created_at) <= now - LISTENER_SILENCE_MILLISECONDS;
}
