import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { addMonths, berlinMidnight } from '../../platform/time/berlin-calendar.ts';
import type { BilledPeriod } from '../lines/contract.ts';
import { GRID_KINDS, type GridLine } from '../lines/module-1-cap.ts';

/** The grid fees on the other bills of the calendar years into which a period reaches, by contract. */
export async function listGridLines(
  connection: Connection,
  organization: string,
  asked: readonly { readonly contract: { readonly id: string }; readonly period: BilledPeriod }[],
): Promise<ReadonlyMap<string, GridLine[]>> {
  const years = asked.map(({ period: { from, until } }) => ({
    first: berlinMidnight(`${from.slice(0, 4)}-01-01`),
    end: berlinMidnight(addMonths(`${until.slice(0, 4)}-01-01`, 12)),
  }));
  const { rows } = await sql<GridLine & { id: string }>`
    SELECT asked.id, line.kind, line.period_from AS "from", line.period_until AS until, line.net
      FROM unnest(${asked.map(({ contract }) => contract.id)}::text[], ${years.map(({ first }) => first)}::timestamptz[],
                  ${years.map(({ end }) => end)}::timestamptz[],
                  ${asked.map(({ period }) => berlinMidnight(period.from))}::timestamptz[]) AS asked (id, first, ends, own)
      JOIN invoices AS bill
        ON bill.organization_id = ${organization} AND bill.subscription_id = asked.id
       AND bill.type = 'usage' AND bill.status <> 'voided'
       AND bill.period_start < asked.ends AND bill.period_end > asked.first AND bill.period_start <> asked.own
      JOIN invoice_lines AS line
        ON line.organization_id = ${organization} AND line.invoice_id = bill.id
       AND line.kind = ANY (${[...GRID_KINDS]}::text[])
     ORDER BY asked.id, line.period_from`.execute(connection);
  return Map.groupBy(rows, ({ id }) => id);
}
