import { type Insertable, sql } from 'kysely';
import type { CalendarDay } from '../platform/berlin-calendar.ts';
import type { Connection } from '../platform/db.ts';
import type { Tables } from '../platform/tables.ts';

/** What a meter is from a day on. */
export interface MeterState {
  /** Null: from the beginning. */
  valid_from: CalendarDay | null;
  number: string;
  type: 'smart' | 'analog';
  /** The counter: readings of one are comparable, and another device has another one. */
  register: number;
  /** Null: the grid operator. */
  metering_operator: string | null;
}

const STATE_COLUMNS = [
  sql<CalendarDay | null>`nullif(state.valid_from, '-infinity')`.as('valid_from'),
  'state.number',
  sql<MeterState['type']>`state.type`.as('type'),
  'state.register',
  'state.metering_operator',
] as const;

/** What a meter was, is and will be: ascending by day, the first state from the beginning. */
export function listMeterStates(
  connection: Connection,
  organization: string,
  meter: string,
): Promise<MeterState[]> {
  return connection
    .selectFrom('meter_states as state')
    .select(STATE_COLUMNS)
    .where('state.organization_id', '=', organization)
    .where('state.meter_id', '=', meter)
    .orderBy('state.valid_from')
    .execute();
}

/**
 * Held until the end of the transaction: of two readings of one meter the second is judged with the first, and none comes
 * in beside an exchange. Contracts can still be signed on the meter meanwhile.
 */
export function lockMeter(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('meters')
    .select(['id', 'customer_id', 'household_id'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** With the state that is in force on a day. */
export function findMeter(connection: Connection, organization: string, id: string, on: CalendarDay) {
  return connection
    .selectFrom('meters as meter')
    .innerJoin('meter_states as state', 'state.meter_id', 'meter.id')
    .select(['meter.id', 'meter.melo', 'meter.malo', 'meter.created_at'])
    .select(['state.number', sql<MeterState['type']>`state.type`.as('type')])
    .where('meter.organization_id', '=', organization)
    .where('meter.id', '=', id)
    .where('state.organization_id', '=', organization)
    .where('state.meter_id', '=', id)
    .where('state.valid_from', '<=', on)
    .where('state.valid_until', '>', on)
    .executeTakeFirst();
}

export function findMeterLocations(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('meters')
    .select(['melo', 'malo'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** What the market says about the place of a meter. */
export async function updateMeterLocations(
  connection: Connection,
  organization: string,
  id: string,
  locations: { melo?: string; malo?: string },
  now: string,
): Promise<void> {
  await connection
    .updateTable('meters')
    .set({ ...locations, updated_at: now })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Its id and its market location: what it is on a day, `findMeter` tells. */
export function findMeterOfHousehold(connection: Connection, organization: string, household: string) {
  return connection
    .selectFrom('meters')
    .select(['id', 'malo'])
    .where('organization_id', '=', organization)
    .where('household_id', '=', household)
    .executeTakeFirst();
}

export async function insertMeter(
  connection: Connection,
  organization: string,
  meter: Omit<Insertable<Tables['meters']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('meters')
    .values({ ...meter, organization_id: organization })
    .execute();
}
