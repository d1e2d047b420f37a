import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import { berlinMidnight } from '../../../platform/time/berlin-calendar.ts';
import type { BilledPeriod } from '../calculate/contract.ts';
import { GRID_KINDS, type GridLine } from '../calculate/module-1-cap.ts';

/** The grid fees on the bills before a period, of the calendar years into which it reaches, by contract. */
export async function listEarlierGridLines(
  connection: Connection,
  organization: string,
  asked: readonly { readonly contract: { readonly id: string }; readonly period: BilledPeriod }[],
): Promise<ReadonlyMap<string, GridLine[]>> {
  const { rows } = await sql<GridLine & { id: string }>`
    SELECT asked.id, line.kind, line.period_from AS "from", line.period_until AS until, line.net
      FROM unnest(${asked.map(({ contract }) => contract.id)}::text[],
                  ${asked.map(({ period }) => berlinMidnight(`${period.from.slice(0, 4)}-01-01`))}::timestamptz[],
                  ${asked.map(({ period }) => berlinMidnight(period.from))}::timestamptz[]) AS asked (id, first, own)
      JOIN invoices AS bill
        ON bill.organization_id = ${organization} AND bill.subscription_id = asked.id
       AND bill.type = 'usage' AND bill.status <> 'voided'
       AND bill.period_start < asked.own AND bill.period_end > asked.first
      JOIN invoice_lines AS line
        ON line.organization_id = ${organization} AND line.invoice_id = bill.id
       AND line.kind = ANY (${[...GRID_KINDS]}::text[])
     ORDER BY asked.id, line.period_from`.execute(connection);
  return Map.groupBy(rows, ({ id }) => id);
}

/** The grid fees on some bills, by bill. */
export async function listGridLinesOfBills(
  connection: Connection,
  organization: string,
  bills: readonly string[],
): Promise<ReadonlyMap<string, GridLine[]>> {
  const { rows } = await sql<GridLine & { invoice_id: string }>`
    SELECT invoice_id, kind, period_from AS "from", period_until AS until, net
      FROM invoice_lines
     WHERE organization_id = ${organization} AND invoice_id = ANY (${[...bills]}::text[])
       AND kind = ANY (${[...GRID_KINDS]}::text[])
     ORDER BY invoice_id, position`.execute(connection);
  return Map.groupBy(rows, ({ invoice_id }) => invoice_id);
}
