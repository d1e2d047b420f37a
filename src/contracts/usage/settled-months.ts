import { addMonths, type CalendarDay, firstOfMonth } from '../../platform/time/berlin-calendar.ts';
import { ALL_DAYS, type MeterPart, partsWithin } from './meter-parts.ts';
import type { MonthDays } from './queries.ts';
import { settledUntil } from './settlement.ts';

/** The months, ascending, that are settled by now, each with those of its days on which the meter was smart. */
export function settledMonths(parts: readonly MeterPart[], nowMilliseconds: number): MonthDays[] {
  const settled = partsWithin(parts, ALL_DAYS.first, settledUntil(nowMilliseconds)).filter(
    ({ type }) => type === 'smart',
  );
  const months = new Set<CalendarDay>();
  for (const { first, end } of settled) {
    for (let month = firstOfMonth(first); month < end; month = addMonths(month, 1)) months.add(month);
  }
  return [...months].map((month) => ({ month, days: partsWithin(settled, month, addMonths(month, 1)) }));
}
