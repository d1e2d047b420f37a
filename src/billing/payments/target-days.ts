import { addDays, type CalendarDay, weekdayOf } from '../../platform/time/berlin-calendar.ts';
import { holidaysOn } from '../../platform/time/working-days.ts';

/*
 * The days on which banks of the euro area settle payments with each other: the calendar of TARGET. It knows six
 * holidays, which are fewer than those of the German calendar: on Ascension Day banks work.
 */

const SATURDAY = 6;
const CLOSED: ReadonlySet<string> = new Set([
  'NEUJAHRSTAG',
  'KARFREITAG',
  'OSTERMONTAG',
  'TAG_DER_ARBEIT',
  'ERSTERWEIHNACHTSFEIERTAG',
  'ZWEITERWEIHNACHTSFEIERTAG',
]);

export function isTargetDay(day: CalendarDay): boolean {
  return weekdayOf(day) < SATURDAY && !holidaysOn(day).some(({ name }) => CLOSED.has(name));
}

/** The day itself where banks settle, else the next one. */
export function targetDayFrom(day: CalendarDay): CalendarDay {
  let reached = day;
  while (!isTargetDay(reached)) reached = addDays(reached, 1);
  return reached;
}

/** The last of so many days of settlement behind a day, which is not counted itself. */
export function addTargetDays(day: CalendarDay, count: number): CalendarDay {
  let reached = day;
  for (let left = count; left > 0; left -= 1) reached = targetDayFrom(addDays(reached, 1));
  return reached;
}
