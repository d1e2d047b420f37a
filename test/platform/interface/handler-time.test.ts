import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWireApp, TOKEN, type WireApp } from '../wire-app.ts';

/* Work that takes longer than a handler may is answered by 503; what that means for the caller depends on the method. */

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp({ handlerMilliseconds: 50 });
});
afterAll(() => wire.close());

test('a GET is told that nothing was changed', async () => {
  const release = wire.holdBatches();
  const answer = await fetch(`${wire.baseUrl}/things/thing_000000000000000000000001`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  release();
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    message: 'The request took too long; nothing was changed, and it may be sent again',
  });
});

test('work whose caller was told so is told to stop', async () => {
  const release = wire.holdBatches();
  try {
    expect((await wire.post('/batches', '{"rows":[]}')).status).toBe(503);
    await expect.poll(() => wire.stoppedBatches()).toBe(1);
  } finally {
    release();
  }
});

test('what it stores in the end is counted', async () => {
  const release = wire.holdBatches();
  const before = wire.rowsStored();
  expect((await wire.post('/batches', '{"rows":[1,2,3]}')).status).toBe(503);
  expect(wire.rowsStored()).toBe(before);
  release();
  await expect.poll(() => wire.rowsStored()).toBe(before + 3);
});

test('a POST is told that its outcome is unknown, and how it may be sent again', async () => {
  const release = wire.holdBatches();
  const { status, json } = await wire.post('/batches', '{"rows":[]}');
  release();
  expect(status).toBe(503);
  expect(json.message).toMatch(/its outcome is unknown\. With the same Idempotency-Key it may be sent again/);
});
