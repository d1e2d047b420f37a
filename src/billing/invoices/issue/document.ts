import { sql } from 'kysely';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { notFound } from '../../../platform/errors.ts';
import type { LineFigure } from '../calculate/types.ts';
import { findBillThatTookOver } from '../queries.ts';
import { MOVES, type MoveName, mayMove } from './moves.ts';
import { findStoredInvoice, type StoredInvoice } from './queries.ts';

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

export interface InvoiceDocument extends StoredInvoice {
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
): Promise<InvoiceDocument> {
  return database.inOrganization({ organization }, async (connection) => {
    const invoice = await findStoredInvoice(connection, organization, idOrNumber);
    if (invoice === undefined) throw notFound();
    const names = Object.keys(MOVES) as MoveName[];
    const taken_over_by = await findTakenOverBy(connection, organization, invoice.id);
    return {
      ...invoice,
      voided_by: await findReversalOf(connection, organization, invoice.id),
      taken_over_by,
      may_follow: taken_over_by === null ? names.filter((name) => mayMove(invoice, name)) : [],
      lines: await listLines(connection, organization, invoice.id),
      files: await listFiles(connection, organization, invoice.id),
    };
  });
}

async function findReversalOf(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<string | null> {
  const row = await connection
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organization)
    .where('voids', '=', invoice)
    .executeTakeFirst();
  return row?.id ?? null;
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
