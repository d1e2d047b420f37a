import { addDays, type CalendarDay } from '../../platform/time/berlin-calendar.ts';

/** Right of withdrawal of consumers, sections 355 and 356 BGB. */
const WITHDRAWAL_DAYS = 14;

/** Until the end of the fourteenth day after the day of the confirmation. */
export function isWithdrawalOpen(confirmedOn: CalendarDay, today: CalendarDay): boolean {
  return today <= addDays(confirmedOn, WITHDRAWAL_DAYS);
}
