import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';

export type HouseholdRow = Omit<Selectable<Tables['households']>, 'organization_id'>;

const COLUMNS = ['id', 'customer_id', 'address_id', 'display_name', 'created_at', 'updated_at'] as const;

const FILTER_COLUMNS = { customer: 'customer_id', created_at: 'created_at' } as const;

export function listHouseholds(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
): Promise<HouseholdRow[]> {
  let query = connection.selectFrom('households').select(COLUMNS).where('organization_id', '=', organization);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export function findHousehold(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<HouseholdRow | undefined> {
  let query = connection
    .selectFrom('households')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return query.executeTakeFirst();
}

/** Held until the end of the transaction: whoever changes what belongs to the household takes its turn. */
export function lockHousehold(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('households')
    .select(['id', 'customer_id'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/**
 * The customer's household whose meter has this number today; the newest where one meter was moved. Both numbers have an
 * index: who has ten thousand households is found as fast as others.
 */
export async function findHouseholdByMeter(
  connection: Connection,
  organization: string,
  customer: string,
  meterNumber: string,
): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT meter.household_id AS id
      FROM (SELECT id FROM meters
             WHERE organization_id = ${organization} AND customer_id = ${customer} AND number = ${meterNumber}
            UNION
            SELECT meter_id FROM meter_changes
             WHERE organization_id = ${organization} AND customer_id = ${customer} AND number = ${meterNumber}) AS had
      JOIN meters AS meter ON meter.organization_id = ${organization} AND meter.id = had.id
     WHERE ${meterNumber} = coalesce(
             (SELECT newest.number FROM meter_changes AS newest
               WHERE newest.organization_id = ${organization} AND newest.meter_id = meter.id
                 AND newest.number IS NOT NULL
               ORDER BY newest.register DESC LIMIT 1), meter.number)
     ORDER BY meter.created_at DESC, meter.id DESC
     LIMIT 1`.execute(connection);
  return rows[0];
}

/** The newest contract decides where the household is. */
export async function updateHouseholdJoined(
  connection: Connection,
  organization: string,
  id: string,
  fields: { address_id: string; updated_at: string },
): Promise<void> {
  await updateHousehold(connection, organization, id, fields);
  /* Imported contracts have no address of their own, and are supplied where the household is. */
  await sql`
    UPDATE subscriptions
       SET bills_changed_at = greatest(bills_changed_at, ${fields.updated_at}::timestamptz),
           bills_changed_from = '0001-01-01'
     WHERE organization_id = ${organization} AND household_id = ${id} AND address_id IS NULL`.execute(
    connection,
  );
}

export async function updateHousehold(
  connection: Connection,
  organization: string,
  id: string,
  fields: { address_id?: string; display_name?: string | null; updated_at: string },
): Promise<void> {
  await connection
    .updateTable('households')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

export async function insertHousehold(
  connection: Connection,
  organization: string,
  household: Omit<Insertable<Tables['households']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('households')
    .values({ ...household, organization_id: organization })
    .execute();
}
