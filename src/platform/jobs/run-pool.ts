import type { Processor } from './processor.ts';

export interface RunPool {
  /** Looks for runs that may be started, and starts as many as there are slots. Never throws, and nobody waits for it. */
  wake(): void;
}

/**
 * Slots for runs that wait for servers of others. One hand claims for all of them: as many hands as slots would each ask
 * the database, and all but one in vain.
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
      while (running < slots) {
        const begun = await processor.begin();
        if (begun === null) break;
        running += 1;
        void begun.ended.catch(onError).finally(() => {
          running -= 1;
          wake();
        });
      }
    }
  }

  return { wake };
}
