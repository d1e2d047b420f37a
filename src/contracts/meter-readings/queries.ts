import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';

/* A reading that was withdrawn is shown and counted nowhere. */

/** Without the message: it is for the staff. */
const COLUMNS = [
  'id',
  'customer_id',
  'subscription_id',
  'meter_id',
  'value',
  'read_on',
  'type',
  'created_at',
] as const;

export type ReadingRow = Pick<Selectable<Tables['meter_readings']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = { type: 'type', subscription: 'subscription_id', created_at: 'created_at' } as const;

export function listReadings(
  connection: Connection,
  organization: string,
  owner: { customer: string | undefined; subscription?: string },
  list: PageRequest,
): Promise<ReadingRow[]> {
  let query = connection
    .selectFrom('meter_readings')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('withdrawn_at', 'is', null);
  if (owner.customer !== undefined) query = query.where('customer_id', '=', owner.customer);
  if (owner.subscription !== undefined) query = query.where('subscription_id', '=', owner.subscription);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

/** Of one contract, by the days on which they were read, the newest first. */
export function listNewestRead(
  connection: Connection,
  organization: string,
  { customer, subscription }: { customer: string; subscription: string },
  limit: number,
): Promise<ReadingRow[]> {
  return connection
    .selectFrom('meter_readings')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('customer_id', '=', customer)
    .where('subscription_id', '=', subscription)
    .where('withdrawn_at', 'is', null)
    .orderBy('read_on', 'desc')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}

export type ReadingOfMeter = Pick<ReadingRow, 'meter_id' | 'read_on' | 'value' | 'type' | 'created_at'> & {
  register: number;
};

/**
 * Readings of all contracts that the meter served, by day. On the day of an exchange the counter that ends there comes
 * first.
 */
export function listReadingsOfMeter(
  connection: Connection,
  organization: string,
  meter: string,
): Promise<ReadingOfMeter[]> {
  return listReadingsOfMeters(connection, organization, [meter]);
}

/** The same for many meters. */
export function listReadingsOfMeters(
  connection: Connection,
  organization: string,
  meters: readonly string[],
): Promise<ReadingOfMeter[]> {
  return connection
    .selectFrom('meter_readings')
    .select(['meter_id', 'register', 'read_on', 'value', 'type', 'created_at'])
    .where('organization_id', '=', organization)
    .where('meter_id', '=', sql<string>`ANY (${meters}::text[])`)
    .where('withdrawn_at', 'is', null)
    .orderBy('meter_id')
    .orderBy('read_on')
    .orderBy('register')
    .orderBy('created_at')
    .execute();
}

/** Of all counters, those of a day, with their ids. */
export function listReadingsOfDay(
  connection: Connection,
  organization: string,
  meter: string,
  read_on: CalendarDay,
) {
  return connection
    .selectFrom('meter_readings')
    .select(['id', 'subscription_id', 'register', 'value', 'type', 'created_at'])
    .where('organization_id', '=', organization)
    .where('meter_id', '=', meter)
    .where('read_on', '=', read_on)
    .where('withdrawn_at', 'is', null)
    .execute();
}

/** One that says the same of a day, on whichever counter; of an estimate only where none that came later says another value. */
export function findSameReading(
  connection: Connection,
  organization: string,
  subscription: string,
  { read_on, value, type }: Pick<ReadingRow, 'read_on' | 'value' | 'type'>,
): Promise<ReadingRow | undefined> {
  return connection
    .selectFrom('meter_readings as same')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('read_on', '=', read_on)
    .where('value', '=', value)
    .where('type', '=', type)
    .where('withdrawn_at', 'is', null)
    .where(
      sql<boolean>`NOT EXISTS (
        SELECT FROM meter_readings AS later
         WHERE later.organization_id = ${organization} AND later.meter_id = same.meter_id
           AND (later.register, later.read_on, later.type) = (same.register, same.read_on, same.type)
           AND later.withdrawn_at IS NULL AND later.created_at > same.created_at AND later.value <> same.value)`,
    )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Id of the reading that counts in place of a withdrawn one, also of another day, however often it was replaced. */
export async function findReplacement(
  connection: Connection,
  organization: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE replaced AS (
      SELECT id, subscription_id, withdrawn_at FROM meter_readings
       WHERE organization_id = ${organization} AND id = ${id}
       UNION
      SELECT later.id, later.subscription_id, later.withdrawn_at
        FROM replaced
        JOIN meter_readings AS later ON later.organization_id = ${organization}
         AND later.subscription_id = replaced.subscription_id AND later.created_at = replaced.withdrawn_at
    )
    SELECT id FROM replaced WHERE withdrawn_at IS NULL LIMIT 1`.execute(connection);
  return rows[0]?.id;
}

/**
 * Reports of the customer that the customer may put right. None was corrected before: who did that is in the audit log only,
 * and it may have been the back office. None closes a device that was exchanged. No usage bill rests on them: none was issued
 * since they came in, but for days that end before the reading in front of them.
 */
export async function listReplaceable(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<(Pick<ReadingRow, 'id' | 'read_on' | 'value'> & { register: number })[]> {
  const { rows } = await sql<Pick<ReadingRow, 'id' | 'read_on' | 'value'> & { register: number }>`
    SELECT own.id, own.read_on, own.value, own.register
      FROM meter_readings AS own
     WHERE own.organization_id = ${organization} AND own.subscription_id = ${subscription}
       AND own.type = 'customer_report' AND own.withdrawn_at IS NULL
       AND NOT EXISTS (
             SELECT FROM meter_readings AS wrong
              WHERE wrong.organization_id = ${organization} AND wrong.meter_id = own.meter_id
                AND wrong.subscription_id = own.subscription_id AND wrong.read_on = own.read_on
                AND wrong.register = own.register AND wrong.withdrawn_at IS NOT NULL)
       AND NOT EXISTS (
             SELECT FROM meter_changes AS device
              WHERE device.organization_id = ${organization} AND device.meter_id = own.meter_id
                AND device.valid_from <= own.read_on AND device.register > own.register)
       AND NOT EXISTS (
             SELECT FROM subscriptions AS contract
               JOIN invoices AS bill
                 ON bill.organization_id = contract.organization_id AND bill.subscription_id = contract.id
              WHERE contract.organization_id = ${organization} AND contract.meter_id = own.meter_id
                AND contract.type = 'consumption' AND bill.type = 'usage' AND bill.status <> 'voided'
                AND bill.issued_at >= own.created_at
                AND (bill.period_end AT TIME ZONE 'Europe/Berlin')::date > coalesce((
                      SELECT max(before.read_on) FROM meter_readings AS before
                       WHERE before.organization_id = ${organization} AND before.meter_id = own.meter_id
                         AND before.register = own.register AND before.type <> 'grid_estimation'
                         AND before.withdrawn_at IS NULL AND before.read_on < own.read_on), own.read_on - 1))
     ORDER BY own.read_on DESC, own.id`.execute(connection);
  return rows;
}

export function findReading(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('meter_readings')
    .select([...COLUMNS, 'register'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** False where it was before. The meter is held. */
export async function updateReadingWithdrawn(
  connection: Connection,
  organization: string,
  id: string,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await connection
    .updateTable('meter_readings')
    .set({ withdrawn_at: now })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Usage of the meter's consumption is billed up to this instant; null where none is. */
export async function findBilledUntil(
  connection: Connection,
  organization: string,
  meter: string,
): Promise<string | null> {
  const row = await connection
    .selectFrom('subscriptions as contract')
    .innerJoin('invoices as bill', (join) =>
      join
        .onRef('bill.organization_id', '=', 'contract.organization_id')
        .onRef('bill.subscription_id', '=', 'contract.id'),
    )
    .select(({ fn }) => fn.max('bill.period_end').as('until'))
    .where('contract.organization_id', '=', organization)
    .where('contract.meter_id', '=', meter)
    .where('contract.type', '=', 'consumption')
    .where('bill.type', '=', 'usage')
    .where('bill.status', '<>', 'voided')
    .executeTakeFirst();
  return row?.until ?? null;
}

export function insertReading(
  connection: Connection,
  organization: string,
  reading: Omit<Insertable<Tables['meter_readings']>, 'organization_id'>,
): Promise<ReadingRow> {
  return connection
    .insertInto('meter_readings')
    .values({ ...reading, organization_id: organization })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** By the role for maintenance: the service cannot delete here. */
export async function deleteOldReadings(
  connection: Connection,
  before: CalendarDay,
  rowsMax: number,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    SELECT delete_old_meter_readings(${before}, ${rowsMax}) AS deleted`.execute(connection);
  return rows[0]?.deleted ?? 0;
}
