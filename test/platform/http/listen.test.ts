import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { type Listeners, listenersOf } from '../../../src/platform/http/listen.ts';

const HOST = '127.0.0.1';
const opened: Listeners[] = [];
let requests = 0;
let answer = Promise.withResolvers<string>();
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));

async function listen(port = 0) {
  const app = Fastify();
  requests = 0;
  answer = Promise.withResolvers();
  app.get('/', () => {
    requests += 1;
    return answer.promise;
  });
  const listeners = listenersOf(app);
  opened.push(listeners);
  await listeners.listen({ host: HOST, port });
  return { app, close: listeners.close };
}

const portOf = (app: FastifyInstance) => (app.server.address() as AddressInfo).port;

test('many who connect at once are let in by several in each turn of the event loop', async () => {
  const { app } = await listen();
  let letIn = 0;
  const begun = Promise.withResolvers<void>();
  app.server.on('connection', () => {
    letIn += 1;
    begun.resolve();
  });
  const sockets: Socket[] = Array.from({ length: 400 }, () => connect(portOf(app), HOST));
  await begun.promise;
  let turns = 1;
  for (; letIn < 400; turns += 1) await nextTurn();
  for (const socket of sockets) socket.destroy();
  /* One in each turn would need 400; in some turns not all who come are there yet. */
  expect(turns).toBeLessThan(200);
});

test('the end waits for the answers under way, whichever socket let their connections in', async () => {
  const { app, close } = await listen();
  const url = `http://${HOST}:${portOf(app)}/`;
  const answers = Array.from({ length: 60 }, async () => (await fetch(url)).text());
  await expect.poll(() => requests).toBe(60);
  const ended = close();
  answer.resolve('here');
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['here']));
  await ended;
  await expect(fetch(url)).rejects.toThrow();
});

test('a port that another process has is refused', async () => {
  const other = createServer().listen(0, HOST);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(listen(port)).rejects.toThrow(/EADDRINUSE/);
  other.close();
  const { app } = await listen();
  await expect(listen(portOf(app))).rejects.toThrow(/EADDRINUSE/);
});
