import { expect, test } from 'vitest';
import { earliestEnd } from '../../../src/contracts/subscriptions/earliest-end.ts';
import { isWithdrawalOpen } from '../../../src/contracts/subscriptions/termination-dates.ts';
import { sampled } from '../../setup/tier.ts';

/*
 * Every day of ten years, counted here a second time: with days as numbers, Easter by Gauss's formula as Butcher gave it,
 * and no library. `npm test` takes every third of the days, each test others, so that all of them are met.
 */

const DAY = 24 * 3_600_000;
const text = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);

function easterSunday(year: number): number {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((8 * b + 13) / 25) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return Date.UTC(year, month - 1, ((h + l - 7 * m + 114) % 31) + 1);
}

const YEARS = Array.from({ length: 12 }, (_, index) => 2025 + index);

const holidays = new Set(
  YEARS.flatMap((year) => [
    ...['01-01', '05-01', '10-03', '12-25', '12-26'].map((day) => `${year}-${day}`),
    ...[-2, 1, 39, 50].map((days) => text(easterSunday(year) + days * DAY)),
  ]),
);

function noticeEnd(today: number): number {
  let day = today;
  for (let working = 0; working < 3; ) {
    day += DAY;
    const weekday = new Date(day).getUTCDay();
    if (weekday !== 0 && weekday !== 6 && !holidays.has(text(day))) working += 1;
  }
  return day + DAY;
}

function cancellationEnd(today: number, months: number): number {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastOfMonth)) + DAY;
}

function firstOfMonth(day: number): number {
  const date = new Date(day);
  return date.getUTCDate() === 1 ? day : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

const days = Array.from({ length: 3_653 }, (_, index) => Date.UTC(2025, 0, 1) + index * DAY);
const long = { startOn: '2020-01-01', cancellationMonths: 1, firstOfMonthOnly: false };

test('there are nine holidays a year in all states', () => {
  expect(holidays.size).toBe(9 * YEARS.length - coinciding());
});

/** Ascension Day can fall on 1 May. */
function coinciding(): number {
  return YEARS.filter((year) => text(easterSunday(year) + 39 * DAY) === `${year}-05-01`).length;
}

test.each([
  ['MOVE_OUT', 0],
  ['WITHDRAWAL', 1],
] as const)('%s keeps the notice on every day', (reason, turn) => {
  for (const today of sampled(days, 3, turn)) {
    const found = earliestEnd({ reason, today: text(today), ...long });
    if (found !== text(noticeEnd(today)))
      expect([text(today), found]).toEqual([text(today), text(noticeEnd(today))]);
  }
});

test.each([0, 1, 2, 3, 6])('ORDINARY keeps a period of %i months as well', (cancellationMonths) => {
  for (const today of sampled(days, 3, cancellationMonths)) {
    const expected = text(Math.max(noticeEnd(today), cancellationEnd(today, cancellationMonths)));
    const found = earliestEnd({ reason: 'ORDINARY', today: text(today), ...long, cancellationMonths });
    if (found !== expected) expect([text(today), found]).toEqual([text(today), expected]);
  }
});

test('feed-in ends with a month on every day', () => {
  for (const today of sampled(days, 3, 2)) {
    for (const reason of ['MOVE_OUT', 'ORDINARY', 'WITHDRAWAL'] as const) {
      const notice = noticeEnd(today);
      const end = reason === 'ORDINARY' ? Math.max(notice, cancellationEnd(today, 1)) : notice;
      const found = earliestEnd({ reason, today: text(today), ...long, firstOfMonthOnly: true });
      if (found !== text(firstOfMonth(end)))
        expect([text(today), found]).toEqual([text(today), text(firstOfMonth(end))]);
    }
  }
});

test('whoever does not withdraw is supplied for a day at least', () => {
  const facts = {
    today: '2026-11-23',
    startOn: '2027-03-01',
    cancellationMonths: 1,
    firstOfMonthOnly: false,
  };
  expect(earliestEnd({ ...facts, reason: 'ORDINARY' })).toBe('2027-03-02');
  expect(earliestEnd({ ...facts, reason: 'MOVE_OUT' })).toBe('2027-03-02');
  expect(earliestEnd({ ...facts, reason: 'WITHDRAWAL' })).toBe('2026-11-27');
  expect(earliestEnd({ ...facts, reason: 'MOVE_OUT', firstOfMonthOnly: true })).toBe('2027-04-01');
});

test('a withdrawal is open on the day of the confirmation and the fourteen days behind it', () => {
  for (const confirmed of days.slice(0, 800)) {
    const open = [0, 1, 13, 14, 15].map((after) =>
      isWithdrawalOpen(text(confirmed), text(confirmed + after * DAY)),
    );
    expect(open).toEqual([true, true, true, true, false]);
  }
});
