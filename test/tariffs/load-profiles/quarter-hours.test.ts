import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { Exact } from '../../../src/platform/money.ts';
import { addDays, berlinDays, berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import {
  quarterHourShares,
  quarterHourWeights,
} from '../../../src/tariffs/load-profiles/quarter-hour-shares.ts';
import { yearShares } from '../../../src/tariffs/load-profiles/year-shares.ts';
import { h25 } from './h25.ts';

let profile: number[][][];
beforeAll(async () => {
  profile = await h25();
});

const SHOWN_DIGITS = 30;

/** What each quarter hour takes of these days, by shares of the year and by weights. */
function takenOf(first: string, end: string): { byShares: string[]; byWeights: string[] } {
  const days = berlinDays(first, end);
  const { total } = yearShares(profile, first.slice(0, 4));
  const endOf = (index: number) => days[index + 1]?.begins ?? berlinMilliseconds(end);
  const shares = days.flatMap((day, index) => quarterHourShares(profile, day, endOf(index), total));
  const weights = days.flatMap((day, index) => quarterHourWeights(profile, day, endOf(index)));
  const ofShares = shares.reduce((sum, { share }) => sum.plus(share), new Exact(0));
  const ofWeights = new Exact(weights.reduce((sum, weight) => sum + weight, 0n));
  const shown = (value: InstanceType<typeof Exact>) => value.toSignificantDigits(SHOWN_DIGITS).toString();
  return {
    byShares: shares.map(({ share }) => shown(share.dividedBy(ofShares))),
    byWeights: weights.map((weight) => shown(new Exact(weight).dividedBy(ofWeights))),
  };
}

test('the weights of quarter hours are to each other as their shares of the year, on any days of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 330 }), fc.integer({ min: 1, max: 8 }), (before, count) => {
      const first = addDays('2028-01-01', before);
      const { byShares, byWeights } = takenOf(first, addDays(first, count));
      expect(byWeights).toEqual(byShares);
    }),
    { numRuns: 5 },
  );
});

test('the days of a clock change have 92 and 100 weights, those of the hour on the clock', () => {
  for (const [day, count] of [
    ['2026-03-29', 92],
    ['2026-10-25', 100],
  ] as const) {
    const { byShares, byWeights } = takenOf(day, addDays(day, 1));
    expect(byWeights).toHaveLength(count);
    expect(byWeights).toEqual(byShares);
  }
});
