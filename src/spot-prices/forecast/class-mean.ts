import { type DayClass, dayClassOf } from './day-classes.ts';
import type { HourlyHistory } from './history.ts';
import { meanOfRows, medianOfRows, type Numbers } from './numbers.ts';

const DAYS = 4;
const LOOK_BACK_DAYS_MAX = 60;
const MEDIAN_WEEKS = 8;
const MEDIAN_DAYS_MIN = 4;

/**
 * The last days of a class that are known, newest first: at most `count`, none newer than `knownUntil`, none older than
 * `oldest`.
 */
export function lastOfClass<Day>(
  history: ReadonlyMap<number, Day>,
  dayClass: DayClass,
  span: { knownUntil: number; oldest: number; count: number },
): Day[] {
  const found: Day[] = [];
  for (let day = span.knownUntil; day >= span.oldest && found.length < span.count; day -= 1) {
    const known = history.get(day);
    if (known !== undefined && dayClassOf(day) === dayClass) found.push(known);
  }
  return found;
}

/**
 * EUR/MWh of 24 hours: the mean of the last four known days of the day's class, looking back at most 60 days. Null where
 * fewer are known.
 */
export function classMean(history: HourlyHistory, day: number, knownUntil: number): Numbers | null {
  const days = lastOfClass(history, dayClassOf(day), {
    knownUntil,
    oldest: day - LOOK_BACK_DAYS_MAX,
    count: DAYS,
  });
  return days.length === DAYS ? meanOfRows(days) : null;
}

/**
 * EUR/MWh of 24 hours: the median of the known days of the day's class within the last eight weeks, so that one odd day
 * moves nothing. Null where fewer than four are known.
 */
export function classMedian(history: HourlyHistory, day: number, knownUntil: number): Numbers | null {
  const span = MEDIAN_WEEKS * 7;
  const days = lastOfClass(history, dayClassOf(day), {
    knownUntil,
    oldest: knownUntil - span + 1,
    count: span,
  });
  return days.length >= MEDIAN_DAYS_MIN ? medianOfRows(days) : null;
}
