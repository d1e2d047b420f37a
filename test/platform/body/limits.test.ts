import type { Transform } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BodyRoom } from '../../../src/platform/body/room.ts';
import { processorMilliseconds } from '../../setup/fastest.ts';
import { startWireApp, TOKEN, type WireApp } from '../wire-app.ts';

const MEBIBYTE = 1024 * 1024;

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp();
});
afterAll(() => wire.close());

const post = (...sent: Parameters<WireApp['post']>) => wire.post(...sent);

describe('bombs are stopped at the limit, in little time and memory', () => {
  /** 200 MiB of zeros, compressed without ever holding them. */
  async function bombOf(coder: Transform): Promise<Buffer> {
    const zeros = Buffer.alloc(MEBIBYTE);
    const parts: Buffer[] = [];
    coder.on('data', (part: Buffer) => parts.push(part));
    for (let n = 0; n < 200; n += 1) coder.write(zeros);
    coder.end();
    await new Promise((resolve) => coder.on('end', resolve));
    return Buffer.concat(parts);
  }

  test.each<[string, () => Transform]>([
    ['gzip', () => createGzip({ level: 9 })],
    ['br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', () => createZstdCompress()],
  ])('B69 %s of 200 MiB', async (coding, createCoder) => {
    const bomb = await bombOf(createCoder());
    for (const path of ['/things', '/batches']) {
      const before = process.memoryUsage().arrayBuffers;
      const milliseconds = await processorMilliseconds(async () => {
        expect((await post(path, bomb, { 'content-encoding': coding })).status).toBe(413);
      });
      expect(milliseconds).toBeLessThan(2_000);
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

describe('a content coding takes no more than it is worth', () => {
  const answerTo = (body: Buffer, coding: string) => post('/batches', body, { 'content-encoding': coding });

  test('53 bytes of brotli that hold 16 MiB are refused after their first step', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(16 * MEBIBYTE - 1, 0x20));
    expect(bomb.length).toBeLessThan(60);
    const answer = await answerTo(bomb, 'br');
    expect(answer.status).toBe(413);
    expect(answer.json.errors).toMatchObject([{ message: expect.stringContaining('1032 times') }]);
  });

  test('a brotli window of 4 MiB is read, one of 16 MiB is 400', async () => {
    const body = JSON.stringify({ rows: Array.from({ length: 100_000 }, (_, index) => index) });
    for (const [window, status] of [
      [22, 200],
      [24, 400],
    ] as const) {
      const params = { [constants.BROTLI_PARAM_LGWIN]: window, [constants.BROTLI_PARAM_QUALITY]: 4 };
      expect((await answerTo(brotliCompressSync(body, { params }), 'br')).status).toBe(status);
    }
  });

  test('what is dense is read: ten thousand equal rows', async () => {
    const body = JSON.stringify({
      rows: Array.from({ length: 10_000 }, (_, index) => ({ at: 1_790_000_000 + index, power_kw: 0 })),
    });
    const dense: [string, Buffer][] = [
      ['gzip', gzipSync(body, { level: 9 })],
      ['br', brotliCompressSync(body)],
      ['zstd', zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 19 } })],
    ];
    for (const [coding, bytes] of dense)
      expect([coding, (await answerTo(bytes, coding)).status]).toEqual([coding, 200]);
  });
});

describe('the room for bodies', () => {
  test('a body over the share of its organization is 429 before it is read, with a time to come back; later there is room again', async () => {
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
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      release();
      expect((await first).status).toBe(200);
      await expect.poll(() => room.bytesTaken).toBe(0);
      expect((await send()).status).toBe(200);
    } finally {
      await small.close();
    }
  });

  test('a body that inflates takes room step by step, beside what was received', async () => {
    const release = wire.holdBatches();
    const body = gzipSync(`{}${' '.repeat(3 * MEBIBYTE)}`);
    const pending = post('/batches', body, { 'content-encoding': 'gzip' });
    await expect.poll(() => wire.room.bytesTaken).toBeGreaterThan(3 * MEBIBYTE);
    expect(wire.room.bytesTaken).toBeLessThan(3.5 * MEBIBYTE);
    release();
    expect((await pending).status).toBe(200);
    await expect.poll(() => wire.room.bytesTaken).toBe(0);
  });

  test('F29 bodies of every route are counted, not those of batches only', async () => {
    const small = await startWireApp({ room: new BodyRoom(64 * 1024, { waitMilliseconds: 20 }) });
    try {
      const body = `{"name":"a"}${' '.repeat(60_000)}`;
      const held = small.room.share('another organization');
      await held.cover(16 * 1024, 16 * 1024);
      expect((await small.post('/things', body)).status).toBe(503);
      held.release();
      expect((await small.post('/things', body)).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});
