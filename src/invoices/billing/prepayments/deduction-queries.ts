import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { berlinMidnight } from '../../../platform/time/berlin-calendar.ts';
import type { BilledPeriod } from '../../lines/contract.ts';

export type PrepaymentRow = Pick<
  Selectable<Tables['invoices']>,
  'id' | 'subscription_id' | 'status' | 'total' | 'period_start' | 'period_end'
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
    .select(['id', 'subscription_id', 'status', 'total', 'period_start', 'period_end'])
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
