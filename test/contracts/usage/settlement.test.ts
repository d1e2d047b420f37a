import { describe, expect, test } from 'vitest';
import { settledUntil, settlesAt, shownUntil } from '../../../src/contracts/usage/settlement.ts';

const at = (instant: string) => Date.parse(instant);

describe('measurements of a day are shown from 16:00 of the next one', () => {
  test.each([
    ['2026-11-21T14:59:59.999Z', '2026-11-19T23:00:00.000Z'],
    ['2026-11-21T15:00:00.000Z', '2026-11-20T23:00:00.000Z'],
    ['2026-11-21T22:59:59.999Z', '2026-11-20T23:00:00.000Z'],
    ['2026-11-21T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
    ['2026-03-29T13:59:59.999Z', '2026-03-27T23:00:00.000Z'],
    ['2026-03-29T14:00:00.000Z', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25T15:00:00.000Z', '2026-10-24T22:00:00.000Z'],
  ])('at %s up to %s', (now, until) => {
    expect(new Date(shownUntil(at(now))).toISOString()).toBe(until);
  });
});

describe('a month is settled at 16:00 of the 8th working day of the next one, and frozen a minute later', () => {
  test.each([
    /* November 2026 begins with a Sunday: the 8th working day is the 11th. */
    ['2026-10-01', '2026-11-11T15:00:00.000Z'],
    /* May 2026: the 1st and the 14th are holidays; 4, 5, 6, 7, 8, 11, 12 and 13. */
    ['2026-04-01', '2026-05-13T14:00:00.000Z'],
    /* January 2027: 4 to 8 and 11 to 13; New Year is a holiday, the 6th not everywhere. */
    ['2026-12-01', '2027-01-13T15:00:00.000Z'],
  ])('%s at %s', (month, settles) => {
    expect(new Date(settlesAt(month)).toISOString()).toBe(settles);
    const next = `${settles.slice(0, 8)}01`;
    /* Snapshots that began to be stored before it are committed a minute later. */
    expect(settledUntil(at(settles) + 59_999)).toBe(month);
    expect(settledUntil(at(settles) + 60_000)).toBe(next);
  });
});
