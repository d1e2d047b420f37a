import { expect, test } from 'vitest';
import { createFairTurns } from '../../../src/platform/rate-limit/fair-turns.ts';

/** A piece of work that ends when it is told to. */
function piece(begun: string[], name: string) {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = async () => {
    begun.push(name);
    await done;
    return name;
  };
  return { work, end };
}

test('of those that wait, holders come in turn, and never more at once than are allowed', async () => {
  const inTurn = createFairTurns(1);
  const begun: string[] = [];
  const pieces = ['a1', 'a2', 'a3', 'b1'].map((name) => ({ name, ...piece(begun, name) }));
  const results = pieces.map(({ name, work }) => inTurn(name.slice(0, 1), work));
  for (const { end } of pieces) end();
  expect(begun).toEqual(['a1']);
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('work that fails gives its turn on', async () => {
  const inTurn = createFairTurns(1);
  const failing = inTurn('a', () => Promise.reject(new Error('no')));
  const next = inTurn('b', async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await inTurn('c', async () => 'again')).toBe('again');
});
