import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';

const COLUMNS = [
  'id',
  'type',
  'first_name',
  'last_name',
  'company_name',
  'email',
  'vat_id',
  'created_at',
  'erased_at',
  'restricted_at',
] as const;

export type CustomerRow = Pick<Selectable<Tables['customers']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = {
  email: { exact: 'email_lower', search: 'email_search' },
  name: { exact: 'name_lower', search: 'name_lower' },
  type: 'type',
  created_at: 'created_at',
} as const;

export function listCustomers(
  connection: Connection,
  organization: string,
  list: PageRequest,
): Promise<CustomerRow[]> {
  const query = connection
    .selectFrom('customers')
    .select(COLUMNS)
    .where('organization_id', '=', organization);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export function listCustomersById(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<CustomerRow[]> {
  return connection
    .selectFrom('customers')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`ANY (${[...ids]}::text[])`)
    .execute();
}

export function findCustomer(
  connection: Connection,
  organization: string,
  id: string,
): Promise<CustomerRow | undefined> {
  return connection
    .selectFrom('customers')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Held until the end of the transaction: what changes is compared with what is there. */
export function lockCustomer(
  connection: Connection,
  organization: string,
  id: string,
): Promise<CustomerRow | undefined> {
  return connection
    .selectFrom('customers')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function updateRestricted(
  connection: Connection,
  organization: string,
  id: string,
  restricted: { restricted_at: string | null; updated_at: string },
): Promise<void> {
  await connection
    .updateTable('customers')
    .set(restricted)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

export type CustomerNames = Partial<Pick<CustomerRow, 'first_name' | 'last_name' | 'company_name'>>;

export function updateCustomerNames(
  connection: Connection,
  organization: string,
  id: string,
  names: CustomerNames & { updated_at: string },
): Promise<CustomerRow> {
  return connection
    .updateTable('customers')
    .set(names)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** An e-mail address belongs to one customer of the organization, whatever the case of its letters. */
export function findCustomerByEmail(connection: Connection, organization: string, email: string) {
  return connection
    .selectFrom('customers')
    .select('id')
    .where('organization_id', '=', organization)
    .where('email_lower', '=', sql<string>`lower(${email}::text)`)
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
    .onConflict((on) => on.columns(['organization_id', 'email_lower']).doNothing())
    .returning('id')
    .executeTakeFirst();
}
