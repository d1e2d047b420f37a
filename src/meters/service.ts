import type { Connection } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { findMeter, insertMeter, updateMeterFromSignUp, updateMeterLocations } from './queries.ts';
import type { Meter, MeterLocations } from './schema.ts';

/** A meter as others show it inside their own answer. */
export async function shownMeter(connection: Connection, organization: string, id: string): Promise<Meter> {
  const row = await findMeter(connection, organization, id);
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
  const meter = await findMeter(connection, organization, id);
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

/** What a later sign-up knows better: a smart meter in place of an analog one, a market location that was missing. */
export async function learnFromSignUp(
  connection: Connection,
  organization: string,
  stored: { id: string; type: string; malo: string | null },
  sent: SentMeter,
  now: string,
): Promise<void> {
  const malo = sent.malo ?? null;
  const isSmartNow = sent.type === 'smart' && stored.type === 'analog';
  const isLocatedNow = malo !== null && stored.malo === null;
  if (!isSmartNow && !isLocatedNow) return;
  await updateMeterFromSignUp(connection, organization, stored.id, {
    ...(isSmartNow && { type: 'smart' as const }),
    ...(isLocatedNow && { malo }),
    updated_at: now,
  });
}
