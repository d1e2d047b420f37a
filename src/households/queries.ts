import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Connection } from '../platform/db.ts';
import { applyFilters } from '../platform/filter-sql.ts';
import type { ListRequest } from '../platform/route.ts';
import type { Tables } from '../platform/tables.ts';

export type HouseholdRow = Omit<Selectable<Tables['households']>, 'organization_id'>;

const COLUMNS = ['id', 'customer_id', 'address_id', 'display_name', 'created_at', 'updated_at'] as const;

const FILTER_COLUMNS = { customer: 'customer_id', created_at: 'created_at' } as const;

/** Newest first by (created_at, id), which the index of the same order serves; one row more than the page holds. */
export function listHouseholds(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: Pick<ListRequest, 'limit' | 'after' | 'filters'>,
): Promise<HouseholdRow[]> {
  let query = connection
    .selectFrom('households')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(list.limit + 1);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  if (list.after !== null) {
    const { created_at, id } = list.after;
    query = query.where(sql<boolean>`(created_at, id) < (${created_at}::timestamptz, ${id})`);
  }
  return applyFilters(query, list.filters, FILTER_COLUMNS).execute();
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
    .forUpdate()
    .executeTakeFirst();
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
