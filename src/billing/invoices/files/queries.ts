import type { Connection } from '../../../platform/database/db.ts';

export async function hasDocument(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<boolean> {
  const row = await connection
    .selectFrom('invoice_files')
    .select('kind')
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice)
    .where('kind', '=', 'pdf')
    .executeTakeFirst();
  return row !== undefined;
}

/** The document with the number of its invoice; undefined once the person was erased. */
export function findDocument(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<{ content: Buffer; invoice_number: string } | undefined> {
  return connection
    .selectFrom('invoice_files')
    .innerJoin('invoices', (join) =>
      join
        .onRef('invoices.organization_id', '=', 'invoice_files.organization_id')
        .onRef('invoices.id', '=', 'invoice_files.invoice_id'),
    )
    .select(['invoice_files.content', 'invoices.invoice_number'])
    .where('invoice_files.organization_id', '=', organization)
    .where('invoice_files.invoice_id', '=', invoice)
    .where('invoice_files.kind', '=', 'pdf')
    .where('invoices.restricted_at', 'is', null)
    .executeTakeFirst();
}
