import type { Processor } from './processor.ts';

/** All claims of all workers wait for each other: a claim for several costs hardly more than for one. */
const RUNS_OF_CLAIM = 16;

export interface RunPool {
  /** Looks for runs that may be started, and starts as many as there are slots. Never throws, and nobody waits for it. */
  wake(): void;
}

/**
 * Slots for runs that wait for servers of others. One hand claims for all of them, as many at once as there is room: as
 * many hands as slots would each ask the database, and all but one in vain.
 */
export function createRunPool(
  processor: Pick<Processor, 'begin'>,
  { slots, onError }: { slots: number; onError(error: Error): void },
): RunPool {
  let running = 0;
  let isLooking = false;
  let wasWoken = false;

  function wake(): void {
    wasWoken = true;
    if (isLooking) return;
    isLooking = true;
    void look().then(looked, (error: Error) => {
      /* The next message or round comes back to it. */
      wasWoken = false;
      onError(error);
      looked();
    });
  }

  function looked(): void {
    isLooking = false;
    if (wasWoken && running < slots) wake();
  }

  async function look(): Promise<void> {
    while (wasWoken && running < slots) {
      wasWoken = false;
      while (running < slots && (await begin()));
    }
  }

  async function begin(): Promise<boolean> {
    const begun = await processor.begin(Math.min(slots - running, RUNS_OF_CLAIM));
    running += begun.length;
    for (const { ended } of begun) {
      void ended.catch(onError).finally(() => {
        running -= 1;
        wake();
      });
    }
    return begun.length > 0;
  }

  return { wake };
}
