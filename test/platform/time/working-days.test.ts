import { expect, test } from 'vitest';
import { addWorkingDays, isWorkingDay } from '../../../src/platform/time/working-days.ts';

test.each([
  ['2026-01-01', 'New Year'],
  ['2026-04-03', 'Good Friday'],
  ['2026-04-06', 'Easter Monday'],
  ['2026-05-01', 'Labour Day'],
  ['2026-05-14', 'Ascension Day'],
  ['2026-05-25', 'Whit Monday'],
  ['2025-10-03', 'German Unity Day'],
  ['2026-12-25', 'Christmas Day'],
  ['2025-12-26', 'Boxing Day'],
  ['2026-11-21', 'a Saturday'],
  ['2026-11-22', 'a Sunday'],
])('%s, %s, is none', (day) => {
  expect(isWorkingDay(day)).toBe(false);
});

test.each([
  ['2026-01-06', 'Epiphany: three states only'],
  ['2026-06-04', 'Corpus Christi: six states only'],
  ['2025-10-31', 'Reformation Day: nine states only'],
  ['2026-11-18', 'Repentance Day: one state only'],
  ['2026-12-24', 'Christmas Eve'],
  ['2026-12-31', "New Year's Eve"],
  ['2026-11-23', 'a Monday'],
])('%s, %s, is one', (day) => {
  expect(isWorkingDay(day)).toBe(true);
});

test.each([
  ['2026-11-23', 3, '2026-11-26'],
  ['2026-11-20', 3, '2026-11-25'],
  ['2026-11-21', 3, '2026-11-25'],
  ['2026-11-22', 1, '2026-11-23'],
  ['2026-04-01', 3, '2026-04-08'],
  ['2026-12-23', 3, '2026-12-29'],
  ['2025-12-23', 3, '2025-12-30'],
  ['2026-12-30', 3, '2027-01-05'],
  ['2025-10-01', 3, '2025-10-07'],
  ['2026-11-23', 0, '2026-11-23'],
])('behind %s the %i. is %s', (day, count, expected) => {
  expect(addWorkingDays(day, count)).toBe(expected);
});
