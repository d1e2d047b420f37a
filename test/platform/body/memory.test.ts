import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type BodyLimits, type ReceivedBody, receiveBody } from '../../../src/platform/body/body.ts';
import { BodyRoom } from '../../../src/platform/body/room.ts';
import { BufferPool } from '../../../src/platform/database/buffer-pool.ts';

/* V8 collects everything for each 64 MiB that lie outside its heap: what was copied must not wait for that. */

const MEBIBYTE = 1024 * 1024;

const server = createServer();
afterEach(() => {
  server.removeAllListeners('request').close();
  server.closeAllConnections();
});

/** Sends a body over a real connection, and gives it with the pieces in which it came. */
async function receive(sent: RequestInit, more: Partial<BodyLimits> = {}) {
  const limits = { bytesMax: 8 * MEBIBYTE, room: new BodyRoom(), holder: 'org', codings: true, ...more };
  const pieces: Buffer[] = [];
  const lengths: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedBody>();
  server.on('request', (request, response) => {
    request.on('data', (piece: Buffer) => {
      pieces.push(piece);
      lengths.push(piece.length);
    });
    receiveBody(request, request.headers, limits).then(resolve, reject);
    void promise.then(
      () => response.end(),
      () => response.end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', ...sent });
  return { ...(await promise), pieces, lengths };
}

const body = Buffer.from(Array.from({ length: MEBIBYTE }, (_, index) => index % 251));
const heldBy = (pieces: readonly Buffer[]) =>
  pieces.reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0);

async function* inPieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 100_000) yield body.subarray(at, at + 100_000);
}

test('a piece of a body holds no memory once it was copied', async () => {
  const { bytes, pieces, lengths } = await receive({ body });
  expect(bytes.equals(body)).toBe(true);
  expect(lengths.length).toBeGreaterThan(8);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(MEBIBYTE);
  expect(heldBy(pieces)).toBe(0);
});

test('nor does one of a body whose length was not announced', async () => {
  const { bytes, pieces, lengths } = await receive({
    body: ReadableStream.from(inPieces()),
    duplex: 'half',
  });
  expect(bytes.equals(body)).toBe(true);
  expect(lengths.length).toBeGreaterThan(8);
  expect(heldBy(pieces)).toBe(0);
});

test('a body in one piece is not copied, and is whole', async () => {
  const { bytes, pieces } = await receive({ body: body.subarray(0, 5_000) });
  expect(bytes.equals(body.subarray(0, 5_000))).toBe(true);
  expect(bytes === pieces[0]).toBe(true);
});

test('the memory of what came compressed serves the next body once it was inflated', async () => {
  const pool = new BufferPool({ bytes: 2 * MEBIBYTE, keepMax: 1 });
  const { buffer: memory } = pool.take(MEBIBYTE);
  pool.give(Buffer.from(memory, 0, MEBIBYTE));
  const headers = { 'content-encoding': 'gzip' };
  const { bytes } = await receive({ body: gzipSync(body, { level: 0 }), headers }, { pool });
  expect(bytes.equals(body)).toBe(true);
  /* Not toBe: to print two megabytes takes minutes. */
  expect(pool.take(MEBIBYTE).buffer === memory).toBe(true);
});
