import { addDays, berlinDayAt, berlinMilliseconds } from '../platform/time/berlin-calendar.ts';

export { addDays, berlinDayAt as deliveryDayAt };

/*
 * Delivery days and their grids. A delivery day is a calendar day of the zone of the market, Europe/Berlin: 23, 24 or 25
 * hours long. The key of a price is the UTC start of its interval; local clock texts occur twice in autumn and are never
 * keys.
 */

export const MARKET_TIME_ZONE = 'Europe/Berlin';

/** From this delivery day on the day-ahead auction has quarter hours (first auction on 2025-09-30). */
export const QUARTER_HOURS_SINCE = '2025-10-01';

/** From this delivery day on Germany and Luxembourg are a bidding zone of their own, without Austria. */
export const DE_LU_SINCE = '2018-10-01';

/** Bidding zones whose prices are kept. */
export type Zone = 'DE-LU' | 'DE-AT-LU';

/** Width of an interval in minutes. */
export type IntervalMinutes = 15 | 60;

/** `YYYY-MM-DD`, a calendar day of the market's time zone. */
export type DeliveryDay = string;

/** All intervals of one delivery day. */
export interface DayGrid {
  readonly deliveryOn: DeliveryDay;
  readonly minutes: IntervalMinutes;
  /** Milliseconds since 1970: local midnight of the day, inclusive. */
  readonly from: number;
  /** Milliseconds since 1970: local midnight of the next day, exclusive. */
  readonly to: number;
  /** 23 to 25 hours, or 92 to 100 quarter hours. */
  readonly count: number;
}

export function zoneOf(deliveryOn: DeliveryDay): Zone {
  return deliveryOn < DE_LU_SINCE ? 'DE-AT-LU' : 'DE-LU';
}

/** Width of the German auction's intervals on that day; decided by the day, never by the look of the values. */
export function minutesOf(deliveryOn: DeliveryDay): IntervalMinutes {
  return deliveryOn < QUARTER_HOURS_SINCE ? 60 : 15;
}

/** Local midnight at which the day begins, in milliseconds since 1970. Throws where there is no such day. */
export function dayStart(deliveryOn: DeliveryDay): number {
  const milliseconds = berlinMilliseconds(deliveryOn);
  if (Number.isNaN(milliseconds) || addDays(deliveryOn, 0) !== deliveryOn)
    throw new RangeError(`Not a calendar day: ${deliveryOn}`);
  return milliseconds;
}

/** Every day from the first to the last one, both included; none where the last one lies before the first. */
export function daysBetween(first: DeliveryDay, last: DeliveryDay): DeliveryDay[] {
  const days: DeliveryDay[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** `minutes` only for zones whose auction has another width than the German one. */
export function gridOf(deliveryOn: DeliveryDay, minutes: IntervalMinutes = minutesOf(deliveryOn)): DayGrid {
  const from = dayStart(deliveryOn);
  const to = dayStart(addDays(deliveryOn, 1));
  return { deliveryOn, minutes, from, to, count: (to - from) / (minutes * 60_000) };
}

/** The starts of a grid's intervals in milliseconds since 1970, ascending. */
export function startsOf(grid: DayGrid): number[] {
  const step = grid.minutes * 60_000;
  return Array.from({ length: grid.count }, (_, index) => grid.from + index * step);
}

/** `YYYY-MM-DDTHH:MM:SSZ`: how the start of an interval is written. */
export function startText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

const GATE_CLOSURE_HOUR = 12;

/**
 * Gate closure of the auction: 12:00 in Berlin on the day before delivery, in milliseconds since 1970. A forecast made
 * at this instant or later could have been made by somebody who had seen the auction's result.
 */
export function freezeInstant(deliveryOn: DeliveryDay): number {
  return berlinMilliseconds(addDays(deliveryOn, -1), GATE_CLOSURE_HOUR);
}
