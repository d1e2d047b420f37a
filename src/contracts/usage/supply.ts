import { berlinDayOf, berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import type { Span } from './intervals.ts';

/** The days of supply as a span; null before it is confirmed. */
export function supplyOf({ start_at, end_at }: Pick<SubscriptionRow, 'start_at' | 'end_at'>): Span | null {
  if (start_at === null) return null;
  const from = berlinMilliseconds(berlinDayOf(start_at));
  const until = end_at === null ? Number.POSITIVE_INFINITY : berlinMilliseconds(berlinDayOf(end_at));
  return { from, until };
}

/** The same by its days, the second one exclusive and null while no end is known. */
export function supplyDays({ start_at, end_at }: Pick<SubscriptionRow, 'start_at' | 'end_at'>): {
  first: CalendarDay;
  end: CalendarDay | null;
} | null {
  if (start_at === null) return null;
  return { first: berlinDayOf(start_at), end: end_at === null ? null : berlinDayOf(end_at) };
}
