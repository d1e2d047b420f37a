import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';

const COLUMNS = ['id', 'code', 'name', 'country', 'created_at'] as const;

export type MarketPartnerRow = Pick<Selectable<Tables['market_partners']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = {
  name: { exact: 'name', search: 'name_search' },
  code: 'code',
  created_at: 'created_at',
} as const;

export function listMarketPartners(connection: Connection, list: PageRequest): Promise<MarketPartnerRow[]> {
  return newestFirst(
    connection.selectFrom('market_partners').select(COLUMNS),
    list,
    FILTER_COLUMNS,
  ).execute();
}

export function findMarketPartner(connection: Connection, id: string): Promise<MarketPartnerRow | undefined> {
  return connection.selectFrom('market_partners').select(COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** By code, held until the end of the transaction. */
export function lockMarketPartners(
  connection: Connection,
  codes: readonly string[],
): Promise<MarketPartnerRow[]> {
  return connection
    .selectFrom('market_partners')
    .select(COLUMNS)
    .where('code', '=', sql<string>`any(${codes})`)
    .orderBy('code')
    .forNoKeyUpdate()
    .execute();
}

type NewMarketPartner = Omit<MarketPartnerRow, 'created_at'>;

/** A known code keeps its id and its moment of creation. */
export async function upsertMarketPartner(
  connection: Connection,
  partner: NewMarketPartner,
  now: string,
): Promise<void> {
  const { name, country } = partner;
  await connection
    .insertInto('market_partners')
    .values({ ...partner, created_at: now, updated_at: now })
    .onConflict((on) => on.column('code').doUpdateSet({ name, country, updated_at: now }))
    .execute();
}
