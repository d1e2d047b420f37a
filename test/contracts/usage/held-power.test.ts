import { describe, expect, test } from 'vitest';
import { measuredQuarterHours } from '../../../src/contracts/usage/measured.ts';

const none = { seconds: 0, consumed: 0, fed: 0, next_seconds: 0, next_consumed: 0, next_fed: 0 };
const day = { from: 0, until: 86_400_000 };

describe('quarter hours out of power', () => {
  test('what reaches over adds to the next quarter hour, also where that has no value of its own', () => {
    const rows = [
      { ...none, start: 900, seconds: 600, consumed: 600, next_seconds: 300, next_consumed: 300 },
      { ...none, start: 1800, seconds: 300, consumed: 600, next_seconds: 600, next_consumed: 1200 },
    ];
    const fed = { feed_in: '0.000000000000' };
    expect(measuredQuarterHours(rows, day)).toEqual([
      { start: 900_000, consumption: '0.166666666667', ...fed },
      { start: 1_800_000, consumption: '0.250000000000', ...fed },
      { start: 2_700_000, consumption: '0.333333333333', ...fed },
    ]);
  });

  test('one that is covered for half of its time counts, for less than that it does not', () => {
    const rows = [
      { ...none, start: 0, seconds: 450, fed: 3600 },
      { ...none, start: 900, seconds: 449, fed: 3600 },
    ];
    expect(measuredQuarterHours(rows, day)).toEqual([
      { start: 0, consumption: '0.000000000000', feed_in: '1.000000000000' },
    ]);
  });

  test('what lies outside of the span is left out', () => {
    const rows = [0, 900, 1800].map((start) => ({ ...none, start, seconds: 900 }));
    expect(measuredQuarterHours(rows, { from: 900_000, until: 1_800_000 })).toHaveLength(1);
  });

  test('what no household can have used is left out', () => {
    const rows = [{ ...none, start: 0, seconds: 900, consumed: 3600 * 1e6 }];
    expect(measuredQuarterHours(rows, day)).toEqual([]);
  });
});
