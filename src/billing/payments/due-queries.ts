import { sql } from 'kysely';
import { EEA_COUNTRIES } from '../../contracts/payment-methods/iban.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { findWorthTrying } from '../invoices/queries.ts';

/** A bill that may be in a file, with the account of its contract. */
export interface DueBill {
  readonly id: string;
  readonly customer_id: string;
  readonly invoice_number: string;
  readonly language: string | null;
  /** EUR, still to come or to be paid out; more than zero. */
  readonly amount: string;
  readonly payment_method_id: string;
  readonly iban: string;
  readonly account_holder: string;
  readonly mandate_reference: string;
  readonly mandate_signed_on: CalendarDay;
  /** The mandate was used before. */
  readonly is_used: boolean;
  /** How often the bill was in a file. */
  readonly attempts: number;
}

export interface DebitQuery {
  /** Day of the collection. */
  readonly on: CalendarDay;
  /** Documents issued until this day have announced the debit early enough. */
  readonly announcedUntil: CalendarDay;
  readonly rowsMax: number;
}

const account = sql`
  s.payment_method_id, m.iban, m.account_holder, m.mandate_reference, m.mandate_signed_on,
  i.id, i.customer_id, i.invoice_number, i.facts ->> 'language' AS language`;

const joined = sql`
  JOIN subscriptions AS s
    ON s.organization_id = i.organization_id AND s.customer_id = i.customer_id AND s.id = i.subscription_id
  JOIN payment_methods AS m
    ON m.organization_id = s.organization_id AND m.customer_id = s.customer_id AND m.id = s.payment_method_id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END)
                      FILTER (WHERE p.status <> 'returned'), 0) AS moved,
           coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END)
                      FILTER (WHERE p.status IN ('settled', 'credited')), 0) AS received,
           (count(*) FILTER (WHERE p.end_to_end_id IS NOT NULL))::integer AS attempts,
           count(*) FILTER (WHERE p.status = 'requested') AS under_way
      FROM payments AS p WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id) AS paid
  CROSS JOIN LATERAL ${findWorthTrying} AS account`;

const isHeld = sql`
  EXISTS (SELECT FROM dunning_holds AS h
           WHERE h.organization_id = i.organization_id AND h.invoice_id = i.id)`;

const mayBeDebited = sql`account.is_worth_trying AND NOT ${isHeld}`;

/**
 * Open bills that are due on the day and in no file, the oldest first. Left out are those that staff hold, and those that
 * their account did not pay: twice, or for a reason that the next time would be the same, as a closed account.
 */
export async function listDueBills(
  connection: Connection,
  organization: string,
  { on, announcedUntil, rowsMax }: DebitQuery,
): Promise<DueBill[]> {
  const { rows } = await sql<DueBill>`
    SELECT ${account}, (i.total - paid.moved)::text AS amount, paid.attempts,
           EXISTS (SELECT FROM payments AS p
                    WHERE p.organization_id = i.organization_id AND p.payment_method_id = m.id AND p.direction = 'in'
                      AND (p.status <> 'returned' OR p.final_on IS NOT NULL)) AS is_used
      FROM invoices AS i ${joined}
     WHERE i.organization_id = ${organization} AND i.status = 'open' AND i.total > 0 AND i.due_on <= ${on}
       AND (i.issued_at AT TIME ZONE 'Europe/Berlin')::date <= ${announcedUntil}
       AND i.total > paid.moved AND paid.under_way = 0 AND ${mayBeDebited}
     ORDER BY i.due_on, i.id LIMIT ${rowsMax}`.execute(connection);
  return rows;
}

/**
 * Amounts in favour of customers that are open and in no file, the oldest first. To an account that sent one back it is
 * transferred again only where the next time may be another: `list --what returned` shows it, and staff ask for another account.
 */
export async function listDueRefunds(
  connection: Connection,
  organization: string,
  rowsMax: number,
): Promise<DueBill[]> {
  const { rows } = await sql<DueBill>`
    SELECT ${account}, (paid.moved - i.total)::text AS amount, paid.attempts, false AS is_used
      FROM invoices AS i ${joined}
     WHERE i.organization_id = ${organization} AND i.status = 'open' AND i.total < 0
       AND i.total < paid.moved AND paid.under_way = 0 AND account.is_worth_trying
     ORDER BY i.due_on, i.id LIMIT ${rowsMax}`.execute(connection);
  return rows;
}

/** How much a customer still owes of a bill, and whether it is collected without the customer doing anything. */
export interface OutstandingBill {
  readonly id: string;
  readonly due_on: CalendarDay;
  /** EUR. */
  readonly amount: string;
  readonly is_debited: boolean;
  /** Staff stopped reminders and debits of it. */
  readonly is_held: boolean;
}

/** Of these documents those that are open and have something to be paid. */
export async function listOutstandingBills(
  connection: Connection,
  organization: string,
  invoices: readonly string[],
): Promise<OutstandingBill[]> {
  const { rows } = await sql<OutstandingBill>`
    SELECT i.id, i.due_on, (i.total - paid.received)::text AS amount,
           (paid.under_way > 0 OR (i.status = 'open' AND ${mayBeDebited} AND left(m.iban, 2) = ANY(${[...EEA_COUNTRIES]}::text[]))) AS is_debited,
           (i.status = 'open' AND ${isHeld}) AS is_held
      FROM invoices AS i ${joined}
     WHERE i.organization_id = ${organization} AND i.id = ANY(${[...invoices]}::text[])
       AND i.status IN ('open', 'uncollectible') AND i.total > paid.received`.execute(connection);
  return rows;
}
