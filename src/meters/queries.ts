import type { Insertable } from 'kysely';
import type { Connection } from '../platform/db.ts';
import type { Tables } from '../platform/tables.ts';

export function findMeter(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('meters')
    .select(['id', 'number', 'type', 'melo', 'malo', 'created_at'])
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

export function findMeterOfHousehold(connection: Connection, organization: string, household: string) {
  return connection
    .selectFrom('meters')
    .select(['id', 'number', 'type', 'malo'])
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

export async function updateMeterFromSignUp(
  connection: Connection,
  organization: string,
  id: string,
  fields: { type?: 'smart'; malo?: string; updated_at: string },
): Promise<void> {
  await connection
    .updateTable('meters')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}
