import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../src/platform/log/logger.ts';

const SOON_MILLISECONDS = 2_000;

export interface Rounds {
  /** Begins the next round now. */
  wake(): void;
  /** Ends after the round under way. */
  stop(): Promise<void>;
}

/**
 * Repeats a piece of work with a pause in between, never two at once. A failing round is said once, not every time: the
 * next one tries again anyway.
 */
export function startRounds(options: {
  log: Logger;
  pauseMilliseconds: number;
  /** False: something is left over, the next round comes soon. */
  round(): Promise<boolean>;
}): Rounds {
  let stopped = false;
  let pausing = new AbortController();
  let said = '';

  async function once(): Promise<boolean> {
    try {
      const complete = await options.round();
      if (said !== '') options.log.info('rounds work again');
      said = '';
      return complete;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== said) options.log.warn({ err: error }, 'round failed; the next one tries again');
      said = text;
      return true;
    }
  }

  async function repeat(): Promise<void> {
    while (!stopped) {
      const pause = (await once()) ? options.pauseMilliseconds : SOON_MILLISECONDS;
      if (!stopped) await wait(pause, undefined, { signal: pausing.signal }).catch(() => {});
      pausing = new AbortController();
    }
  }

  const ended = repeat();
  return {
    wake: () => pausing.abort(),
    stop: () => {
      stopped = true;
      pausing.abort();
      return ended;
    },
  };
}
