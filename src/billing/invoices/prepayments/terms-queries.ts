import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';

interface FollowingTerms {
  /** First day behind the closing bill. */
  readonly closedUntil: CalendarDay;
  readonly valid_from: CalendarDay;
  readonly instalment: string;
}

export type BillingTermsRow = Omit<Selectable<Tables['billing_terms']>, 'organization_id'>;

/**
 * The instalment behind a closing bill, only where nothing was entered between the bill's end and the first month that the
 * instalment is for: neither another instalment nor another mode.
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
                AND valid_from BETWEEN ${closedUntil}::date AND ${valid_from}::date)`.execute(connection);
}

/** What holds on a day. */
export async function findTermsOn(
  connection: Connection,
  organization: string,
  subscription: string,
  on: CalendarDay,
): Promise<Pick<BillingTermsRow, 'valid_from' | 'mode' | 'instalment'> | undefined> {
  return await connection
    .selectFrom('billing_terms')
    .select(['valid_from', 'mode', 'instalment'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('valid_from', '<=', on)
    .orderBy('valid_from', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** What the back office says of a day replaces what was said of it before. */
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
