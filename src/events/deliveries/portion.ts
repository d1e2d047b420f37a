import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { askForRuns, isServed, type Lane, laneOf, notBefore } from './ask.ts';
import {
  lockServedEndpoint,
  type ServedColumns,
  type ServedEndpoint,
  updateServedEndpoint,
} from './endpoint-queries.ts';
import { type Attempt, type EndpointHealth, isAhead, judge, type Notice, withoutFutures } from './health.ts';
import { instantText, millisecondsOf } from './instants.ts';
import { recordNotice } from './notices.ts';
import {
  type DueDelivery,
  findNextDue,
  listDue,
  type MarkedDelivery,
  updateAttempted,
  updateCancelled,
  updateFutureDeliveries,
  updatePendingCancelled,
} from './queries.ts';

/*
 * The transaction between two portions of requests: what came of the last portion is written, and the next one is taken.
 * It locks the row of the endpoint, as fan-out, sweep, resend and the commands do. So whatever becomes due is either seen
 * here, or whoever writes it sees that nobody serves the endpoint, and asks for a run.
 */

/** Many for one transaction, and still so few that a second is enough for them. */
const PORTION_HEALTHY = 32;
/** As many as go out at once: each may take half a minute. */
const PORTION_FAILING = 4;

/** Who serves an endpoint. */
export interface Turn {
  readonly organization: string;
  readonly endpoint: string;
  /** The run; its number is the same when another worker begins it again, which may go on at once. */
  readonly holder: number;
  /** Null: a listener, which is never handed over. */
  readonly lane: Lane | null;
  /** The instant that this turn has written last into `served_at`; null: it has not begun. */
  leaseAt: string | null;
  /** The address for which this turn took its last portion; null: none yet, or a listener's. */
  url: string | null;
}

export interface Portion {
  readonly endpoint: ServedEndpoint | null;
  readonly due: readonly DueDelivery[];
  readonly now: number;
  /** How many requests may be under way at once. */
  readonly atOnceMax: number;
  /** This turn has no more to do. */
  readonly isOver: boolean;
  readonly marked: readonly MarkedDelivery[];
  readonly cancelled: number;
  readonly notice: Notice | null;
}

interface Decision {
  readonly due: readonly DueDelivery[];
  readonly isOver: boolean;
  readonly cancelled: number;
  readonly columns: Partial<ServedColumns>;
}

const released = { served_by: null, served_at: null };

export async function nextPortion(
  { database, clock }: { database: Database; clock: Clock },
  turn: Turn,
  attempts: readonly Attempt[],
  mayTake: boolean,
): Promise<Portion> {
  const { organization } = turn;
  const portion = await database.inOrganization({ organization }, async (connection) => {
    const stored = await lockServedEndpoint(connection, organization, turn.endpoint);
    /* Behind the lock: whoever held it before wrote earlier instants. */
    const now = clock.nowMilliseconds();
    const nothing = { due: [], now, atOnceMax: 1, isOver: true, marked: [], cancelled: 0, notice: null };
    if (stored === undefined) return { ...nothing, endpoint: null };
    const { standing, ...row } = stored;
    const marked =
      attempts.length === 0 ? [] : await updateAttempted(connection, organization, row.id, attempts);
    if (isAhead(row, now)) await updateFutureDeliveries(connection, organization, row.id, now);
    const isOwn = isMine(row, turn, now);
    /* A late answer says nothing about a new address, or about an endpoint that was switched on again. */
    const own = isOwn && turn.url === row.url ? attempts : [];
    /* Without attempts only the sweep judges by time. Here requests go out first. */
    const { health, notice } =
      own.length === 0 ? { health: withoutFutures(row, now), notice: null } : judge(row, own, now);
    const endpoint = { ...row, ...health, ...withoutOwnRun(row, turn) };
    const decision = isOwn
      ? await decide(connection, { turn, endpoint, now, mayTake, standing })
      : { due: [], isOver: true, cancelled: 0, columns: {} };
    await updateServedEndpoint(connection, organization, row.id, {
      ...health,
      ...withoutOwnRun(row, turn),
      ...decision.columns,
    });
    if (notice !== null)
      await recordNotice(connection, organization, { endpoint: row.id, notice, health, now });
    const { due, isOver, cancelled } = decision;
    return { endpoint, due, now, atOnceMax: atOnceMax(health), isOver, marked, cancelled, notice };
  });
  turn.leaseAt = portion.isOver ? null : instantText(portion.now);
  turn.url = portion.endpoint?.url ?? null;
  return portion;
}

