import { recordEvents } from '../../events/record.ts';
import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import { holdHousehold } from '../../identity/households/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { constraintOf, SQLSTATE, sqlState } from '../../platform/database/pg-errors.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  berlinDayOf,
  berlinMidnight,
  type CalendarDay,
  earlier,
} from '../../platform/time/berlin-calendar.ts';
import { moveEndsOfReductions, orderIntendedReductions } from '../grid-fee-reductions/service.ts';
import { noteChangedBills } from '../held-contracts/service.ts';
import { lockMarketLocations, recordMeterLocations, refuseSharedLocation } from '../meters/service.ts';
import { afterEnd } from './end.ts';
import {
  findBillReaching,
  findSubscription,
  listOthersMadeSmart,
  lockSubscription,
  type SubscriptionRow,
  updateSubscription,
} from './queries.ts';
import { findOverlappingSupply } from './supply-queries.ts';
import { subscriptionTopics } from './topics.ts';

/*
 * What the back office enters when the grid operator has spoken. Days may lie in the past: messages of the market come
 * late, and what they say holds all the same.
 */

export interface Confirmation {
  start_on: CalendarDay;
  melo?: string;
  malo?: string;
}

interface BackOfficeDeps {
  database: Database;
  clock: Clock;
}

/** The grid operator confirms the start, or another one. */
export function confirmSubscription(
  { database, clock }: BackOfficeDeps,
  organization: string,
  id: string,
  confirmation: Confirmation,
  act: StaffAct,
): Promise<SubscriptionRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const { row, now } = await lockedSubscription(connection, organization, id, clock);
    const start_at = berlinMidnight(confirmation.start_on);
    const locations = { ...confirmation, since: start_at };
    const locate = () => recordMeterLocations(connection, organization, row.meter_id, locations, now);
    const line = { ...staffOf(act, organization), act: 'subscription.confirm', object_id: id };
    if (row.status !== 'pending') {
      const isSupplied = row.start_at === start_at && (row.end_at === null || row.end_at > start_at);
      if (isSupplied && !(await locate())) {
        await audit(connection, { ...line, result: 'unchanged' });
        return row;
      }
      const isCalledBack = row.start_at === null && row.termination_reason === 'WITHDRAWAL';
      const state = isCalledBack ? 'was withdrawn from: call the switch back' : `is ${row.status}`;
      throw refused('subscription', `Only a pending subscription can be confirmed; this one ${state}`);
    }
    await checkPeriod(connection, organization, row, { start_at, end_at: row.end_at }, 'start_on');
    const isMoved = row.start_at !== start_at;
    const confirmed = isMoved
      ? await updateSubscription(connection, organization, id, {
          start_at,
          confirmed_at: row.confirmed_at ?? now,
          updated_at: now,
        }).catch(asOverlapAt('start_on'))
      : row;
    if (isMoved) await noteOthersAtMeter(connection, organization, row, start_at, now);
    const isLocated = await locate();
    if (isMoved) await refuseOtherAtLocation(connection, organization, row, 'start_on');
    await orderIntendedReductions(connection, organization, [id], now);
    if (isMoved) await recordConfirmed(connection, organization, confirmed, now);
    await audit(connection, { ...line, result: isMoved || isLocated ? 'done' : 'unchanged' });
    return confirmed;
  });
}

/** The grid operator refuses the sign-up: the contract ends at once, without supply. */
export function rejectSubscription(
  { database, clock }: BackOfficeDeps,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<SubscriptionRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const { row, now } = await lockedSubscription(connection, organization, id, clock);
    const line = { ...staffOf(act, organization), act: 'subscription.reject', object_id: id };
    if (isRejected(row)) {
      await audit(connection, { ...line, result: 'unchanged' });
      return row;
    }
    if (row.status !== 'pending') {
      throw refused('subscription', `Only a pending subscription can be rejected; this one is ${row.status}`);
    }
    if (row.start_at !== null && row.start_at <= now) {
      throw refused('subscription', `Supply began at ${row.start_at}: terminate the subscription instead`);
    }
    const rejected = await updateSubscription(connection, organization, id, {
      status: 'ended',
      end_at: now,
      updated_at: now,
    });
    await afterEnd(connection, organization, [id], now);
    await audit(connection, line);
    return rejected;
  });
}

