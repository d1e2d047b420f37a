import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { cutConnection } from '../../setup/cut-connection.ts';
import { createTenant } from '../../setup/factories.ts';
import { atOnce, counted, logLines, metric, quietRedis, waitForSharedCount } from '../counted-requests.ts';
import { slowConnection } from './slow-connection.ts';

const GONE = 'Redis does not answer: each process counts requests by itself';
const BACK = 'Redis is back: requests are counted together again';

const slow = (burst: number) => ({ rate_per_second: 1, rate_burst: burst });

/* On a busy machine the database may not answer a probe within its second. */
const untilReady = ({ baseUrl }: TestApi) =>
  expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status).toBe(200);

test('F16 while Redis is away each process counts by itself, without the headers; a metric and one line say so', async () => {
  const redis = await cutConnection(quietRedis());
  const lines = logLines();
  const api = await startApi({ log: lines.log, environment: { REDIS_URL: redis.url } });
  try {
    await waitForSharedCount(api);
    expect(await metric(api, 'redis_available')).toBe(1);
    const { token } = await createTenant(api, slow(10));
    expect((await counted(api.baseUrl, token)).headers.get('ratelimit-limit')).toBe('10');

    await redis.cut();
    while ((await counted(api.baseUrl, (await createTenant(api)).token)).headers.has('ratelimit-limit'));
    expect(await metric(api, 'redis_available')).toBe(0);
    await untilReady(api);
    const before = await metric(api, 'rate_limit_process_decisions_total');
    const begun = performance.now();
    const answers = await atOnce(20, () => counted(api.baseUrl, token));
    const refilled = Math.ceil((performance.now() - begun) / 1000);
    const passed = answers.filter((answer) => answer.status === 200);
    /* A bucket of the same size, full when the process takes over. */
    expect(passed.length).toBeGreaterThanOrEqual(10);
    expect(passed.length).toBeLessThanOrEqual(10 + refilled);
    for (const { status, headers, body } of answers) {
      expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
      if (status === 200) continue;
      expect(status).toBe(429);
      expect(headers.get('retry-after')).toBe('1');
      expect(body.message).toBe('Too many requests. Retry after 1 seconds');
    }
    expect(await metric(api, 'rate_limit_process_decisions_total')).toBe(before + 20);
    expect(lines.count(GONE)).toBe(1);

    await redis.mend();
    await waitForSharedCount(api);
    expect(await metric(api, 'redis_available')).toBe(1);
    expect([lines.count(GONE), lines.count(BACK)]).toEqual([1, 1]);
    expect((await counted(api.baseUrl, token)).headers.get('ratelimit-limit')).toBe('10');
  } finally {
    await api.close();
    await redis.close();
  }
});

test('F16 a service that starts without Redis serves, and counts together as soon as it is there', async () => {
  const redis = await cutConnection(quietRedis());
  await redis.cut();
  const lines = logLines();
  const api = await startApi({ log: lines.log, environment: { REDIS_URL: redis.url } });
  try {
    const { token } = await createTenant(api);
    const answer = await counted(api.baseUrl, token);
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
    await untilReady(api);
    await redis.mend();
    await waitForSharedCount(api);
    expect([lines.count(GONE), lines.count(BACK)]).toEqual([1, 1]);
  } finally {
    await api.close();
    await redis.close();
  }
});

test('F16 a Redis that hangs costs the first requests a few milliseconds and the later ones nothing', async () => {
  const redis = await slowConnection(quietRedis());
  const lines = logLines();
  const api = await startApi({
    log: lines.log,
    environment: { REDIS_URL: redis.url, REDIS_ANSWER_MILLISECONDS_MAX: '200' },
  });
  try {
    await waitForSharedCount(api);
    const { limiter } = api.deps;
    const numbers = { perSecond: 100_000, burst: 100_000 };
    const take = async (bucket: string) => {
      const begun = performance.now();
      const taken = await limiter.take(bucket, numbers);
      return { taken, milliseconds: performance.now() - begun };
    };
    redis.freeze();
    const waited: number[] = [];
    for (let request = 0; request < 50; request += 1) {
      const { taken, milliseconds } = await take('hanging');
      expect(taken).toMatchObject({ allowed: true, shared: false });
      waited.push(milliseconds);
    }
    /* Three of them wait, here for 200 ms each; a machine that is busy otherwise may add to it. */
    expect(waited.filter((milliseconds) => milliseconds > 150).length).toBeLessThanOrEqual(25);
    expect(lines.count(GONE)).toBe(1);
    expect(await metric(api, 'redis_available')).toBe(0);

    redis.thaw();
    await waitForSharedCount(api);
    expect((await take('hanging')).taken.shared).toBe(true);
    expect([lines.count(GONE), lines.count(BACK)]).toEqual([1, 1]);
  } finally {
    await api.close();
    await redis.close();
  }
});

test('F16 requests that wait behind a call that gets no answer are decided with it, and none waits twice', async () => {
  const redis = await slowConnection(quietRedis());
  const api = await startApi({
    environment: { REDIS_URL: redis.url, REDIS_ANSWER_MILLISECONDS_MAX: '1000' },
  });
  try {
    await waitForSharedCount(api);
    redis.freeze();
    const numbers = { perSecond: 1, burst: 10 };
    /* A machine that is busy otherwise delays this as well. */
    const waitsTwice = wait(1_900, []);
    const taken = await Promise.race([
      Promise.all(Array.from({ length: 30 }, () => api.deps.limiter.take('together', numbers))),
      waitsTwice,
    ]);
    expect(taken).toHaveLength(30);
    expect(taken.filter((taking) => taking.allowed)).toHaveLength(10);
    expect(taken.every((taking) => !taking.shared)).toBe(true);
  } finally {
    await api.close();
    await redis.close();
  }
});
