import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';

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

/** The past, present and future states of a meter: ascending by day, the first one from the beginning. */
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

/** The same for many meters; each one's states ascend. */
export function listStatesOfMeters(
  connection: Connection,
  organization: string,
  meters: readonly string[],
): Promise<(MeterState & { meter_id: string })[]> {
  return connection
    .selectFrom('meter_states as state')
    .select(['state.meter_id', ...STATE_COLUMNS])
    .where('state.organization_id', '=', organization)
    .where('state.meter_id', '=', sql<string>`ANY (${meters}::text[])`)
    .orderBy('state.meter_id')
    .orderBy('state.valid_from')
    .execute();
}

/**
 * Locked until the end of the transaction. A second reading is therefore judged after the first, and none comes in
 * during an exchange. Contracts can still be signed on the meter meanwhile.
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

/** What never changes by day: whose it is, and its place. */
export function findMeterPlace(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('meters')
    .select(['id', 'customer_id', 'household_id', 'melo', 'malo'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * By name, so that it comes before all rows: two contracts could else get one market location at once. No constraint holds
 * that: older data may have such pairs, at which its migration would fail.
 */
export async function lockMarketLocations(connection: Connection, organization: string): Promise<void> {
  const name = `market locations ${organization}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(connection);
}

/**
 * A contract with this market location (`other`) that is supplied in days of a contract of the meter (`own`) and is of its
 * type, with the first instant of both. `contract`: in days of that one only; `since`: on days from this instant on.
 */
export async function findSupplyAtLocation(
  connection: Connection,
  organization: string,
  place: { meter: string; malo: string; contract?: string | undefined; since?: string | undefined },
): Promise<{ own: string; other: string; from: string } | undefined> {
  const { meter, malo, contract = null, since = '-infinity' } = place;
  const from = sql`greatest(own.start_at, other.start_at, ${since}::timestamptz)`;
  const { rows } = await sql<{ own: string; other: string; from: string }>`
    SELECT own.id AS own, other.id AS other, ${from} AS from
      FROM subscriptions AS own
      JOIN subscriptions AS other ON other.organization_id = ${organization} AND other.type = own.type AND other.id <> own.id
      JOIN meters AS place ON place.organization_id = ${organization} AND place.id = other.meter_id
     WHERE own.organization_id = ${organization} AND own.meter_id = ${meter} AND place.malo = ${malo}
       AND own.id = coalesce(${contract}, own.id) AND own.start_at IS NOT NULL AND other.start_at IS NOT NULL
       AND ${from} < coalesce(least(own.end_at, other.end_at), 'infinity')
     ORDER BY 3, 2, 1
     LIMIT 1`.execute(connection);
  return rows[0];
}

/** Meters that have or had this number, or have this market or metering location. */
export async function listMetersKnownAs(
  connection: Connection,
  organization: string,
  number: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM meters WHERE organization_id = ${organization} AND number = ${number}
     UNION
    SELECT id FROM meters WHERE organization_id = ${organization} AND malo = ${number}
     UNION
    SELECT id FROM meters WHERE organization_id = ${organization} AND melo = ${number}
     UNION
    SELECT meter_id FROM meter_changes
     WHERE organization_id = ${organization} AND number = ${number}`.execute(connection);
  return rows.map(({ id }) => id);
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

/** Whether a sign-up since an instant said "smart": what is said of the type now outweighs it, also where it was said before. */
const isSignedSmartSince = (organization: string, meter: RawBuilder<unknown>, instant: RawBuilder<unknown>) =>
  sql<boolean>`EXISTS (
    SELECT FROM subscriptions AS signed
     WHERE signed.organization_id = ${organization} AND signed.meter_id = ${meter} AND signed.meter_type = 'smart'
       AND signed.created_at > coalesce(${instant}, '-infinity'))`;

/** Corrects the first type of a meter; false where it was this one already. */
export async function updateFirstType(
  connection: Connection,
  organization: string,
  id: string,
  type: MeterState['type'],
  now: string,
): Promise<boolean> {
  const row = await connection
    .updateTable('meters')
    .set({ type, updated_at: now, first_type_changed_at: now, type_entered_at: now })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where((either) =>
      either.or([
        either('type', '<>', type),
        isSignedSmartSince(organization, sql`${id}`, sql.ref('type_entered_at')),
      ]),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** What a sign-up says of the first type, before there is any bill. What the back office corrected stays. */
export async function updateSignedType(
  connection: Connection,
  organization: string,
  id: string,
  type: MeterState['type'],
  now: string,
): Promise<void> {
  await connection
    .updateTable('meters')
    .set({ type, updated_at: now })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('type', '<>', type)
    .where('first_type_changed_at', 'is', null)
    .execute();
}

export type MeterDay = Omit<
  Insertable<Tables['meter_changes']>,
  'organization_id' | 'created_at' | 'updated_at' | 'device_entered_at' | 'type_entered_at'
>;

/** Replaces what was recorded for the same day. Fields that are left out stay. False where nothing changed. */
export async function upsertMeterChange(
  connection: Connection,
  organization: string,
  { meter_id, customer_id, valid_from, ...said }: MeterDay,
  now: string,
): Promise<boolean> {
  const fields = { number: null, register: null, type: null, metering_operator: null, ...said };
  const { rows } = await sql`
    INSERT INTO meter_changes AS known
      (organization_id, customer_id, meter_id, valid_from, number, register, type, metering_operator, device_entered_at,
       type_entered_at, created_at, updated_at)
    VALUES (${organization}, ${customer_id}, ${meter_id}, ${valid_from}, ${fields.number}, ${fields.register},
            ${fields.type}, ${fields.metering_operator}, ${fields.register === null ? null : now},
            ${fields.type === null ? null : now}, ${now}, ${now})
        ON CONFLICT (organization_id, meter_id, valid_from) DO UPDATE
       SET number = coalesce(excluded.number, known.number),
           register = coalesce(excluded.register, known.register),
           type = coalesce(excluded.type, known.type),
           metering_operator = coalesce(excluded.metering_operator, known.metering_operator),
           device_entered_at = coalesce(excluded.device_entered_at, known.device_entered_at),
           type_entered_at = coalesce(excluded.type_entered_at, known.type_entered_at),
           updated_at = excluded.updated_at
     WHERE coalesce(excluded.number, known.number) IS DISTINCT FROM known.number
        OR coalesce(excluded.type, known.type) IS DISTINCT FROM known.type
        OR coalesce(excluded.metering_operator, known.metering_operator) IS DISTINCT FROM known.metering_operator
        OR (excluded.type IS NOT NULL
            AND ${isSignedSmartSince(organization, sql.ref('known.meter_id'), sql.ref('known.type_entered_at'))})
    RETURNING 1`.execute(connection);
  return rows.length > 0;
}

/** Whether the back office said, since an instant, what type the meter is on a day, or from a day before it on. */
export async function findTypeEntry(
  connection: Connection,
  organization: string,
  meter: string,
  since: string,
  on: CalendarDay,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM meters
     WHERE organization_id = ${organization} AND id = ${meter} AND type_entered_at >= ${since}::timestamptz
     UNION ALL
    SELECT FROM meter_changes
     WHERE organization_id = ${organization} AND meter_id = ${meter} AND type_entered_at >= ${since}::timestamptz
       AND valid_from <= ${on}`.execute(connection);
  return rows.length > 0;
}

/** What an exchange said of its day, by the counter that it began. */
export function findExchange(connection: Connection, organization: string, meter: string, register: number) {
  return connection
    .selectFrom('meter_changes')
    .select(['valid_from', 'number', sql<MeterState['type'] | null>`type`.as('type')])
    .select(sql<string>`coalesce(device_entered_at, created_at)`.as('entered_at'))
    .where('organization_id', '=', organization)
    .where('meter_id', '=', meter)
    .where('register', '=', register)
    .executeTakeFirst();
}

/** The same is said no more; who operates the meter from that day on stays. The meter is held. */
export async function deleteExchange(
  connection: Connection,
  organization: string,
  meter: string,
  register: number,
  now: string,
): Promise<void> {
  await connection
    .updateTable('meter_changes')
    .set({
      ...{ number: null, register: null, device_entered_at: null, type: null, type_entered_at: null },
      updated_at: now,
    })
    .where('organization_id', '=', organization)
    .where('meter_id', '=', meter)
    .where('register', '=', register)
    .where('metering_operator', 'is not', null)
    .execute();
  await connection
    .deleteFrom('meter_changes')
    .where('organization_id', '=', organization)
    .where('meter_id', '=', meter)
    .where('register', '=', register)
    .execute();
}
