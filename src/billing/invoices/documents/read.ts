import type { Connection } from '../../../platform/database/db.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { InvoiceDocument, ReferredDocument } from './document.ts';
import { listDocumentRows, listLinesOf } from './queries.ts';

/** Documents by id, with two statements; those of erased persons are left out. */
export async function readDocuments(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<InvoiceDocument[]> {
  const rows = await listDocumentRows(connection, organization, ids);
  const lines = Map.groupBy(await listLinesOf(connection, organization, ids), ({ invoice }) => invoice);
  return rows.map((row) => {
    const { voids_number, voids_issued_on, corrects_number, corrects_issued_on, ...stored } = row;
    const { net, taxes, tax, deducted, total, ...document } = stored;
    return {
      ...document,
      sums: { net, taxes, tax, deducted, total },
      lines: (lines.get(row.id) ?? []).map(({ invoice: _, ...line }) => line),
      voids: referred(voids_number, voids_issued_on),
      corrects: referred(corrects_number, corrects_issued_on),
    };
  });
}

function referred(invoiceNumber: string | null, issuedOn: CalendarDay | null): ReferredDocument | null {
  return invoiceNumber === null || issuedOn === null ? null : { invoiceNumber, issuedOn };
}
