import { weekdayWithHolidays } from './day-classes.ts';
import { dayOfYear } from './day-numbers.ts';
import { HOURS, type HourlyHistory } from './history.ts';
import { at, median, type Numbers } from './numbers.ts';

const WEEKDAYS = 7;
const DAYS_OF_YEAR = 365;
const EVERY_THIRD = 3;

/** 3 × 24 lagged prices, 8 of two weeks ago, their extremes, the weekday, the season. */
export const FEATURES = 3 * HOURS + HOURS / EVERY_THIRD + 2 + WEEKDAYS + 2;

/** Prices enter as asinh((price − centre) / spread): spikes are drawn in, and prices may be negative. */
export interface PriceScale {
  readonly centre: number;
  readonly spread: number;
}

/** Makes the median absolute deviation comparable with a standard deviation. */
const DEVIATION_FACTOR = 1.4826;

export function scaleOf(prices: Numbers): PriceScale {
  const centre = median(prices);
  const spread = DEVIATION_FACTOR * median(prices.map((price) => Math.abs(price - centre)));
  return { centre, spread: spread > 0 ? spread : 1 };
}

export function scaled(price: number, scale: PriceScale): number {
  return Math.asinh((price - scale.centre) / scale.spread);
}

export function unscaled(value: number, scale: PriceScale): number {
  return Math.sinh(value) * scale.spread + scale.centre;
}

/** The days that a forecast of `day` looks at. */
function lagsOf(day: number, daysAhead: number): readonly number[] {
  return [day - daysAhead, day - daysAhead - 1, day - 7, day - 14];
}

export function lagsAreKnown(history: HourlyHistory, day: number, daysAhead: number): boolean {
  return lagsOf(day, daysAhead).every((lag) => history.has(lag));
}

/** What is known `daysAhead` days before `day`; null where one of its days is not. */
export function featuresOf(
  history: HourlyHistory,
  day: number,
  daysAhead: number,
  scale: PriceScale,
): Numbers | null {
  const [newest, second, week, twoWeeks] = lagsOf(day, daysAhead).map((lag) =>
    history.get(lag)?.map((price) => scaled(price, scale)),
  );
  if (newest === undefined || second === undefined || week === undefined || twoWeeks === undefined)
    return null;
  const features = new Float64Array(FEATURES);
  let filled = 0;
  const add = (values: Iterable<number>) => {
    for (const value of values) {
      features[filled] = value;
      filled += 1;
    }
  };
  add(newest);
  add(second);
  add(week);
  for (let hour = 0; hour < HOURS; hour += EVERY_THIRD) add([at(twoWeeks, hour)]);
  add([Math.min(...newest), Math.max(...newest)]);
  const weekday = weekdayWithHolidays(day);
  add(Array.from({ length: WEEKDAYS }, (_, index) => (index === weekday ? 1 : 0)));
  const angle = (2 * Math.PI * dayOfYear(day)) / DAYS_OF_YEAR;
  add([Math.sin(angle), Math.cos(angle)]);
  return features;
}
