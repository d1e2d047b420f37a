import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { WITHDRAWN_REASON } from '../invoices/queries.ts';
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

/** Also where the file itself is seen no more: a person in it was erased. */
export async function listPaymentsOfFile(connection: Connection, organization: string, file: string) {
  return await connection
    .selectFrom('payments')
    .select(['invoice_id', 'amount', 'status', 'return_reason', 'end_to_end_id', 'block_id', 'created_at'])
    .where('organization_id', '=', organization)
    .where('file_id', '=', file)
    .orderBy('id')
    .execute();
}

type FilePayment = Awaited<ReturnType<typeof listPaymentsOfFile>>[number];

/** Whether the bank reported anything of a file with these payments, booked or not, also of persons who were erased. */
export async function isFileReported(
  connection: Connection,
  organization: string,
  file: string,
  payments: readonly FilePayment[],
): Promise<boolean> {
  const [ids, blocks] = [new Set<string | null>(), new Set<string | null>()];
  for (const { end_to_end_id, block_id } of payments) {
    ids.add(end_to_end_id);
    blocks.add(block_id);
  }
  const { rows } = await sql<{ is_reported: boolean }>`
    SELECT is_file_reported(${file}) OR EXISTS (
             SELECT FROM bank_entries AS e
              WHERE e.organization_id = ${organization} AND e.state IN ('new', 'unmatched', 'set_aside')
                AND e.booked_on >= (${payments[0]?.created_at}::timestamptz AT TIME ZONE 'Europe/Berlin')::date
                AND (e.end_to_end_id = ANY (${[...ids]}::text[]) OR e.block_id = ANY (${[...blocks]}::text[]))) AS is_reported`.execute(
    connection,
  );
  return rows[0]?.is_reported === true;
}

export async function isFileWithdrawn(
  connection: Connection,
  organization: string,
  file: string,
): Promise<boolean> {
  const row = await connection
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organization)
    .where('file_id', '=', file)
    .where('return_reason', '=', WITHDRAWN_REASON)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateWithdrawn(
  connection: Connection,
  organization: string,
  file: string,
  change: { readonly booked_on: CalendarDay; readonly updated_at: string },
): Promise<void> {
  await connection
    .updateTable('payments')
    .set({ ...change, status: 'returned', return_reason: WITHDRAWN_REASON })
    .where('organization_id', '=', organization)
    .where('file_id', '=', file)
    .where('status', '=', 'requested')
    .execute();
}

/** Where more are late, the files of the rest are told when those of these are answered. */
const LATE_PAYMENTS_MAX = 10_000;

/** Files whose day was before `day`, with payments of which the bank has said nothing. */
export async function listSilentFiles(
  connection: Connection,
  organization: string,
  day: CalendarDay,
): Promise<string[]> {
  const { rows } = await sql<{ file_id: string }>`
    SELECT DISTINCT file_id FROM (
      SELECT file_id FROM payments
       WHERE organization_id = ${organization} AND status = 'requested' AND execute_on < ${day} LIMIT ${LATE_PAYMENTS_MAX}) AS late
     ORDER BY file_id`.execute(connection);
  return rows.map(({ file_id }) => file_id);
}
