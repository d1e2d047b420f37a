import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measuredQuarterHours, missingSpans, smartValues } from '../../src/usage/smart.ts';

const none = { seconds: 0, consumed: 0, fed: 0, next_seconds: 0, next_consumed: 0, next_fed: 0 };
const day = { from: 0, until: 86_400_000 };

describe('quarter hours out of power', () => {
  test('what reaches over adds to the next quarter hour, also where that has no value of its own', () => {
    const rows = [
      { ...none, start: 900, seconds: 600, consumed: 600, next_seconds: 300, next_consumed: 300 },
      { ...none, start: 1800, seconds: 300, consumed: 600, next_seconds: 600, next_consumed: 1200 },
    ];
    expect(measuredQuarterHours(rows, 'consumption', day)).toEqual([
      { start: 900_000, kwh: 600 / 3600 },
      { start: 1_800_000, kwh: 900 / 3600 },
      { start: 2_700_000, kwh: 1200 / 3600 },
    ]);
  });

  test('one that is covered for half of its time counts, for less than that it does not', () => {
    const rows = [
      { ...none, start: 0, seconds: 450, fed: 3600 },
      { ...none, start: 900, seconds: 449, fed: 3600 },
    ];
    expect(measuredQuarterHours(rows, 'feed_in', day)).toEqual([{ start: 0, kwh: 1 }]);
    expect(measuredQuarterHours(rows, 'consumption', day)).toEqual([{ start: 0, kwh: 0 }]);
  });

  test('what lies outside of the span is left out', () => {
    const rows = [0, 900, 1800].map((start) => ({ ...none, start, seconds: 900 }));
    expect(measuredQuarterHours(rows, 'consumption', { from: 900_000, until: 1_800_000 })).toHaveLength(1);
  });
});

test('imported values replace measured ones and are final', () => {
  const imported = [{ start: 900_000, kwh: 2 }];
  const measured = [0, 900_000, 1_800_000].map((start) => ({ start, kwh: 1 }));
  expect(smartValues(imported, measured, (start) => start === 0)).toEqual([
    { start: 0, kwh: 1, isFinal: true },
    { start: 900_000, kwh: 2, isFinal: true },
    { start: 1_800_000, kwh: 1, isFinal: false },
  ]);
});

describe('measurements are read where nothing was imported', () => {
  const QUARTER = 900_000;
  const covered = (from: number, until: number) =>
    Array.from({ length: (until - from) / QUARTER }, (_, index) => ({
      start: from + index * QUARTER,
      kwh: 1,
    }));

  test('nowhere when all of it was', () => {
    expect(missingSpans(covered(0, day.until), day)).toEqual([]);
    expect(missingSpans([], { from: 0, until: 0 })).toEqual([]);
  });

  test('holes near each other are one, long ones are read in parts', () => {
    const hour = 4 * QUARTER;
    const imported = [...covered(hour, 2 * hour), ...covered(3 * hour, day.until)];
    expect(missingSpans(imported, day)).toEqual([{ from: 0, until: 3 * hour }]);
    const parts = missingSpans([], { from: 0, until: 70 * day.until });
    expect(parts.map(({ from, until }) => (until - from) / day.until)).toEqual([31, 31, 8]);
  });

  test('every quarter hour that was not imported is inside once, whatever was', () => {
    const quarters = 4_000;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(quarters - 1), { maxLength: 200 }), (indexes) => {
        const imported = indexes
          .toSorted((a, b) => a - b)
          .map((index) => ({ start: index * QUARTER, kwh: 1 }));
        const times = new Uint8Array(quarters);
        for (const { from, until } of missingSpans(imported, { from: 0, until: quarters * QUARTER })) {
          for (let index = from / QUARTER; index < until / QUARTER; index += 1)
            times[index] = (times[index] ?? 0) + 1;
        }
        for (const index of indexes) times[index] = 1;
        return times.every((count) => count === 1);
      }),
    );
  });
});