/** Nothing else ends a contract without a reason, and before its start where it has one. */
function isRejected({ status, termination_reason, start_at, end_at }: SubscriptionRow): boolean {
  const isUnsupplied = start_at === null || (end_at !== null && end_at <= start_at);
  return status === 'ended' && termination_reason === null && isUnsupplied;
}

export interface SupplyDates {
  start_on?: CalendarDay;
  end_on?: CalendarDay;
}

/**
 * Corrects the days of a contract that has them: the start of a confirmed one, the end of a terminated one. One that has ended
 * stays ended, and its reductions end with it on the other day.
 */
export function setDates(
  { database, clock }: BackOfficeDeps,
  organization: string,
  id: string,
  dates: SupplyDates,
  act: StaffAct,
): Promise<SubscriptionRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const { row, now } = await lockedSubscription(connection, organization, id, clock);
    await assertCustomerNotErased(connection, organization, row.customer_id, 'subscription');
    const { start_at, end_at } = await newPeriod(connection, organization, row, dates, now);
    const isStartMoved = start_at !== row.start_at;
    const isEndMoved = end_at !== row.end_at;
    const isMoved = isStartMoved || isEndMoved;
    const changed = isMoved
      ? await updateSubscription(connection, organization, id, {
          start_at,
          end_at,
          updated_at: now,
        }).catch(asOverlapAt(fieldOf(dates)))
      : row;
    if (isMoved) await refuseOtherAtLocation(connection, organization, row, fieldOf(dates));
    if (isStartMoved) {
      await noteOthersAtMeter(connection, organization, row, start_at, now);
      await recordConfirmed(connection, organization, changed, now);
    }
    if (isEndMoved) {
      if (row.status === 'ended') await moveEndsOfReductions(connection, organization, row, end_at, now);
      const context = { subscription: id };
      await recordEvents(connection, organization, [
        { topic: subscriptionTopics.terminated, context, now: changed.updated_at, runAt: now },
      ]);
    }
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'subscription.set_dates',
      object_id: id,
      result: isMoved ? 'done' : 'unchanged',
    });
    return changed;
  });
}

async function newPeriod(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  dates: SupplyDates,
  now: string,
): Promise<{ start_at: string; end_at: string | null }> {
  const { start_on, end_on } = dates;
  const isEnded = row.status === 'ended';
  if (isEnded && (row.start_at === null || row.end_at === null || row.end_at <= row.start_at)) {
    throw refused('subscription', 'The subscription has ended without supply: it has no days');
  }
  if (row.start_at === null) throw refused('subscription', 'The start is not confirmed: confirm it first');
  if (end_on !== undefined && row.end_at === null) {
    throw refused('end_on', 'No termination is in force: terminate the subscription first');
  }
  const start_at = start_on === undefined ? row.start_at : berlinMidnight(start_on);
  const end_at = end_on === undefined ? row.end_at : berlinMidnight(end_on);
  if (row.status === 'active' && start_at > now) {
    throw refused('start_on', 'Supply has begun: its start cannot move into the future');
  }
  if (isEnded && end_at !== null && end_at > now) {
    throw refused('end_on', 'Supply has ended: its end cannot move into the future');
  }
  await checkPeriod(connection, organization, row, { start_at, end_at }, fieldOf(dates));
  await refuseBilledDays(connection, organization, row, { start_at, end_at });
  return { start_at, end_at };
}

type DateField = keyof SupplyDates;

/** The day at fault where two do not fit: the start, unless only the end was sent. */
const fieldOf = ({ start_on }: SupplyDates): DateField => (start_on === undefined ? 'end_on' : 'start_on');

/**
 * Periods are counted from the start, and the last bill is made by the end: while a bill stands whose period would be another
 * one, or a prepayment that no bill would deduct, the day stays. Reversed by name, the days are billed anew by the next run.
 */
