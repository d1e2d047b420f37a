import { describe, expect, test } from 'vitest';
import { judgeMemory } from '../../load/measure/memory.ts';
import { median, percentile, percentiles } from '../../load/measure/statistics.ts';
import { judge } from '../../load/measure/verdict.ts';

describe('the arithmetic of load reports', () => {
  test('a percentile is one of the values: the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.99, 0.999, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100, 100]);
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  test('percentiles do not depend on the order of the values', () => {
    const values = Array.from({ length: 2000 }, (_, index) => (index * 7919) % 2000);
    expect(percentiles(values)).toEqual({
      count: 2000,
      p50: 999,
      p90: 1799,
      p95: 1899,
      p99: 1979,
      p99_9: 1997,
      max: 1999,
    });
  });

  test('the median of an even number of values lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([10, 9, 2])).toBe(9);
  });

  test('a figure at the promise holds, one below it fails', () => {
    expect(judge('P1', 1)).toMatchObject({ outcome: 'held' });
    expect(judge('P1', 1.25)).toMatchObject({ outcome: 'goal held' });
    expect(judge('P1', 0.99)).toMatchObject({ outcome: 'missed' });
    expect(judge('P4 all bad', 10.1)).toMatchObject({ outcome: 'missed' });
    expect(judge("P2'", Number.NaN)).toMatchObject({ outcome: 'missed' });
  });

  test('growth of memory counts after the first minute only, and in runs of two minutes or more', () => {
    const samples = (seconds: number, bytesAt: (second: number) => number) =>
      Array.from({ length: seconds }, (_, second) => ({ seconds: second + 1, bytes: bytesAt(second + 1) }));
    expect(judgeMemory(samples(60, () => 100e6))).toEqual({ megabytesMax: 100, growth: null });
    expect(judgeMemory(samples(180, (second) => Math.min(second, 60) * 1e6))).toEqual({
      megabytesMax: 60,
      growth: 1,
    });
    expect(judgeMemory(samples(180, (second) => second * 1e6)).growth).toBeCloseTo(165.5 / 75.5, 3);
  });
});
