import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startWireApp, TOKEN, type WireApp } from '../wire-app.ts';

/* Lists of the version without pages are written as they are read, for as long as somebody reads. */

const PORTIONS = 300;
const HANDLER_MILLISECONDS = 200;

let wire: WireApp;
afterEach(() => wire.close());

function wholeList(): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-api-version': '2025-12-01.chucky' };
  return new Promise((resolve, reject) => {
    get(`${wire.baseUrl}/things`, { headers }, resolve).on('error', reject);
  });
}

test('a list that is read for longer than a handler may take arrives whole', async () => {
  wire = await startWireApp({ portions: PORTIONS, handlerMilliseconds: HANDLER_MILLISECONDS });
  const answer = await wholeList();
  const parts: Buffer[] = [];
  let isFirst = true;
  for await (const part of answer) {
    if (isFirst) await wait(4 * HANDLER_MILLISECONDS);
    isFirst = false;
    parts.push(part as Buffer);
  }
  const { items } = JSON.parse(Buffer.concat(parts).toString()) as { items: { id: string }[] };
  expect(answer.complete).toBe(true);
  expect(items.map(({ id }) => Number(id))).toEqual(
    Array.from({ length: PORTIONS }, (_, index) => index + 1),
  );
});

test('F25 no more is read than the reader takes, and one that takes nothing is left after a while', async () => {
  wire = await startWireApp({ portions: 10_000, idleMilliseconds: 500 });
  const answer = await wholeList();
  const ended = new Promise<Error>((resolve) => answer.on('error', resolve));
  answer.once('data', () => answer.pause());
  await wait(300);
  const read = wire.portionsRead();
  expect(read).toBeLessThan(500);
  await expect
    .poll(() => new Promise((resolve) => wire.app.server.getConnections((_, count) => resolve(count))))
    .toBe(0);
  expect(wire.portionsRead()).toBeLessThan(read + 10);
  answer.resume();
  expect(await ended).toMatchObject({ code: 'ECONNRESET' });
});

test('HEAD of a list is answered behind its first portion, and reads no other', async () => {
  wire = await startWireApp({ portions: PORTIONS });
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-api-version': '2025-12-01.chucky' };
  const answer = await fetch(`${wire.baseUrl}/things`, { method: 'HEAD', headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('content-length')).toBeNull();
  await wait(100);
  expect(wire.portionsRead()).toBe(1);
});
