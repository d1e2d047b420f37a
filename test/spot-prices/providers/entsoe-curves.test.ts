import { describe, expect, test } from 'vitest';
import { type DeliveryDay, gridOf, startText } from '../../../src/spot-prices/calendar.ts';
import { readEntsoe } from '../../../src/spot-prices/providers/entsoe.wire.ts';
import {
  amountsOf,
  bytes,
  daysOf,
  onlyDay,
  otherAuction,
  periodOf,
  pointsFor,
  pointsOf,
  publication,
  type SeriesParts,
  sumOfCents,
} from './documents.ts';

const DAY = '2026-05-17';

function read(series: readonly SeriesParts[], days: readonly DeliveryDay[] | null, parts = {}) {
  return readEntsoe(bytes(publication(series, parts)), { zone: 'DE-LU', days });
}

describe('curves', () => {
  test('omitted positions of a compressed curve repeat the one before, at the end of the Period too', () => {
    const period = periodOf(DAY);
    expect(period.points).toHaveLength(88);
    expect(period.points.map(([position]) => position)).not.toEqual(
      expect.arrayContaining([6, 36, 64, 88, 92, 94, 95, 96]),
    );
    const day = onlyDay(read([{ periods: [period] }], [DAY]));
    expect(day.points).toEqual(pointsOf(DAY));
    expect(day.points.slice(-4).map(({ eurMwh }) => eurMwh)).toEqual(['38.28', '38.28', '38.28', '38.28']);
    expect(sumOfCents(day.points)).toBe(328_186);
    expect(day.refused).toEqual([]);
  });

  test.each(['A01', null])('with curve type %s every position stands for itself', (curve) => {
    const period = periodOf(DAY, 'A01');
    expect(onlyDay(read([{ curve, periods: [period] }], [DAY])).points).toEqual(pointsOf(DAY));
    const points = period.points.filter(([position]) => position !== 40);
    const day = onlyDay(read([{ curve, periods: [{ ...period, points }] }], [DAY]));
    expect(day.points).toEqual(pointsOf(DAY).toSpliced(39, 1));
  });

  test('what stands before the first given position is missing', () => {
    const points = periodOf(DAY, 'A01').points.slice(4);
    const day = onlyDay(read([{ periods: [{ ...periodOf(DAY), points }] }], [DAY]));
    expect(day.points).toEqual(pointsOf(DAY).slice(4));
  });

  test('the day of 23 hours has 92 quarters', () => {
    const day = onlyDay(read([{ periods: [periodOf('2026-03-29')] }], null));
    expect(day.deliveryOn).toBe('2026-03-29');
    expect(day.points).toHaveLength(92);
    expect(sumOfCents(day.points)).toBe(564_616);
    expect(startText(day.points[0]?.start ?? 0)).toBe('2026-03-28T23:00:00Z');
    expect(startText(day.points[91]?.start ?? 0)).toBe('2026-03-29T21:45:00Z');
  });

  test('the repeated hour is two; hourly days have 23 and 25 prices', () => {
    const day = onlyDay(read([{ periods: [periodOf('2026-10-25')] }], ['2026-10-25']));
    expect(day.points).toHaveLength(100);
    expect(sumOfCents(day.points)).toBe(718_263);
    const byStart = new Map(day.points.map(({ start, eurMwh }) => [startText(start), eurMwh]));
    expect(byStart.get('2026-10-25T00:00:00Z')).toBe('48.8');
    expect(byStart.get('2026-10-25T01:00:00Z')).toBe('50.6');
    for (const [hourly, count] of [
      ['2025-03-30', 23],
      ['2024-10-27', 25],
    ] as const) {
      const points = onlyDay(read([{ periods: [periodOf(hourly)] }], [hourly])).points;
      expect(points).toHaveLength(count);
      expect(points).toEqual(pointsOf(hourly));
    }
  });

  test('a Period that ends early fills nothing beyond its end', () => {
    const { from, to } = gridOf(DAY);
    const points = pointsFor(amountsOf(DAY).slice(0, 92), 'A03');
    const day = onlyDay(read([{ periods: [{ from, to: to - 3_600_000, points }] }], [DAY]));
    expect(day.points).toEqual(pointsOf(DAY).slice(0, 92));
  });

  test('the order of points means nothing', () => {
    const period = periodOf(DAY);
    const points = period.points.toReversed();
    const mixed = [...points.slice(40), ...points.slice(0, 40)];
    expect(onlyDay(read([{ periods: [{ ...period, points: mixed }] }], [DAY])).points).toEqual(pointsOf(DAY));
  });

  test('root and elements are known by their local names', () => {
    for (const parts of [
      { namespace: 'urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:0' },
      { prefix: 'ns0' },
      { declaration: false },
    ]) {
      expect(onlyDay(read([{ periods: [periodOf(DAY)] }], [DAY], parts)).points).toEqual(pointsOf(DAY));
    }
  });
});

describe('several series', () => {
  const next = '2026-05-18';

  test('four TimeSeries in any order, one with two Periods', () => {
    const [first, second] = [{ periods: [periodOf(DAY)] }, { periods: [periodOf(next)] }];
    const documents = [
      [otherAuction(next), otherAuction(DAY), second, first],
      [{ periods: [periodOf(next), periodOf(DAY)] }],
    ];
    for (const series of documents) {
      const days = daysOf(read(series, null));
      expect(days.map(({ deliveryOn }) => deliveryOn)).toEqual([DAY, next]);
      expect(days.flatMap(({ points }) => points)).toEqual([...pointsOf(DAY), ...pointsOf(next)]);
    }
  });

  test('each Period is judged by the width of its own days', () => {
    const [hourly, quarterly] = ['2025-09-30', '2025-10-01'];
    const days = daysOf(read([{ periods: [periodOf(quarterly), periodOf(hourly)] }], [hourly, quarterly]));
    expect(days.map(({ minutes, points }) => [minutes, points.length])).toEqual([
      [60, 24],
      [15, 96],
    ]);
    expect(days.flatMap(({ points }) => points)).toEqual([...pointsOf(hourly), ...pointsOf(quarterly)]);
  });

  test('one Period over two days is split at midnight', () => {
    const points = pointsFor([...amountsOf(DAY), ...amountsOf(next)], 'A03');
    const period = { from: gridOf(DAY).from, to: gridOf(next).to, points };
    const days = daysOf(read([{ periods: [period] }], null));
    expect(days.map((day) => day.points)).toEqual([pointsOf(DAY), pointsOf(next)]);
  });

  test('what lies outside the asked days is dropped', () => {
    const answer = read([{ periods: [periodOf(DAY), periodOf(next)] }], [next]);
    expect(onlyDay(answer).points).toEqual(pointsOf(next));
  });
});
