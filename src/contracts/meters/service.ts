import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import { type Connection, withHidden } from '../../platform/database/db.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import {
  deleteExchange,
  findExchange,
  findMeter,
  findMeterPlace,
  findSupplyAtLocation,
  insertMeter,
  listMeterStates,
  lockMeter,
  type MeterState,
  updateMeterLocations,
  updateSignedType,
  upsertMeterChange,
} from './queries.ts';
import {
  isMalo,
  type Meter,
  type MeterLocations,
  meterLocations,
  meterNumberText,
  sentMalo,
} from './schema.ts';

export const UNSUPPORTED_METER = ruleCode('unsupported_meter', 'This type of meter is not supported here');

/** A meter as others show it inside their own answer: as it is on that day. */
export async function shownMeter(
  connection: Connection,
  organization: string,
  id: string,
  on: CalendarDay,
): Promise<Meter> {
  const row = await findMeter(connection, organization, id, on);
  if (row === undefined) throw new Error(`Meter ${id} is referred to and does not exist`);
  return { object: 'meter', ...row };
}

export { lockMarketLocations } from './queries.ts';
export { isMalo } from './schema.ts';

/**
 * A market location is in one contract of a type at a time. Asked behind `lockMarketLocations`, once all is written. What is
 * no market location was typed by a customer, and counts nowhere.
 */
export async function refuseSharedLocation(
  connection: Connection,
  organization: string,
  days: { meter: string; contract?: string; since?: string | undefined },
  field: string,
): Promise<void> {
  const malo = (await findMeterPlace(connection, organization, days.meter))?.malo ?? null;
  if (malo === null || !isMalo(malo)) return;
  const shared = await findSupplyAtLocation(connection, organization, { ...days, malo });
  if (shared === undefined) return;
  const { own, other, from } = shared;
  const message = `Market location ${malo} belongs to ${other} in days of ${own}, the first is ${berlinDayOf(from)}`;
  throw conflict([{ code: 'custom', field, message }]);
}

/**
 * Keeps what the market says about a meter's place; false when that was known. Behind `lockMarketLocations`. Refused where
 * the market location is another contract's in days of any contract of the meter, `since` an instant if there is one: what
 * the grid operator says of a start is not about contracts that were over before.
 */
export async function recordMeterLocations(
  connection: Connection,
  organization: string,
  id: string,
  { melo, malo, since }: MeterLocations & { since?: string },
  now: string,
): Promise<boolean> {
  const input = { melo, malo };
  const checked = meterLocations.safeParse(input);
  if (!checked.success) throw badRequest(entriesOf(checked.error.issues, input));
  const meter = await findMeterPlace(connection, organization, id);
  const isNew = (melo ?? meter?.melo) !== meter?.melo || (malo ?? meter?.malo) !== meter?.malo;
  if (!isNew) return false;
  const locations = { ...(melo !== undefined && { melo }), ...(malo !== undefined && { malo }) };
  await updateMeterLocations(connection, organization, id, locations, now);
  if (malo !== undefined && malo !== meter?.malo) {
    await refuseSharedLocation(connection, organization, { meter: id, since }, 'malo');
  }
  return true;
}

/** Numbers are compared and kept in upper case and without blanks. */
export function meterNumberOf({ number }: { number: string }): string {
  return number.replaceAll(/\s+/g, '').toUpperCase();
}

/** Why it is no number; null where it is one. */
export function meterNumberFault(number: string): string | null {
  return meterNumberText.safeParse(number).error?.issues[0]?.message ?? null;
}

/** A meter as a sign-up names it. */
export interface SentMeter {
  number: string;
  type: 'smart' | 'analog';
  malo?: string | null | undefined;
}

/** The first meter of a household. */
export async function createMeter(
  connection: Connection,
  organization: string,
  owner: { customer: string; household: string },
  sent: SentMeter,
  now: string,
): Promise<string> {
  const id = newId('mtr');
  await insertMeter(connection, organization, {
    id,
    customer_id: owner.customer,
    household_id: owner.household,
    number: meterNumberOf(sent),
    type: sent.type,
    malo: sentMalo(sent.malo),
    created_at: now,
    updated_at: now,
  });
  return id;
}

