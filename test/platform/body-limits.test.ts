import { connect } from 'node:net';
import { brotliCompressSync, constants, createGzip, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BodyRoom } from '../../src/platform/body-room.ts';
import { sendRaw, startWireApp, TOKEN, type WireApp, wholeBody } from './wire-app.ts';

const MEBIBYTE = 1024 * 1024;

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp();
});
afterAll(() => wire.close());

const post = (...sent: Parameters<WireApp['post']>) => wire.post(...sent);

describe('bombs are stopped at the limit, in little time and memory', () => {
  /** 200 MiB of zeros, compressed without ever holding them. */
  async function gzipBomb(): Promise<Buffer> {
    const gzip = createGzip({ level: 9 });
    const parts: Buffer[] = [];
    gzip.on('data', (part: Buffer) => parts.push(part));
    for (let n = 0; n < 200; n += 1) gzip.write(Buffer.alloc(MEBIBYTE));
    gzip.end();
    await new Promise((resolve) => gzip.on('end', resolve));
    return Buffer.concat(parts);
  }

  test.each<[string, () => Promise<Buffer>]>([
    ['gzip', gzipBomb],
    [
      'br',
      async () =>
        brotliCompressSync(Buffer.alloc(200 * MEBIBYTE), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    ],
    ['zstd', async () => zstdCompressSync(Buffer.alloc(200 * MEBIBYTE))],
  ])('B69 %s of 200 MiB', async (coding, make) => {
    const bomb = await make();
    for (const path of ['/things', '/batches']) {
      const before = process.memoryUsage().arrayBuffers;
      const startedAt = performance.now();
      const answer = await post(path, bomb, { 'content-encoding': coding });
      expect(answer.status).toBe(413);
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MEBIBYTE);
    }
    expect(wire.room.bytesTaken).toBe(0);
  });

  test('B69 a zstd frame that asks for a window of 128 MiB is 400, one of 8 MiB is read', async () => {
    /* RFC 8878, 3.1.1: magic number, descriptor without content size, window, then one raw block that is the last. */
    const frame = (windowLog: number) => {
      const magic = [0x28, 0xb5, 0x2f, 0xfd];
      return Buffer.from([...magic, 0x00, (windowLog - 10) << 3, 0x11, 0x00, 0x00, ...Buffer.from('{}')]);
    };
    expect((await post('/batches', frame(23), { 'content-encoding': 'zstd' })).status).toBe(200);
    expect((await post('/batches', frame(27), { 'content-encoding': 'zstd' })).status).toBe(400);
  });
});

describe('a body that does not arrive', () => {
  test.each(['identity', 'gzip'])('a client that goes away frees its room (%s)', async (coding) => {
    const headers = `Content-Type: application/json\r\nContent-Encoding: ${coding}\r\nContent-Length: 1000000\r\n`;
    const socket = connect({ host: '127.0.0.1', port: wire.port });
    socket.write(
      `POST /batches HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n${headers}\r\n`,
    );
    await expect.poll(() => wire.room.bytesTaken).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => wire.room.bytesTaken).toBe(0);
    expect((await post('/batches', '{}')).status).toBe(200);
  });
});

describe('a body that arrives too slowly', () => {
  test.each([
    ['B74 less than its Content-Length', 'Content-Length: 100\r\n', '{"rows":['],
    ['B74 nothing of it', 'Content-Length: 100\r\n', ''],
    ['B81 without its last chunk', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n'],
    ['compressed', 'Content-Encoding: gzip\r\nContent-Length: 100\r\n', ''],
  ])('%s is 408 with the envelope, and its room is free again', async (_title, headers, body) => {
    const impatient = await startWireApp({ patience: 100 });
    try {
      const head = `POST /batches HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;
      const answer = await sendRaw(
        impatient.port,
        `${head}Content-Type: application/json\r\n${headers}\r\n${body}`,
      );
      expect(answer).toMatchObject({ status: 408, closed: true, headers: { connection: 'close' } });
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', errors: wholeBody(/30 seconds/) });
      await expect.poll(() => impatient.room.bytesTaken).toBe(0);
    } finally {
      await impatient.close();
    }
  });
});

describe('the room for bodies', () => {
  test('a request that finds no room in time is 503 and asks to come back; room is free again afterwards', async () => {
    const room = new BodyRoom(MEBIBYTE, { waitMilliseconds: 20 });
    const small = await startWireApp({ room });
    try {
      const release = small.holdBatches();
      const send = () =>
        fetch(`${small.baseUrl}/batches`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body: `{}${' '.repeat(700_000)}`,
        });
      const first = send();
      await expect.poll(() => room.bytesTaken).toBe(700_002);
      const refused = await send();
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
      release();
      expect((await first).status).toBe(200);
      await expect.poll(() => room.bytesTaken).toBe(0);
      expect((await send()).status).toBe(200);
    } finally {
      await small.close();
    }
  });

  test('a body that inflates takes room step by step', async () => {
    const release = wire.holdBatches();
    const body = gzipSync(`{}${' '.repeat(3 * MEBIBYTE)}`);
    const pending = post('/batches', body, { 'content-encoding': 'gzip' });
    await expect.poll(() => wire.room.bytesTaken).toBe(4 * MEBIBYTE);
    release();
    expect((await pending).status).toBe(200);
    await expect.poll(() => wire.room.bytesTaken).toBe(0);
  });
});
