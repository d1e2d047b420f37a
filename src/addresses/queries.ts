import type { Insertable } from 'kysely';
import type { Connection } from '../platform/db.ts';
import type { Tables } from '../platform/tables.ts';

export function findAddress(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('addresses')
    .select(['id', 'street', 'house_number', 'zip', 'city', 'created_at'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
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
