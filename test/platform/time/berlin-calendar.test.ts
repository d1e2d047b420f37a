import { describe, expect, test } from 'vitest';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinMidnight,
  berlinMidnightText,
  firstOfMonthFrom,
  isBerlinMidnight,
} from '../../../src/platform/time/berlin-calendar.ts';

test.each([
  ['2026-01-01', '2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00+01:00'],
  ['2026-07-01', '2026-06-30T22:00:00.000Z', '2026-07-01T00:00:00+02:00'],
  ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T00:00:00+01:00'],
  ['2026-03-30', '2026-03-29T22:00:00.000Z', '2026-03-30T00:00:00+02:00'],
  ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T00:00:00+02:00'],
  ['2026-10-26', '2026-10-25T23:00:00.000Z', '2026-10-26T00:00:00+01:00'],
])('%s begins at %s, written %s', (day, instant, text) => {
  expect(berlinMidnight(day)).toBe(instant);
  expect(berlinMidnightText(day)).toBe(text);
  expect(berlinDayOf(instant)).toBe(day);
  expect(berlinDayOf(text)).toBe(day);
  expect(isBerlinMidnight(instant)).toBe(true);
  expect(isBerlinMidnight(text)).toBe(true);
});

test('the last microsecond before midnight belongs to the day before', () => {
  expect(berlinDayOf('2026-06-30T21:59:59.999999Z')).toBe('2026-06-30');
  expect(berlinDayAt(Date.UTC(2026, 5, 30, 21, 59, 59, 999))).toBe('2026-06-30');
  expect(berlinDayAt(Date.UTC(2026, 5, 30, 22))).toBe('2026-07-01');
});

test('the day of an instant does not depend on what was asked before', () => {
  const dayBy = (milliseconds: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(milliseconds);
  const around = ['1893-03-31T23:06:31Z', '1969-12-31T22:59:59Z', '1970-01-01T00:00:00Z']
    .concat(['2026-03-28T22:59:59Z', '2026-10-24T21:59:59Z', '2026-12-31T22:59:59Z'])
    .map((instant) => Date.parse(instant));
  const instants = around.flatMap((instant) =>
    [-3_600_000, -1, 0, 1, 999, 1_000, 3_600_000].map((difference) => instant + difference),
  );
  for (const order of [instants, instants.toReversed(), instants.flatMap((instant) => [instant, instant])]) {
    for (const instant of order) expect(berlinDayAt(instant)).toBe(dayBy(instant));
  }
});

describe('midnight', () => {
  test.each([
    ['2026-07-01T00:00:00+02:00', true],
    ['2026-06-30T22:00:00Z', true],
    ['2026-06-30T22:00:00.000000Z', true],
    ['2026-06-30T18:00:00-04:00', true],
    ['2026-07-01T03:45:00+05:45', true],
    ['2026-07-01T00:00:00Z', false],
    ['2026-07-01T00:00:00+01:00', false],
    ['2026-01-01T00:00:00+02:00', false],
    ['2026-06-30T22:00:00.000001Z', false],
    ['2026-06-30T22:00:01Z', false],
    ['9999-12-31T23:00:00Z', true],
    ['0001-01-01T00:00:00Z', false],
  ])('%s: %s', (instant, expected) => {
    expect(isBerlinMidnight(instant)).toBe(expected);
  });
});

test('a month later is the same number, or the last day of a month that has none', () => {
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(addMonths('2028-01-31', 1)).toBe('2028-02-29');
  expect(addMonths('2026-03-31', 1)).toBe('2026-04-30');
  expect(addMonths('2026-11-15', 3)).toBe('2027-02-15');
  expect(addMonths('2026-11-15', 0)).toBe('2026-11-15');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('9999-12-31', 1)).toBe('+010000-01-01');
  expect(addDays('+010000-01-01', -1)).toBe('9999-12-31');
  expect(addDays('0001-01-01', 0)).toBe('0001-01-01');
  for (const none of ['2026-W05-1', '2026-02-30', '2026-13-01', ''])
    expect(() => addDays(none, 1)).toThrow(`No day of the calendar: ${none}`);
  expect(addDays('2026-03-28', 2)).toBe('2026-03-30');
});

test('the first of a month stays, every other day moves to the next one', () => {
  expect(firstOfMonthFrom('2026-12-01')).toBe('2026-12-01');
  expect(firstOfMonthFrom('2026-12-02')).toBe('2027-01-01');
  expect(firstOfMonthFrom('2026-01-31')).toBe('2026-02-01');
});
