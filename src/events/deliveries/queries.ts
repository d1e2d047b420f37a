import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { instant } from '../../platform/jobs/queries.ts';
import type { EventRow } from '../document.ts';
import { type Attempt, CLOCK_DIFFERENCE_MILLISECONDS_MAX, isSuccess } from './health.ts';
import { instantText, millisecondsOf } from './instants.ts';
import { LONGEST_WAIT_SECONDS, WAIT_SECONDS } from './waits.ts';

/**
 * A delivery for each of these endpoints that was to hear of the event when it happened. A delivery to an endpoint that was
 * switched off meanwhile is cancelled from the start, as those written a moment earlier are: the log lists it, and it can be
 * sent again. What is there already stays. Returns the endpoint of each new one.
 */
export async function insertDeliveries(
  connection: Connection,
  organization: string,
  { events, endpoints, now }: { events: readonly string[]; endpoints: readonly string[]; now: number },
): Promise<string[]> {
  const { rows } = await sql<{ endpoint_id: string }>`
    INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, created_at, kept_from, state, next_at)
    SELECT event.organization_id, event.id, endpoint.id, ${instant(now)}, ${instant(now)},
           CASE WHEN endpoint.disabled_at IS NULL THEN 'pending' ELSE 'cancelled' END,
           CASE WHEN endpoint.disabled_at IS NULL THEN ${instant(now)} END
      FROM events AS event JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id
     WHERE event.organization_id = ${organization} AND event.id = ANY(${[...events]})
       AND endpoint.id = ANY(${[...endpoints]})
       AND CASE WHEN event.heard_by IS NOT NULL THEN endpoint.id = ANY(event.heard_by)
                /* Written by a version that did not say it. */
                ELSE endpoint.created_at <= event.timestamp AND endpoint.disabled_at IS NULL
                     AND (endpoint.topics IS NULL OR event.topic = ANY(endpoint.topics)) END
     ORDER BY event.position, endpoint.id
    ON CONFLICT DO NOTHING
    RETURNING endpoint_id`.execute(connection);
  return rows.map(({ endpoint_id }) => endpoint_id);
}

export interface DueDelivery {
  /** How many attempts of it are logged. */
  readonly known: number;
  readonly event: EventRow;
  /** Of a customer whose data are restricted: it is not sent. */
  readonly isRestricted: boolean;
}

/** Whether the event is about a contract of a restricted customer (Art. 18 GDPR). */
const isOfRestricted = (organization: string) => sql<boolean>`coalesce(
  event.context ->> 'subscription' = ANY ((SELECT string_to_array(hidden_ids(${organization}), ','))::text[]), false)`;

export async function isEventRestricted(
  connection: Connection,
  organization: string,
  id: string,
): Promise<boolean> {
  const row = await connection
    .selectFrom('events as event')
    .select(isOfRestricted(organization).as('isRestricted'))
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.isRestricted === true;
}

/** The due deliveries, the longest waiting first. It reads only as many as it is told, however many wait. */
export async function listDue(
  connection: Connection,
  organization: string,
  endpoint: string,
  { now, rowsMax }: { now: number; rowsMax: number },
): Promise<DueDelivery[]> {
  const rows = await connection
    .selectFrom('event_deliveries as delivery')
    .innerJoin('events as event', (join) =>
      join
        .onRef('event.organization_id', '=', 'delivery.organization_id')
        .onRef('event.id', '=', 'delivery.event_id'),
    )
    .select(['delivery.attempts_in_all', 'event.id', 'event.topic', 'event.timestamp', 'event.context'])
    .select(isOfRestricted(organization).as('isRestricted'))
    .where('delivery.organization_id', '=', organization)
    .where('delivery.endpoint_id', '=', endpoint)
    .where('delivery.state', '=', 'pending')
    .where('delivery.next_at', '<=', instantText(now))
    .orderBy('delivery.next_at')
    .limit(rowsMax)
    .execute();
  return rows.map(({ attempts_in_all, isRestricted, ...event }) => ({
    known: attempts_in_all,
    event,
    isRestricted,
  }));
}

