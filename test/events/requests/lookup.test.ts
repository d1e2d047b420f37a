import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { nameLookup } from '../../../src/events/requests/lookup.ts';

const TYPES = { 1: 'A', 28: 'AAAA' } as const;
const NO_SUCH_NAME = 3;

type Zone = Readonly<Record<string, Partial<Record<'A' | 'AAAA', readonly Buffer[]>>>>;

const v4 = (...parts: number[]) => Buffer.from(parts);
const v6 = (first: number, last: number) => Buffer.from([0x26, first, ...Array<number>(13).fill(0), last]);

/** A name server that knows these names, says that there are no others, and is silent about `silent.…`. */
async function nameServer(zone: Zone) {
  const socket = createSocket('udp4');
  let questions = 0;
  socket.on('message', (query, from) => {
    questions += 1;
    const { name, type, end } = questionOf(query);
    if (name.startsWith('silent.')) return;
    const records = zone[name]?.[TYPES[type as 1 | 28]] ?? [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (zone[name] === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(records.length, 6);
    header.fill(0, 8);
    const answers = records.map((address) => {
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length]);
      return Buffer.concat([record, address]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: () => questions,
    [Symbol.dispose]: () => void socket.close(),
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

test('a name stands for all its addresses of both kinds', async () => {
  using server = await nameServer({
    'both.example.com': { A: [v4(93, 184, 216, 34), v4(10, 0, 0, 1)], AAAA: [v6(6, 1)] },
    'four.example.com': { A: [v4(93, 184, 216, 35)] },
  });
  const lookup = nameLookup([server.address]);
  expect(await lookup('both.example.com')).toEqual(['93.184.216.34', '10.0.0.1', '2606::1']);
  expect(await lookup('four.example.com')).toEqual(['93.184.216.35']);
  await expect(lookup('none.example.com')).rejects.toThrow('none.example.com has no address');
  expect(await lookup('localhost')).toEqual(['127.0.0.1', '::1']);
});

test('a name server that is silent holds up nobody, and is given up', async () => {
  using server = await nameServer({ 'good.example.com': { A: [v4(93, 184, 216, 34)] } });
  const lookup = nameLookup([server.address]);
  const silent = Promise.allSettled(
    Array.from({ length: 32 }, (_, index) => lookup(`silent.${index}.example.com`)),
  );
  await expect.poll(server.questions).toBeGreaterThanOrEqual(64);
  const begunAt = performance.now();
  expect(await lookup('good.example.com')).toEqual(['93.184.216.34']);
  await readFile(import.meta.filename);
  expect(performance.now() - begunAt).toBeLessThan(4_000);
  expect((await silent).every(({ status }) => status === 'rejected')).toBe(true);
});
