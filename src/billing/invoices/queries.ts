import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';
import { berlinMidnight, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { InvoiceType } from './schema.ts';

/*
 * What callers and customers see. Invoices of a person who was erased are for the finance role alone: every statement here
 * leaves them out.
 */

const COLUMNS = [
  'id',
  'type',
  'customer_id',
  'subscription_id',
  'invoice_number',
  'month',
  'year',
  'period_start',
  'period_end',
  'period_number',
  'status',
  'usage_kwh',
  'total',
  'voids',
  'issued_at',
  'paid_at',
  'created_at',
] as const;

export type InvoiceRow = Pick<Selectable<Tables['invoices']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = {
  status: 'status',
  type: 'type',
  subscription: 'subscription_id',
  period_start: 'period_start',
  period_end: 'period_end',
} as const;

const shownInvoices = (connection: Connection, organization: string, customer: string | undefined) => {
  const query = connection
    .selectFrom('invoices')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('restricted_at', 'is', null);
  return customer === undefined ? query : query.where('customer_id', '=', customer);
};

/** `withExitSummaries: false` leaves them out, for versions that do not know them. */
export function listInvoices(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
  { withExitSummaries }: { withExitSummaries: boolean },
): Promise<InvoiceRow[]> {
  const query = shownInvoices(connection, organization, customer);
  /* Written as the index of these versions has it. */
  const shown = withExitSummaries ? query : query.where(sql<boolean>`type <> 'exit_summary'`);
  return newestFirst(shown, list, FILTER_COLUMNS).execute();
}

/** Of one subscription, those of one type. */
export function listInvoicesOfSubscription(
  connection: Connection,
  organization: string,
  { subscription, type }: { subscription: string; type: InvoiceType },
  list: PageRequest,
): Promise<InvoiceRow[]> {
  const query = shownInvoices(connection, organization, undefined)
    .where('subscription_id', '=', subscription)
    .where('type', '=', type);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export async function findInvoice(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<InvoiceRow | undefined> {
  return await shownInvoices(connection, organization, customer).where('id', '=', id).executeTakeFirst();
}

/**
 * The bill about the days of a prepayment: it deducts what was paid of it, and asks for the rest. `prepayment` names the table
 * in the statement around. No prepayment, or days that no bill holds for: null.
 */
export const closingBill = (
  prepayment: string,
  column: 'id' | 'invoice_number',
  condition: RawBuilder<unknown> = sql``,
) => {
  const of = (name: string) => sql.ref(`${prepayment}.${name}`);
  return sql<string | null>`(
    SELECT ${sql.ref(`closing.${column}`)} FROM invoices AS closing
     WHERE ${of('type')} = 'prepayment' AND closing.organization_id = ${of('organization_id')}
       AND closing.subscription_id = ${of('subscription_id')} AND closing.type = 'usage' AND closing.status <> 'voided'
       AND closing.period_start <= ${of('period_start')} AND closing.period_end > ${of('period_start')} ${condition})`;
};

/**
 * The bill that took over what was not paid of a prepayment: money for the prepayment is money for that bill. Else null. One
 * whose debit was taken back stays paid for good; the bill that closes its days says what it deducts of it.
 */
export const findBillThatTookOver = (prepayment: string, column: 'id' | 'invoice_number') => {
  const of = (name: string) => sql.ref(`${prepayment}.${name}`);
  return sql<string | null>`(
    CASE ${of('status')}
      WHEN 'uncollectible' THEN ${closingBill(prepayment, column)}
      WHEN 'paid' THEN ${closingBill(
        prepayment,
        column,
        sql`AND ${of('total')} > coalesce((
              SELECT sum((deduction ->> 'gross')::numeric)
                FROM jsonb_array_elements(closing.facts -> 'deductions') AS deduction
               WHERE deduction ->> 'invoiceNumber' = ${of('invoice_number')}), 0)`,
      )}
    END)`;
};

/** The reversed documents in whose place another one stands: of the same kind and about the same days. `document` names the table. */
export const listReplacedBills = (document: string) => {
  const of = (name: string) => sql.ref(`${document}.${name}`);
  return sql<string>`
    SELECT old.id FROM invoices AS old
     WHERE old.organization_id = ${of('organization_id')} AND old.subscription_id = ${of('subscription_id')}
       AND old.type = ${of('type')} AND old.status = 'voided'
       AND old.period_start < ${of('period_end')} AND old.period_end > ${of('period_start')}`;
};

/** The account had too little money, or its bank gives no reason: it is asked once more. */
const RETRIED_REASONS = ['AM04', 'MS03'];
const RETURNS_MAX = 2;
/** No bank and no account said it: the bank never had the file. */
export const WITHDRAWN_REASON = 'FILE';

/**
 * Whether the account of contract `s` may pay document `i`, or take it, after what it sent back. What came back of a document
 * that was made anew came back of the one in its place, too.
 */
export const findWorthTrying = sql`(
    SELECT count(*) = 0 OR (count(*) < ${RETURNS_MAX}
             AND (array_agg(p.return_reason ORDER BY p.updated_at DESC))[1] = ANY(${RETRIED_REASONS}::text[])) AS is_worth_trying
      FROM payments AS p
     WHERE p.organization_id = i.organization_id AND p.payment_method_id = s.payment_method_id AND p.status = 'returned'
       AND p.return_reason <> ${WITHDRAWN_REASON}
       AND (p.invoice_id = i.id OR p.invoice_id IN (${listReplacedBills('i')})))`;

/** The document that money for a document belongs to: itself, or the bill that took it over. */
export async function findReceiver(
  connection: Connection,
  organization: string,
  id: string,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    SELECT coalesce(${findBillThatTookOver('i', 'id')}, i.id) AS id FROM invoices AS i
     WHERE i.organization_id = ${organization} AND i.id = ${id}`.execute(connection);
  return rows[0]?.id ?? id;
}

export interface ListedDocument
  extends Pick<
    InvoiceRow,
    'id' | 'subscription_id' | 'type' | 'invoice_number' | 'month' | 'year' | 'status' | 'total'
  > {
  /** Whether its document is there. */
  has_document: boolean;
  /** Number of the bill that asks for what was not paid of this prepayment; else null. */
  taken_over_by: string | null;
}

/** Of each of these contracts the newest ones, newest first. */
export async function listDocumentsOfContracts(
  connection: Connection,
  organization: string,
  contracts: readonly string[],
  ofEachMax: number,
): Promise<ListedDocument[]> {
  const { rows } = await sql<ListedDocument>`
    SELECT invoice.id, invoice.subscription_id, invoice.type, invoice.invoice_number, invoice.month, invoice.year,
           invoice.status, invoice.total,
           EXISTS (
             SELECT FROM invoice_files
              WHERE organization_id = ${organization} AND invoice_id = invoice.id AND kind = 'pdf'
           ) AS has_document, ${findBillThatTookOver('invoice', 'invoice_number')} AS taken_over_by
      FROM unnest(${contracts}::text[]) AS contract (id)
     CROSS JOIN LATERAL (
             SELECT organization_id, id, subscription_id, type, invoice_number, month, year, status, total, period_start,
                    period_end, created_at
               FROM invoices
              WHERE organization_id = ${organization} AND subscription_id = contract.id AND restricted_at IS NULL
              ORDER BY created_at DESC, invoices.id DESC
              LIMIT ${ofEachMax}
           ) AS invoice
     ORDER BY invoice.created_at DESC, invoice.id DESC`.execute(connection);
  return rows;
}

/** Values that come in after the end are waited for as long as the final bill may take (§40c(2) EnWG). */
export const DAYS_BEHIND_END = 42;

export interface WaitedForContract {
  id: string;
  reason: 'correction_waits' | 'correction_under_way' | 'changed_since_run' | 'may_be_corrected';
}

interface DoneLooks {
  now: string;
  keptSince: CalendarDay;
  /** The organization has daily runs. */
  runsCome: boolean;
  /** When the last run began whose look is done; null: there is neither a run nor a document. */
  lookedAt: string | null;
  /** Contracts that the next look asks about. */
  changed: readonly string[];
  /** The ids of those that a job is to correct, as a statement. */
  underWay: RawBuilder<unknown>;
}

/**
 * Ended contracts of a customer whose bills may still be corrected. What comes in within the six weeks is looked at by the first
 * daily run behind them, which may come late; a correction that this run cannot make waits, and what was noted since the last
 * run waits for the next one. What waits for ever does not count: the payment of a bill that was given up, bills whose values are
 * gone, and what only a run would look at where none comes.
 */
export async function listContractsWaitedFor(
  connection: Connection,
  { organization, customer }: { organization: string; customer: string },
  { now, keptSince, runsCome, lookedAt, changed, underWay }: DoneLooks,
): Promise<WaitedForContract[]> {
  const { rows } = await sql<WaitedForContract>`
    SELECT id, CASE WHEN ${runsCome} AND has_waiting THEN 'correction_waits'
                    WHEN has_early OR is_young THEN 'may_be_corrected'
                    WHEN is_under_way OR is_unseen AND newest >= looked_from THEN 'correction_under_way'
                    WHEN is_changed THEN 'changed_since_run'
                    ELSE 'may_be_corrected' END AS reason
      FROM (SELECT contract.id, refused.*, last.newest, days.looked_from,
                   days.looked_from + interval '1 day' > ${now}::timestamptz AS is_young,
                   ${lookedAt}::timestamptz < days.looked_from AS is_unseen,
                   contract.id IN (${underWay}) AS is_under_way,
                   contract.id = ANY (${[...changed]}::text[]) AS is_changed,
                   contract.end_at > ${berlinMidnight(keptSince)}::timestamptz
                   AND EXISTS (SELECT FROM invoices
                                WHERE organization_id = ${organization} AND subscription_id = contract.id
                                  AND is_final AND status <> 'voided') AS is_billed
              FROM subscriptions AS contract
             CROSS JOIN LATERAL (
                     SELECT coalesce(bool_or(code <> 'too_early'), false) AS has_waiting,
                            coalesce(bool_or(code = 'too_early'), false) AS has_early
                       FROM billing_refusals
                      WHERE organization_id = ${organization} AND subscription_id = contract.id
                        AND type IN ('correction', 'exit_summary') AND code <> 'not_reversible'
                        AND period_end > ${keptSince}::date) AS refused
             CROSS JOIN LATERAL (
                     SELECT contract.end_at + make_interval(days => ${DAYS_BEHIND_END}) AS looked_from) AS days
             CROSS JOIN (
                     SELECT max(created_at) AS newest FROM billing_runs
                      WHERE organization_id = ${organization} AND due_at IS NOT NULL) AS last
             WHERE contract.organization_id = ${organization} AND contract.customer_id = ${customer}
               AND contract.status = 'ended'
               AND NOT EXISTS (SELECT FROM invoices
                                WHERE organization_id = ${organization} AND subscription_id = contract.id
                                  AND type = 'exit_summary' AND status <> 'voided')) AS ended
     WHERE ${runsCome} AND (has_waiting OR has_early)
        OR is_billed AND (is_young OR ${runsCome} AND (is_unseen OR is_under_way OR is_changed))`.execute(
    connection,
  );
  return rows;
}

/** Why a correction reverses a bill, as it stands on the document. */
export const CORRECTED = 'What the bill was calculated from was corrected afterwards';

export interface IssuedCorrection extends Pick<InvoiceRow, 'id' | 'type' | 'invoice_number' | 'issued_at'> {
  /** Number of the bill in whose place it stands; null: it is the exit summary. */
  readonly replaced: string | null;
  /** EUR with VAT. */
  readonly difference: string;
}

/** What corrections of a contract issued, newest first. A new bill has the number behind that of its reversal. */
export async function listCorrectionsOfContract(
  connection: Connection,
  organization: string,
  subscription: string,
  rowsMax: number,
): Promise<IssuedCorrection[]> {
  const { rows } = await sql<IssuedCorrection>`
    SELECT bill.id, bill.type, bill.invoice_number, bill.issued_at, old.invoice_number AS replaced,
           (bill.net + bill.tax - coalesce(old.net + old.tax, 0))::text AS difference
      FROM invoices AS bill
      LEFT JOIN invoices AS void
        ON void.organization_id = ${organization} AND void.subscription_id = bill.subscription_id
       AND void.running_number = bill.running_number - 1 AND void.void_reason = ${CORRECTED}
      LEFT JOIN invoices AS old ON old.organization_id = ${organization} AND old.id = void.voids
     WHERE bill.organization_id = ${organization} AND bill.subscription_id = ${subscription}
       AND bill.restricted_at IS NULL
       AND (bill.type = 'exit_summary' OR (bill.type = 'usage' AND old.period_start = bill.period_start))
     ORDER BY bill.running_number DESC LIMIT ${rowsMax}`.execute(connection);
  return rows;
}
