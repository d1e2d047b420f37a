import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';

type Invoice = Selectable<Tables['invoices']>;

/** A bill that holds. */
export interface HeldBill
  extends Pick<
    Invoice,
    'id' | 'invoice_number' | 'period_number' | 'is_final' | 'is_estimated' | 'issued_at' | 'taxes'
  > {
  readonly from: CalendarDay;
  readonly until: CalendarDay;
}

/** The bills of a contract that were not reversed, ascending by their days. */
export async function listBillsOfContract(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<HeldBill[]> {
  const { rows } = await sql<HeldBill>`
    SELECT id, invoice_number, period_number, is_final, is_estimated, issued_at, taxes,
           (period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (period_end AT TIME ZONE 'Europe/Berlin')::date AS until
      FROM invoices
     WHERE organization_id = ${organization} AND subscription_id = ${subscription}
       AND type = 'usage' AND status <> 'voided'
     ORDER BY period_start`.execute(connection);
  return rows;
}

export async function isClosed(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<boolean> {
  const found = await connection
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('type', '=', 'exit_summary')
    .where('status', '<>', 'voided')
    .executeTakeFirst();
  return found !== undefined;
}

/** When the run before the newest one began: what came in since is looked at. Null: there was none. */
export async function findInstantOfLastTick(
  connection: Connection,
  organization: string,
): Promise<string | null> {
  const row = await connection
    .selectFrom('billing_runs')
    .select('created_at')
    .where('organization_id', '=', organization)
    .where('due_at', 'is not', null)
    .orderBy('due_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

/** Contracts of which a correction could not be made before, by id. */
export async function listOpenCorrections(
  connection: Connection,
  organization: string,
  after: string,
  rowsMax: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT subscription_id AS id FROM billing_refusals
     WHERE organization_id = ${organization} AND type IN ('correction', 'exit_summary') AND subscription_id > ${after}
     ORDER BY 1 LIMIT ${rowsMax}`.execute(connection);
  return rows.map(({ id }) => id);
}

/** What was said of corrections of a contract is said anew. */
export async function deleteCorrectionRefusals(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<void> {
  await connection
    .deleteFrom('billing_refusals')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('type', 'in', ['correction', 'exit_summary'])
    .execute();
}
