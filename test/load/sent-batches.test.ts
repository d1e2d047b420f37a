import { afterEach, describe, expect, test, vi } from 'vitest';
import { Bodies } from '../../load/ingest/bodies.ts';
import { SentBatches } from '../../load/ingest/run.ts';
import { planFleet } from '../../load/surroundings/seed.ts';

afterEach(() => void vi.useRealTimers());

describe('batches of a long run', () => {
  const fleet = planFleet('late', 3);
  const keys = new Map(fleet.flatMap(({ assets }) => assets.map(({ id }, index) => [id, index] as const)));
  const sentFrom = (nowSeconds: number, options?: { oldestSeconds: number }) =>
    new SentBatches(
      new Bodies({ fleet, keys, rows: 100, beginSeconds: nowSeconds - 900, apart: 'milliseconds' }),
      options,
    );
  const firstInstant = (sent: SentBatches, number: number) => {
    const { snapshots } = JSON.parse(sent.bodies.at(number).toString()) as {
      snapshots: { timestamp: string }[];
    };
    return Date.parse(snapshots[0]?.timestamp ?? '') / 1000;
  };

  test('are never late, however long the run takes, and none is sent twice', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const begin = 1_790_000_000;
    vi.setSystemTime(begin * 1000);
    const sent = sentFrom(begin, { oldestSeconds: 900 });
    const before = sent.take(7);
    vi.setSystemTime((begin + 1_000) * 1000);
    const after = sent.take(7);
    expect(firstInstant(sent, before[0] as number)).toBe(begin - 900);
    expect(firstInstant(sent, after[0] as number)).toBe(begin + 100);
    expect(after[0]).toBeGreaterThan(before.at(-1) as number);
    expect(sent.take(1)).toEqual([(after.at(-1) as number) + 1]);
  });

  test('follow each other without a gap where age does not matter', () => {
    const sent = sentFrom(1_700_000_000);
    expect([...sent.take(2), ...sent.take(2)]).toEqual([0, 1, 2, 3]);
  });
});
