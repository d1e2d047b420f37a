import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';

/** Right of withdrawal of consumers, sections 355 and 356 BGB. */
const WITHDRAWAL_DAYS = 14;

/** Until the end of the fourteenth day after the day of the confirmation. */
export function isWithdrawalOpen(confirmedOn: CalendarDay, today: CalendarDay): boolean {
  return today <= addDays(confirmedOn, WITHDRAWAL_DAYS);
}

/** Persons may; the right begins with the contract, and its days are counted from the confirmation. */
export function mayWithdraw(
  customerType: string | undefined,
  confirmedAt: string | null,
  today: CalendarDay,
): boolean {
  if (customerType !== 'person') return false;
  return confirmedAt === null || isWithdrawalOpen(berlinDayOf(confirmedAt), today);
}
