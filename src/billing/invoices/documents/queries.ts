import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { InvoiceLine } from '../calculate/types.ts';
import type { InvoiceDocument } from './document.ts';

/**
 * Documents of some ids, with the ones that they refer to: what a void document reverses, and the earlier bill of the same
 * period that a bill replaces. Both are older and never change, so that a document is read the same whenever that is. Those of
 * erased persons are left out.
 */
export async function readDocuments(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<InvoiceDocument[]> {
  const { rows } = await sql<Omit<InvoiceDocument, 'lines'>>`
    SELECT made.id, made.customer_id AS customer, made.type, made.invoice_number AS "invoiceNumber",
           (made.period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (made.period_end AT TIME ZONE 'Europe/Berlin')::date AS until,
           made.usage_kwh AS "usageKwh",
           jsonb_build_object('net', made.net::text, 'taxes', made.taxes, 'tax', made.tax::text,
                              'deducted', made.deducted::text, 'total', made.total::text) AS sums,
           made.is_estimated AS "isEstimated", made.is_final AS "isFinal", made.due_on AS "dueOn",
           made.issued_at AS "issuedAt", made.facts, method.iban AS account, file.kind IS NOT NULL AS "hasFile",
           ${referred('reversed')} AS voids, ${referred('replaced')} AS corrects
      FROM invoices AS made
      LEFT JOIN invoices AS reversed
        ON (reversed.organization_id, reversed.id) = (made.organization_id, made.voids)
      LEFT JOIN LATERAL (
             SELECT earlier.invoice_number, earlier.issued_at
               FROM invoices AS earlier
              WHERE earlier.organization_id = made.organization_id
                AND earlier.subscription_id = made.subscription_id
                AND earlier.running_number < made.running_number
                AND earlier.period_number = made.period_number
                AND earlier.type = 'usage' AND made.type = 'usage'
              ORDER BY earlier.running_number DESC LIMIT 1) AS replaced ON true
      LEFT JOIN payment_methods AS method
        ON method.organization_id = made.organization_id AND method.customer_id = made.customer_id
       AND method.mandate_reference = made.facts #>> '{payment,mandateReference}'
      LEFT JOIN invoice_files AS file
        ON (file.organization_id, file.invoice_id, file.kind) = (made.organization_id, made.id, 'pdf')
     WHERE made.organization_id = ${organization} AND made.id = ANY (${[...ids]}::text[])
       AND made.restricted_at IS NULL
     ORDER BY made.id`.execute(connection);
  const lines = Map.groupBy(await listLinesOf(connection, organization, ids), ({ invoice }) => invoice);
  return rows.map((row) => ({
    ...row,
    lines: (lines.get(row.id) ?? []).map(({ invoice: _, ...line }) => line),
  }));
}

const referred = (table: 'reversed' | 'replaced') => sql`
  CASE WHEN ${sql.ref(`${table}.invoice_number`)} IS NOT NULL
       THEN jsonb_build_object('invoiceNumber', ${sql.ref(`${table}.invoice_number`)}, 'issuedOn',
                               (${sql.ref(`${table}.issued_at`)} AT TIME ZONE 'Europe/Berlin')::date) END`;

/** In the order of the document. */
async function listLinesOf(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<readonly (InvoiceLine & { invoice: string })[]> {
  const { rows } = await sql<InvoiceLine & { invoice: string }>`
    SELECT invoice_id AS invoice, kind, period_from AS "from", period_until AS until, band, quantity, unit,
           unit_price AS "unitPrice", net, trim_scale(vat_rate)::text AS "vatRate", figures
      FROM invoice_lines
     WHERE organization_id = ${organization} AND invoice_id = ANY (${[...ids]}::text[])
     ORDER BY invoice_id, position`.execute(connection);
  return rows;
}

export type FileKind = 'pdf' | 'xrechnung';

interface NewFile {
  invoice: string;
  customer: string;
  kind: FileKind;
  content: Buffer;
}

/** False when it has one of that kind already: the first one stays. */
export async function insertFile(
  connection: Connection,
  organization: string,
  { invoice, customer, kind, content }: NewFile,
  now: string,
): Promise<boolean> {
  const sha256 = createHash('sha256').update(content).digest();
  const { numAffectedRows } = await sql`
    INSERT INTO invoice_files (organization_id, customer_id, invoice_id, kind, content, sha256, made_at)
    VALUES (${organization}, ${customer}, ${invoice}, ${kind}, ${content}, ${sha256}, ${now}::timestamptz)
        ON CONFLICT DO NOTHING`.execute(connection);
  return Number(numAffectedRows) === 1;
}

/** A file of a document; undefined once the person was erased. */
export function findFile(
  connection: Connection,
  organization: string,
  invoice: string,
  kind: FileKind,
): Promise<{ content: Buffer; made_at: string } | undefined> {
  return connection
    .selectFrom('invoice_files')
    .select(['content', 'made_at'])
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice)
    .where('kind', '=', kind)
    .where('restricted_at', 'is', null)
    .executeTakeFirst();
}
