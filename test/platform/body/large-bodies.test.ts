import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWireApp, TOKEN, type WireApp, wholeBody } from '../wire-app.ts';

/* A body of more than 16 KiB is read and checked when the turn of its caller has come. */

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp({
    extend: (app) => {
      app.post('/open', async ({ body }) => body);
    },
  });
});
afterAll(() => wire.close());

const filled = (bytes: number) => ' '.repeat(bytes);

test('a stranger sends 16 KiB at most, to every route that knows no caller', async () => {
  const send = (bytes: number) =>
    fetch(`${wire.baseUrl}/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{}${filled(bytes - 2)}`,
    });
  expect((await send(16 * 1024)).status).toBe(200);
  expect((await send(16 * 1024 + 1)).status).toBe(413);
});

test('a large body is answered as a small one is, good or bad', async () => {
  const answers = async (body: string, query = '') => {
    const { status, json } = await wire.post(`/things${query}`, body);
    return { status, code: json.code, errors: json.errors, name: json.name };
  };
  for (const body of ['{"name":"good"}', '{"name":5}', '{"count":"x"}', '[]', '{"__proto__":1}']) {
    expect(await answers(`${body}${filled(20_000)}`)).toEqual(await answers(body));
  }
  expect(await answers(`{"name":5}${filled(20_000)}`, '?x=1')).toEqual(await answers('{"name":5}', '?x=1'));
  const { errors } = await answers(`{${filled(20_000)}`);
  expect(errors).toEqual(wholeBody(/^Not valid JSON/));
  expect(wire.room.bytesTaken).toBe(0);
});

test('whose caller leaves before its turn is not worked on', async () => {
  const own = await startWireApp();
  let closed = 0;
  own.app.server.on('connection', (socket) => socket.once('close', () => (closed += 1)));
  const release = own.holdBatches();
  const send = (bytes: number, signal?: AbortSignal) =>
    fetch(`${own.baseUrl}/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: `{}${filled(bytes)}`,
      ...(signal !== undefined && { signal }),
    });
  /* As many as one client may have under way. */
  const first = [send(100_000), send(100_000)];
  await expect.poll(() => own.batchesBegun()).toBe(2);
  const leaving = new AbortController();
  const left = send(200_000, leaving.signal).catch(() => 'left');
  await expect.poll(() => own.room.bytesTaken).toBe(400_006);
  leaving.abort();
  expect(await left).toBe('left');
  await expect.poll(() => closed).toBe(1);
  release();
  for (const answer of await Promise.all(first)) expect(answer.status).toBe(200);
  expect((await send(100_000)).status).toBe(200);
  expect(own.batchesBegun()).toBe(3);
  expect(own.room.bytesTaken).toBe(0);
  await own.close();
});