/**
 * A later sign-up adds a market location that was missing, or whose check digit is wrong, but not that of another contract in
 * days of this meter's: the grid operator says whose it is. That it says "smart" is kept with
 * its contract and counts from the start of supply. If no contract of the household ever began or still can, only sign-ups
 * that were refused or withdrawn have told of the meter. Then this sign-up says how the meter was at first. So does one that
 * says "analog" before any supply began: a sign-up before it that said "smart" counts from its own start, and not at all when
 * it is refused.
 */
export async function learnFromSignUp(
  connection: Connection,
  organization: string,
  stored: { id: string; malo: string | null },
  { type, malo: sent, isFirst }: SentMeter & { isFirst: boolean },
  now: string,
): Promise<void> {
  if (isFirst) await updateSignedType(connection, organization, stored.id, type, now);
  const malo = sentMalo(sent);
  if (malo === null || isMalo(stored.malo) || (stored.malo !== null && !isMalo(malo))) return;
  const place = { meter: stored.id, malo };
  const find = () => findSupplyAtLocation(connection, organization, place);
  if (isMalo(malo) && (await withHidden(connection, find)) !== undefined) return;
  await updateMeterLocations(connection, organization, stored.id, { malo }, now);
}

export interface HeldMeter {
  id: string;
  customer_id: string;
  household_id: string;
  /** Ascending. */
  states: MeterState[];
}

/** The meter as nobody else changes it, or adds a reading to it, until the transaction ends. Not of who was erased. */
export async function holdMeter(
  connection: Connection,
  organization: string,
  id: string,
): Promise<HeldMeter> {
  const row = isId(id) ? await lockMeter(connection, organization, id) : undefined;
  if (row === undefined) throw notFound();
  await assertCustomerNotErased(connection, organization, row.customer_id, 'meter');
  return { ...row, states: await listMeterStates(connection, organization, id) };
}

/** Another device from a day on, with a counter of its own, which is returned. */
export async function recordDevice(
  connection: Connection,
  organization: string,
  { id: meter_id, customer_id, states }: HeldMeter,
  device: { on: CalendarDay; number: string; type?: MeterState['type'] },
  now: string,
): Promise<number> {
  const { on: valid_from, ...fields } = device;
  const register = Math.max(...states.map((state) => state.register)) + 1;
  await upsertMeterChange(
    connection,
    organization,
    { meter_id, customer_id, valid_from, register, ...fields },
    now,
  );
  return register;
}

/**
 * The last device was not mounted as it was entered: nothing is said of its day any more. Returns what was said; null where
 * the first one is still there. Entered anew it has the same register.
 */
export async function withdrawDevice(
  connection: Connection,
  organization: string,
  { id, states }: HeldMeter,
  now: string,
) {
  const register = Math.max(...states.map((state) => state.register));
  const entered = await findExchange(connection, organization, id, register);
  if (entered === undefined || entered.number === null) return null;
  await deleteExchange(connection, organization, id, register, now);
  return { ...entered, number: entered.number, register };
}

/** The device is another kind of meter from a day on: an analog one that was connected is a smart one. */
export async function recordType(
  connection: Connection,
  organization: string,
  { id: meter_id, customer_id }: HeldMeter,
  { on: valid_from, type }: { on: CalendarDay; type: MeterState['type'] },
  now: string,
): Promise<void> {
  await upsertMeterChange(connection, organization, { meter_id, customer_id, valid_from, type }, now);
}

/** The state in force on a day. */
export function stateOn(states: readonly MeterState[], day: CalendarDay): MeterState {
  const state = states.findLast(({ valid_from }) => valid_from === null || valid_from <= day);
  if (state === undefined) throw new Error('A meter has a state from the beginning');
  return state;
}
