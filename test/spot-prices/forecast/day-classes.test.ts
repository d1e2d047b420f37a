import { describe, expect, test } from 'vitest';
import { addDays, daysBetween, gridOf } from '../../../src/spot-prices/calendar.ts';
import { dayClassOf, isHoliday, weekdayWithHolidays } from '../../../src/spot-prices/forecast/day-classes.ts';
import {
  dayNumberOf,
  dayOfNumber,
  dayOfYear,
  firstOfMonth,
  weekdayOf,
} from '../../../src/spot-prices/forecast/day-numbers.ts';
import { hourLabels } from '../../../src/spot-prices/forecast/history.ts';

/** Good Friday, Easter Monday, Ascension, Whit Monday. */
const MOVING: Record<number, readonly [string, string, string, string]> = {
  2024: ['03-29', '04-01', '05-09', '05-20'],
  2025: ['04-18', '04-21', '05-29', '06-09'],
  2026: ['04-03', '04-06', '05-14', '05-25'],
  2027: ['03-26', '03-29', '05-06', '05-17'],
  2028: ['04-14', '04-17', '05-25', '06-05'],
  2029: ['03-30', '04-02', '05-10', '05-21'],
  2030: ['04-19', '04-22', '05-30', '06-10'],
};
const FIXED = ['01-01', '05-01', '10-03', '12-25', '12-26'];

const classOf = (day: string) => dayClassOf(dayNumberOf(day));

describe.each(Object.entries(MOVING))('%s', (year, moving) => {
  const holidays = [...FIXED, ...moving].map((day) => `${year}-${day}`).sort();
  const days = daysBetween(`${year}-01-01`, `${year}-12-31`);

  test('has the nine holidays of the whole country and no others', () => {
    expect(days.filter((day) => isHoliday(dayNumberOf(day)))).toEqual(holidays);
  });

  test('puts every day into one class', () => {
    for (const day of days) {
      const weekday = new Date(`${day}T12:00:00Z`).getUTCDay();
      const ordinary = weekday === 6 ? 'saturday' : 'workday';
      const expected = weekday === 0 || holidays.includes(day) ? 'sunday_or_holiday' : ordinary;
      expect([day, classOf(day)]).toEqual([day, expected]);
      expect(weekdayOf(dayNumberOf(day))).toBe(weekday);
    }
  });
});

test('holidays of single Länder are ordinary days', () => {
  expect(classOf('2026-01-06')).toBe('workday');
  expect(classOf('2026-06-04')).toBe('workday');
  expect(classOf('2025-10-31')).toBe('workday');
  expect(classOf('2025-11-01')).toBe('saturday');
});

test('a holiday on a Saturday is a holiday, and counts as a Sunday', () => {
  expect(classOf('2026-10-03')).toBe('sunday_or_holiday');
  expect(weekdayWithHolidays(dayNumberOf('2026-10-03'))).toBe(0);
  expect(weekdayWithHolidays(dayNumberOf('2026-10-10'))).toBe(6);
});

test('days are counted without gaps, whatever the clocks do', () => {
  for (const day of daysBetween('2024-01-01', '2025-01-01')) {
    expect(dayOfNumber(dayNumberOf(day))).toBe(day);
    expect(dayNumberOf(addDays(day, 1))).toBe(dayNumberOf(day) + 1);
  }
  expect(dayOfNumber(firstOfMonth(dayNumberOf('2024-02-29')))).toBe('2024-02-01');
  expect(dayOfYear(dayNumberOf('2024-12-31'))).toBe(366);
  expect(dayOfYear(dayNumberOf('2026-01-01'))).toBe(1);
  expect(() => dayNumberOf('2026-02-29')).toThrow(RangeError);
});

test('hours of clock-change days: 02 is missing in spring and comes twice in autumn', () => {
  const labelsOn = (day: string) => hourLabels(gridOf(day, 60).count);
  expect(labelsOn('2026-03-28')).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
  expect(labelsOn('2026-03-29').slice(0, 4)).toEqual([0, 1, 3, 4]);
  expect(labelsOn('2026-03-29')).toHaveLength(23);
  expect(labelsOn('2026-10-25').slice(0, 5)).toEqual([0, 1, 2, 2, 3]);
  expect(labelsOn('2026-10-25')).toHaveLength(25);
});
