import type { Selectable } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { Tables } from '../platform/database/tables.ts';
import type { Issuer } from './schema.ts';

export type IssuerRow = Omit<Selectable<Tables['issuers']>, 'organization_id'>;

/** Who bills for the organization; undefined until it is entered. */
export async function findIssuer(
  connection: Connection,
  organization: string,
): Promise<IssuerRow | undefined> {
  return withoutOrganization(await issuerRow(connection, organization).executeTakeFirst());
}

/** As nobody else changes it until the transaction ends. */
export async function lockIssuer(
  connection: Connection,
  organization: string,
): Promise<IssuerRow | undefined> {
  return withoutOrganization(await issuerRow(connection, organization).forNoKeyUpdate().executeTakeFirst());
}

function issuerRow(connection: Connection, organization: string) {
  return connection.selectFrom('issuers').selectAll().where('organization_id', '=', organization);
}

function withoutOrganization(row: Selectable<Tables['issuers']> | undefined): IssuerRow | undefined {
  if (row === undefined) return undefined;
  const { organization_id: _, ...issuer } = row;
  return issuer;
}

/** Of two first entries at once the later one stays, whole. */
export async function upsertIssuer(
  connection: Connection,
  organization: string,
  issuer: Issuer & { updated_at: string },
): Promise<void> {
  await connection
    .insertInto('issuers')
    .values({ ...issuer, organization_id: organization })
    .onConflict((on) => on.column('organization_id').doUpdateSet(issuer))
    .execute();
}
