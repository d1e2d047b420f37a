import { performance } from 'node:perf_hooks';

/** An import reaches every process within this time. */
const KEPT_MILLISECONDS = 5_000;

export interface ShortCache<Value> {
  /** Gives what was read under this key in the last seconds, or reads it. */
  (key: string, read: () => Promise<Value>): Promise<Value>;
  /** Everything is read anew. */
  forget(): void;
}

/**
 * Keeps what was read for at most five seconds. All of it is thrown away at once, so nothing grows for longer than that.
 * Every cache of a process is emptied at the same moment: one that stands in front of another keeps nothing longer than
 * that one does. Values are kept, never promises: a read fails for its caller alone.
 */
export function createShortCache<Value>(nowMilliseconds = () => performance.now()): ShortCache<Value> {
  let kept = new Map<string, Value>();
  let period = Number.NEGATIVE_INFINITY;

  const cached = async (key: string, read: () => Promise<Value>) => {
    const periodNow = Math.floor(nowMilliseconds() / KEPT_MILLISECONDS);
    if (periodNow !== period) {
      kept = new Map();
      period = periodNow;
    }
    /* Held here: an answer that comes late belongs to the seconds in which it was asked for. */
    const held = kept;
    if (held.has(key)) return held.get(key) as Value;
    const value = await read();
    held.set(key, value);
    return value;
  };
  const forget = () => {
    kept = new Map();
  };
  return Object.assign(cached, { forget });
}
