/** A process that ends so soon after it was ready, or was never ready, would do the same again. */
const SOON_MILLISECONDS = 5_000;
const PAUSE_MILLISECONDS = 500;
/** So many in a row, and the next one would be no better. */
const SOON_ENDED_MAX = 5;

export interface Restarts {
  /** Milliseconds until the next process takes its place; null: no more of them. `readyMilliseconds`: null if it never was. */
  pauseAfter(readyMilliseconds: number | null): number | null;
}

/** Half a second, and twice as long after each further process that ends at once: 0.5, 1, 2, 4 and 8 s. */
export function createRestarts(): Restarts {
  let soonEnded = 0;
  return {
    pauseAfter: (readyMilliseconds) => {
      if (readyMilliseconds !== null && readyMilliseconds >= SOON_MILLISECONDS) {
        soonEnded = 0;
        return PAUSE_MILLISECONDS;
      }
      soonEnded += 1;
      return soonEnded > SOON_ENDED_MAX ? null : PAUSE_MILLISECONDS * 2 ** (soonEnded - 1);
    },
  };
}
