import type { Findings } from '../../platform/errors.ts';
import {
  addDays,
  type BerlinDay,
  berlinDayAt,
  berlinDays,
  berlinMidnight,
  berlinMilliseconds,
  type CalendarDay,
  isBerlinMidnight,
} from '../../platform/time/berlin-calendar.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { DAYS_MAX, type NewLoadForecast, type Purchase } from './schema.ts';

export const QUARTER_HOUR_MILLISECONDS = 900_000;
/** The days that a contract can have forecasts of are finite in number. */
const YEARS_AHEAD_MAX = 10;
const YEAR_MILLISECONDS = 366 * 24 * 3_600_000;
/** Bids for a day go out at noon of the day before; what is to count in them is there by this hour. */
const DAY_AHEAD_UNTIL_HOUR = 9;

type Points = NewLoadForecast['data'];

/** One day of a forecast. */
export interface ForecastDay {
  readonly day: CalendarDay;
  readonly starts_at: string;
  readonly ends_at: string;
  /** kW by quarter hour: 92, 96 or 100 values. */
  readonly power_kw: readonly number[];
}

/** Whether the points are whole days that follow one another and are still to come; every break is told at its point. */
export function checkPoints(points: Points, nowMilliseconds: number, findings: Findings): void {
  const begins = points.map(({ start }) => millisecondsOf(start));
  const [first = Number.NaN] = begins;
  if (!isBerlinMidnight(points[0]?.start ?? '')) {
    findings.badRequest('custom', 'data.0.start', 'The first interval does not begin at midnight in Berlin');
  }
  if (first < nowMilliseconds + QUARTER_HOUR_MILLISECONDS) {
    findings.badRequest('too_small', 'data.0.start', 'It begins less than 15 minutes from now');
  }
  const isTooFar = first > nowMilliseconds + YEARS_AHEAD_MAX * YEAR_MILLISECONDS;
  if (isTooFar) {
    const message = `It begins more than ${YEARS_AHEAD_MAX} years from now`;
    findings.badRequest('too_big', 'data.0.start', message);
  }
  let isWhole = true;
  for (const [index, begin] of begins.entries()) {
    const before = begins[index - 1];
    if (before === undefined || begin === before + QUARTER_HOUR_MILLISECONDS) continue;
    isWhole = false;
    const message = 'It does not begin 15 minutes after the one before';
    findings.badRequest('custom', `data.${index}.start`, message);
  }
  /* Days are counted where the points follow one another, and where the calendar has them. */
  if (isWhole && first >= 0 && !isTooFar) checkDays(first, begins.at(-1) ?? first, findings);
}

function checkDays(first: number, last: number, findings: Findings): void {
  const firstDay = berlinDayAt(first);
  const lastDay = berlinDayAt(last);
  if (lastDay >= addDays(firstDay, DAYS_MAX)) {
    findings.badRequest('too_big', 'data', `More than ${DAYS_MAX} days`);
  }
  if (last + QUARTER_HOUR_MILLISECONDS !== berlinMilliseconds(addDays(lastDay, 1))) {
    findings.badRequest('custom', 'data', `The last day, ${lastDay}, is not complete`);
  }
}

/** Cuts points that were found to be whole days at the midnights of Berlin. */
export function forecastDays(points: Points): ForecastDay[] {
  const first = millisecondsOf(points[0]?.start ?? '');
  const ends = first + points.length * QUARTER_HOUR_MILLISECONDS;
  const days: BerlinDay[] = berlinDays(berlinDayAt(first), berlinDayAt(ends));
  return days.map(({ day, begins }, index) => {
    const until = days[index + 1]?.begins ?? ends;
    const [from, to] = [begins, until].map((instant) => (instant - first) / QUARTER_HOUR_MILLISECONDS);
    return {
      day,
      starts_at: berlinMidnight(day),
      ends_at: berlinMidnight(addDays(day, 1)),
      power_kw: points.slice(from, to).map(({ value }) => value),
    };
  });
}

/** Until 09:00 in Berlin of the day before, the auction of that day; later, what is traded behind it. */
export function purchaseOf(day: CalendarDay, nowMilliseconds: number): Purchase {
  const until = berlinMilliseconds(addDays(day, -1), DAY_AHEAD_UNTIL_HOUR);
  return nowMilliseconds <= until ? 'day_ahead' : 'intraday';
}

function millisecondsOf(instant: string): number {
  return (instantMicroseconds(instant) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
}
