import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { createRateLimiter } from '../../../src/platform/rate-limit/rate-limit.ts';
import { ProcessBuckets } from '../../../src/platform/rate-limit/token-bucket.ts';
import type { PromptRedis } from '../../../src/platform/redis/prompt-redis.ts';

test('a bucket never gives more than its burst and what came in since, whatever the pace', () => {
  const numbers = fc.record({
    perSecond: fc.integer({ min: 1, max: 1000 }),
    burst: fc.integer({ min: 1, max: 1000 }),
  });
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 5000 }), count: fc.integer({ min: 1, max: 300 }) }),
    { minLength: 1, maxLength: 40 },
  );
  fc.assert(
    fc.property(numbers, steps, ({ perSecond, burst }, sequence) => {
      let now = 1_000;
      let granted = 0;
      const buckets = new ProcessBuckets(10, () => now);
      for (const { wait, count } of sequence) {
        now += wait;
        const tokens = buckets.take('one', { perSecond, burst }, count);
        granted += tokens.granted;
        expect(tokens.granted).toBeLessThanOrEqual(count);
        expect(tokens.remaining).toBeGreaterThanOrEqual(0);
        expect(tokens.remaining).toBeLessThanOrEqual(burst);
        expect(tokens.secondsUntilNext).toBeGreaterThanOrEqual(1);
        if (tokens.granted < count) expect(tokens.remaining).toBe(0);
        expect(granted).toBeLessThanOrEqual(burst + ((now - 1_000) / 1000) * perSecond + 1e-6);
      }
    }),
    /* A seventh of a second has no end in binary: what is left was rounded once to 1 and once to 0. */
    { examples: [[{ perSecond: 7, burst: 5 }, [2, 3].map((count) => ({ wait: 0, count }))]] },
  );
});

test('an empty bucket names the second in which a token is there, and then it is', () => {
  let now = 0;
  const buckets = new ProcessBuckets(10, () => now);
  const numbers = { perSecond: 0.25, burst: 2 };
  buckets.take('one', numbers, 2);
  const { granted, secondsUntilNext, secondsUntilFull } = buckets.take('one', numbers);
  expect([granted, secondsUntilNext, secondsUntilFull]).toEqual([0, 4, 8]);
  now += secondsUntilNext * 1000;
  expect(buckets.take('one', numbers).granted).toBe(1);
});

test('smaller numbers count at once, and a clock that was set back does not empty a bucket for hours', () => {
  let now = 3_600_000;
  const buckets = new ProcessBuckets(10, () => now);
  buckets.take('one', { perSecond: 1, burst: 1000 }, 900);
  expect(buckets.take('one', { perSecond: 1, burst: 10 })).toEqual({
    granted: 0,
    remaining: 0,
    secondsUntilFull: 10,
    secondsUntilNext: 1,
  });
  now = 0;
  const later = buckets.take('one', { perSecond: 10, burst: 10 });
  expect(later.secondsUntilFull).toBe(1);
});

test('of too many buckets the one that was asked for the longest ago is forgotten', () => {
  const buckets = new ProcessBuckets(2, () => 0);
  const numbers = { perSecond: 1, burst: 1 };
  for (const name of ['a', 'b', 'c']) expect(buckets.take(name, numbers).granted).toBe(1);
  expect(buckets.take('c', numbers).granted).toBe(0);
  expect(buckets.take('a', numbers).granted).toBe(1);
});

const turn = () => new Promise(setImmediate);

test('requests of one turn share a call; those that come while it is on its way share the next, in their order', async () => {
  const calls: number[] = [];
  const answers: ((left: number[]) => void)[] = [];
  const redis = {
    ask: (command: (connection: unknown, prefix: string) => Promise<unknown>) =>
      command(
        {
          defineCommand: () => {},
          takeTokens: (_key: string, _perSecond: number, _burst: number, count: number) => {
            calls.push(count);
            return new Promise((resolve) => answers.push(resolve));
          },
        },
        'prefix',
      ),
    close: () => {},
  } as unknown as PromptRedis;
  const limiter = createRateLimiter({ redis, metrics: createMetrics({ runtime: false }), entriesMax: 10 });
  const numbers = { perSecond: 1, burst: 5 };
  const take = () => limiter.take('one', numbers);
  const together = [take(), take()];
  while (answers.length === 0) await turn();
  const later = [take(), take(), take(), take()];
  answers.shift()?.([2, 3, 2, 1]);
  const first = await Promise.all(together);
  while (answers.length === 0) await turn();
  answers.shift()?.([3, 0, 5, 1]);
  const rest = await Promise.all(later);
  expect(calls).toEqual([2, 4]);
  expect([...first, ...rest].map((taking) => [taking.allowed, taking.remaining])).toEqual([
    [true, 4],
    [true, 3],
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
});
