import {
  addDays,
  addMonths,
  type CalendarDay,
  firstOfMonthFrom,
} from '../../platform/time/berlin-calendar.ts';
import { addWorkingDays } from '../../platform/time/working-days.ts';
import type { TerminationReason } from './schema.ts';

/** Working days that the grid operator wants between the call and the last day of supply, that day included. */
const NOTICE_WORKING_DAYS = 3;

/** Days of the Berlin calendar; supply ends at the beginning of the day that is named. */
export interface TerminationFacts {
  reason: TerminationReason;
  /** The day of the call. */
  today: CalendarDay;
  /** First day of supply. */
  startOn: CalendarDay;
  /** Period of notice that the plan has on the day of the call. */
  cancellationMonths: number;
  /** Feed-in changes hands at the first of a month only. */
  firstOfMonthOnly: boolean;
}

/** The earliest day at whose beginning supply can end. */
export function earliestEnd(facts: TerminationFacts): CalendarDay {
  const { reason, today, startOn, cancellationMonths } = facts;
  const candidates = [addDays(addWorkingDays(today, NOTICE_WORKING_DAYS), 1)];
  if (reason === 'ORDINARY') candidates.push(addDays(addMonths(today, cancellationMonths), 1));
  /* A withdrawal is possible before supply begins; every other termination needs a beginning. */
  if (reason !== 'WITHDRAWAL') candidates.push(addDays(startOn, 1));
  const earliest = candidates.toSorted().at(-1) ?? today;
  return facts.firstOfMonthOnly ? firstOfMonthFrom(earliest) : earliest;
}
