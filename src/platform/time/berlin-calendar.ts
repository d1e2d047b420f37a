import { DateTime } from 'luxon';
import { BoundedCache } from '../bounded-cache.ts';
import { instantMicroseconds } from './instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from './time.ts';

/*
 * The calendar of contracts: supply begins and ends at midnight in Germany, days are counted there. A day is 23, 24 or 25
 * hours long, so days are counted as days and never as hours.
 */

const BERLIN_TIME_ZONE = 'Europe/Berlin';
const YEARS_KEPT = 100;

/** `YYYY-MM-DD`, a day of the Berlin calendar. Two of them compare as texts. */
export type CalendarDay = string;

const HOUR_MILLISECONDS = 3_600_000;

/* Mostly the present hour is asked for again; to find it out anew took one twentieth of the time of a quote. */
let lastHour = { hour: Number.NaN, day: '' };

/** The day in which an instant lies, given in milliseconds since 1970. */
export function berlinDayAt(milliseconds: number): CalendarDay {
  const hour = Math.floor(milliseconds / HOUR_MILLISECONDS);
  if (hour === lastHour.hour) return lastHour.day;
  const day = textOf(DateTime.fromMillis(milliseconds, { zone: BERLIN_TIME_ZONE }));
  /* Since 1970 clocks there differ from UTC by whole hours, so that a day begins with an hour. */
  if (hour >= 0) lastHour = { hour, day };
  return day;
}

/** The day in which an instant of the wire or the database lies. */
export function berlinDayOf(instant: string): CalendarDay {
  return berlinDayAt(Math.floor(microsecondsSince1970(instant) / 1_000));
}

/** The instant at which a day begins, in UTC as the wire has it. */
export function berlinMidnight(day: CalendarDay): string {
  const milliseconds = berlinMilliseconds(day);
  if (Number.isNaN(milliseconds)) throw new RangeError(`No day of the calendar: ${day}`);
  return new Date(milliseconds).toISOString();
}

const MIDNIGHTS_KEPT = 10_000;

/** By day: the library takes 15 µs for one, and a yearly bill asks for 730 of them. */
const midnights = new BoundedCache<number>(MIDNIGHTS_KEPT);

/** The instant at which a day, or a full hour of it, begins, in milliseconds since 1970; NaN where there is no such day. */
export function berlinMilliseconds(day: CalendarDay, hour = 0): number {
  if (hour !== 0) return midnightOf(day).set({ hour }).toMillis();
  const kept = midnights.get(day);
  if (kept !== undefined) return kept;
  const milliseconds = midnightOf(day).toMillis();
  midnights.set(day, milliseconds);
  return milliseconds;
}

/** The same instant in local time: `2027-01-01T00:00:00+01:00`. */
export function berlinMidnightText(day: CalendarDay): string {
  return present(midnightOf(day).toISO({ suppressMilliseconds: true }), day);
}

/** The second of any instant in local time, with its offset: `2026-10-07T11:15:30+02:00`. */
export function berlinText(instant: string): string {
  const local = DateTime.fromISO(instant, { zone: BERLIN_TIME_ZONE });
  return present(local.toISO({ precision: 'second' }), instant);
}

/** The instant of a local time as a form sends it, `2026-11-24T09:00`; null where it is none. */
export function berlinInstant(local: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return null;
  return DateTime.fromISO(local, { zone: BERLIN_TIME_ZONE }).toUTC().toISO();
}

/** ` (+02:00)` behind a time of the clock which comes twice in that night: the offset tells the two apart. Else nothing. */
export function offsetWhereTwice(milliseconds: number): string {
  const at = DateTime.fromMillis(milliseconds, { zone: BERLIN_TIME_ZONE });
  if (at.hour !== HOUR_SET_BACK) return '';
  const isTwice = at.plus({ hours: 1 }).hour === at.hour || at.minus({ hours: 1 }).hour === at.hour;
  return isTwice ? ` (${at.toFormat('ZZ')})` : '';
}

/** Since 1980 clocks go back from three to two. */
const HOUR_SET_BACK = 2;

/** Whether an instant, in whatever zone it is written, is the beginning of a day. */
export function isBerlinMidnight(instant: string): boolean {
  const microseconds = microsecondsSince1970(instant);
  if (microseconds % 1_000 !== 0) return false;
  const local = DateTime.fromMillis(microseconds / 1_000, { zone: BERLIN_TIME_ZONE });
  return local.toMillis() === local.startOf('day').toMillis();
}

