import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBodyTurns } from '../../../src/platform/body/turns.ts';

/** Bodies of these sizes arrive in one turn; gives, turn by turn, which of them were begun. */
async function begunIn(
  turnsMax: number,
  sizes: readonly number[],
  bytesPerTurn: number,
): Promise<number[][]> {
  const turns = createBodyTurns(bytesPerTurn);
  const begun: number[][] = [[]];
  for (const [place, bytes] of sizes.entries()) {
    const turn = turns(bytes);
    if (turn === undefined) begun[0]?.push(place);
    else void turn.then(() => begun.at(-1)?.push(place));
  }
  for (let turn = 1; turn < turnsMax; turn += 1) {
    begun.push([]);
    await nextTurn();
  }
  return begun;
}

test('a body that arrives alone does not wait', () => {
  expect(createBodyTurns()(2_000_000)).toBeUndefined();
});

test('bodies that arrive together are begun in the order of their arrival, so many bytes a turn', async () => {
  expect(await begunIn(5, [10, 10, 10, 10, 10, 10, 10], 25)).toEqual([[0, 1, 2], [3, 4, 5], [6], [], []]);
});

test('one body a turn is begun, however large', async () => {
  expect(await begunIn(4, [1_000, 1_000, 1_000], 25)).toEqual([[0], [1], [2], []]);
});

test('who comes later does not overtake who waits', async () => {
  const turns = createBodyTurns(10);
  const order: string[] = [];
  const begin = async (name: string) => {
    await turns(10);
    order.push(name);
  };
  const early = [begin('first'), begin('second'), begin('third')];
  await nextTurn();
  await Promise.all([...early, begin('last')]);
  expect(order).toEqual(['first', 'second', 'third', 'last']);
});
