import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { type Outcome, openWebhookRequests } from '../../../src/events/requests/send.ts';
import { HERE, testReceiver } from './receiver.ts';

const MEBIBYTE = 1024 * 1024;
const EXCHANGE_MILLISECONDS = 5_000;
const requests = openWebhookRequests({ ...HERE, exchangeMilliseconds: EXCHANGE_MILLISECONDS });
const patient = openWebhookRequests({ ...HERE, lookup: () => new Promise(() => {}) });
afterAll(async () => {
  await Promise.all([requests.close(), patient.close()]);
});

const secrets = [Buffer.alloc(32, 7)];
const message = { id: 'evt_0123456789abcdefghijklmn', body: '{}', atSeconds: 1_795_000_000 };
const send = (url: string): Promise<Outcome> => requests.send({ url, secrets }, message);

/** A server below HTTP: after the request it says what the test writes. */
async function rawReceiver(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => talk(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Bytes that left this server, and whether the other side has gone. */
    written: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    allClosed: async () => {
      const closing = [...sockets].filter((socket) => !socket.closed);
      await Promise.all(closing.map((socket) => new Promise((resolve) => socket.on('close', resolve))));
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Writes the same again and again, as fast as it is taken. */
function withoutEnd(socket: Socket, head: string, part: Buffer): void {
  socket.write(head);
  const more = () => {
    while (!socket.destroyed && socket.write(part)) {
      /* as long as there is room */
    }
  };
  socket.on('drain', more);
  more();
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('W09 a receiver that', () => {
  const silent = testReceiver(() => {});
  const inTime = silent.then(async ({ url }) => {
    const standard = openWebhookRequests(HERE);
    const outcome = await standard.send({ url, secrets }, message);
    await standard.close();
    return outcome;
  });
  afterAll(async () => (await silent)[Symbol.asyncDispose]());

  test('never answers is cut', async () => {
    await using receiver = await testReceiver(() => {});
    const outcome = await send(receiver.url);
    expect(outcome).toMatchObject({ kind: 'failed', error: 'time_out' });
    expect(outcome.milliseconds).toBeGreaterThanOrEqual(EXCHANGE_MILLISECONDS - 5);
    expect(receiver.requests).toHaveLength(1);
  });

  test('sends a byte now and then is cut, whatever its status', async () => {
    await using receiver = await testReceiver((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(timer));
    });
    expect(await send(receiver.url)).toMatchObject({ kind: 'failed', error: 'time_out' });
  });

  test('sends a head without end, a byte now and then, is cut', async () => {
    await using receiver = await rawReceiver((socket) => {
      const timer = setInterval(() => socket.write('H'), 100);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await send(receiver.url)).toMatchObject({ kind: 'failed' });
    await receiver.allClosed();
  });

  test.each([
    ['a body with its length', `${OK}content-length: 9007199254740991\r\n\r\n`, Buffer.alloc(65_536, 'a')],
    [
      'a body in chunks',
      `${OK}transfer-encoding: chunked\r\n\r\n`,
      Buffer.from(`8000\r\n${'a'.repeat(0x8000)}\r\n`),
    ],
  ])(
    'sends %s without end is answered after 64 kB, and the connection closed',
    async (_words, head, part) => {
      await using receiver = await rawReceiver((socket) => withoutEnd(socket, head, part));
      const outcome = await send(receiver.url);
      expect(outcome).toMatchObject({ kind: 'answered', status: 200, answer: 'a'.repeat(1024) });
      expect(outcome.milliseconds).toBeLessThan(EXCHANGE_MILLISECONDS);
      await receiver.allClosed();
      /* What the two systems hold on the way is not ours to bound. */
      expect(receiver.written()).toBeLessThan(16 * MEBIBYTE);
    },
  );

  test.each([
    ['interim answers', '', Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000))],
    ['a head', OK, Buffer.from('x: y\r\n'.repeat(1_000))],
    ['the extension of a chunk', `${OK}transfer-encoding: chunked\r\n\r\n1;a=`, Buffer.alloc(65_536, 'a')],
    ['empty lines', '', Buffer.from('\r\n'.repeat(10_000))],
  ])('sends %s without end is a failed connection before its time is over', async (_words, head, part) => {
    await using receiver = await rawReceiver((socket) => withoutEnd(socket, head, part));
    const outcome = await send(receiver.url);
    expect(outcome).toMatchObject({ kind: 'failed', error: 'connection' });
    expect(outcome.milliseconds).toBeLessThan(EXCHANGE_MILLISECONDS);
    await receiver.allClosed();
    expect(receiver.written()).toBeLessThan(16 * MEBIBYTE);
  });

  test('sends 1 GB as gzip is not inflated', async () => {
    const part = gzipSync(Buffer.alloc(16 * MEBIBYTE, 'a'), { level: 9 });
    await using receiver = await testReceiver((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-encoding': 'gzip' });
      for (let count = 0; count < 64; count += 1) response.write(part);
      response.end();
    });
    const outcome = await send(receiver.url);
    /* The bytes as they came: their first two say that they are gzip, and are no text. */
    expect(outcome).toMatchObject({
      kind: 'answered',
      status: 200,
      answer: expect.stringMatching(/^\uFFFD\uFFFD/),
    });
    expect(outcome.kind === 'answered' && outcome.answer.length).toBeLessThanOrEqual(1024);
  });

  test('sends without end a hundred times leaves the memory as it was', async () => {
    const part = Buffer.alloc(65_536, 'a');
    await using receiver = await rawReceiver((socket) =>
      withoutEnd(socket, `${OK}content-length: 9007199254740991\r\n\r\n`, part),
    );
    const round = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        const outcomes = await Promise.all([1, 2, 3, 4].map(() => send(receiver.url)));
        expect(outcomes.filter(({ kind }) => kind !== 'answered')).toEqual([]);
      }
    };
    await round(5);
    const before = process.memoryUsage.rss();
    await round(25);
    expect((process.memoryUsage.rss() - before) / MEBIBYTE).toBeLessThan(64);
  });

  test('is not connected within 5 s is a failed connection', async () => {
    const outcome = await patient.send({ url: 'http://hooks.example.com/', secrets }, message);
    expect(outcome).toMatchObject({ kind: 'failed', error: 'connection' });
    expect(outcome.milliseconds).toBeGreaterThan(4_500);
    expect(outcome.milliseconds).toBeLessThan(20_000);
  }, 30_000);

  test('never answers is cut after 30 s where nothing else is said', async () => {
    const outcome = await inTime;
    expect(outcome).toMatchObject({ kind: 'failed', error: 'time_out' });
    expect(outcome.milliseconds).toBeGreaterThan(29_900);
    expect(outcome.milliseconds).toBeLessThan(60_000);
  }, 90_000);
});