async function refuseBilledDays(
  connection: Connection,
  organization: string,
  { id, start_at: start, end_at: end }: SubscriptionRow,
  moved: { start_at: string; end_at: string | null },
): Promise<void> {
  const refuse = async (field: string, from: string) => {
    const bill = await findBillReaching(connection, organization, id, from);
    if (bill === undefined) return;
    const rule = 'reverse it and the bills behind it first (invoices void); the next run bills the days anew';
    throw refused(field, `${bill.invoice_number} bills the days as they were: ${rule}`);
  };
  if (start !== null && start !== moved.start_at) await refuse('start_on', start);
  const ends = [end, moved.end_at].flatMap((instant) => instant ?? []).sort();
  if (end !== moved.end_at && ends[0] !== undefined) await refuse('end_on', ends[0]);
}

/** By the days that were written. */
function refuseOtherAtLocation(
  connection: Connection,
  organization: string,
  { id, meter_id }: SubscriptionRow,
  field: DateField,
): Promise<void> {
  return refuseSharedLocation(connection, organization, { meter: meter_id, contract: id }, field);
}

/**
 * The contract, held with its household and behind the lock of market locations, so that two contracts of one household or
 * of one place get their days one after the other; and the moment, read behind the locks: of two changes the later one has the later instant.
 */
async function lockedSubscription(
  connection: Connection,
  organization: string,
  id: string,
  clock: Clock,
): Promise<{ row: SubscriptionRow; now: string }> {
  const found = isId(id) ? await findSubscription(connection, organization, undefined, id) : undefined;
  if (found === undefined) throw notFound();
  await lockMarketLocations(connection, organization);
  await holdHousehold(connection, organization, found.household_id);
  const row = await lockSubscription(connection, organization, id);
  if (row === undefined) throw notFound();
  return { row, now: clock.now().toISOString() };
}

/** Supply has a beginning before its end, and a household has one supply at a time. */
async function checkPeriod(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  period: { start_at: string; end_at: string | null },
  field: DateField,
): Promise<void> {
  const { start_at, end_at } = period;
  if (end_at !== null && end_at <= start_at) {
    /* One that was withdrawn from before its start is never supplied. */
    if (row.termination_reason === 'WITHDRAWAL' && row.status === 'pending') return;
    if (field === 'end_on') throw refused(field, `The end must lie behind the start, ${start_at}`);
    throw refused(field, `The start must lie before the end, ${end_at}`);
  }
  if (row.type !== 'consumption') return;
  const other = await findOverlappingSupply(connection, organization, row, period);
  if (other !== undefined) throw refused(field, `${other.id} supplies the household at that time`);
}

const ONE_SUPPLY_CONSTRAINT = 'subscriptions_one_supply';

/** The constraint holds even where nobody locks: the second supply of a household at one time is not stored. */
const asOverlapAt =
  (field: DateField) =>
  (error: unknown): never => {
    if (sqlState(error) === SQLSTATE.exclusionViolation && constraintOf(error) === ONE_SUPPLY_CONSTRAINT) {
      throw refused(field, 'Another subscription supplies the household at that time');
    }
    throw error;
  };

/** A sign-up that said "smart" makes the meter smart from its start: what others at the meter were billed goes by that day, too. */
async function noteOthersAtMeter(
  connection: Connection,
  organization: string,
  { id, start_at: before }: SubscriptionRow,
  start_at: string,
  now: string,
): Promise<void> {
  const [from, moved] = [berlinDayOf(before ?? start_at), berlinDayOf(start_at)];
  const others = await listOthersMadeSmart(connection, organization, id);
  await noteChangedBills(connection, organization, others, earlier(from, moved), now);
}

async function recordConfirmed(
  connection: Connection,
  organization: string,
  { id, updated_at }: SubscriptionRow,
  now: string,
) {
  const context = { subscription: id };
  await recordEvents(connection, organization, [
    { topic: subscriptionTopics.confirmed, context, now: updated_at, runAt: now },
  ]);
}

function refused(field: string, message: string) {
  return conflict([{ code: 'custom', field, message }]);
}
