import {
  addDays,
  addMonths,
  berlinDayOf,
  type CalendarDay,
  firstOfMonthFrom,
} from '../../platform/time/berlin-calendar.ts';

/** The change of supplier and the consumer's right of withdrawal take two weeks. */
const NOTICE_DAYS = 14;
const FEED_IN_NOTICE_MONTHS = 1;

interface WantedStart {
  next_possible_start: boolean;
  intended_start_date?: CalendarDay | undefined;
}

/** The date that was asked for; undefined where the earliest one is wanted. */
export function wantedDate(wanted: WantedStart): CalendarDay | undefined {
  return wanted.next_possible_start ? undefined : wanted.intended_start_date;
}

export function earliestStart(today: CalendarDay): CalendarDay {
  return addDays(today, NOTICE_DAYS);
}

/** Feed-in changes hands on the first of a month, announced one month ahead. */
export function earliestFeedInStart(today: CalendarDay): CalendarDay {
  return firstOfMonthFrom(addMonths(today, FEED_IN_NOTICE_MONTHS));
}

/**
 * When supply is to begin: a date before the earliest one is moved to it without a word. Without a date it is the end of
 * the running contract of the household, where that comes later.
 */
export function startOfSupply(
  wanted: WantedStart,
  today: CalendarDay,
  runningUntil: string | null,
): CalendarDay {
  const earliest = earliestStart(today);
  const date = wantedDate(wanted) ?? (runningUntil === null ? earliest : berlinDayOf(runningUntil));
  if (date < earliest) return earliest;
  return date;
}
