import type { RefusalRow } from '../../../billing/invoices/runs/queries.ts';
import type { SuggestedBill } from '../../../billing/payments/suggest.ts';
import { dayText, eurosText } from '../../../platform/http/pages/chart.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { Texts } from '../texts.ts';

/** Notes and causes are told in words; one of a newer version stays as it is. */
export const noteText = (note: string | null, t: Texts) =>
  note === null ? '' : (Object.entries(t.work.notes).find(([known]) => known === note)?.[1] ?? note);

export const refusalText = (code: string, t: Texts) =>
  Object.entries(t.work.refusals).find(([known]) => known === code)?.[1] ?? code;

export function suggestionText({ invoice_number, customer_name, missing, reasons }: SuggestedBill, t: Texts) {
  const why = reasons.map((reason) => t.work.reasons[reason]).join(', ');
  return `${invoice_number}, ${customer_name}, ${t.work.stillMissing(eurosText(missing, t))} (${why})`;
}

export function documentText(
  row: Pick<RefusalRow, 'type' | 'period_start' | 'period_end'>,
  t: Texts,
): string {
  const day = (value: string) => dayText(value, t.lang);
  return `${t.work.missingTypes[row.type]} ${day(row.period_start)} – ${day(addDays(row.period_end, -1))}`;
}

export const isOverdue = ({ deadline }: Pick<RefusalRow, 'deadline'>, today: CalendarDay) =>
  deadline !== null && deadline < today;

/** Each on its own line. */
export function deadlineText(row: Pick<RefusalRow, 'deadline'>, today: CalendarDay, t: Texts): string[] {
  if (row.deadline === null) return [t.work.noDeadline];
  return [dayText(row.deadline, t.lang), ...(isOverdue(row, today) ? [t.work.overdue] : [])];
}