test('who ends a request hears that he did, and the connection is closed', async () => {
  await using receiver = await testReceiver(() => {});
  const ending = new AbortController();
  const sent = requests.send({ url: receiver.url, secrets }, message, ending.signal);
  const reason = new Error('the worker closes');
  while (receiver.requests.length === 0) await new Promise(setImmediate);
  ending.abort(reason);
  await expect(sent).rejects.toBe(reason);
  await expect(requests.send({ url: receiver.url, secrets }, message, ending.signal)).rejects.toBe(reason);
  expect(receiver.requests).toHaveLength(1);
});

test('one receiver that hangs holds up nobody, not even another one at the same host', async () => {
  await using receiver = await testReceiver((request, response) => {
    if (request.url !== '/hangs') response.end();
  });
  const hanging = new URL('/hangs', receiver.url).href;
  const hung = Promise.all(Array.from({ length: 40 }, () => send(hanging)));
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => send(receiver.url)));
  expect(outcomes.filter((outcome) => outcome.kind !== 'answered')).toEqual([]);
  expect((await hung).every((outcome) => outcome.kind === 'failed' && outcome.error === 'time_out')).toBe(
    true,
  );
});

test('connections are used again, and no more than 256 stay open', async () => {
  await using receiver = await testReceiver();
  for (let count = 0; count < 20; count += 1) await send(receiver.url);
  expect(receiver.connections).toBeLessThanOrEqual(2);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 400 }, () => send(receiver.url)));
  }
  /* The last ones above are still being closed. */
  await expect.poll(() => receiver.open()).toBeLessThanOrEqual(256);
});
