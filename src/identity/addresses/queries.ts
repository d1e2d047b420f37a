import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

const COLUMNS = ['id', 'street', 'house_number', 'zip', 'city', 'created_at'] as const;

export type AddressRow = Pick<Selectable<Tables['addresses']>, (typeof COLUMNS)[number]>;

export async function findAddress(
  connection: Connection,
  organization: string,
  id: string,
): Promise<AddressRow | undefined> {
  return (await listAddresses(connection, organization, [id]))[0];
}

export function listAddresses(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<AddressRow[]> {
  return connection
    .selectFrom('addresses')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute();
}

/** The four fields of the row, which keeps its id; false when it had them already. */
export async function updateAddress(
  connection: Connection,
  organization: string,
  id: string,
  fields: Pick<Insertable<Tables['addresses']>, 'street' | 'house_number' | 'zip' | 'city'>,
): Promise<boolean> {
  const { numUpdatedRows } = await connection
    .updateTable('addresses')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where(
      sql<boolean>`(street, house_number, zip, city)
        IS DISTINCT FROM (${fields.street}, ${fields.house_number}, ${fields.zip}, ${fields.city})`,
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function insertAddress(
  connection: Connection,
  organization: string,
  address: Omit<Insertable<Tables['addresses']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('addresses')
    .values({ ...address, organization_id: organization })
    .execute();
}
