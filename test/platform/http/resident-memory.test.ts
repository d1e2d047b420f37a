import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  /* Less than any process has: what a greedy caller would have to fill first. */
  api = await startApi({ environment: { OVERLOAD_RESIDENT_MEBIBYTES: '1' } });
});
afterAll(() => api?.close());

const ask = (path: string) => fetch(`${api.baseUrl}${path}`);

test('a process that holds too much memory sheds requests with 503 and a time to come back', async () => {
  /* Before anybody is asked who he is: without a token it would be 401. */
  await expect.poll(async () => (await ask('/plans')).status).toBe(503);
  const answer = await ask('/plans');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  expect((await ask('/health')).status).toBe(200);
});