/** The run that was asked for has begun: the next one has to be asked for. */
function withoutOwnRun(row: ServedEndpoint, { holder }: Turn): Partial<ServedColumns> {
  return row.asked_run === holder ? { asked_run: null, asked_at: null } : {};
}

/** Free, left behind, or this turn's own. A turn that was passed over finds another instant than it wrote. */
function isMine(row: ServedEndpoint, turn: Turn, now: number): boolean {
  if (row.served_by === null) return turn.leaseAt === null;
  if (row.served_by !== turn.holder) return turn.leaseAt === null && !isServed(row, now);
  return (
    turn.leaseAt === null ||
    (row.served_at !== null && millisecondsOf(row.served_at) === millisecondsOf(turn.leaseAt))
  );
}

async function decide(
  connection: Connection,
  {
    turn,
    endpoint,
    now,
    mayTake,
    standing,
  }: { turn: Turn; endpoint: ServedEndpoint; now: number; mayTake: boolean; standing: string },
): Promise<Decision> {
  const { organization } = turn;
  const kept = { served_by: turn.holder, served_at: instantText(now) };
  if (endpoint.deleted_at !== null || endpoint.disabled_at !== null) {
    const { cancelled, isAll } = await updatePendingCancelled(connection, organization, endpoint.id, now);
    return { due: [], isOver: isAll, cancelled, columns: isAll ? released : kept };
  }
  /* The organization is suspended or deleted: nothing is sent. The sweep asks again when it is back. */
  if (standing !== 'in_order' && standing !== 'past_due') {
    return { due: [], isOver: true, cancelled: 0, columns: released };
  }
  const isTurn = mayTake && (turn.lane === null || turn.lane === laneOf(endpoint));
  if (isTurn && notBefore(endpoint, now) === now) {
    const found = await listDue(connection, organization, endpoint.id, { now, rowsMax: portionOf(endpoint) });
    const due = found.filter(({ isRestricted }) => !isRestricted);
    const events = found.flatMap(({ event, isRestricted }) => (isRestricted ? [event.id] : []));
    if (events.length > 0) await updateCancelled(connection, organization, endpoint.id, { events, now });
    if (found.length > 0) return { due, isOver: false, cancelled: events.length, columns: kept };
  }
  if (turn.lane === null)
    return { due: [], isOver: !mayTake, cancelled: 0, columns: mayTake ? kept : released };
  const nextDue = await findNextDue(connection, organization, endpoint.id);
  if (nextDue === null) return { due: [], isOver: true, cancelled: 0, columns: released };
  const atMilliseconds = notBefore(endpoint, Math.max(now, nextDue));
  const [run] = await askForRuns(connection, organization, [{ endpoint, atMilliseconds }]);
  const columns =
    run === undefined ? released : { ...released, asked_run: run.asked_run, asked_at: run.asked_at };
  return { due: [], isOver: true, cancelled: 0, columns };
}

function portionOf(endpoint: EndpointHealth): number {
  if (endpoint.one_at_a_time) return 1;
  return laneOf(endpoint) === 'healthy' ? PORTION_HEALTHY : PORTION_FAILING;
}

function atOnceMax(health: EndpointHealth): number {
  return health.one_at_a_time ? 1 : 4;
}
