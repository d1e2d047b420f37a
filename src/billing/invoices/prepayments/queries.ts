import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BillingBasis } from '../calculate/draft.ts';

interface FollowingTerms {
  /** First day behind the closing bill. */
  readonly closedUntil: CalendarDay;
  readonly valid_from: CalendarDay;
  readonly instalment: string;
}

export type BillingTermsRow = Omit<Selectable<Tables['billing_terms']>, 'organization_id'>;

/**
 * The instalment behind a closing bill, only where nobody entered anything between the bill's end and the first month that the
 * instalment is for: neither another instalment nor another mode. It takes the place of one that followed from another bill.
 */
export async function insertFollowingTerms(
  connection: Connection,
  organization: string,
  { id, customer }: { id: string; customer: string },
  { closedUntil, valid_from, instalment }: FollowingTerms,
  now: string,
): Promise<void> {
  await sql`
    INSERT INTO billing_terms
      (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis, created_at)
    SELECT ${organization}, ${customer}, ${id}, ${valid_from}::date, 'advance', ${instalment}::numeric, 'closing_bill',
           ${now}::timestamptz
     WHERE NOT EXISTS (
             SELECT FROM billing_terms
              WHERE organization_id = ${organization} AND subscription_id = ${id}
                AND valid_from BETWEEN ${closedUntil}::date AND ${valid_from}::date AND basis <> 'closing_bill')
        ON CONFLICT (organization_id, subscription_id, valid_from)
        DO UPDATE SET instalment = excluded.instalment, created_at = excluded.created_at`.execute(connection);
}

/** Whether a bill stands that closed a year behind a day, and so named the instalment that follows. */
export async function findClosedBehind(
  connection: Connection,
  organization: string,
  subscription: string,
  from: CalendarDay,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM invoices
     WHERE organization_id = ${organization} AND subscription_id = ${subscription} AND type = 'usage'
       AND status <> 'voided' AND period_start >= ${berlinMidnight(from)}::timestamptz
       AND facts #>> '{nextInstalment,from}' IS NOT NULL
     LIMIT 1`.execute(connection);
  return rows.length > 0;
}

/** What holds on a day. */
export async function findTermsOn(
  connection: Connection,
  organization: string,
  subscription: string,
  on: CalendarDay,
): Promise<Pick<BillingTermsRow, 'valid_from' | 'mode' | 'instalment' | 'basis'> | undefined> {
  return await connection
    .selectFrom('billing_terms')
    .select(['valid_from', 'mode', 'instalment', 'basis'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('valid_from', '<=', on)
    .orderBy('valid_from', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Stores what the back office says of a day, instead of what was said of it before. */
export async function upsertTerms(
  connection: Connection,
  organization: string,
  terms: BillingTermsRow,
): Promise<void> {
  const { mode, instalment, basis, created_at } = terms;
  await connection
    .insertInto('billing_terms')
    .values({ ...terms, organization_id: organization })
    .onConflict((on) =>
      on
        .columns(['organization_id', 'subscription_id', 'valid_from'])
        .doUpdateSet({ mode, instalment, basis, created_at }),
    )
    .execute();
}

/** A document that is about days from one on and was not reversed; of several the last. */
export async function findDocumentsFrom(
  connection: Connection,
  organization: string,
  subscription: string,
  from: CalendarDay,
): Promise<{ invoice_number: string } | undefined> {
  return await connection
    .selectFrom('invoices')
    .select('invoice_number')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('type', '<>', 'void')
    .where('status', '<>', 'voided')
    .where('period_end', '>', berlinMidnight(from))
    .orderBy('period_end', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export type PrepaymentRow = Pick<
  Selectable<Tables['invoices']>,
  'id' | 'subscription_id' | 'invoice_number' | 'status' | 'total' | 'period_start' | 'period_end'
>;

/**
 * The prepayments of months that begin in the days that are about to be closed, held by ascending id until the end of the
 * transaction: what is paid meanwhile waits, so that the closing bill deducts neither more nor less than was paid. Supply may
 * end within the last of these months.
 */
export function lockPrepayments(
  connection: Connection,
  organization: string,
  bills: readonly Pick<BillingBasis, 'contract' | 'period'>[],
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
          FROM unnest(${bills.map(({ contract }) => contract.id)}::text[],
                      ${bills.map(({ period }) => berlinMidnight(period.from))}::timestamptz[],
                      ${bills.map(({ period }) => berlinMidnight(period.until))}::timestamptz[]) AS bill (subscription, since, until)
          JOIN invoices AS paid
            ON paid.organization_id = ${organization} AND paid.subscription_id = bill.subscription AND paid.type = 'prepayment'
           AND paid.period_start >= bill.since AND paid.period_start < bill.until)`,
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
