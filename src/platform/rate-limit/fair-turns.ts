/** Does one piece of work; resolves with its result. */
export type InTurn = <Result>(holder: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * At most `atOnceMax` pieces of work at a time. The holders of those that wait come in turn, so that one with many of them
 * delays another by one piece, not by all of them.
 */
export function createFairTurns(atOnceMax: number): InTurn {
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function next(): void {
    for (const [holder, queue] of waiting) {
      waiting.delete(holder);
      const begin = queue.shift();
      /* Behind the others. */
      if (queue.length > 0) waiting.set(holder, queue);
      if (begin === undefined) continue;
      begin();
      return;
    }
    running -= 1;
  }

  return async (holder, work) => {
    if (running < atOnceMax) running += 1;
    else {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(holder);
        if (queue === undefined) waiting.set(holder, [resolve]);
        else queue.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      next();
    }
  };
}
