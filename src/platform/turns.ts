import { setImmediate as otherWork } from 'node:timers/promises';

/** One item behind the other; after so many of them what waits in this process gets its turn. */
export async function* inTurns<Item>(items: readonly Item[], atOnce: number): AsyncGenerator<Item> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % atOnce === 0) await otherWork();
    yield item;
  }
}
