import type { Connection } from '../../../platform/database/db.ts';
import { berlinDayOf } from '../../../platform/time/berlin-calendar.ts';
import type { InvoiceDocument, ReferredDocument } from './document.ts';
import { type DocumentRow, type LineRow, listDocumentRows, listLinesOf } from './queries.ts';

/** A document with what is stored beside it. */
export interface StoredDocument {
  readonly document: InvoiceDocument;
  readonly customer: string;
  readonly hasFile: boolean;
  /** Whole IBAN of the mandate; null once it is gone. */
  readonly account: string | null;
}

/** Documents by id, with two statements; those of erased persons are left out. */
export async function readDocuments(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<StoredDocument[]> {
  const rows = await listDocumentRows(connection, organization, ids);
  const lines = Map.groupBy(await listLinesOf(connection, organization, ids), ({ invoice }) => invoice);
  return rows.map((row) => ({
    document: documentOf(row, lines.get(row.id) ?? []),
    customer: row.customer_id,
    hasFile: row.has_file,
    account: row.account,
  }));
}

function documentOf(row: DocumentRow, lines: readonly LineRow[]): InvoiceDocument {
  const { id, type, from, until, net, tax, taxes, deducted, total, facts } = row;
  return {
    ...{ id, type, from, until, facts, sums: { net, taxes, tax, deducted, total } },
    lines: lines.map(({ invoice: _, ...line }) => line),
    invoiceNumber: row.invoice_number,
    usageKwh: row.usage_kwh,
    isEstimated: row.is_estimated,
    isFinal: row.is_final,
    dueOn: row.due_on,
    issuedAt: row.issued_at,
    voids: referred(row.voids_number, row.voids_issued_at),
    corrects: referred(row.corrects_number, row.corrects_issued_at),
  };
}

function referred(invoiceNumber: string | null, issuedAt: string | null): ReferredDocument | null {
  if (invoiceNumber === null || issuedAt === null) return null;
  return { invoiceNumber, issuedOn: berlinDayOf(issuedAt) };
}
