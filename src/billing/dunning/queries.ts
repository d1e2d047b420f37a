import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';

/** Days after the due day, from the settings of who bills. */
export interface DunningPeriods {
  readonly first_reminder_days: number;
  readonly second_reminder_days: number;
  readonly uncollectible_days: number;
}

export async function findPeriods(
  connection: Connection,
  organization: string,
): Promise<DunningPeriods | undefined> {
  return await connection
    .selectFrom('issuers')
    .select(['first_reminder_days', 'second_reminder_days', 'uncollectible_days'])
    .where('organization_id', '=', organization)
    .executeTakeFirst();
}

/** An open bill whose next step is due. */
export interface OverdueBill {
  readonly id: string;
  readonly customer_id: string;
  readonly due_on: CalendarDay;
  /** EUR that are missing. */
  readonly amount: string;
  /** The reminder that is next; 3: none, nobody waits any longer. */
  readonly next: 1 | 2 | 3;
}

export type OverduePlace = Pick<OverdueBill, 'due_on' | 'id'>;

/**
 * Overdue bills by due day and id, behind a place. One step at a time: a reminder that came late moves those behind it, so
 * that a customer always has the whole period between two. Behind one whose mail waits nothing follows, and one that was
 * dropped comes again. What is in a file or credited is waited for.
 */
export async function listOverdue(
  connection: Connection,
  organization: string,
  periods: DunningPeriods,
  { today, after, rowsMax }: { today: CalendarDay; after: OverduePlace | null; rowsMax: number },
): Promise<OverdueBill[]> {
  const { first_reminder_days: first, second_reminder_days: second, uncollectible_days: last } = periods;
  const { rows } = await sql<OverdueBill>`
    SELECT i.id, i.customer_id, i.due_on, (i.total - paid.moved)::text AS amount, coalesce(step.level, 0) + 1 AS next
      FROM invoices AS i
      LEFT JOIN LATERAL (
        SELECT level, reminded_on, mail FROM dunning_steps AS d
         WHERE d.organization_id = i.organization_id AND d.invoice_id = i.id AND d.mail <> 'dropped'
         ORDER BY level DESC LIMIT 1) AS step ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END), 0) AS moved FROM payments AS p
         WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id AND p.status <> 'returned') AS paid
     WHERE i.organization_id = ${organization} AND i.status = 'open' AND i.total > 0 AND i.total > paid.moved
       AND i.due_on <= ${today}::date - ${first}::integer
       AND (i.due_on, i.id) > (${after?.due_on ?? '-infinity'}::date, ${after?.id ?? ''})
       AND coalesce(step.mail, 'handed_over') = 'handed_over'
       AND CASE coalesce(step.level, 0)
             WHEN 0 THEN true
             WHEN 1 THEN i.due_on <= ${today}::date - ${second}::integer
                         AND step.reminded_on <= ${today}::date - ${second - first}::integer
             ELSE i.due_on <= ${today}::date - ${last}::integer
                  AND step.reminded_on <= ${today}::date - ${last - second}::integer AND i.type <> 'void'
           END
       AND NOT EXISTS (SELECT FROM dunning_holds AS h
                        WHERE h.organization_id = i.organization_id AND h.invoice_id = i.id)
     ORDER BY i.due_on, i.id LIMIT ${rowsMax}`.execute(connection);
  return rows;
}

interface NewStep {
  readonly invoice_id: string;
  readonly customer_id: string;
  readonly level: number;
  readonly amount: string;
  readonly reminded_on: CalendarDay;
  readonly created_at: string;
}

/** In the place of the same step where that was dropped. */
export async function insertStep(connection: Connection, organization: string, step: NewStep): Promise<void> {
  const { amount, reminded_on } = step;
  await connection
    .insertInto('dunning_steps')
    .values({ ...step, organization_id: organization })
    .onConflict((on) =>
      on
        .columns(['organization_id', 'invoice_id', 'level'])
        .doUpdateSet({ amount, reminded_on, mail: 'planned' })
        .where('dunning_steps.mail', '=', 'dropped'),
    )
    .execute();
}

/** A reminder that waits for its mail, with what the mail says. */
export interface PlannedReminder {
  readonly invoice_id: string;
  readonly level: 1 | 2;
  /** The day on which it was planned. */
  readonly reminded_on: CalendarDay;
  /** EUR that are missing now; null: the bill is no longer open, staff hold it, or the first one had not left. */
  readonly missing: string | null;
  readonly invoice_number: string;
  readonly issued_on: CalendarDay;
  readonly due_on: CalendarDay;
  readonly language: string | null;
  readonly customer_name: string;
  readonly email: string;
  readonly issuer: string;
  readonly contact_email: string;
  readonly phone: string;
  readonly account_holder: string;
  readonly iban: string;
}

export type ReminderPlace = Pick<PlannedReminder, 'invoice_id' | 'level'>;

