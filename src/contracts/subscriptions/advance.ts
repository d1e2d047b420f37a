import { recordEvents } from '../../events/record.ts';
import { STANDINGS_AT_WORK } from '../../identity/organizations/queries.ts';
import { forEachOrganization } from '../../identity/organizations/service.ts';
import { type AuditEntry, auditEach } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { orderIntendedReductions } from '../grid-fee-reductions/service.ts';
import { afterEnd } from './end.ts';
import { advanceSubscriptionsJob } from './jobs.ts';
import { subscriptionTopics } from './topics.ts';

/** Contracts of one transaction: it holds them for well under a second. */
const ROWS_MAX = 200;

interface LifecycleDeps {
  database: Database;
  clock: Clock;
}

interface MovedContracts {
  begun: number;
  ended: number;
}

/**
 * Supply begins and ends when its instant has passed, whoever was away at that moment. Running it twice changes nothing:
 * what is due is asked of the rows themselves.
 */
export async function advanceSubscriptions(
  { database, clock }: LifecycleDeps,
  run: Pick<JobRun, 'signal' | 'log'>,
): Promise<JobResult> {
  const total: MovedContracts = { begun: 0, ended: 0 };
  await forEachOrganization(
    database,
    run,
    { undone: 'contracts were not advanced', standings: STANDINGS_AT_WORK },
    (organization) => advanceOrganization({ database, clock }, organization, run.signal, total),
  );
  return { ...total };
}

async function advanceOrganization(
  { database, clock }: LifecycleDeps,
  organization: string,
  signal: AbortSignal,
  total: MovedContracts,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const moved = await database.inOrganization({ organization }, (connection) =>
      advancePortion(connection, organization, clock.now().toISOString()),
    );
    total.begun += moved.begun;
    total.ended += moved.ended;
    if (moved.begun < ROWS_MAX && moved.ended < ROWS_MAX) return;
  }
}

/** Beginnings first: a contract whose start and end both passed meanwhile begins, and then ends. */
async function advancePortion(
  connection: Connection,
  organization: string,
  now: string,
): Promise<MovedContracts> {
  const begun = await lockDueToBegin(connection, organization, now, ROWS_MAX);
  if (begun.length > 0) await begin(connection, organization, begun, now);
  const ended = await lockDueToEnd(connection, organization, now, ROWS_MAX);
  /* Behind the locks of all contracts. */
  if (begun.length > 0) await orderIntendedReductions(connection, organization, begun, now);
  if (ended.length > 0) await end(connection, organization, ended, now);
  return { begun: begun.length, ended: ended.length };
}

async function begin(
  connection: Connection,
  organization: string,
  ids: readonly string[],
  now: string,
): Promise<void> {
  await updateStatuses(connection, organization, ids, 'active', now);
  const told = ids.map((subscription) => ({
    topic: subscriptionTopics.activated,
    context: { subscription },
    now,
  }));
  await recordEvents(connection, organization, told);
  await auditEach(connection, auditLines(organization, ids, 'subscription.activate'));
}

async function end(
  connection: Connection,
  organization: string,
  ids: readonly string[],
  now: string,
): Promise<void> {
  await updateStatuses(connection, organization, ids, 'ended', now);
  await afterEnd(connection, organization, ids, now);
  await auditEach(connection, auditLines(organization, ids, 'subscription.end'));
}

function auditLines(organization: string, ids: readonly string[], act: string): AuditEntry[] {
  return ids.map((id) => ({
    organization_id: organization,
    act,
    object_id: id,
    route: advanceSubscriptionsJob.name,
    result: 'done',
  }));
}

/*
 * What the clock moves. Rows that somebody else holds are left out and found again a minute later: two workers share the
 * work, and neither waits for a request.
 */

/** Contracts whose supply begins, the oldest first. One that ends before or with its start never begins. */
async function lockDueToBegin(
  connection: Connection,
  organization: string,
  now: string,
  rowsMax: number,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('status', '=', 'pending')
    .where('start_at', '<=', now)
    .where((where) => where.or([where('end_at', 'is', null), where('end_at', '>', where.ref('start_at'))]))
    .orderBy('start_at')
    .limit(rowsMax)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Contracts whose end is reached, withdrawn ones that never began among them. One that has to begin first is left to the
 * next turn: a portion may be full before it.
 */
async function lockDueToEnd(
  connection: Connection,
  organization: string,
  now: string,
  rowsMax: number,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('status', '<>', 'ended')
    .where('end_at', '<=', now)
    .where((where) =>
      where.or([
        where('status', '=', 'active'),
        where('start_at', 'is', null),
        where('end_at', '<=', where.ref('start_at')),
      ]),
    )
    .orderBy('end_at')
    .limit(rowsMax)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

async function updateStatuses(
  connection: Connection,
  organization: string,
  ids: readonly string[],
  status: 'active' | 'ended',
  now: string,
): Promise<void> {
  await connection
    .updateTable('subscriptions')
    .set({ status, updated_at: now })
    .where('organization_id', '=', organization)
    .where('id', 'in', ids)
    .execute();
}
