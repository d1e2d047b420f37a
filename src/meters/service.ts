import type { CalendarDay } from '../platform/berlin-calendar.ts';
import type { Connection } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import {
  findMeter,
  findMeterLocations,
  insertMeter,
  listMeterStates,
  lockMeter,
  type MeterState,
  updateMeterLocations,
} from './queries.ts';
import type { Meter, MeterLocations } from './schema.ts';

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

/** Keeps what the market says about a meter's place; false when that was known. */
export async function recordMeterLocations(
  connection: Connection,
  organization: string,
  id: string,
  { melo, malo }: MeterLocations,
  now: string,
): Promise<boolean> {
  const meter = await findMeterLocations(connection, organization, id);
  const isNew = (melo ?? meter?.melo) !== meter?.melo || (malo ?? meter?.malo) !== meter?.malo;
  if (!isNew) return false;
  const locations = { ...(melo !== undefined && { melo }), ...(malo !== undefined && { malo }) };
  await updateMeterLocations(connection, organization, id, locations, now);
  return true;
}

/** Numbers are compared and kept in upper case and without blanks. */
export function meterNumberOf({ number }: { number: string }): string {
  return number.replaceAll(/\s+/g, '').toUpperCase();
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
    malo: sent.malo ?? null,
    created_at: now,
    updated_at: now,
  });
  return id;
}

/**
 * What a later sign-up knows better: a market location that was missing. That it says "smart" is kept with its contract
 * and counts from the start of supply; a number never changes by a sign-up.
 */
export async function learnFromSignUp(
  connection: Connection,
  organization: string,
  stored: { id: string; malo: string | null },
  { malo }: SentMeter,
  now: string,
): Promise<void> {
  if (malo === undefined || malo === null || stored.malo !== null) return;
  await updateMeterLocations(connection, organization, stored.id, { malo }, now);
}

/** The meter's states, ascending; nobody else changes them or adds a reading until the transaction ends. */
export async function holdMeter(
  connection: Connection,
  organization: string,
  id: string,
): Promise<MeterState[]> {
  await lockMeter(connection, organization, id);
  return listMeterStates(connection, organization, id);
}

/** The state in force on a day. */
export function stateOn(states: readonly MeterState[], day: CalendarDay): MeterState {
  const state = states.findLast(({ valid_from }) => valid_from === null || valid_from <= day);
  if (state === undefined) throw new Error('A meter has a state from the beginning');
  return state;
}
