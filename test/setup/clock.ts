import type { DatabaseClock } from '../../src/platform/clock.ts';

/** A clock that stands still until it is moved; what is measured against the database does not move it. */
export interface FakeClock extends DatabaseClock {
  advance(milliseconds: number): void;
  set(instant: string): void;
}

export function fakeClock(instant: string): FakeClock {
  let now = Date.parse(instant);
  return {
    nowMilliseconds: () => now,
    now: () => new Date(now),
    steadyMilliseconds: () => now,
    offsetMilliseconds: () => 0,
    setOffsetMilliseconds: () => {},
    advance: (milliseconds) => {
      now += milliseconds;
    },
    set: (later) => {
      now = Date.parse(later);
    },
  };
}
