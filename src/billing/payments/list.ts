import { type RawBuilder, sql } from 'kysely';
import { DateTime } from 'luxon';
import type { Connection, Database } from '../../platform/database/db.ts';
import { auditLook, type StaffAct } from '../../platform/staff-act.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { WITHDRAWN_REASON } from '../invoices/queries.ts';
import { listFiles } from './file-queries.ts';

const ENTRY_LISTS = ['new', 'unmatched', 'set_aside'] as const;
type EntryList = (typeof ENTRY_LISTS)[number];

/** The lists: all payments, those that came back, but not with their whole file, those that came in too much; movements; files. */
export const PAYMENT_LISTS = ['payments', 'returned', 'overpaid', ...ENTRY_LISTS, 'files'] as const;
export type PaymentList = (typeof PAYMENT_LISTS)[number];

interface PaymentsLook {
  readonly act?: StaffAct;
  readonly before?: string | undefined;
  readonly lookedBackTo?: (instant: string) => void;
}

const isEntryList = (list: PaymentList): list is EntryList => ENTRY_LISTS.some((name) => name === list);

/**
 * Newest first. Movements name payers: of a person who looks (`act`) it is kept, as the console keeps it. `overpaid` begins
 * before an instant, and says how far it looked back where there may be more.
 */
export async function listOfPayments(
  database: Database,
  organization: string,
  list: PaymentList,
  rowsMax: number,
  { act, before, lookedBackTo }: PaymentsLook = {},
): Promise<Record<string, unknown>[]> {
  if (list === 'overpaid') {
    const { bills, looked_back_to } = await newestOverpaid(database, organization, { before, rowsMax });
    if (looked_back_to !== null) lookedBackTo?.(looked_back_to);
    return bills;
  }
  return await database.inOrganization({ organization }, async (connection) => {
    if (list === 'files') return listFiles(connection, organization, rowsMax);
    if (isEntryList(list)) {
      const entries = await listEntries(connection, organization, { state: list, after: null, rowsMax });
      /* One of them says only that there are more. */
      const shown = entries.slice(0, rowsMax - 1).map(({ id }) => id);
      if (act !== undefined) await auditLook(connection, act, organization, shown);
      return entries;
    }
    return listPayments(connection, organization, list, rowsMax);
  });
}

function listPayments(
  connection: Connection,
  organization: string,
  list: 'payments' | 'returned',
  rowsMax: number,
) {
  return connection
    .selectFrom('payments as p')
    .innerJoin('invoices as i', (on) =>
      on.onRef('i.organization_id', '=', 'p.organization_id').onRef('i.id', '=', 'p.invoice_id'),
    )
    .select([
      'p.id',
      'p.invoice_id',
      'i.invoice_number',
      'i.status as invoice_status',
      'p.direction',
      'p.way',
    ])
    .select(['p.amount', 'p.status', 'p.execute_on', 'p.booked_on', 'p.return_reason', 'p.end_to_end_id'])
    .select('p.bank_entry_id')
    .where('p.organization_id', '=', organization)
    .$if(list === 'returned', (query) =>
      query
        .where('p.status', '=', 'returned')
        .where(sql<boolean>`p.return_reason IS DISTINCT FROM ${WITHDRAWN_REASON}`),
    )
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id', 'desc')
    .limit(rowsMax)
    .execute();
}

/** Of some bills, newest first. */
export function listPaymentsOfInvoices(
  connection: Connection,
  organization: string,
  invoices: readonly string[],
  rowsMax: number,
) {
  return connection
    .selectFrom('payments')
    .select(['id', 'invoice_id', 'direction', 'way', 'amount', 'status', 'execute_on', 'booked_on'])
    .select(['return_reason', 'bank_entry_id'])
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', sql<string>`ANY (${[...invoices]}::text[])`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
    .execute();
}

/** The bills that a movement is on: that of a block has thousands. */
export function listBillsOfEntry(
  connection: Connection,
  organization: string,
  entry: string,
  rowsMax: number,
) {
  return connection
    .selectFrom('payments as p')
    .innerJoin('invoices as i', (on) =>
      on.onRef('i.organization_id', '=', 'p.organization_id').onRef('i.id', '=', 'p.invoice_id'),
    )
    .select(['i.id', 'i.invoice_number', 'i.subscription_id', 'p.amount', 'p.file_id'])
    .where('p.organization_id', '=', organization)
    .where('p.bank_entry_id', '=', entry)
    .orderBy('p.id')
    .limit(rowsMax)
    .execute();
}

/** Where a page of movements begins. */
export interface EntryPlace {
  readonly booked_on: CalendarDay;
  readonly id: string;
}

