import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw, startWireApp, TOKEN, type WireApp, wholeBody } from '../wire-app.ts';

const KIBIBYTE = 1024;

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp();
});
afterAll(() => wire.close());

const headOf = (headers: string) =>
  `POST /batches HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n${headers}\r\n`;

interface Slow {
  socket: Socket;
  /** Status line and what follows, once the answer is there. */
  answer: Promise<string>;
}

function open(headers: string): Slow {
  const socket = connect({ host: '127.0.0.1', port: wire.port });
  socket.write(headOf(headers));
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (part) => {
      text += part.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}

describe('room is taken as bytes arrive', () => {
  test.each(['identity', 'gzip'])(
    'a promised length takes nothing, what came is taken (%s)',
    async (coding) => {
      const { socket } = open(`Content-Encoding: ${coding}\r\nContent-Length: 16777216\r\n`);
      socket.write('{');
      await expect.poll(() => wire.room.bytesTaken).toBe(1);
      socket.write(' '.repeat(100 * KIBIBYTE));
      await expect.poll(() => wire.room.bytesTaken).toBeGreaterThan(100 * KIBIBYTE);
      expect(wire.room.bytesTaken).toBeLessThan(300 * KIBIBYTE);
      socket.destroy();
      await expect.poll(() => wire.room.bytesTaken).toBe(0);
      expect((await wire.post('/batches', '{}')).status).toBe(200);
    },
  );
});

/* All at once: each of them waits for seconds. */
describe.concurrent('a body that comes too slowly is 408 with the envelope, and its room is free again', () => {
  test.for<[title: string, headers: string, body: string | Buffer]>([
    ['B74 less than its Content-Length', 'Content-Length: 100\r\n', '{"rows":['],
    ['nothing of it', 'Content-Length: 100\r\n', ''],
    ['without its last chunk', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n'],
    ['compressed', 'Content-Encoding: gzip\r\nContent-Length: 1200\r\n', gzipSync('{}')],
    ['16 MiB promised, one byte sent', 'Content-Length: 16777216\r\n', '{'],
  ])('%s: after 2 seconds', async ([_title, headers, body], { expect }) => {
    const startedAt = performance.now();
    const answer = await sendRaw(wire.port, headOf(headers), body);
    const milliseconds = performance.now() - startedAt;
    expect(answer).toMatchObject({ status: 408, closed: true, headers: { connection: 'close' } });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', errors: wholeBody(/64 KiB/) });
    expect(milliseconds).toBeGreaterThan(1_900);
    await expect.poll(() => wire.room.bytesTaken).toBe(0);
  });

  test('64 KiB at once and then one byte a second: ended soon after', async ({ expect }) => {
    const { socket, answer } = open('Content-Length: 1000000\r\n');
    socket.write(' '.repeat(64 * KIBIBYTE));
    const dribble = setInterval(() => socket.write(' '), 1_000);
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    clearInterval(dribble);
  });

  test('32 KiB a second are fast enough', async ({ expect }) => {
    const bytes = 160 * KIBIBYTE;
    const { socket, answer } = open(`Connection: close\r\nContent-Length: ${bytes}\r\n`);
    socket.write(`{}${' '.repeat(64 * KIBIBYTE - 2)}`);
    for (let sent = 64 * KIBIBYTE; sent < bytes; sent += 32 * KIBIBYTE) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      socket.write(' '.repeat(32 * KIBIBYTE));
    }
    expect(await answer).toMatch(/^HTTP\/1.1 200 /);
  });
});

test('a request whose headers never end is 408 by the limit of the whole request', async () => {
  const impatient = await startWireApp({ patience: 100 });
  try {
    const answer = await sendRaw(impatient.port, 'POST /batches HTTP/1.1\r\nHost: localhost\r\n');
    expect(answer).toMatchObject({ status: 408, closed: true, headers: { connection: 'close' } });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', errors: wholeBody(/30 seconds/) });
  } finally {
    await impatient.close();
  }
});