/** Milliseconds at which the next pending delivery falls due; null: nothing is pending. */
export async function findNextDue(
  connection: Connection,
  organization: string,
  endpoint: string,
): Promise<number | null> {
  const row = await connection
    .selectFrom('event_deliveries')
    .select('next_at')
    .where('organization_id', '=', organization)
    .where('endpoint_id', '=', endpoint)
    .where('state', '=', 'pending')
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_at == null ? null : millisecondsOf(row.next_at);
}

export interface MarkedDelivery {
  state: 'pending' | 'delivered' | 'failed' | 'cancelled';
}

/**
 * Logs attempts and moves their deliveries on. An attempt that somebody else has logged meanwhile, because this run had
 * been given up, is left out. What was cancelled while its request was under way stays so, unless it arrived.
 */
export async function updateAttempted(
  connection: Connection,
  organization: string,
  endpoint: string,
  attempts: readonly Attempt[],
): Promise<MarkedDelivery[]> {
  const answered = attempts.map(({ outcome }) => (outcome.kind === 'answered' ? outcome : null));
  const { rows } = await sql<MarkedDelivery>`
    WITH attempt AS (
      SELECT * FROM unnest(
        ${attempts.map(({ event }) => event)}::text[], ${attempts.map(({ known }) => known)}::integer[],
        ${attempts.map(({ atMilliseconds }) => instantText(atMilliseconds))}::timestamptz[],
        ${attempts.map(({ outcome }) => isSuccess(outcome))}::boolean[],
        ${answered.map((response) => response?.status ?? null)}::smallint[],
        ${attempts.map(({ outcome }) => (outcome.kind === 'failed' ? outcome.error : null))}::text[],
        ${answered.map((response) => response?.answer ?? '')}::text[],
        ${attempts.map(({ outcome }) => outcome.milliseconds)}::integer[]
      ) AS attempt (event_id, known, at, succeeded, status, error, answer, milliseconds)
    ), marked AS (
      UPDATE event_deliveries AS delivery
         SET attempts = delivery.attempts + 1, attempts_in_all = delivery.attempts_in_all + 1,
             kept_from = greatest(delivery.kept_from, attempt.at), last_attempt_at = attempt.at, last_status = attempt.status, last_error = attempt.error,
             state = CASE WHEN attempt.succeeded THEN 'delivered'
                          WHEN delivery.state = 'pending' AND delivery.attempts >= ${WAIT_SECONDS.length} THEN 'failed'
                          ELSE delivery.state END,
             next_at = CASE WHEN attempt.succeeded OR delivery.state <> 'pending' THEN NULL
                            ELSE attempt.at + make_interval(secs => (${[...WAIT_SECONDS]}::integer[])[delivery.attempts + 1])
                       END,
             delivered_at = CASE WHEN attempt.succeeded THEN attempt.at ELSE delivery.delivered_at END
        FROM attempt
       WHERE delivery.organization_id = ${organization} AND delivery.event_id = attempt.event_id
         AND delivery.endpoint_id = ${endpoint} AND delivery.attempts_in_all = attempt.known
      RETURNING delivery.event_id, delivery.attempts_in_all, delivery.state
    ), logged AS (
      INSERT INTO delivery_attempts (organization_id, event_id, endpoint_id, number, at, status, error, answer, milliseconds)
      SELECT ${organization}, event_id, ${endpoint}, marked.attempts_in_all, attempt.at, attempt.status, attempt.error,
             attempt.answer, attempt.milliseconds
        FROM marked JOIN attempt USING (event_id))
    SELECT state FROM marked`.execute(connection);
  return rows;
}

