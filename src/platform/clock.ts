import { performance } from 'node:perf_hooks';

/**
 * The one source of "now" for every rule that depends on time. Rules never read the process clock: tests
 * hand in a clock that they move.
 */
export interface Clock {
  /** The current instant in whole milliseconds since 1970, corrected by the measured difference to the database. */
  nowMilliseconds(): number;
  /** The same instant as a Date, for libraries that want one. */
  now(): Date;
}

export interface DatabaseClock extends Clock {
  /** Milliseconds since 1970 as the machine had them when the process began, and what has passed since. */
  steadyMilliseconds(): number;
  /** Milliseconds that the database is ahead of these, as readiness measured it last. */
  offsetMilliseconds(): number;
  setOffsetMilliseconds(offset: number): void;
}

/**
 * The time since the process began, plus the last measured difference to the database: several processes then agree on
 * "now". The clock on the wall is read once: when somebody sets it, no rule has another hour until the next measurement.
 */
export function systemClock(
  steadyMilliseconds = () => performance.timeOrigin + performance.now(),
): DatabaseClock {
  let offset = 0;
  const nowMilliseconds = () => Math.round(steadyMilliseconds() + offset);
  return {
    nowMilliseconds,
    steadyMilliseconds,
    now: () => new Date(nowMilliseconds()),
    offsetMilliseconds: () => offset,
    setOffsetMilliseconds: (milliseconds) => {
      offset = milliseconds;
    },
  };
}

/** For durations: never goes back, whatever happens to the clock on the wall. */
export function elapsedSeconds(sinceMilliseconds: number): number {
  return (performance.now() - sinceMilliseconds) / 1000;
}
