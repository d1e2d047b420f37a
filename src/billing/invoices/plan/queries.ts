import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import { berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BillingTerms } from './periods.ts';

/** Contracts by id, both included. */
export interface PortionBounds {
  readonly first: string;
  readonly last: string;
}

/** What a period of a contract follows from. */
export interface ScheduledContract {
  id: string;
  customer_id: string;
  type: 'consumption' | 'feed_in';
  start_at: string;
  end_at: string | null;
}

/** Contracts that are supplied, or were. Not of who was erased: what was not billed before never is. */
export async function listScheduledContracts(
  connection: Connection,
  organization: string,
  { first, last }: PortionBounds,
): Promise<ScheduledContract[]> {
  const { rows } = await sql<ScheduledContract>`
    SELECT id, customer_id, type, start_at, end_at
      FROM subscriptions
     WHERE organization_id = ${organization} AND id BETWEEN ${first} AND ${last} AND start_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM customers
                        WHERE organization_id = ${organization} AND id = customer_id AND erased_at IS NOT NULL)
     ORDER BY id`.execute(connection);
  return rows;
}

/** Contracts of a customer whose supply is over; those that never began are not among them. */
export async function listEndedContracts(
  connection: Connection,
  organization: string,
  customer: string,
  today: CalendarDay,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM subscriptions
     WHERE organization_id = ${organization} AND customer_id = ${customer} AND start_at < end_at
       AND end_at <= ${berlinMidnight(today)}::timestamptz
     ORDER BY id`.execute(connection);
  return rows.map(({ id }) => id);
}

export async function listBillingTerms(
  connection: Connection,
  organization: string,
  { first, last }: PortionBounds,
): Promise<ReadonlyMap<string, BillingTerms[]>> {
  const { rows } = await sql<BillingTerms & { subscription_id: string }>`
    SELECT subscription_id, valid_from AS "validFrom", mode, instalment
      FROM billing_terms
     WHERE organization_id = ${organization} AND subscription_id BETWEEN ${first} AND ${last}
     ORDER BY subscription_id, valid_from`.execute(connection);
  return Map.groupBy(rows, ({ subscription_id }) => subscription_id);
}

/** What a contract has documents about. Documents that were reversed do not count. */
export interface IssuedPeriods {
  subscription_id: string;
  /** First days of bills, ascending. */
  usage_from: CalendarDay[];
  /** The first days behind them. */
  usage_until: CalendarDay[];
  /** First days. */
  prepayment: CalendarDay[];
  has_exit_summary: boolean;
}

/** Of the transaction's organization, also of people who were erased: the service sees their documents in no other way. */
export async function listIssuedPeriods(
  connection: Connection,
  { first, last }: PortionBounds,
): Promise<ReadonlyMap<string, IssuedPeriods>> {
  const { rows } = await sql<IssuedPeriods>`
    SELECT subscription_id, usage_from, usage_until, prepayment, has_exit_summary
      FROM list_issued_periods(${first}, ${last})`.execute(connection);
  return new Map(rows.map((row) => [row.subscription_id, row]));
}
