import { setImmediate as nextTurn } from 'node:timers/promises';
import { Decimal } from 'decimal.js';
import { type DeliveryDay, gridOf, type IntervalMinutes, startsOf } from '../calendar.ts';
import type { PricePoint } from '../series.ts';
import { classMean, classMedian, lastOfClass } from './class-mean.ts';
import { dayClassOf } from './day-classes.ts';
import { dayNumberOf, dayOfNumber, firstOfMonth } from './day-numbers.ts';
import { HOURS, type HourlyHistory, hourLabels, QUARTERS, type QuarterHistory } from './history.ts';
import { at, mean, meanOfRows, type Numbers } from './numbers.ts';
import { fitRidge, predictRidge, type RidgeFit } from './ridge.ts';

/*
 * Our own forecast, out of realized prices alone. Each method carries name and version: another formula is another
 * name, and a new version has to show a smaller error on the same span before it takes over.
 *
 * Measured: a run over seven days with 540 training days for each distance takes 0.2 s of processor time; 25 ms for one
 * fit is the longest piece between two turns of the event loop.
 */

export const MODEL_SOURCES = ['model:class-mean@1', 'model:ridge@1', 'model:ridge-class@2'] as const;
export type ModelSource = (typeof MODEL_SOURCES)[number];

const PROFILE_DAYS = 8;
/** Eight Saturdays lie within 60 days; with holidays on some of them they still lie within this. */
export const QUARTER_LOOK_BACK_DAYS = 90;

/** Fewer known days give no fit that is worth its name. */
const KNOWN_DAYS_MIN = 570;
/** Beyond, the lag of a week is not known any more. */
const RIDGE_DAYS_AHEAD_MAX = 7;
/** How far back history is read: the training days of the month before, their lags, and room for holes. */
export const HISTORY_DAYS = 730;

/** The forecast of one delivery day, and what it was made of. */
export interface ModelDay {
  readonly deliveryOn: DeliveryDay;
  readonly source: ModelSource;
  readonly minutes: IntervalMinutes;
  readonly points: readonly PricePoint[];
  /** Days between this day and the newest known one. */
  readonly daysAhead: number;
  readonly training: { readonly from: DeliveryDay; readonly to: DeliveryDay; readonly days: number } | null;
}

export interface ModelHistory {
  readonly hours: HourlyHistory;
  readonly quarters: QuarterHistory;
}

/** Fits by month and distance, so that each is calculated once. */
export type RidgeFits = (day: number, daysAhead: number) => Promise<RidgeFit | null>;

export function ridgeFits(history: HourlyHistory): RidgeFits {
  const known = new Map<string, RidgeFit | null>();
  return async (day, daysAhead) => {
    const key = `${firstOfMonth(day)}|${daysAhead}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    /* A fit holds the processor: signs of life of other jobs go out in between. */
    await nextTurn();
    const fit = fitRidge(history, day, daysAhead);
    known.set(key, fit);
    return fit;
  };
}

/** The days among the asked ones that have a forecast, made of prices up to the day `knownUntil` and of no later one. */
export async function forecastDays(
  history: ModelHistory,
  days: readonly DeliveryDay[],
  knownUntil: DeliveryDay,
): Promise<ModelDay[]> {
  const hours = upTo(history.hours, dayNumberOf(knownUntil));
  const quarters = upTo(history.quarters, dayNumberOf(knownUntil));
  if (hours.size === 0) return [];
  const newest = Math.max(...hours.keys());
  const fits = ridgeFits(hours);
  const forecasts: ModelDay[] = [];
  for (const deliveryOn of days) {
    const day = dayNumberOf(deliveryOn);
    if (day <= newest) continue;
    const chosen = await chosenHours(hours, fits, day, newest);
    if (chosen === null) continue;
    const { source, prices, fit } = chosen;
    forecasts.push({
      deliveryOn,
      source,
      ...pointsOf(deliveryOn, prices, quarterProfile(quarters, day, newest)),
      daysAhead: day - newest,
      training: fit && {
        from: dayOfNumber(fit.trainingFrom),
        to: dayOfNumber(fit.trainingTo),
        days: fit.trainingDays,
      },
    });
  }
  return forecasts;
}

interface ChosenHours {
  source: ModelSource;
  prices: Numbers;
  fit: RidgeFit | null;
}

/**
 * The ridge alone for the next day, with the class median up to a week, the class mean alone in all other cases. Version 1 of
 * the blend took the class mean; on 600 real days its error was 0.4 to 1.0 EUR/MWh larger from the second day on.
 */
async function chosenHours(
  history: HourlyHistory,
  fits: RidgeFits,
  day: number,
  newest: number,
): Promise<ChosenHours | null> {
  const daysAhead = day - newest;
  const ofClass = classMean(history, day, newest);
  const fit =
    daysAhead <= RIDGE_DAYS_AHEAD_MAX && history.size >= KNOWN_DAYS_MIN ? await fits(day, daysAhead) : null;
  const ridge = fit && predictRidge(fit, history, day);
  if (ridge === null) {
    return ofClass && { source: 'model:class-mean@1', prices: ofClass, fit: null };
  }
  if (daysAhead === 1) return { source: 'model:ridge@1', prices: ridge, fit };
  const median = classMedian(history, day, newest);
  if (median === null) return ofClass && { source: 'model:class-mean@1', prices: ofClass, fit: null };
  return { source: 'model:ridge-class@2', prices: meanOfRows([ridge, median]), fit };
}

function pointsOf(
  deliveryOn: DeliveryDay,
  hours: Numbers,
  profile: Numbers,
): Pick<ModelDay, 'minutes' | 'points'> {
  const grid = gridOf(deliveryOn);
  const perHour = 60 / grid.minutes;
  const labels = hourLabels(grid.count / perHour);
  const points = startsOf(grid).map((start, index) => {
    const hour = labels[Math.floor(index / perHour)] ?? 0;
    const deviation = perHour === QUARTERS ? at(profile, hour * QUARTERS + (index % QUARTERS)) : 0;
    return { start, eurMwh: twoDecimals(at(hours, hour) + deviation) };
  });
  return { minutes: grid.minutes, points };
}

function twoDecimals(price: number): string {
  const rounded = new Decimal(price).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
  return rounded.isZero() ? '0' : rounded.toFixed();
}

function upTo<Value>(history: ReadonlyMap<number, Value>, last: number): ReadonlyMap<number, Value> {
  return new Map([...history].filter(([day]) => day <= last));
}

/**
 * Height of each of the 96 quarters above its hour, in EUR/MWh: the mean over the last eight complete days of the day's
 * class. Zero where nothing is known, as before the auction had quarters.
 */
export function quarterProfile(history: QuarterHistory, day: number, knownUntil: number): Numbers {
  const days = lastOfClass(history, dayClassOf(day), {
    knownUntil,
    oldest: day - QUARTER_LOOK_BACK_DAYS,
    count: PROFILE_DAYS,
  });
  return Float64Array.from({ length: HOURS * QUARTERS }, (_, slot) => {
    const known = days
      .map((deviations) => at(deviations, slot))
      .filter((deviation) => !Number.isNaN(deviation));
    return known.length === 0 ? 0 : mean(known);
  });
}
