import { setTimeout as wait } from 'node:timers/promises';

/**
 * So many times as long as a statement worked the job rests before the next one. It has five minutes, and gateways that send
 * meanwhile want the same processors and the same disk: at a quarter of one core it sums 90,000 snapshots a second.
 */
const REST_FACTOR = 3;
/** Hours behind, for instance when a large store is summed for the first time, it would hardly come to an end like that. */
const REST_FACTOR_BEHIND = 1;
const BEHIND_SECONDS = 3 * 3_600;

/** Spreads the work of a run. */
export interface Pace {
  /** Tells of a piece of work. */
  worked(seconds: number): void;
  /** Before the next piece; throws when the run is aborted meanwhile. */
  rest(): Promise<void>;
  /** Tells how far the sums are behind what could be summed. */
  behind(seconds: number): void;
}

export function createPace(signal: AbortSignal): Pace {
  let factor = REST_FACTOR;
  let owedSeconds = 0;
  return {
    worked: (seconds) => {
      owedSeconds += seconds * factor;
    },
    rest: async () => {
      const seconds = owedSeconds;
      owedSeconds = 0;
      signal.throwIfAborted();
      if (seconds > 0) await wait(seconds * 1_000, undefined, { signal });
    },
    behind: (seconds) => {
      factor = seconds > BEHIND_SECONDS ? REST_FACTOR_BEHIND : REST_FACTOR;
    },
  };
}

/** For who waits for the sums while nobody else works. */
export const withoutRest: Pace = {
  worked: () => {},
  rest: async () => {},
  behind: () => {},
};
