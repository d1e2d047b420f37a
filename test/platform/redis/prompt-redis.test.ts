import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { openPromptRedis, type PromptRedis } from '../../../src/platform/redis/prompt-redis.ts';
import { logLines, quietRedis } from '../counted-requests.ts';

const lines = logLines();
const metrics = createMetrics({ runtime: false });
let redis: PromptRedis;

beforeAll(async () => {
  redis = openPromptRedis({
    url: quietRedis(),
    databaseUrl: 'postgres://127.0.0.1:1/prompt',
    connectionName: 'prompt-test',
    answerMillisecondsMax: 1_000,
    log: lines.log,
    metrics,
  });
  while ((await ping()) === undefined) await setImmediate();
});
afterAll(() => redis.close());

const ping = () => redis.ask((connection) => connection.ping());
const refused = () => redis.ask((connection) => connection.call('NOSUCHCOMMAND'));

test('F19 a server that refuses what it is told counts as away after three refusals, until it takes a write again', async () => {
  expect(await ping()).toBe('PONG');
  expect(await refused()).toBeUndefined();
  expect(await ping()).toBe('PONG');
  for (let time = 0; time < 3; time += 1) expect(await refused()).toBeUndefined();
  expect(await metrics.text()).toContain('voltstream_redis_available 0');
  let sent = 0;
  while ((await ping()) === undefined) {
    sent += 1;
    await setImmediate();
  }
  expect(sent).toBeGreaterThan(0);
  expect(await metrics.text()).toContain('voltstream_redis_available 1');
  expect(lines.count('Redis does not answer')).toBe(1);
  expect(lines.count('Redis is back')).toBe(1);
});

test('a process that was busy for longer than the limit still takes the answer that came meanwhile', async () => {
  const quick = openPromptRedis({
    url: quietRedis(),
    databaseUrl: 'postgres://127.0.0.1:1/prompt',
    connectionName: 'prompt-busy-test',
    answerMillisecondsMax: 10,
    log: lines.log,
    metrics: createMetrics({ runtime: false }),
  });
  while ((await quick.ask((connection) => connection.ping())) === undefined) await setImmediate();
  const answers: unknown[] = [];
  for (let time = 0; time < 5; time += 1) {
    const pong = quick.ask((connection) => connection.ping());
    const until = performance.now() + 60;
    while (performance.now() < until);
    answers.push(await pong);
  }
  expect(answers.filter((answer) => answer === 'PONG').length).toBeGreaterThanOrEqual(4);
  quick.close();
});

test('two services on one server have keys of their own', async () => {
  const prefixes = await Promise.all(
    ['a', 'b', 'a'].map(async (name) => {
      const redis = openPromptRedis({
        url: quietRedis(),
        databaseUrl: `postgres://127.0.0.1:1/${name}`,
        connectionName: 'prompt-prefix-test',
        answerMillisecondsMax: 1_000,
        log: lines.log,
        metrics: createMetrics({ runtime: false }),
      });
      let prefix: string | undefined;
      while (prefix === undefined) {
        prefix = await redis.ask(async (_connection, own) => own);
        await setImmediate();
      }
      redis.close();
      return prefix;
    }),
  );
  expect(prefixes[0]).toBe(prefixes[2]);
  expect(prefixes[0]).not.toBe(prefixes[1]);
});
