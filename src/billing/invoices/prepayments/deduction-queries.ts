import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { berlinMidnight } from '../../../platform/time/berlin-calendar.ts';
import type { BilledPeriod } from '../calculate/contract.ts';

export type PrepaymentRow = Pick<
  Selectable<Tables['invoices']>,
  'id' | 'subscription_id' | 'invoice_number' | 'status' | 'total' | 'period_start' | 'period_end'
>;

/**
 * The prepayments of the days that are about to be closed, held by ascending id until the end of the transaction: what is
 * paid meanwhile waits, so that the closing bill deducts neither more nor less than was paid.
 */
export function lockPrepayments(
  connection: Connection,
  organization: string,
  closed: readonly { readonly id: string; readonly period: BilledPeriod }[],
): Promise<PrepaymentRow[]> {
  return connection
    .selectFrom('invoices')
    .select([
      ...([
        'id',
        'subscription_id',
        'invoice_number',
        'status',
        'total',
        'period_start',
        'period_end',
      ] as const),
    ])
    .where('organization_id', '=', organization)
    .where('type', '=', 'prepayment')
    .where(
      sql<boolean>`(organization_id, id) IN (
        SELECT paid.organization_id, paid.id
          FROM unnest(${closed.map(({ id }) => id)}::text[],
                      ${closed.map(({ period }) => berlinMidnight(period.from))}::timestamptz[],
                      ${closed.map(({ period }) => berlinMidnight(period.until))}::timestamptz[]) AS asked (id, since, until)
          JOIN invoices AS paid
            ON paid.organization_id = ${organization} AND paid.subscription_id = asked.id AND paid.type = 'prepayment'
           AND paid.period_start >= asked.since AND paid.period_end <= asked.until)`,
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** What payments of some prepayments came to: EUR that came in for good, and how many may still come back or come in. */
export async function listPrepaid(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { settled: string; under_way: number }>> {
  const { rows } = await sql<{ invoice_id: string; settled: string; under_way: number }>`
    SELECT invoice_id,
           coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END) FILTER (WHERE status = 'settled'), 0)::text
             AS settled,
           (count(*) FILTER (WHERE status IN ('requested', 'credited')))::integer AS under_way
      FROM payments WHERE organization_id = ${organization} AND invoice_id = ANY(${[...ids]}::text[])
     GROUP BY invoice_id`.execute(connection);
  return new Map(rows.map(({ invoice_id, ...sums }) => [invoice_id, sums]));
}
