import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Connection } from '../platform/db.ts';
import type { Tables } from '../platform/tables.ts';

export function findCustomer(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('customers')
    .select(['id', 'type', 'first_name', 'last_name', 'company_name', 'email', 'vat_id', 'created_at'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Undefined when the organization has a customer with this e-mail address, whatever the case of its letters. */
export function insertCustomer(
  connection: Connection,
  organization: string,
  customer: Omit<Insertable<Tables['customers']>, 'organization_id'>,
) {
  return connection
    .insertInto('customers')
    .values({ ...customer, organization_id: organization })
    .onConflict((on) => on.expression(sql`organization_id, lower(email)`).doNothing())
    .returning('id')
    .executeTakeFirst();
}
