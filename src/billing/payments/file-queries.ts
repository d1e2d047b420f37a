import type { Insertable, Selectable } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { AccountOwner } from './sepa/instructions.ts';

export interface OwnAccount extends AccountOwner {
  readonly creditorId: string;
}

/** Whose account customers pay to and are paid from. */
export async function findAccount(connection: Connection, organization: string): Promise<OwnAccount> {
  const row = await connection
    .selectFrom('issuers')
    .select(['account_holder', 'iban', 'bic', 'creditor_id'])
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (row === undefined) throw notEntered();
  return { name: row.account_holder, iban: row.iban, bic: row.bic, creditorId: row.creditor_id };
}

const notEntered = () => new Error('Who bills is not entered: cli issuers set');

/** Accounts whose statements are read: the present one, and those from before a change. */
export async function listOwnIbans(connection: Connection, organization: string): Promise<string[]> {
  const row = await connection
    .selectFrom('issuers')
    .select(['iban', 'earlier_ibans'])
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (row === undefined) throw notEntered();
  return [row.iban, ...row.earlier_ibans];
}

export type PaymentFileRow = Selectable<Tables['payment_files']>;

export async function insertFile(
  connection: Connection,
  organization: string,
  file: Omit<Insertable<Tables['payment_files']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('payment_files')
    .values({ ...file, organization_id: organization })
    .execute();
}

export async function findFile(
  connection: Connection,
  organization: string,
  id: string,
): Promise<PaymentFileRow | undefined> {
  return await connection
    .selectFrom('payment_files')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function listFiles(connection: Connection, organization: string, rowsMax: number) {
  return await connection
    .selectFrom('payment_files')
    .select(['id', 'kind', 'provider', 'format', 'message_id', 'execute_on', 'payments', 'sum', 'created_at'])
    .where('organization_id', '=', organization)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
    .execute();
}