/* Without the library, a fifth of its time: every quarter hour of a bill comes from a day that was counted. */
export function addDays(day: CalendarDay, days: number): CalendarDay {
  /* From the end: the year behind 9999 has more digits. */
  const [year, month, date] = [day.slice(0, -6), day.slice(-5, -3), day.slice(-2)].map(Number) as [
    number,
    number,
    number,
  ];
  const moment = new Date(0);
  moment.setUTCFullYear(year, month - 1, date);
  /* It carries the 30th of February into March. */
  if (moment.getUTCDate() !== date || moment.getUTCMonth() !== month - 1)
    throw new RangeError(`No day of the calendar: ${day}`);
  moment.setUTCDate(date + days);
  return moment.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

/** The day with the same number so many months later, or the last one of that month when it has none. */
export function addMonths(day: CalendarDay, months: number): CalendarDay {
  return textOf(dayWithoutZone(day).plus({ months }));
}

/** The first day of its month. */
export function firstOfMonth(day: CalendarDay): CalendarDay {
  return `${day.slice(0, -2)}01`;
}

/** The day itself when it is the first of a month, else the first of the next month. */
export function firstOfMonthFrom(day: CalendarDay): CalendarDay {
  return isFirstOfMonth(day) ? day : textOf(dayWithoutZone(day).startOf('month').plus({ months: 1 }));
}

export function isFirstOfMonth(day: CalendarDay): boolean {
  return day.endsWith('-01');
}

export const later = (a: CalendarDay, b: CalendarDay): CalendarDay => [a, b].toSorted()[1] ?? a;
export const earlier = (a: CalendarDay, b: CalendarDay): CalendarDay => [a, b].toSorted()[0] ?? a;

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: CalendarDay): number {
  return dayWithoutZone(day).weekday;
}

/** A day and the instant at which it begins, in milliseconds since 1970. */
export interface BerlinDay {
  readonly day: CalendarDay;
  readonly begins: number;
}

/** By year, ascending: ten years have 3,653 of them. */
const years = new BoundedCache<readonly BerlinDay[]>(YEARS_KEPT);

/** The days from one to another, the second one exclusive. */
export function berlinDays(first: CalendarDay, end: CalendarDay): BerlinDay[] {
  const days: BerlinDay[] = [];
  for (let year = Number(first.slice(0, 4)); year <= Number(end.slice(0, 4)); year += 1) {
    for (const day of daysOfYear(String(year).padStart(4, '0'))) {
      if (day.day >= first && day.day < end) days.push(day);
    }
  }
  return days;
}

/** A quarter hour of a day: the instant at which it begins, and what the clock on the wall says then. */
export interface BerlinQuarterHour {
  /** Milliseconds since 1970. */
  readonly begins: number;
  /** Minutes since midnight as the clock shows them: in autumn 120 to 179 come twice, in spring never. */
  readonly minuteOfDay: number;
}

const QUARTER_HOUR_MINUTES = 15;
const MINUTE_MILLISECONDS = 60_000;
const DAY_MINUTES = 24 * 60;

/** The 92, 96 or 100 quarter hours of a day. `ends` is the midnight behind it. */
export function quarterHoursOf(begins: number, ends: number): BerlinQuarterHour[] {
  const minutes = (ends - begins) / MINUTE_MILLISECONDS;
  return Array.from({ length: minutes / QUARTER_HOUR_MINUTES }, (_, index) => {
    const passed = index * QUARTER_HOUR_MINUTES;
    const instant = begins + passed * MINUTE_MILLISECONDS;
    if (minutes === DAY_MINUTES) return { begins: instant, minuteOfDay: passed };
    const { hour, minute } = DateTime.fromMillis(instant, { zone: BERLIN_TIME_ZONE });
    return { begins: instant, minuteOfDay: hour * 60 + minute };
  });
}

function daysOfYear(year: string): readonly BerlinDay[] {
  const kept = years.get(year);
  if (kept !== undefined) return kept;
  const days: BerlinDay[] = [];
  for (let day = `${year}-01-01`; day.startsWith(`${year}-`); day = addDays(day, 1)) {
    days.push({ day, begins: berlinMilliseconds(day) });
  }
  years.set(year, days);
  return days;
}

function microsecondsSince1970(instant: string): number {
  return instantMicroseconds(instant) + POSTGRES_EPOCH_MICROSECONDS;
}

function midnightOf(day: CalendarDay): DateTime {
  return DateTime.fromISO(day, { zone: BERLIN_TIME_ZONE });
}

/* Counting days needs no zone: one without clock changes cannot get in the way. */
function dayWithoutZone(day: CalendarDay): DateTime {
  return DateTime.fromISO(day, { zone: 'utc' });
}

function textOf(moment: DateTime): CalendarDay {
  return present(moment.toISODate(), 'a moment');
}

function present(text: string | null, of: string): string {
  if (text === null) throw new RangeError(`No day of the calendar: ${of}`);
  return text;
}
