import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AttemptRule, afterFailure } from '../../../../src/identity/oauth/attempts/counts.ts';
import { createAttemptLimiter } from '../../../../src/identity/oauth/attempts/limits.ts';
import { networkOf } from '../../../../src/platform/http/network.ts';
import { createMetrics } from '../../../../src/platform/metrics.ts';
import { openPromptRedis, type PromptRedis } from '../../../../src/platform/redis/prompt-redis.ts';
import { logLines, quietRedis } from '../../../platform/counted-requests.ts';
import { fakeClock } from '../../../setup/clock.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let redis: PromptRedis;

beforeAll(async () => {
  redis = openPromptRedis({
    url: quietRedis(),
    databaseUrl: 'postgres://127.0.0.1:1/attempts',
    connectionName: 'attempts-test',
    answerMillisecondsMax: 1_000,
    log: logLines().log,
    metrics: createMetrics({ runtime: false }),
  });
  /* Answered at once while it is not connected: the loop must let the connection happen. */
  while ((await redis.ask((connection) => connection.ping())) === undefined) await setImmediate();
});
afterAll(() => redis.close());

/** As with a Redis that is away. */
const nowhere: PromptRedis = { ask: async () => undefined, close: () => {} };

const rule = (failuresMax: number): AttemptRule => ({
  name: 'test',
  failuresMax,
  windowSeconds: 60,
  closedSeconds: 60,
  closedSecondsMax: 900,
});

const limiter = (store: PromptRedis, ...rules: AttemptRule[]) =>
  createAttemptLimiter({ redis: store, clock, entriesMax: 100 }, rules);

test.each([
  ['in Redis', () => redis],
  ['in the process', () => nowhere],
])(
  '%s: ten failures within a minute close the door, and each later one for twice as long, up to 15 minutes',
  async (_, store) => {
    const limits = limiter(store(), rule(10));
    const who = [randomUUID()];
    for (let failure = 1; failure <= 10; failure += 1) {
      expect(await limits.secondsToWait(who)).toBe(0);
      expect(await limits.countFailure(who)).toEqual([failure]);
      clock.advance(1_000);
    }
    expect(await limits.secondsToWait(who)).toBe(59);
    expect(await limits.secondsToWait([randomUUID()])).toBe(0);
    const closings: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      clock.advance((await limits.secondsToWait(who)) * 1000);
      expect(await limits.secondsToWait(who)).toBe(0);
      await limits.countFailure(who);
      closings.push(await limits.secondsToWait(who));
    }
    expect(closings).toEqual([120, 240, 480, 900, 900, 900]);
    clock.advance(900_000 + 3_600_000);
    expect(await limits.countFailure(who)).toEqual([1]);
    expect(await limits.secondsToWait(who)).toBe(0);
  },
);

test.each([
  ['in Redis', () => redis],
  ['in the process', () => nowhere],
])('%s: failures that come slowly close nothing', async (_, store) => {
  const limits = limiter(store(), rule(3));
  const who = [randomUUID()];
  for (let failure = 0; failure < 12; failure += 1) {
    await limits.countFailure(who);
    expect(await limits.secondsToWait(who)).toBe(0);
    clock.advance(31_000);
  }
});

test('a rule without a closing counts and never makes anybody wait', async () => {
  const limits = limiter(redis, { ...rule(3), closedSeconds: 0, closedSecondsMax: 0 });
  const who = [randomUUID()];
  for (let failure = 1; failure <= 1_200; failure += 1) await limits.countFailure(who);
  expect(await limits.secondsToWait(who)).toBe(0);
  expect(await limits.countFailure(who)).toEqual([1_201]);
});

test('simultaneous failures are all counted', async () => {
  const limits = [limiter(redis, rule(50)), limiter(redis, rule(50))];
  const who = [randomUUID()];
  await Promise.all(Array.from({ length: 50 }, (_, index) => limits[index % 2]?.countFailure(who)));
  expect(await limits[0]?.secondsToWait(who)).toBe(60);
});

test('the script in Redis and the process count alike', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 25 });
  const rules = fc.record({
    name: fc.constant('alike'),
    failuresMax: fc.integer({ min: 1, max: 5 }),
    windowSeconds: fc.integer({ min: 1, max: 120 }),
    closedSeconds: fc.integer({ min: 0, max: 120 }),
    closedSecondsMax: fc.integer({ min: 0, max: 600 }),
  });
  await fc.assert(
    fc.asyncProperty(rules, steps, async (limit, waits) => {
      const shared = limiter(redis, limit);
      const own = limiter(nowhere, limit);
      const who = [randomUUID()];
      for (const wait of waits) {
        clock.advance(wait);
        expect(await shared.countFailure(who)).toEqual(await own.countFailure(who));
        expect(await shared.secondsToWait(who)).toBe(await own.secondsToWait(who));
      }
    }),
    { numRuns: 40 },
  );
});

test('the count of a very long attack stays a number', () => {
  const state = { failures: 100_000, sinceMilliseconds: 0, closedUntilMilliseconds: 1 };
  expect(afterFailure(state, { ...rule(3), closedSeconds: 0 }, 2).closedUntilMilliseconds).toBe(2);
  expect(afterFailure(state, rule(3), 2).closedUntilMilliseconds).toBe(900_002);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('IPv4 addresses that come over IPv6 are told apart', () => {
  expect(networkOf('::ffff:192.0.2.7')).not.toBe(networkOf('::ffff:192.0.2.8'));
});
