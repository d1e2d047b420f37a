import { DateTime } from 'luxon';
import { type CalendarDay, offsetWhereTwice } from '../../time/berlin-calendar.ts';
import type { Language } from './language.ts';

const ZONE = 'Europe/Berlin';

/** One or several series over the same intervals. The table is the chart without a script, and where the script reads it. */
export interface Chart {
  title: string;
  note: string | null;
  unit: string;
  minutes: number;
  columns: readonly string[];
  rows: readonly ChartRow[];
}

interface ChartRow {
  /** UTC start, for machines. */
  at: string;
  time: string;
  /** On the axis of time. */
  mark: string | null;
  cells: readonly ({ value: string; text: string } | null)[];
}

export interface ChartPoint {
  /** Milliseconds since 1970. */
  start: number;
  values: readonly (string | number | null)[];
}

/** Written as its reader writes them: numbers, and times of Berlin. */
export function chartRows(points: readonly ChartPoint[], language: Language, decimals: number): ChartRow[] {
  const numbers = numberFormat(language, decimals);
  return points.map(({ start, values }) => {
    const at = DateTime.fromMillis(start, { zone: ZONE, locale: language });
    const isMidnight = at.hour === 0 && at.minute === 0;
    const isMark = at.minute === 0 && at.hour % 6 === 0;
    return {
      at: at.toUTC().toISO() ?? '',
      time: `${at.toFormat('ccc HH:mm')}${offsetWhereTwice(start)}`,
      mark: isMark ? at.toFormat(isMidnight ? 'ccc d.' : 'HH:mm') : null,
      cells: values.map((value) =>
        value === null ? null : { value: String(value), text: numbers.format(Number(value)) },
      ),
    };
  });
}

export function numberFormat(language: Language, decimals = 0): Intl.NumberFormat {
  const locale = language === 'de' ? 'de-DE' : 'en-GB';
  return new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** An exact amount as people of the back office read it. */
export function eurosText(amount: string, { lang }: { lang: Language }): string {
  const locale = lang === 'de' ? 'de-DE' : 'en-GB';
  const euros = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' });
  return euros.format(amount as Intl.StringNumericLiteral);
}

/** A moment as people of the back office read it, in Berlin's time. */
export function momentText(instant: string | null, language: Language): string | null {
  if (instant === null) return null;
  const locale = language === 'de' ? 'de-DE' : 'en-GB';
  return DateTime.fromISO(instant, { zone: ZONE, locale }).toLocaleString(
    DateTime.DATETIME_SHORT_WITH_SECONDS,
  );
}

/** A day of the calendar as people write it. */
export function dayText(day: CalendarDay, language: Language): string {
  const locale = language === 'de' ? 'de-DE' : 'en-GB';
  return DateTime.fromISO(day, { zone: ZONE, locale }).toLocaleString(DateTime.DATE_MED);
}
