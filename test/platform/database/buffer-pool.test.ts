import { expect, test } from 'vitest';
import { BufferPool, LentBytes } from '../../../src/platform/database/buffer-pool.ts';

const pool = () => new BufferPool({ bytes: 1024, keepMax: 2 });

test('memory that was given back is used again, with the length that is asked for', () => {
  const buffers = pool();
  const first = buffers.take(1000);
  expect(first).toHaveLength(1000);
  buffers.give(first);
  const second = buffers.take(500);
  expect(second).toHaveLength(500);
  expect(second.buffer).toBe(first.buffer);
});

test('two users never hold the same memory, also when one gives it back twice', () => {
  const buffers = pool();
  const first = buffers.take(1000);
  buffers.give(first);
  buffers.give(first);
  expect(buffers.take(1000).buffer).not.toBe(buffers.take(1000).buffer);
});

test('a buffer from elsewhere is not taken in', () => {
  const buffers = pool();
  const stranger = Buffer.from(new ArrayBuffer(1024));
  buffers.give(stranger);
  expect(buffers.take(1024).buffer).not.toBe(stranger.buffer);
});

test('what is much smaller or larger, and what is too many, is not used again', () => {
  const buffers = pool();
  for (const length of [10, 5000]) {
    const other = buffers.take(length);
    expect(other).toHaveLength(length);
    buffers.give(other);
    expect(buffers.take(1024).buffer).not.toBe(other.buffer);
  }
  const three = [buffers.take(1024), buffers.take(1024), buffers.take(1024)];
  for (const buffer of three) buffers.give(buffer);
  const again = [buffers.take(1024), buffers.take(1024), buffers.take(1024)].map((buffer) => buffer.buffer);
  expect(again.filter((memory) => three.some((buffer) => buffer.buffer === memory))).toHaveLength(2);
});

test('what does not wait for its next use is free at once, also when it is given back twice', () => {
  const buffers = pool();
  const taken = [10, 5000, 1024, 1024, 1024].map((length) => buffers.take(length));
  for (const buffer of [...taken, ...taken]) buffers.give(buffer);
  expect(taken.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 1024, 1024, 0]);
});

test('a buffer from elsewhere is freed, but not what it shares with others', () => {
  const buffers = pool();
  const [alone, slab] = [Buffer.allocUnsafeSlow(300), new ArrayBuffer(300)];
  buffers.give(alone);
  buffers.give(Buffer.from(slab, 0, 100));
  expect([alone.buffer.byteLength, slab.byteLength]).toEqual([0, 300]);
});

test('bytes that were given back can no longer be looked at', () => {
  const buffers = pool();
  const lent = new LentBytes(buffers.take(1000), buffers);
  const { buffer } = lent.bytes;
  lent.giveBack();
  expect(() => lent.bytes).toThrow('given back');
  expect(buffers.take(1000).buffer).toBe(buffer);
  lent.giveBack();
  expect(buffers.take(1000).buffer).not.toBe(buffer);
});
