import { describe, expect, test } from 'vitest';
import { intervalStarts, sumsOf, type Value } from '../../src/usage/intervals.ts';
import type { Resolution } from '../../src/usage/schema.ts';

const texts = (resolution: Resolution, first: string, end: string) =>
  intervalStarts({ resolution, first, end }).map((start) => new Date(start).toISOString().slice(0, 16));

describe('where intervals begin', () => {
  test('months, weeks and days are cut at both ends', () => {
    expect(texts('month', '2026-01-15', '2026-03-10')).toEqual([
      '2026-01-14T23:00',
      '2026-01-31T23:00',
      '2026-02-28T23:00',
    ]);
    /* 2026-11-04 is a Wednesday. */
    expect(texts('week', '2026-11-04', '2026-11-17')).toEqual([
      '2026-11-03T23:00',
      '2026-11-08T23:00',
      '2026-11-15T23:00',
    ]);
    expect(texts('week', '2026-11-09', '2026-11-16')).toEqual(['2026-11-08T23:00']);
    expect(texts('day', '2026-03-28', '2026-03-31')).toEqual([
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
    ]);
  });

  test.each([
    ['2026-03-29', '2026-03-30', 23],
    ['2026-10-25', '2026-10-26', 25],
    ['2026-11-20', '2026-11-21', 24],
  ])('the day %s has as many hours as it lasts', (first, end, hours) => {
    expect(texts('hour', first, end)).toHaveLength(hours);
    expect(texts('15min', first, end)).toHaveLength(4 * hours);
    expect(texts('day', first, end)).toHaveLength(1);
  });

  test('the last days of the calendar end too', () => {
    for (const resolution of ['15min', 'hour', 'day', 'week', 'month'] as const) {
      expect(texts(resolution, '9999-12-30', '9999-12-31').length).toBeGreaterThan(0);
    }
  });
});

describe('sums', () => {
  const HOUR = 3_600_000;
  const quarter = (index: number, kwh: number, isFinal = true): Value => ({
    start: index * (HOUR / 4),
    kwh,
    isFinal,
  });
  const over = { until: 4 * HOUR, nowMilliseconds: 4 * HOUR };
  const starts = [0, HOUR, 2 * HOUR, 3 * HOUR];

  test('are final when all of their values are, and leave out what nobody knows', () => {
    const values = [quarter(0, 0.1), quarter(3, 0.2), quarter(4, 1), quarter(5, 1, false), quarter(12, 0)];
    expect(sumsOf(values, starts, over)).toEqual([
      { start: '1970-01-01T00:00:00Z', usage: 0.3, type: 'final' },
      { start: '1970-01-01T01:00:00Z', usage: 2, type: 'preliminary' },
      { start: '1970-01-01T03:00:00Z', usage: 0, type: 'final' },
    ]);
  });

  test('of an interval that is not over are preliminary', () => {
    const values = [quarter(0, 1), quarter(4, 1)];
    const types = (bounds: typeof over) => sumsOf(values, starts, bounds).map(({ type }) => type);
    expect(types({ ...over, nowMilliseconds: 1.5 * HOUR })).toEqual(['final', 'preliminary']);
    /* Supply ended in the middle of it. */
    expect(types({ until: 1.5 * HOUR, nowMilliseconds: 1.5 * HOUR })).toEqual(['final', 'final']);
  });

  test('are rounded to 4 decimals once, after the sum', () => {
    const values = Array.from({ length: 4 }, (_, index) => quarter(index, 0.00004));
    expect(sumsOf(values, [0], over)).toMatchObject([{ usage: 0.0002 }]);
    expect(sumsOf(values, [0, HOUR / 4], over)).toMatchObject([{ usage: 0 }, { usage: 0.0001 }]);
  });
});
