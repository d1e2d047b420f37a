import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
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

/** Entries of one organization wait for each other, also before there is a row to lock. */
export async function lockEntry(connection: Connection, organization: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`issuer ${organization}`}, 0))`.execute(
    connection,
  );
}

/** Documents of persons who were erased are hidden from the service; the ledger counts them, too. */
export async function hasDocuments(connection: Connection, organization: string): Promise<boolean> {
  const ledger = await connection
    .selectFrom('invoice_ledgers')
    .select('last_number')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return ledger !== undefined && ledger.last_number > 0;
}

function issuerRow(connection: Connection, organization: string) {
  return connection.selectFrom('issuers').selectAll().where('organization_id', '=', organization);
}

function withoutOrganization(row: Selectable<Tables['issuers']> | undefined): IssuerRow | undefined {
  if (row === undefined) return undefined;
  const { organization_id: _, ...issuer } = row;
  return issuer;
}

/** An account that is replaced stays known. */
export async function upsertIssuer(
  connection: Connection,
  organization: string,
  issuer: Issuer & { updated_at: string },
): Promise<void> {
  await connection
    .insertInto('issuers')
    .values({ ...issuer, organization_id: organization })
    .onConflict((on) =>
      on.column('organization_id').doUpdateSet({
        ...issuer,
        earlier_ibans: sql`array_remove(array_remove(issuers.earlier_ibans, issuers.iban) || issuers.iban, excluded.iban)`,
      }),
    )
    .execute();
}
