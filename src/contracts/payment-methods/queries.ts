import type { Insertable } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

export function findPaymentMethod(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('payment_methods')
    .select(['id', 'iban', 'account_holder', 'created_at'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertPaymentMethod(
  connection: Connection,
  organization: string,
  method: Omit<Insertable<Tables['payment_methods']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('payment_methods')
    .values({ ...method, organization_id: organization })
    .execute();
}
