import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/db.ts';
import { allowLongTransaction } from '../../platform/database/time-limits.ts';
import { notFound } from '../../platform/errors.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { LineFigure } from './calculate/types.ts';
import { MOVES, type MoveName, mayMove } from './issue/moves.ts';
import { findReversalOf, findStoredInvoice, type StoredInvoice } from './issue/queries.ts';
import { findBillThatTookOver } from './queries.ts';
import { INVOICE_STATUSES, type InvoiceType } from './schema.ts';

/** For the interface a prepayment is uncollectible when its closing bill took it over; staff see the difference. */
export const STAFF_STATUSES = [...INVOICE_STATUSES, 'taken_over'] as const;
export type StaffStatus = (typeof STAFF_STATUSES)[number];

const takenOver = findBillThatTookOver('invoices', 'invoice_number');

interface InvoiceFilter {
  readonly status?: StaffStatus | undefined;
  readonly type?: InvoiceType | undefined;
  readonly subscription?: string | undefined;
  /** Only bills with more than double the usage of the same days a year before, as they say it themselves. */
  readonly moreThanDouble?: boolean | undefined;
}

const isMoreThanDouble = sql<boolean>`usage_kwh > 2 * (facts #>> '{comparison,previousPeriodKwh}')::numeric
  AND facts #>> '{contract,type}' = 'consumption'`;

const dayOf = (column: 'period_start' | 'period_end') =>
  sql<CalendarDay>`(${sql.ref(column)} AT TIME ZONE 'Europe/Berlin')::date`;

/** The newest documents, for the back office. */
export function newestInvoices(
  database: Database,
  organization: string,
  filter: InvoiceFilter,
  rowsMax: number,
) {
  return database.inOrganization({ organization }, (connection) => {
    let query = connection
      .selectFrom('invoices')
      .select(['id', 'invoice_number', 'type', 'total', 'due_on', 'subscription_id'])
      .select(sql<string>`CASE WHEN ${takenOver} IS NULL THEN status ELSE 'taken_over' END`.as('status'))
      .select(takenOver.as('taken_over_by'))
      .select([dayOf('period_start').as('from'), dayOf('period_end').as('until')])
      .where('organization_id', '=', organization);
    const { status, type, subscription, moreThanDouble } = filter;
    if (status === 'taken_over') query = query.where(takenOver, 'is not', null);
    else if (status !== undefined) query = query.where('status', '=', status).where(takenOver, 'is', null);
    if (type !== undefined) query = query.where('type', '=', type);
    if (subscription !== undefined) query = query.where('subscription_id', '=', subscription);
    if (moreThanDouble === true) query = query.where(isMoreThanDouble);
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(rowsMax).execute();
  });
}

interface DocumentProblem {
  /** Of all organizations. */
  readonly documents: number;
  /** Null: there is none. */
  readonly problem: string | null;
  readonly organization_id: string | null;
  /** Null: the first number of the organization is missing. */
  readonly document: string | null;
}

/** Documents of all organizations that the database should never have taken. */
export function listDocumentProblems(database: Database, rowsMax: number): Promise<DocumentProblem[]> {
  return database.asService(async (connection) => {
    await allowLongTransaction(connection);
    const { rows } = await sql<DocumentProblem>`SELECT * FROM list_document_problems(${rowsMax})`.execute(
      connection,
    );
    return rows;
  });
}

/** A line as it is stored. */
export interface StoredLine {
  position: number;
  kind: string;
  period_from: string;
  period_until: string;
  band: string | null;
  quantity: string | null;
  unit: string | null;
  unit_price: string | null;
  net: string;
  vat_rate: string;
  figures: readonly LineFigure[];
}

interface StoredFile {
  kind: string;
  bytes: number;
  sha256: string;
  made_at: string;
}

export interface InvoiceForStaff extends StoredInvoice {
  /** The document that reverses it. */
  voided_by: string | null;
  /** Number of the bill that asks for what was not paid of this prepayment. */
  taken_over_by: string | null;
  may_follow: MoveName[];
  lines: StoredLine[];
  files: StoredFile[];
}

/** All that is stored of a document, by its id or by its printed number. */
export function documentForStaff(
  database: Database,
  organization: string,
  idOrNumber: string,
): Promise<InvoiceForStaff> {
  return database.inOrganization({ organization }, async (connection) => {
    const invoice = await findStoredInvoice(connection, organization, idOrNumber);
    if (invoice === undefined) throw notFound();
    const names = Object.keys(MOVES) as MoveName[];
    const reversal = await findReversalOf(connection, organization, invoice.id);
    const taken_over_by = await findTakenOverBy(connection, organization, invoice.id);
    return {
      ...invoice,
      voided_by: reversal?.id ?? null,
      taken_over_by,
      may_follow: taken_over_by === null ? names.filter((name) => mayMove(invoice, name)) : [],
      lines: await listLines(connection, organization, invoice.id),
      files: await listFiles(connection, organization, invoice.id),
    };
  });
}

async function findTakenOverBy(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<string | null> {
  const { rows } = await sql<{ number: string | null }>`
    SELECT ${findBillThatTookOver('i', 'invoice_number')} AS number FROM invoices AS i
     WHERE i.organization_id = ${organization} AND i.id = ${invoice}`.execute(connection);
  return rows[0]?.number ?? null;
}

async function listLines(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<StoredLine[]> {
  const { rows } = await sql<StoredLine>`
    SELECT position, kind, period_from, period_until, band, quantity, unit, unit_price, net, vat_rate, figures
      FROM invoice_lines
     WHERE organization_id = ${organization} AND invoice_id = ${invoice}
     ORDER BY position`.execute(connection);
  return rows;
}

async function listFiles(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    SELECT kind, octet_length(content) AS bytes, encode(sha256, 'hex') AS sha256, made_at
      FROM invoice_files
     WHERE organization_id = ${organization} AND invoice_id = ${invoice}
     ORDER BY kind`.execute(connection);
  return rows;
}