/** These deliveries are not sent: the log lists them, and they can be sent again. */
export async function updateCancelled(
  connection: Connection,
  organization: string,
  endpoint: string,
  { events, now }: { events: readonly string[]; now: number },
): Promise<void> {
  await connection
    .updateTable('event_deliveries')
    .set({ state: 'cancelled', next_at: null, kept_from: instantText(now) })
    .where('organization_id', '=', organization)
    .where('endpoint_id', '=', endpoint)
    .where('event_id', 'in', events)
    .execute();
}

/** Hundreds of thousands can wait, and no transaction may hold the endpoint for long. */
const CANCELLED_AT_ONCE_MAX = 1_000;

/**
 * Some of what is pending at an endpoint is not sent any more. The rows are found by their place, which
 * nobody moves while the endpoint is locked: by their ids, a thousand of 20,000 took 0.9 s, and as a join more than 30 s of
 * 100,000, where the server had no statistics of the table yet.
 */
export async function updatePendingCancelled(
  connection: Connection,
  organization: string,
  endpoint: string,
  now: number,
): Promise<{ cancelled: number; isAll: boolean }> {
  const { numAffectedRows } = await sql`
    UPDATE event_deliveries SET state = 'cancelled', next_at = NULL, kept_from = ${instant(now)}
     WHERE organization_id = ${organization} AND endpoint_id = ${endpoint} AND state = 'pending' AND ctid = ANY(ARRAY(
       SELECT ctid FROM event_deliveries
        WHERE organization_id = ${organization} AND endpoint_id = ${endpoint} AND state = 'pending'
        ORDER BY next_at LIMIT ${CANCELLED_AT_ONCE_MAX}))`.execute(connection);
  const cancelled = Number(numAffectedRows ?? 0n);
  return { cancelled, isAll: cancelled < CANCELLED_AT_ONCE_MAX };
}

/**
 * Deliveries begin anew, the oldest first, out of those that ended since an instant or still wait. By their state none of a
 * restricted customer, who is asked of each by one look into the index. Returns how many.
 */
export async function updatePendingAgain(
  connection: Connection,
  organization: string,
  endpoint: string,
  which: { event: string } | { states: readonly ('failed' | 'cancelled')[] },
  { now, since, rowsMax }: { now: number; since: string; rowsMax: number },
): Promise<number> {
  const also =
    'event' in which
      ? sql`event_id = ${which.event}`
      : sql`state = ANY(${which.states}::text[]) AND NOT (
      SELECT ${isOfRestricted(organization)} FROM events AS event
       WHERE (event.organization_id, event.id) = (event_deliveries.organization_id, event_deliveries.event_id))`;
  const { numAffectedRows } = await sql`
    UPDATE event_deliveries
       SET state = 'pending', attempts = 0, next_at = ${instant(now)}, kept_from = ${instant(now)}, delivered_at = NULL
     WHERE organization_id = ${organization} AND endpoint_id = ${endpoint} AND ctid = ANY(ARRAY(
       SELECT ctid FROM event_deliveries
        WHERE organization_id = ${organization} AND endpoint_id = ${endpoint} AND ${also}
          AND (state = 'pending' OR kept_from >= ${since})
        LIMIT ${rowsMax}))`.execute(connection);
  return Number(numAffectedRows ?? 0n);
}

/** No wait is this long, or none begins later than now: a process whose clock was ahead has written it. */
export async function updateFutureDeliveries(
  connection: Connection,
  organization: string,
  endpoint: string,
  now: number,
): Promise<void> {
  const latest = now + CLOCK_DIFFERENCE_MILLISECONDS_MAX;
  await connection
    .updateTable('event_deliveries')
    .set({ next_at: instantText(now) })
    .where('organization_id', '=', organization)
    .where('endpoint_id', '=', endpoint)
    .where('state', '=', 'pending')
    .where('next_at', '>', instantText(latest))
    .where((is) =>
      is.or([
        is('next_at', '>', instantText(latest + LONGEST_WAIT_SECONDS * 1000)),
        is('last_attempt_at', '>', instantText(latest)),
      ]),
    )
    .execute();
}
