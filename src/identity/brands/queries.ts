import type { Selectable } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type BrandRow = Omit<Selectable<Tables['organization_brands']>, 'organization_id'>;

/** All but the picture. */
const columns = [
  'name',
  'color',
  'logo_width',
  'logo_height',
  'version',
  'created_at',
  'updated_at',
] as const;

export type ListedBrand = Pick<BrandRow, (typeof columns)[number]>;

export async function findBrand(
  connection: Connection,
  organization: string,
): Promise<ListedBrand | undefined> {
  return await connection
    .selectFrom('organization_brands')
    .select(columns)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
}

export async function findBrandWithLogo(
  connection: Connection,
  organization: string,
): Promise<BrandRow | undefined> {
  return await connection
    .selectFrom('organization_brands')
    .select([...columns, 'logo'])
    .where('organization_id', '=', organization)
    .executeTakeFirst();
}

export async function upsertBrand(
  connection: Connection,
  organization: string,
  brand: BrandRow,
): Promise<ListedBrand> {
  const { created_at: _, ...changed } = brand;
  return await connection
    .insertInto('organization_brands')
    .values({ ...brand, organization_id: organization })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(changed))
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export async function deleteBrand(
  connection: Connection,
  organization: string,
): Promise<ListedBrand | undefined> {
  return await connection
    .deleteFrom('organization_brands')
    .where('organization_id', '=', organization)
    .returning(columns)
    .executeTakeFirst();
}
