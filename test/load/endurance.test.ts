import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Call } from '../../load/endurance/callers.ts';
import { openLine } from '../../load/endurance/line.ts';
import { faultTable, kindTable } from '../../load/endurance/tables.ts';
import { Cleanup } from '../../load/surroundings/cleanup.ts';

/** A server that gives back what it gets, with a line before it and a caller on that. */
async function openEcho() {
  const cleanup = new Cleanup();
  onTestFinished(() => cleanup.run());
  const server = createServer((socket) => {
    socket.on('data', (bytes) => socket.write(bytes));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(async () => void server.close());
  const line = await openLine(cleanup);
  line.targetPort = (server.address() as { port: number }).port;
  const socket = connect(line.port, '127.0.0.1');
  cleanup.add(async () => void socket.destroy());
  const heard: string[] = [];
  socket.on('data', (bytes) => heard.push(bytes.toString()));
  return { line, socket, heard };
}

test('a silent line keeps what it was given, and passes it on when it is open again', async () => {
  const { line, socket, heard } = await openEcho();
  socket.write('one ');
  await expect.poll(() => heard.join('')).toBe('one ');
  line.state = 'silent';
  socket.write('two ');
  await wait(150);
  expect(heard.join('')).toBe('one ');
  line.state = 'open';
  await expect.poll(() => heard.join('')).toBe('one two ');
});

test('new connections of a line lead to where it points by then', async () => {
  const [first, second] = [await openEcho(), await openEcho()];
  first.line.targetPort = second.line.port;
  const socket = connect(first.line.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('through both');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toBe('through both');
});

const call = (at: number, status: number | null, milliseconds = 10): Call => ({
  ...{ kind: 'prices', at, milliseconds, status },
});

test('what callers met is told apart by whether a fault was near', () => {
  const struck = [
    {
      ...{ name: 'kill -9', from: 1_000, until: 2_000, recovery: 500 },
      ...{ answered: 4, refused: 1, unanswered: 1, noticed: 0 },
    },
  ];
  const calls = [
    ...[call(100, 200, 20), call(990, 200, 900), call(1_500, 503), call(1_900, null)],
    ...[call(2_400, 200, 300), call(3_000, 429), call(4_000, 200, 20)],
  ];
  const [, row] = kindTable(calls, struck).split('\n');
  expect(row?.split(/ {2,}/)).toEqual(['prices', '7', '20.0', '20.0', '900.0', '1', '1', '1', '42.86 %']);
  expect(faultTable(struck).split('\n')[1]?.split(/ {2,}/)).toEqual(['kill -9', '1.0', '0.5', '4', '1', '1']);
});
