import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { Failure, Findings, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { addDays, berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { type HeldMeter, holdMeter, stateOn } from '../meters/service.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { assertFits } from './fits.ts';
import { findSameReading, insertReading, listReadingsOfMeter, type ReadingRow } from './queries.ts';
import { checkDay, checkMeter, isReal } from './rules.ts';
import { newMeterReadingId } from './schema.ts';

/** A reading of the metering operator, or one that a customer told by telephone. */
export interface GivenReading {
  subscription: string;
  read_on: CalendarDay;
  /** kWh as decimal text. */
  value: string;
  type: ReadingRow['type'];
}

/** Takes in one reading at the command line. */
export function recordReading(
  database: Database,
  organization: string,
  given: GivenReading,
  act: StaffAct,
): Promise<ReadingRow> {
  return database.inOrganization({ organization }, (connection) =>
    recordIn(connection, organization, given, act),
  );
}

/** By the rules of the interface; what the operator read is not held against the forecast. */
export async function recordIn(
  connection: Connection,
  organization: string,
  { subscription: id, ...given }: GivenReading,
  act: StaffAct,
): Promise<ReadingRow> {
  const subscription = isId(id) ? await findSubscription(connection, organization, undefined, id) : undefined;
  if (subscription === undefined) throw notFound();
  const meter = await holdMeter(connection, organization, subscription.meter_id);
  const { states } = meter;
  const line = { ...staffOf(act, organization), act: 'meter_reading.create' };
  const entered = await findSameReading(connection, organization, id, given);
  if (entered !== undefined) {
    await audit(connection, { ...line, object_id: entered.id, result: 'unchanged' });
    return entered;
  }
  const sent = { ...given, register: await registerOn(connection, organization, meter, given.read_on) };
  const findings = new Findings();
  const nowMilliseconds = (instantMicroseconds(act.now) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
  const at = { read_on: sent.read_on, atMilliseconds: berlinMilliseconds(sent.read_on) };
  checkMeter(subscription, states, sent, findings);
  checkDay(subscription, at, nowMilliseconds, findings);
  findings.throwIfAny();
  await assertFits(connection, organization, subscription, sent, 'supplier');

  const row = await insertReading(connection, organization, {
    ...sent,
    id: newMeterReadingId(),
    customer_id: subscription.customer_id,
    subscription_id: subscription.id,
    meter_id: subscription.meter_id,
    created_at: act.now,
  });
  await audit(connection, { ...line, object_id: row.id });
  return row;
}

/**
 * The counter that was read. On the day on which an analog device gave way to a smart one it is that of the old device, where
 * nobody has entered what it showed at last: the exchange took none where the contract was confirmed behind it.
 */
async function registerOn(
  connection: Connection,
  organization: string,
  { id, states }: HeldMeter,
  day: CalendarDay,
): Promise<number> {
  const [before, on] = [stateOn(states, addDays(day, -1)), stateOn(states, day)];
  if (before.type !== 'analog' || on.type !== 'smart') return on.register;
  const ofMeter = await listReadingsOfMeter(connection, organization, id);
  const isClosed = ofMeter.some(
    (reading) => reading.register === before.register && reading.read_on === day && isReal(reading),
  );
  return isClosed ? on.register : before.register;
}

/** The field of a reading and the sentence that a refusal says about it. */
export function reasonsOf(error: unknown): { field: string; rule: string }[] | null {
  if (!(error instanceof Failure)) return null;
  if (error.code === 'NOT_FOUND')
    return [{ field: 'subscription', rule: 'The organization has no such subscription' }];
  return error.entries.map(({ field, message }) => ({ field, rule: message }));
}
