import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  /* One millisecond of delay counts as overload: any event loop is late by more now and then. */
  api = await startApi({ environment: { OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: '1' } });
});
afterAll(() => api.close());

test('under overload requests are 503 with the envelope and a time to come back, health and metrics still answer', async () => {
  const block = setInterval(() => {
    const until = performance.now() + 50;
    while (performance.now() < until);
  }, 60);
  try {
    await expect.poll(async () => (await fetch(`${api.baseUrl}/assets`)).status).toBe(503);
    const answer = await fetch(`${api.baseUrl}/assets`);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(15);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answer.json()).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      requestId: expect.any(String),
    });
    for (const path of ['/livez', '/health', '/readyz', '/metrics']) {
      expect([path, (await fetch(`${api.baseUrl}${path}`)).status]).toEqual([path, 200]);
    }
  } finally {
    clearInterval(block);
  }
});
