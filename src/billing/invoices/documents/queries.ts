import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { InvoiceLine, RateSum } from '../calculate/types.ts';
import type { InvoiceType } from '../schema.ts';
import type { DocumentFacts } from './fact-types.ts';

export interface DocumentRow {
  id: string;
  customer_id: string;
  type: InvoiceType;
  invoice_number: string;
  from: CalendarDay;
  until: CalendarDay;
  usage_kwh: string | null;
  net: string;
  tax: string;
  taxes: readonly RateSum[];
  deducted: string;
  total: string;
  is_estimated: boolean;
  is_final: boolean;
  due_on: CalendarDay;
  issued_at: string;
  facts: DocumentFacts;
  voids_number: string | null;
  voids_issued_at: string | null;
  corrects_number: string | null;
  corrects_issued_at: string | null;
  /** The account of the mandate, whole; null once the person was erased. */
  account: string | null;
  has_file: boolean;
}

/**
 * Documents of some ids, with the ones that they refer to: what a void document reverses, and the earlier bill of the same
 * period that a bill replaces. Both are older and never change, so that a document is read the same whenever that is.
 */
export async function listDocumentRows(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<readonly DocumentRow[]> {
  const { rows } = await sql<DocumentRow>`
    SELECT made.id, made.customer_id, made.type, made.invoice_number,
           (made.period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (made.period_end AT TIME ZONE 'Europe/Berlin')::date AS until,
           made.usage_kwh, made.net, made.tax, made.taxes, made.deducted, made.total, made.is_estimated, made.is_final,
           made.due_on, made.issued_at, made.facts, reversed.invoice_number AS voids_number,
           reversed.issued_at AS voids_issued_at, replaced.invoice_number AS corrects_number,
           replaced.issued_at AS corrects_issued_at, method.iban AS account, file.kind IS NOT NULL AS has_file
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
  return rows;
}

export interface LineRow extends InvoiceLine {
  invoice: string;
}

/** In the order of the document. */
export async function listLinesOf(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<readonly LineRow[]> {
  const { rows } = await sql<LineRow>`
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
