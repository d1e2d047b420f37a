import { lastOfClass } from './class-mean.ts';
import { dayClassOf } from './day-classes.ts';
import { HOURS, QUARTERS, type QuarterHistory } from './history.ts';
import { at, mean, type Numbers } from './numbers.ts';

const DAYS = 8;
/** Eight Saturdays lie within 60 days; with holidays on some of them they still lie within this. */
export const QUARTER_LOOK_BACK_DAYS = 90;

/**
 * What each of the 96 quarters lies above its hour, in EUR/MWh: the mean over the last eight complete days of the day's
 * class. Zero where nothing is known, as before the auction had quarters.
 */
export function quarterProfile(history: QuarterHistory, day: number, knownUntil: number): Numbers {
  const days = lastOfClass(history, dayClassOf(day), {
    knownUntil,
    oldest: day - QUARTER_LOOK_BACK_DAYS,
    count: DAYS,
  });
  return Float64Array.from({ length: HOURS * QUARTERS }, (_, slot) => {
    const known = days
      .map((deviations) => at(deviations, slot))
      .filter((deviation) => !Number.isNaN(deviation));
    return known.length === 0 ? 0 : mean(known);
  });
}
