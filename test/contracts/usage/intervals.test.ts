import { describe, expect, test } from 'vitest';
import { IntervalSums, intervalBegins } from '../../../src/contracts/usage/intervals.ts';
import type { Resolution } from '../../../src/contracts/usage/schema.ts';

const texts = (resolution: Resolution, first: string, end: string) =>
  intervalBegins({ resolution, first, end }).map(({ begins }) => new Date(begins).toISOString().slice(0, 16));

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
  /* Four hours of a winter day, from its midnight. */
  const from = Date.parse('2026-01-14T23:00:00Z');
  const period = { resolution: 'hour', first: '2026-01-15', end: '2026-01-16' } as const;
  const over = { until: from + 24 * HOUR, nowMilliseconds: from + 24 * HOUR };
  type Values = readonly (readonly [quarter: number, kwh: string, isFinal?: boolean])[];

  function sumsOf(values: Values, bounds = over, of: typeof period | { resolution: '15min' } = period) {
    const sums = new IntervalSums({ ...period, ...of });
    for (const [quarter, kwh, isFinal = true] of values) sums.add(from + quarter * (HOUR / 4), kwh, isFinal);
    return sums.data(bounds);
  }

  test('are final when all of their values are, and leave out what nobody knows', () => {
    expect(
      sumsOf([
        [0, '0.1'],
        [3, '0.2'],
        [4, '1'],
        [5, '1', false],
        [12, '0'],
      ]),
    ).toEqual([
      { start: '2026-01-14T23:00:00Z', usage: 0.3, type: 'final' },
      { start: '2026-01-15T00:00:00Z', usage: 2, type: 'preliminary' },
      { start: '2026-01-15T02:00:00Z', usage: 0, type: 'final' },
    ]);
  });

  test('of an interval of which a part is open are preliminary', () => {
    const sums = new IntervalSums(period);
    for (const hour of [0, 1, 2, 3]) sums.add(from + hour * HOUR, '1', true);
    sums.leaveOpen({ from: from + 1.75 * HOUR, until: from + 3 * HOUR });
    sums.leaveOpen({ from: from + 3 * HOUR, until: from + 3 * HOUR });
    expect(sums.data(over).map(({ type }) => type)).toEqual(['final', 'preliminary', 'preliminary', 'final']);
  });

  test('of an interval that is not over are preliminary', () => {
    const types = (bounds: typeof over) =>
      sumsOf(
        [
          [0, '1'],
          [4, '1'],
        ],
        bounds,
      ).map(({ type }) => type);
    const half = from + 1.5 * HOUR;
    expect(types({ ...over, nowMilliseconds: half })).toEqual(['final', 'preliminary']);
    /* Supply ended in the middle of it. */
    expect(types({ until: half, nowMilliseconds: half })).toEqual(['final', 'final']);
  });

  test('are rounded to 4 decimals once, half up, after the exact sum', () => {
    const values: Values = [0, 1, 2, 3].map((quarter) => [quarter, '0.00004'] as const);
    expect(sumsOf(values)).toMatchObject([{ usage: 0.0002 }]);
    const quarters = sumsOf(values.slice(0, 2), over, { resolution: '15min' });
    expect(quarters).toMatchObject([{ usage: 0 }, { usage: 0 }]);
    /* As binary floats both are a little less than they say. */
    expect(sumsOf([[0, '0.00015']])).toMatchObject([{ usage: 0.0002 }]);
    expect(
      sumsOf([
        [0, '1.005'],
        [1, '0.00005'],
      ]),
    ).toMatchObject([{ usage: 1.0051 }]);
  });
});
