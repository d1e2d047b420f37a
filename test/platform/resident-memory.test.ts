import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';

let api: TestApi;
let token: string;
beforeAll(async () => {
  /* Less than any process has: what a greedy caller would have to fill first. */
  api = await startApi({ environment: { OVERLOAD_RESIDENT_MEBIBYTES: '1' } });
  ({ token } = await createTenant(api));
});
afterAll(() => api?.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.baseUrl}${path}`, { headers });

test('a process that holds too much memory sheds requests with 503 and a time to come back', async () => {
  const authorization = `Bearer ${token}`;
  await expect.poll(async () => (await ask('/plans', { authorization })).status).toBe(503);
  const answer = await ask('/plans', { authorization });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  expect((await ask('/health')).status).toBe(200);
});
