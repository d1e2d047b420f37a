import { expect, test } from 'vitest';
import { inTurns } from '../../src/platform/turns.ts';

test('after so many items what waits gets its turn, and not before', async () => {
  const seen: (number | string)[] = [];
  let other = setImmediate(function again() {
    seen.push('other');
    other = setImmediate(again);
  });
  for await (const item of inTurns([1, 2, 3, 4, 5], 2)) seen.push(item);
  clearImmediate(other);
  expect(seen).toEqual([1, 2, 'other', 3, 4, 'other', 5]);
});
