import { recordEvents } from '../../events/record.ts';
import { findCustomer } from '../../identity/customers/queries.ts';
import { type AuditEntry, actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  berlinDayOf,
  berlinMidnight,
  berlinMidnightText,
  berlinText,
  type CalendarDay,
  isFirstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { findPlanWithTerms } from '../../tariffs/plans/queries.ts';
import { ENDED_SUBSCRIPTION, SUBSCRIPTION_NOT_STARTED } from '../held-contracts/service.ts';
import { earliestEnd } from './earliest-end.ts';
import { afterEnd } from './end.ts';
import { findSubscription, lockSubscription, type SubscriptionRow, updateSubscription } from './queries.ts';
import type { AcceptedTermination, Termination, TerminationReason } from './schema.ts';
import { mayWithdraw } from './termination-dates.ts';
import { subscriptionTopics } from './topics.ts';

export const INVALID_TERMINATION_DATE = ruleCode(
  'invalid_termination_date',
  'Supply cannot end at this date',
);
export const WITHDRAWAL_NOT_ALLOWED = ruleCode(
  'withdrawal_not_allowed',
  'Not a consumer, or the time for a withdrawal is over',
);

const ACT = 'subscription.terminate';

/** Ends a contract at a later day; until then it stays as it is. One that is not confirmed ends at once. */
export async function terminateSubscription(
  deps: Pick<Deps, 'database' | 'clock'>,
  request: ApiRequest<unknown, Termination>,
): Promise<AcceptedTermination> {
  const { organization } = request.principal;
  const id = request.pathId;
  return deps.database.inOrganization(request.principal, async (connection) => {
    const accepted = await terminate(connection, organization, id, request.body, deps.clock);
    await audit(connection, {
      ...actorOf(request),
      act: ACT,
      object_id: id,
      result: 'done',
    });
    return accepted;
  });
}

/** The same by a member of staff, under the same rules. What stands as it is said is not entered again. */
export function terminateForStaff(
  parts: { database: Database; clock: Clock },
  organization: string,
  id: string,
  termination: Termination,
  act: StaffAct,
): Promise<AcceptedTermination> {
  return parts.database.inOrganization({ organization }, async (connection) => {
    const line = { ...staffOf(act, organization), act: ACT, object_id: id };
    const standing = await standingEnd(connection, organization, id, termination, parts.clock);
    if (standing !== null) {
      await audit(connection, { ...line, result: 'unchanged' });
      return { reason: termination.reason, intended_end_at: berlinText(standing) };
    }
    const accepted = await terminate(connection, organization, id, termination, parts.clock);
    await audit(connection, line);
    return accepted;
  });
}

/** The end of a contract that was terminated for this reason, to this day or as early as it can be; null where it was not. */
async function standingEnd(
  connection: Connection,
  organization: string,
  id: string,
  termination: Termination,
  clock: Clock,
): Promise<string | null> {
  const row = isId(id) ? await lockSubscription(connection, organization, id) : undefined;
  if (row === undefined || row.end_at === null || row.termination_reason !== termination.reason) return null;
  const sent = termination.reason === 'WITHDRAWAL' ? undefined : termination.intended_end_at;
  if (sent !== undefined) return berlinDayOf(sent) === berlinDayOf(row.end_at) ? row.end_at : null;
  /* A withdrawal can end a contract at once. A line with another reason that finds it over may mean another contract. */
  const today = berlinDayOf(clock.now().toISOString());
  const isOver = row.status === 'ended' || berlinDayOf(row.end_at) <= today;
  if (isOver && termination.reason !== 'WITHDRAWAL') return null;
  const earlier = await earliestEndFor(connection, organization, row, termination.reason, today);
  return earlier === null ? row.end_at : null;
}

/** The same by the customer, who is signed in to a page of ours. `keepReceipt` writes in the same transaction. */
export function terminateForCustomer(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { organization, customer }: Required<Tenant>,
  id: string,
  termination: Termination,
  trace: Pick<AuditEntry, 'route' | 'request_id' | 'address'>,
  keepReceipt: (connection: Connection) => Promise<void>,
): Promise<AcceptedTermination> {
  return database.inOrganization({ organization }, async (connection) => {
    const own = isId(id) ? await findSubscription(connection, organization, customer, id) : undefined;
    if (own === undefined) throw notFound();
    const accepted = await terminate(connection, organization, id, termination, clock);
    const done = { act: ACT, object_id: id, result: 'done' };
    await audit(connection, { ...trace, organization_id: organization, ...done });
    await keepReceipt(connection);
    return accepted;
  });
}

/** The entry of staff for an end: the reason, and the first day without supply, or else the earliest possible one. */
export function terminationOf(reason: TerminationReason, endOn: CalendarDay | undefined): Termination {
  const refused = (message: string) => badRequest([{ code: 'custom', field: 'end_on', message }]);
  if (reason === 'WITHDRAWAL') {
    if (endOn !== undefined) throw refused('A withdrawal takes the earliest end: leave the day out');
    return { reason };
  }
  if (endOn !== undefined) return { reason, intended_end_at: berlinMidnight(endOn) };
  if (reason === 'MOVE_OUT') throw refused('A move-out needs its day');
  return { reason };
}

/** The earliest day at whose beginning supply can end; null where the contract is not supplied, or ends earlier. */
export async function earliestEndFor(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  reason: TerminationReason,
  today: CalendarDay,
): Promise<CalendarDay | null> {
  if (row.status === 'ended' || row.start_at === null) return null;
  const startOn = berlinDayOf(row.start_at);
  const earliest = await earliestOf(connection, organization, row, reason, { today, startOn });
  return row.end_at !== null && earliest >= berlinDayOf(row.end_at) ? null : earliest;
}

/** Whether a withdrawal would be accepted; `ends_anyway`: supply ends as early already, and only an earlier end counts. */
export async function withdrawalFor(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  customerType: string | undefined,
  today: CalendarDay,
): Promise<'open' | 'over' | 'ends_anyway'> {
  if (row.status === 'ended' || !mayWithdraw(customerType, row.confirmed_at, today)) return 'over';
  if (row.start_at === null || row.end_at === null) return 'open';
  const earliest = await earliestEndFor(connection, organization, row, 'WITHDRAWAL', today);
  return earliest === null ? 'ends_anyway' : 'open';
}

async function terminate(
  connection: Connection,
  organization: string,
  id: string,
  termination: Termination,
  clock: Clock,
): Promise<AcceptedTermination> {
  const row = isId(id) ? await lockSubscription(connection, organization, id) : undefined;
  if (row === undefined) throw notFound();
  /* Read behind the lock: whoever waited for it past midnight is held to the new day. */
  const now = clock.now().toISOString();
  const today = berlinDayOf(now);
  const terminated = { terminated_at: now, termination_reason: termination.reason, updated_at: now };
  const told = { topic: subscriptionTopics.terminated, context: { subscription: id }, now };
  const { startOn } = await mayTerminate(connection, organization, row, termination, today);
  if (startOn === null) {
    await updateSubscription(connection, organization, id, { ...terminated, status: 'ended', end_at: now });
    await recordEvents(connection, organization, [told]);
    await afterEnd(connection, organization, [id], now);
    return { reason: termination.reason, intended_end_at: berlinText(now) };
  }
  const endOn = await endOf(connection, organization, row, termination, { today, startOn });
  const end_at = berlinMidnight(endOn);
  const changed = await updateSubscription(connection, organization, id, { ...terminated, end_at });
  await recordEvents(connection, organization, [{ ...told, now: changed.updated_at, runAt: now }]);
  return { reason: termination.reason, intended_end_at: berlinMidnightText(endOn) };
}

/**
 * Whether the contract can be terminated for this reason at all, whatever the day. `startOn`: null where the grid operator
 * has not confirmed it. The right of a consumer to withdraw begins with the contract (section 355 BGB), and its 14 days are
 * counted from the confirmation.
 */
async function mayTerminate(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  { reason }: Termination,
  today: CalendarDay,
): Promise<{ startOn: CalendarDay | null }> {
  if (row.status === 'ended') {
    const message = 'The subscription has ended';
    throw conflict([{ code: ENDED_SUBSCRIPTION, field: 'subscription', message }]);
  }
  const { start_at, confirmed_at } = row;
  if (reason === 'WITHDRAWAL') {
    const customer = await findCustomer(connection, organization, row.customer_id);
    if (!mayWithdraw(customer?.type, confirmed_at, today)) throw withdrawalNotAllowed();
  } else if (start_at === null) {
    const message = 'The start of the subscription is not confirmed';
    throw conflict([{ code: SUBSCRIPTION_NOT_STARTED, field: 'subscription', message }]);
  }
  return { startOn: start_at === null ? null : berlinDayOf(start_at) };
}

function withdrawalNotAllowed() {
  const message = 'The subscription cannot be withdrawn from';
  return conflict([{ code: WITHDRAWAL_NOT_ALLOWED, field: 'reason', message }]);
}

/** The day at whose beginning supply ends: the one that was asked for when it is possible, else the earliest. */
async function endOf(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  termination: Termination,
  { today, startOn }: { today: CalendarDay; startOn: CalendarDay },
): Promise<CalendarDay> {
  const firstOfMonthOnly = row.type === 'feed_in';
  const at = { today, startOn };
  const earliest = await earliestOf(connection, organization, row, termination.reason, at);
  const sent = termination.reason === 'WITHDRAWAL' ? undefined : termination.intended_end_at;
  const end = sent === undefined ? earliest : berlinDayOf(sent);
  if (end < earliest || (firstOfMonthOnly && !isFirstOfMonth(end))) {
    const rule = firstOfMonthOnly ? ', and feed-in ends with a month' : '';
    throw invalidDate(`the earliest is ${berlinMidnightText(earliest)}${rule}`);
  }
  if (row.end_at !== null && end >= berlinDayOf(row.end_at)) {
    const inForce = `supply ends at ${berlinMidnightText(berlinDayOf(row.end_at))} already`;
    throw invalidDate(
      `the earliest is ${berlinMidnightText(earliest)}; ${inForce}, and only an earlier end replaces it`,
    );
  }
  return end;
}

async function earliestOf(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  reason: TerminationReason,
  { today, startOn }: { today: CalendarDay; startOn: CalendarDay },
): Promise<CalendarDay> {
  const plan = await findPlanWithTerms(connection, organization, row.plan_id, today);
  if (plan === undefined) throw new Error(`Plan ${row.plan_id} is referred to and has no terms`);
  const cancellationMonths = plan.cancellation_months;
  return earliestEnd({
    reason,
    today,
    startOn,
    cancellationMonths,
    firstOfMonthOnly: row.type === 'feed_in',
  });
}

function invalidDate(reason: string) {
  const message = `The end date is not possible: ${reason}`;
  return conflict([{ code: INVALID_TERMINATION_DATE, field: 'intended_end_at', message }]);
}
