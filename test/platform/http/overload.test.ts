import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  /* One millisecond of delay counts as overload: any event loop is late by more now and then. */
  api = await startApi({ environment: { OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: '1' } });
});
afterAll(() => api.close());

test('a second in which nothing could be measured, as at a slow start, is no overload', async () => {
  let status: number;
  /* On a busy machine the next second may be over before the answer is there. */
  do {
    const until = performance.now() + 1_100;
    while (performance.now() < until);
    await setImmediate();
    ({ status } = await fetch(`${api.baseUrl}/assets`));
  } while (api.app.memoryUsage().eventLoopDelay !== Number.POSITIVE_INFINITY);
  expect(status).toBe(401);
});

async function underLoad(work: () => Promise<void>): Promise<void> {
  const block = setInterval(() => {
    const until = performance.now() + 50;
    while (performance.now() < until);
  }, 60);
  try {
    await expect.poll(async () => (await fetch(`${api.baseUrl}/assets`)).status).toBe(503);
    await work();
  } finally {
    clearInterval(block);
  }
}

test('under overload pages are pages: with a policy, and told in the words of a person', async () => {
  await underLoad(async () => {
    for (const path of ['/', '/docs', '/prices', '/portal/overview', '/auth/login', '/nothing']) {
      const answer = await fetch(`${api.baseUrl}${path}`, {
        headers: { accept: 'text/html', 'accept-language': 'en' },
      });
      const told = path === '/nothing' ? 'There is no such page' : 'It does not work just now';
      const text = await answer.text();
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8']);
      expect([path, answer.headers.get('content-security-policy')]).toEqual([
        path,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
      expect([path, answer.headers.get('x-frame-options')]).toEqual([path, 'DENY']);
      expect([path, answer.headers.get('referrer-policy')]).toEqual([path, 'no-referrer']);
      expect([path, text.includes(answer.status === 503 ? 'It does not work just now' : told)]).toEqual([
        path,
        true,
      ]);
    }
  });
});

test('F28 under overload requests are 503 with the envelope and a time to come back, health and metrics still answer', async () => {
  await underLoad(async () => {
    const answer = await fetch(`${api.baseUrl}/assets`);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(15);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answer.json()).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      requestId: expect.any(String),
    });
    /* By chance, so that those who were turned away together do not come back together. */
    const many = await Promise.all(Array.from({ length: 30 }, () => fetch(`${api.baseUrl}/assets`)));
    const seconds = many.map(({ headers }) => Number(headers.get('retry-after')));
    expect(seconds.filter((wait) => !(wait >= 5 && wait <= 15))).toEqual([]);
    expect(new Set(seconds).size).toBeGreaterThan(3);
    /* Not turned away. Readiness may miss the database once, which is asked between the blocks. */
    for (const path of ['/livez', '/health', '/readyz', '/metrics']) {
      await expect
        .poll(async () => [path, (await fetch(`${api.baseUrl}${path}`)).status])
        .toEqual([path, 200]);
    }
  });
});
