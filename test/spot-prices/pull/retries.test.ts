import { expect, test } from 'vitest';
import { waitBeforeRetry } from '../../../src/spot-prices/pull/retries.ts';

test.each([
  ['job', [5, 20]],
  ['backfill', [5, 20, 80, 300, 300]],
  ['none', []],
] as const)(
  'retries of a %s come after %j seconds, a fifth more or less, and then no more',
  (rule, seconds) => {
    for (const [index, wait] of seconds.entries()) {
      const drawn = Array.from({ length: 500 }, () => waitBeforeRetry(rule, index + 1, 0) ?? 0);
      expect(Math.min(...drawn)).toBeGreaterThanOrEqual(wait * 800);
      expect(Math.max(...drawn)).toBeLessThanOrEqual(wait * 1200);
      expect(new Set(drawn).size).toBeGreaterThan(10);
    }
    expect(waitBeforeRetry(rule, seconds.length + 1, 0)).toBeNull();
  },
);

test('after four minutes a job makes no more retries, a backfill does', () => {
  expect(waitBeforeRetry('job', 1, 239_999)).not.toBeNull();
  expect(waitBeforeRetry('job', 1, 240_000)).toBeNull();
  expect(waitBeforeRetry('backfill', 1, 3_600_000)).not.toBeNull();
});
