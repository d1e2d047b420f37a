import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openRedis, redisProblems } from '../../../src/platform/redis/redis.ts';
import { takeTestRedis } from '../../setup/redis.ts';

const info = (text: string) => ({ info: async () => text }) as unknown as Redis;

test('the server of the tests is fit for a queue', async () => {
  const redis = openRedis({
    url: await takeTestRedis(),
    use: 'commands',
    connectionName: 'redis-test',
    onStateChange: () => {},
  });
  await once(redis, 'ready');
  expect(await redisProblems(redis)).toEqual([]);
  redis.disconnect();
});

test.each([
  ['allkeys-lru', 'redis_version:7.2.4\r\nmaxmemory_policy:allkeys-lru\r\n', /may evict keys/],
  ['an old version', 'redis_version:5.0.14\r\nmaxmemory_policy:noeviction\r\n', /too old/],
  ['an answer without the facts', '', /unknown/],
])('%s is refused with one sentence', async (_what, text, expected) => {
  const problems = await redisProblems(info(text));
  expect(problems[0]).toMatch(expected);
});

test('Redis 6.2 and Valkey are accepted', async () => {
  expect(await redisProblems(info('redis_version:6.2.0\r\nmaxmemory_policy:noeviction\r\n'))).toEqual([]);
  expect(
    await redisProblems(info('redis_version:7.2.4\r\nserver_name:valkey\r\nmaxmemory_policy:noeviction\r\n')),
  ).toEqual([]);
});

test('F16 a server that is away: commands fail at once, and it is said once', async () => {
  const states: string[] = [];
  const said = Promise.withResolvers<void>();
  const redis = openRedis({
    url: 'redis://127.0.0.1:1',
    use: 'commands',
    connectionName: 'redis-test',
    onStateChange: (state) => {
      states.push(state);
      said.resolve();
    },
  });
  await said.promise;
  const startedAt = performance.now();
  await expect(redis.ping()).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await once(redis, 'reconnecting');
  expect(states).toEqual(['lost']);
  redis.disconnect();
});
