import { DateTime, IANAZone } from 'luxon';

/*
 * The calendar of the invented market. It repeats what the service knows about delivery days in its own words: a feed
 * that counted days with the service's code would agree with every mistake in it.
 */

const BERLIN = IANAZone.create('Europe/Berlin');
const HOUR = 3_600_000;

/** First delivery day with quarter hours. */
const FIRST_QUARTER_HOUR_DAY = '2025-10-01';

/** First delivery day of the German zone without Austria. */
export const FIRST_DAY = '2018-10-01';

export interface FeedDay {
  /** `YYYY-MM-DD`, a calendar day of Berlin. */
  readonly date: string;
  /** Milliseconds since 1970: midnight in Berlin. */
  readonly from: number;
  /** The next midnight in Berlin. */
  readonly to: number;
  readonly width: 15 | 60;
  /** Milliseconds since 1970, ascending. */
  readonly starts: readonly number[];
}

const known = new Map<string, FeedDay>();

/** Throws a RangeError where the calendar has no such day. */
export function feedDay(date: string): FeedDay {
  const found = known.get(date);
  if (found !== undefined) return found;
  const midnight = DateTime.fromFormat(date, 'yyyy-MM-dd', { zone: BERLIN });
  if (!midnight.isValid) throw new RangeError(`No day of the calendar: ${date}`);
  const from = midnight.toMillis();
  const to = midnight.plus({ days: 1 }).toMillis();
  const width = date < FIRST_QUARTER_HOUR_DAY ? 60 : 15;
  const step = width * 60_000;
  const starts = Array.from({ length: (to - from) / step }, (_, index) => from + index * step);
  const day: FeedDay = { date, from, to, width, starts };
  known.set(date, day);
  return day;
}

export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && DateTime.fromFormat(text, 'yyyy-MM-dd', { zone: 'utc' }).isValid;
}

/** The Berlin day in which an instant lies. */
export function dateAt(milliseconds: number): string {
  return DateTime.fromMillis(milliseconds, { zone: BERLIN }).toFormat('yyyy-MM-dd');
}

export function shiftDate(date: string, days: number): string {
  return DateTime.fromFormat(date, 'yyyy-MM-dd', { zone: 'utc' }).plus({ days }).toFormat('yyyy-MM-dd');
}

/** All days that share an instant with `from` (inclusive) to `to` (exclusive). */
export function datesWithin(from: number, to: number): string[] {
  const dates: string[] = [];
  for (let date = dateAt(from); feedDay(date).from < to; date = shiftDate(date, 1)) dates.push(date);
  return dates;
}

/** Wall clock of Berlin at an instant. */
export function wallClock(milliseconds: number): { hour: number; minute: number } {
  const minutes = Math.floor(milliseconds / 60_000) + BERLIN.offset(milliseconds);
  return { hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 };
}

/** The instant at which Berlin's clocks show this time on a day. */
export function berlinInstant(date: string, hour: number, minute: number): number {
  return DateTime.fromFormat(date, 'yyyy-MM-dd', { zone: BERLIN }).set({ hour, minute }).toMillis();
}

/** `2026-11-19T23:00Z`. */
export function minuteText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16)}Z`;
}

/** `2026-11-19T23:00:00Z`. */
export function secondText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-20T00:00:00.000+01:00`. */
export function localText(milliseconds: number): string {
  return DateTime.fromMillis(milliseconds, { zone: BERLIN }).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZ");
}

/** `2026-11-20T00:00:00`: Berlin's wall clock and nothing that says so. */
export function nakedText(milliseconds: number): string {
  return DateTime.fromMillis(milliseconds, { zone: BERLIN }).toFormat("yyyy-MM-dd'T'HH:mm:ss");
}

export function floorToHour(milliseconds: number): number {
  return Math.floor(milliseconds / HOUR) * HOUR;
}

const mondays: number[] = [];

/** Berlin midnights of all Mondays from the first week of the zone up to an instant, inclusive. */
export function mondaysUntil(milliseconds: number): number[] {
  let last = mondays.at(-1);
  while (last === undefined || last <= milliseconds) {
    last =
      last === undefined
        ? feedDay(FIRST_DAY).from
        : DateTime.fromMillis(last, { zone: BERLIN }).plus({ weeks: 1 }).toMillis();
    mondays.push(last);
  }
  return mondays.filter((monday) => monday <= milliseconds);
}

/** The seven days that begin with this Monday. */
export function weekOf(monday: number): string[] {
  const first = dateAt(monday);
  return Array.from({ length: 7 }, (_, index) => shiftDate(first, index));
}