/**
 * A second one leaves only where the first had left when it was planned: versions of before planned it behind one whose mail
 * waits. It is dropped, and planned anew when the period between the two is over.
 */
export async function listPlannedReminders(
  connection: Connection,
  organization: string,
  { after, rowsMax }: { after: ReminderPlace | null; rowsMax: number },
): Promise<PlannedReminder[]> {
  const { rows } = await sql<PlannedReminder>`
    SELECT d.invoice_id, d.level, d.reminded_on, i.invoice_number, i.due_on,
           (i.issued_at AT TIME ZONE 'Europe/Berlin')::date AS issued_on,
           i.facts ->> 'language' AS language, c.email,
           coalesce(c.company_name, concat_ws(' ', c.first_name, c.last_name)) AS customer_name,
           o.name AS issuer, o.email AS contact_email, o.phone, o.account_holder, o.iban,
           CASE WHEN i.status = 'open' AND i.total > paid.moved AND h.invoice_id IS NULL
                 AND (d.level = 1 OR first.mail = 'handed_over' AND first.reminded_on < d.reminded_on)
                THEN (i.total - paid.moved)::text END AS missing
      FROM dunning_steps AS d
      JOIN invoices AS i ON i.organization_id = d.organization_id AND i.id = d.invoice_id
      JOIN customers AS c ON c.organization_id = d.organization_id AND c.id = d.customer_id
      JOIN issuers AS o ON o.organization_id = d.organization_id
      LEFT JOIN dunning_holds AS h ON h.organization_id = d.organization_id AND h.invoice_id = d.invoice_id
      LEFT JOIN dunning_steps AS first
        ON first.organization_id = d.organization_id AND first.invoice_id = d.invoice_id AND first.level = 1
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END), 0) AS moved FROM payments AS p
         WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id AND p.status <> 'returned') AS paid
     WHERE d.organization_id = ${organization} AND d.mail = 'planned'
       AND (d.invoice_id, d.level) > (${after?.invoice_id ?? ''}, ${after?.level ?? 0}::integer)
     ORDER BY d.invoice_id, d.level LIMIT ${rowsMax}`.execute(connection);
  return rows;
}

/** Reminders whose mail has not left, and the day on which the first of them was planned. */
export async function countPlannedReminders(
  connection: Connection,
  organization: string,
): Promise<{ reminders: number; since: CalendarDay | null }> {
  const { rows } = await sql<{ reminders: number; since: CalendarDay | null }>`
    SELECT count(*)::integer AS reminders, min(reminded_on) AS since FROM dunning_steps
     WHERE organization_id = ${organization} AND mail = 'planned'`.execute(connection);
  return rows[0] ?? { reminders: 0, since: null };
}

/** Whoever takes it first has it: returns whether this was it. It has the day on which it leaves, and what is missing then. */
export async function takeReminder(
  connection: Connection,
  organization: string,
  { invoice_id, level, missing }: Pick<PlannedReminder, 'invoice_id' | 'level' | 'missing'>,
  today: CalendarDay,
): Promise<boolean> {
  const { numUpdatedRows } = await connection
    .updateTable('dunning_steps')
    .set(
      missing === null ? { mail: 'dropped' } : { mail: 'handed_over', amount: missing, reminded_on: today },
    )
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice_id)
    .where('level', '=', level)
    .where('mail', '=', 'planned')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Its mail did not leave: it waits again, since the day on which it was planned. */
export async function putBackReminder(
  connection: Connection,
  organization: string,
  { invoice_id, level, reminded_on }: ReminderPlace & Pick<PlannedReminder, 'reminded_on'>,
): Promise<void> {
  await connection
    .updateTable('dunning_steps')
    .set({ mail: 'planned', reminded_on })
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice_id)
    .where('level', '=', level)
    .execute();
}

export async function stepsOfInvoice(connection: Connection, organization: string, invoice: string) {
  return await connection
    .selectFrom('dunning_steps')
    .select(['level', 'reminded_on', 'amount', 'mail'])
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice)
    .orderBy('level')
    .execute();
}

export const HOLD_CAUSES = ['disputed', 'instalments', 'other'] as const;
export type HoldCause = (typeof HOLD_CAUSES)[number];

export async function findHold(connection: Connection, organization: string, invoice: string) {
  return await connection
    .selectFrom('dunning_holds')
    .select(['cause', 'created_at'])
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice)
    .executeTakeFirst();
}

export async function insertHold(
  connection: Connection,
  organization: string,
  hold: { invoice_id: string; customer_id: string; cause: HoldCause; created_at: string },
): Promise<void> {
  await connection
    .insertInto('dunning_holds')
    .values({ ...hold, organization_id: organization })
    .execute();
}

export async function deleteHold(
  connection: Connection,
  organization: string,
  invoice: string,
): Promise<void> {
  await connection
    .deleteFrom('dunning_holds')
    .where('organization_id', '=', organization)
    .where('invoice_id', '=', invoice)
    .execute();
}