/** Movements that are not booked yet, that nobody knows or that do not fit, or those that are for no bill; newest first. */
export function listEntries(
  connection: Connection,
  organization: string,
  { state, after, rowsMax }: { state: EntryList; after: EntryPlace | null; rowsMax: number },
) {
  return connection
    .selectFrom('bank_entries')
    .select(['id', 'booked_on', 'amount', 'note', 'end_to_end_id', 'return_reason', 'name', 'iban', 'text'])
    .where('organization_id', '=', organization)
    .where('state', '=', state)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(booked_on, id) < (${after?.booked_on}::date, ${after?.id})`),
    )
    .orderBy('booked_on', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
    .execute();
}

/** Looked at in one statement, and so many statements in one look at the list. */
const PAYMENTS_AT_ONCE = 1_000;
const PORTIONS_MAX = 20;

/**
 * Nothing marks a bill that was paid too much: payments are looked through from the newest one on, until there are enough
 * bills or it was looked for long enough. All payments since `looked_back_to` were looked at then.
 */
async function newestOverpaid(
  database: Database,
  organization: string,
  { before, rowsMax }: { before: string | undefined; rowsMax: number },
): Promise<{ bills: Record<string, unknown>[]; looked_back_to: string | null }> {
  /* What was booked on a bill meanwhile may move it from one portion to the next. */
  const found = new Map<unknown, Record<string, unknown>>();
  let after: PaymentPlace | null | undefined;
  for (let looks = 0; looks < PORTIONS_MAX && after !== null && found.size < rowsMax; looks += 1) {
    const place = { before, after, rowsMax: PAYMENTS_AT_ONCE };
    const portion: OverpaidPage = await database.inOrganization({ organization }, (connection) =>
      listOverpaid(connection, organization, place),
    );
    for (const bill of portion.bills) if (!found.has(bill.invoice_id)) found.set(bill.invoice_id, bill);
    after = portion.last;
  }
  const bills = [...found.values()].slice(0, rowsMax);
  const isCut = bills.length < rowsMax;
  return { bills, looked_back_to: isCut && after ? instantBehind(after.created_at) : null };
}

/** Payments of one file have the same instant, and not all of them were looked at. */
function instantBehind(instant: string): string {
  const milliseconds = DateTime.fromISO(instant).toMillis() + 1;
  return new Date(milliseconds).toISOString();
}

interface PaymentPlace {
  readonly created_at: string;
  readonly id: string;
}

interface OverpaidPage {
  readonly bills: readonly Record<string, unknown>[];
  /** The payment behind which the next page begins; null: there is none. */
  readonly last: PaymentPlace | null;
}

/** What was booked for good, also where it came back. */
const COUNTS = sql<boolean>`status IN ('settled', 'returned') AND restricted_at IS NULL`;

/** Bills whose newest payment is one of the next ones, by time backwards. */
export async function listOverpaid(
  connection: Connection,
  organization: string,
  {
    before,
    after,
    rowsMax,
  }: { before?: string | undefined; after?: PaymentPlace | undefined; rowsMax: number },
): Promise<OverpaidPage> {
  const payments = await connection
    .selectFrom('payments')
    .select(['id', 'invoice_id', 'created_at'])
    .where('organization_id', '=', organization)
    .where(COUNTS)
    .$if(before !== undefined, (query) => query.where('created_at', '<', before ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${after?.created_at}::timestamptz, ${after?.id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
    .execute();
  const bills = [...new Set(payments.map(({ invoice_id }) => invoice_id))];
  const among = { which: sql`invoice_id = ANY (${bills}::text[])`, rowsMax };
  const found = await listOverpaidAmong(connection, organization, among);
  const here = new Set(payments.map(({ id }) => id));
  return {
    bills: found.filter(({ newest }) => here.has(newest)).map(({ newest: _, ...bill }) => bill),
    last: payments.length < rowsMax ? null : (payments.at(-1) ?? null),
  };
}

/** Of a customer. */
export function listOverpaidOf(
  connection: Connection,
  organization: string,
  customer: string,
  rowsMax: number,
) {
  return listOverpaidAmong(connection, organization, { which: sql`customer_id = ${customer}`, rowsMax });
}

/**
 * Paid twice, too much, or for a bill that was reversed unpaid; and credits whose transfer came back after it was booked.
 * `invoices refund` enters that it was paid back. Below zero: the customer got too much of a credit, twice or after it was
 * reversed. `invoices pay` enters that he gave it back.
 */
async function listOverpaidAmong(
  connection: Connection,
  organization: string,
  { which, rowsMax }: { which: RawBuilder<unknown>; rowsMax: number },
) {
  const { rows } = await sql<Record<string, unknown> & { newest: string }>`
    SELECT i.id AS invoice_id, i.invoice_number, i.status, i.total::text AS total, sum(paid.signed)::text AS received,
           (sum(paid.signed) - owed.total)::text AS overpaid,
           (array_agg(paid.id ORDER BY paid.created_at DESC, paid.id DESC))[1] AS newest
      FROM (SELECT id, invoice_id, created_at, CASE WHEN status = 'returned' THEN 0 WHEN direction = 'in' THEN amount ELSE -amount END AS signed
              FROM payments WHERE organization_id = ${organization} AND ${COUNTS} AND ${which}) AS paid
      JOIN invoices AS i ON i.organization_id = ${organization} AND i.id = paid.invoice_id
     CROSS JOIN LATERAL (SELECT CASE WHEN i.status = 'voided' AND i.paid_at IS NULL THEN 0 ELSE i.total END AS total) AS owed
     GROUP BY i.id, i.invoice_number, i.status, i.type, i.total, i.paid_at, i.issued_at, owed.total
    HAVING (i.total < 0 AND sum(paid.signed) < owed.total)
        OR (sum(paid.signed) > owed.total
            AND (i.total >= 0 OR (i.status = 'paid' AND (i.type <> 'void' OR i.paid_at > i.issued_at))))
     ORDER BY max(paid.created_at) DESC, i.id DESC LIMIT ${rowsMax}`.execute(connection);
  return rows;
}
