import { DateTime } from 'luxon';
import { Findings } from '../../platform/errors.ts';
import { addDays, type DeliveryDay, dayStart, deliveryDayAt, QUARTER_HOURS_SINCE } from '../calendar.ts';
import { DELIVERY_DATES_MAX, type PriceType } from '../schema.ts';

const FORECAST_DAYS_BEHIND = 1;
const FORECAST_DAYS_AHEAD = 7;

/** Complete and older than this: revisions have ceased. */
const SETTLED_AFTER_DAYS = 7;

/** Seconds for which a client may keep the answer. */
const KEEP_INCOMPLETE_SECONDS = 30;
const KEEP_COMPLETE_SECONDS = 300;
const KEEP_SETTLED_SECONDS = 3600;

/** Longer periods take milliseconds to join and to compress, up to megabytes of text. */
const SHORT_DAYS = 7;
const DAY_MILLISECONDS = 86_400_000;

/** What was asked for, with the defaults filled in. */
export interface Period {
  type: PriceType;
  /** First and last delivery day, both included. */
  first: DeliveryDay;
  last: DeliveryDay;
  /** A date was left out: what it stands for changes at the next midnight. */
  defaulted: boolean;
  today: DeliveryDay;
  /** How many delivery days it has. */
  dates: number;
  resolution: 'hourly' | '15min';
  /** It ended so long ago that no price of it changes any more. */
  settled: boolean;
}

export interface PeriodQuery {
  type: PriceType;
  start?: DeliveryDay | undefined;
  end?: DeliveryDay | undefined;
}

export function periodOf(query: PeriodQuery, today: DeliveryDay): Period {
  const first = query.start ?? today;
  const last = query.end ?? (query.start === undefined ? addDays(today, 1) : first);
  const hourly = query.type === 'day_ahead' && last < QUARTER_HOURS_SINCE;
  return {
    type: query.type,
    first,
    last,
    defaulted: query.start === undefined || query.end === undefined,
    today,
    dates: datesIn(first, last),
    resolution: hourly ? 'hourly' : '15min',
    settled: addDays(last, SETTLED_AFTER_DAYS) < today,
  };
}

/** The delivery day of this moment; it is looked up once a day. */
export interface BerlinToday {
  readonly day: DeliveryDay;
  /** Milliseconds since 1970: the midnights around it. */
  readonly begins: number;
  readonly ends: number;
}

export function createToday(): (nowMilliseconds: number) => BerlinToday {
  let known: BerlinToday | null = null;
  return (nowMilliseconds) => {
    if (known === null || nowMilliseconds < known.begins || nowMilliseconds >= known.ends) {
      const day = deliveryDayAt(nowMilliseconds);
      known = { day, begins: dayStart(day), ends: dayStart(addDays(day, 1)) };
    }
    return known;
  };
}

/**
 * Throws with every rule that the dates break, each about the date that breaks it: one that was left out is never blamed,
 * and of two that lie too late only `end` is.
 */
export function assertWindow(query: PeriodQuery, period: Period): void {
  const { first, last, today } = period;
  const findings = new Findings();
  const isForecast = period.type === 'day_ahead_forecast';
  const newest = addDays(today, isForecast ? FORECAST_DAYS_AHEAD : 1);
  const oldest = addDays(today, -FORECAST_DAYS_BEHIND);

  if (isForecast && query.start !== undefined && query.start < oldest) {
    findings.badRequest(
      'too_small',
      'start',
      `Forecasts begin with yesterday, ${oldest}; sent ${query.start}`,
    );
  }
  if (query.end !== undefined && last < first) findings.badRequest(...endsBeforeStart(period));
  const late = (['end', 'start'] as const).find((name) => (query[name] ?? newest) > newest);
  if (late !== undefined) {
    findings.badRequest('too_big', late, tooLate(query[late] ?? '', newest, isForecast));
  }
  if (period.dates > DELIVERY_DATES_MAX) findings.badRequest(...tooManyDates(period));
  findings.throwIfAny();
}

/** The rules of a period whose dates were both sent and may lie in any year. */
export function assertDates(period: Period): void {
  const findings = new Findings();
  if (period.last < period.first) findings.badRequest(...endsBeforeStart(period));
  if (period.dates > DELIVERY_DATES_MAX) findings.badRequest(...tooManyDates(period));
  findings.throwIfAny();
}

type Finding = Parameters<Findings['badRequest']>;

function endsBeforeStart({ first, last }: Period): Finding {
  return ['too_small', 'end', `${last} lies before the first delivery date, ${first}`];
}

function tooManyDates({ dates }: Period): Finding {
  return ['too_big', 'end', `${dates} delivery dates; at most ${DELIVERY_DATES_MAX}`];
}

/** Revisions of old prices are rare, and missing ones are awaited. */
export function secondsToKeep(period: Period, complete: boolean): number {
  if (!complete) return KEEP_INCOMPLETE_SECONDS;
  return period.settled ? KEEP_SETTLED_SECONDS : KEEP_COMPLETE_SECONDS;
}

/** Without the library for calendars, which would take a fifth of a short answer's time. */
export function isLongPeriod(start: DeliveryDay, end: DeliveryDay): boolean {
  return utcMilliseconds(end) - utcMilliseconds(start) >= SHORT_DAYS * DAY_MILLISECONDS;
}

function utcMilliseconds(day: DeliveryDay): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return Date.UTC(year, month - 1, date);
}

function tooLate(date: DeliveryDay, newest: DeliveryDay, isForecast: boolean): string {
  return isForecast
    ? `Forecasts end ${FORECAST_DAYS_AHEAD} days from today, on ${newest}; sent ${date}`
    : `Prices are known until tomorrow, ${newest}, at the latest; sent ${date}`;
}

function datesIn(first: DeliveryDay, last: DeliveryDay): number {
  const utc = { zone: 'utc' };
  return DateTime.fromISO(last, utc).diff(DateTime.fromISO(first, utc), 'days').days + 1;
}
