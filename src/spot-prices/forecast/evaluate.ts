import { addDays, type DeliveryDay, daysBetween } from '../calendar.ts';
import { classMean, classMedian, lastOfClass } from './class-mean.ts';
import { dayClassOf } from './day-classes.ts';
import { dayNumberOf } from './day-numbers.ts';
import type { HourlyHistory } from './history.ts';
import { ridgeFits } from './model.ts';
import { at, meanOfRows, medianOfRows, type Numbers } from './numbers.ts';
import { predictRidge } from './ridge.ts';

/** Errors of one method at one distance over hourly means, in EUR/MWh. */
export interface MethodError {
  readonly method: Method;
  /** Days between the forecast day and the newest day whose prices were known. */
  readonly daysAhead: number;
  /** Days that every method could forecast: all are judged by the same ones. */
  readonly days: number;
  /** Mean of the absolute errors. */
  readonly maeEurMwh: number;
  /** Root of the mean of the squared errors. */
  readonly rmseEurMwh: number;
}

export const METHODS = [
  'newest day repeated',
  'same weekday last week',
  'mean of 4 same weekdays',
  'class mean (4)',
  'class median (8)',
  'class median (8 weeks)',
  'ridge',
  'ridge and class mean',
  'ridge and class median',
] as const;
export type Method = (typeof METHODS)[number];

export interface Evaluation {
  readonly from: DeliveryDay;
  /** The day behind the last one. */
  readonly to: DeliveryDay;
  /** 1 to 7. */
  readonly daysAheadMax: number;
}

const MEDIAN_DAYS = 8;
const MEDIAN_LOOK_BACK_DAYS = 90;

/**
 * Every method on every day of the span, each with what was known so many days before, held against what came. Absolute
 * errors alone: prices cross zero, where percentages mean nothing.
 */
export async function evaluateForecasts(
  history: HourlyHistory,
  { from, to, daysAheadMax }: Evaluation,
): Promise<MethodError[]> {
  const fits = ridgeFits(history);
  const errors: MethodError[] = [];
  for (let daysAhead = 1; daysAhead <= daysAheadMax; daysAhead += 1) {
    const sums = new Map(METHODS.map((method) => [method, { absolute: 0, squared: 0, hours: 0, days: 0 }]));
    for (const deliveryOn of daysBetween(from, addDays(to, -1))) {
      const day = dayNumberOf(deliveryOn);
      const actual = history.get(day);
      const fit = await fits(day, daysAhead);
      const ridge = fit && predictRidge(fit, history, day);
      const forecasts = actual && ridge && allMethods(history, day, daysAhead, ridge);
      if (!actual || !forecasts) continue;
      for (const method of METHODS) addErrors(sums.get(method), forecasts[method], actual);
    }
    for (const [method, { absolute, squared, hours, days }] of sums) {
      if (hours === 0) continue;
      const [maeEurMwh, rmseEurMwh] = [absolute / hours, Math.sqrt(squared / hours)];
      errors.push({ method, daysAhead, days, maeEurMwh, rmseEurMwh });
    }
  }
  return errors;
}

/** Null where one of the methods has too little to go by. */
function allMethods(
  history: HourlyHistory,
  day: number,
  daysAhead: number,
  ridge: Numbers,
): Record<Method, Numbers> | null {
  const newest = day - daysAhead;
  const repeated = history.get(newest);
  const weeks = [7, 14, 21, 28].flatMap((days) => history.get(day - days) ?? []);
  const [lastWeek] = weeks;
  const ofClass = classMean(history, day, newest);
  const median = classMedian(history, day, newest);
  const classDays = lastOfClass(history, dayClassOf(day), {
    knownUntil: newest,
    oldest: day - MEDIAN_LOOK_BACK_DAYS,
    count: MEDIAN_DAYS,
  });
  if (!repeated || !lastWeek || weeks.length < 4 || !ofClass || !median) return null;
  if (classDays.length < MEDIAN_DAYS) return null;
  return {
    'newest day repeated': repeated,
    'same weekday last week': lastWeek,
    'mean of 4 same weekdays': meanOfRows(weeks),
    'class mean (4)': ofClass,
    'class median (8)': medianOfRows(classDays),
    'class median (8 weeks)': median,
    ridge,
    'ridge and class mean': meanOfRows([ridge, ofClass]),
    'ridge and class median': meanOfRows([ridge, median]),
  };
}

interface ErrorSums {
  absolute: number;
  squared: number;
  hours: number;
  days: number;
}

function addErrors(sums: ErrorSums | undefined, forecast: Numbers, actual: Numbers): void {
  if (sums === undefined) return;
  for (const [hour, price] of actual.entries()) {
    const error = at(forecast, hour) - price;
    sums.absolute += Math.abs(error);
    sums.squared += error * error;
  }
  sums.hours += actual.length;
  sums.days += 1;
}
