import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BillingRefused } from '../refusal.ts';
import type { DueDocument } from './due.ts';
import type { BillingPeriod } from './periods.ts';

/** Which document is missing; a correction: a bill that should be replaced. */
export type RefusedType = 'usage' | 'prepayment' | 'correction' | 'exit_summary';

export interface RefusedDocument {
  readonly type: RefusedType;
  readonly subscription: string;
  readonly customer: string;
  readonly period: Pick<BillingPeriod, 'from' | 'until'>;
  /** First day on which it is late; null: the law sets none. */
  readonly deadline: CalendarDay | null;
  readonly refusal: Pick<BillingRefused, 'code' | 'detail'>;
}

/** Keeps why documents could not be made; of one that was refused before, since when. */
export async function upsertRefusals(
  connection: Connection,
  organization: string,
  refused: readonly RefusedDocument[],
  { run, now }: { run: string | null; now: string },
): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ type, subscription, customer, period, deadline, refusal }) => ({
    ...{ type, subscription_id: subscription, customer_id: customer, deadline },
    ...{ period_start: period.from, period_end: period.until, code: refusal.code, detail: refusal.detail },
  }));
  await sql`
    INSERT INTO billing_refusals AS known
      (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail, deadline, run_id,
       first_at, last_at)
    SELECT ${organization}, customer_id, subscription_id, type, period_start, period_end, code, detail, deadline, ${run},
           ${now}::timestamptz, ${now}::timestamptz
      FROM json_populate_recordset(NULL::billing_refusals, ${JSON.stringify(rows)}::json)
        ON CONFLICT (organization_id, subscription_id, type, period_start)
        DO UPDATE SET period_end = excluded.period_end, code = excluded.code, detail = excluded.detail,
                      deadline = excluded.deadline, run_id = excluded.run_id, last_at = excluded.last_at`.execute(
    connection,
  );
}

/** The cause is gone: these documents are there. */
export async function deleteRefusals(
  connection: Connection,
  organization: string,
  made: readonly DueDocument[],
): Promise<void> {
  if (made.length === 0) return;
  await sql`
    DELETE FROM billing_refusals AS refusal
     USING unnest(${made.map(({ subscription }) => subscription)}::text[], ${made.map(({ period }) => period.type)}::text[],
                  ${made.map(({ period }) => period.from)}::date[]) AS made (subscription, type, first)
     WHERE refusal.organization_id = ${organization} AND refusal.subscription_id = made.subscription
       AND refusal.type = made.type AND refusal.period_start = made.first`.execute(connection);
}

/**
 * Deletes refusals of documents that are not due any more, because the contract has other dates or is billed otherwise
 * now. Only the named documents of these contracts are still missing.
 */
export async function deleteOtherRefusals(
  connection: Connection,
  organization: string,
  { first, last }: { first: string; last: string },
  due: readonly DueDocument[],
): Promise<void> {
  await sql`
    DELETE FROM billing_refusals AS refusal
     WHERE refusal.organization_id = ${organization} AND refusal.subscription_id BETWEEN ${first} AND ${last}
       AND refusal.type IN ('usage', 'prepayment')
       AND NOT EXISTS (
             SELECT FROM unnest(${due.map(({ subscription }) => subscription)}::text[],
                                ${due.map(({ period }) => period.type)}::text[],
                                ${due.map(({ period }) => period.from)}::date[]) AS due (subscription, type, first)
              WHERE due.subscription = refusal.subscription_id AND due.type = refusal.type
                AND due.first = refusal.period_start)`.execute(connection);
}
