import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createTokenAdvances } from '../../../src/platform/rate-limit/token-advances.ts';
import type { Tokens } from '../../../src/platform/rate-limit/token-bucket.ts';

const NUMBERS = { perSecond: 1_000, burst: 2_000 };
const SETTLED_AFTER = 10;

/** A shared bucket that does not fill up, and can be away. */
function sharedBucket(remaining: number) {
  const paid: number[] = [];
  const bucket = {
    remaining,
    isAway: false,
    paid,
    take: async (_name: string, _numbers: unknown, count: number): Promise<Tokens | undefined> => {
      if (bucket.isAway) return undefined;
      const granted = Math.min(count, bucket.remaining);
      paid.push(count);
      bucket.remaining -= granted;
      return { granted, remaining: bucket.remaining, secondsUntilFull: 1, secondsUntilNext: 1 };
    },
  };
  return bucket;
}

const told = (remaining: number) => ({ granted: 1, remaining, secondsUntilFull: 1, secondsUntilNext: 1 });

/** How many tokens are given on credit, one after the other. */
function takeAll(advances: ReturnType<typeof createTokenAdvances>, numbers = NUMBERS): number {
  let count = 0;
  while (advances.take('one', numbers) !== undefined) count += 1;
  return count;
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

describe('tokens on credit', () => {
  test('there are none before Redis has been asked, and none of a bucket of less than 1,000', () => {
    const advances = createTokenAdvances(sharedBucket(2_000).take);
    expect(takeAll(advances)).toBe(0);
    advances.learn('one', { perSecond: 500, burst: 999 }, told(999));
    expect(takeAll(advances, { perSecond: 500, burst: 999 })).toBe(0);
  });

  test('are at most a twentieth of the bucket, and none while it is less than half full', () => {
    const advances = createTokenAdvances(sharedBucket(2_000).take);
    advances.learn('one', NUMBERS, told(1_999));
    expect(takeAll(advances)).toBe(100);
    advances.learn('half', NUMBERS, told(1_003));
    expect([1, 2, 3, 4].map(() => advances.take('half', NUMBERS)?.remaining)).toEqual([
      1_002,
      1_001,
      1_000,
      undefined,
    ]);
  });

  test('say what is left and when the bucket is full again', () => {
    const advances = createTokenAdvances(sharedBucket(2_000).take);
    advances.learn('one', NUMBERS, told(1_500));
    expect(advances.take('one', NUMBERS)).toEqual({
      granted: 1,
      remaining: 1_499,
      secondsUntilFull: 1,
      secondsUntilNext: 1,
    });
  });

  test('come back as in the shared bucket, by the clock of the process', async () => {
    let now = 0;
    const advances = createTokenAdvances(sharedBucket(2_000).take, () => now);
    advances.learn('one', NUMBERS, told(1_500));
    expect(advances.take('one', NUMBERS)?.remaining).toBe(1_499);
    now = 5;
    expect(advances.take('one', NUMBERS)?.remaining).toBe(1_503);
    now = 10_000;
    expect(advances.take('one', NUMBERS)?.remaining).toBe(1_999);
  });

  test('are paid after 10 ms, each one once; then there are new ones', async () => {
    const bucket = sharedBucket(2_000);
    const advances = createTokenAdvances(bucket.take);
    advances.learn('one', NUMBERS, told(2_000));
    expect(takeAll(advances)).toBe(100);
    await vi.advanceTimersByTimeAsync(SETTLED_AFTER);
    expect([bucket.paid, bucket.remaining]).toEqual([[100], 1_900]);
    expect(takeAll(advances)).toBe(100);
    await vi.advanceTimersByTimeAsync(SETTLED_AFTER);
    expect([bucket.paid, bucket.remaining]).toEqual([[100, 100], 1_800]);
  });

  test('end when nobody asked for 10 ms: what other processes took meanwhile is unknown', async () => {
    const advances = createTokenAdvances(sharedBucket(2_000).take);
    advances.learn('one', NUMBERS, told(2_000));
    await vi.advanceTimersByTimeAsync(SETTLED_AFTER);
    expect(takeAll(advances)).toBe(0);
  });

  test('end when others have taken half of the bucket', async () => {
    const bucket = sharedBucket(2_000);
    const advances = createTokenAdvances(bucket.take);
    advances.learn('one', NUMBERS, told(2_000));
    advances.take('one', NUMBERS);
    bucket.remaining = 900;
    await vi.advanceTimersByTimeAsync(SETTLED_AFTER);
    expect(takeAll(advances)).toBe(0);
  });

  test('end when Redis does not answer, and when the client has other numbers', async () => {
    const bucket = sharedBucket(2_000);
    const advances = createTokenAdvances(bucket.take);
    advances.learn('one', NUMBERS, told(2_000));
    expect(takeAll(advances, { perSecond: 1_000, burst: 3_000 })).toBe(0);
    advances.take('one', NUMBERS);
    bucket.isAway = true;
    await vi.advanceTimersByTimeAsync(SETTLED_AFTER);
    expect(takeAll(advances)).toBe(0);
  });
});
