import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { SQLSTATE, sqlState } from './pg-errors.ts';

/** Two transactions stood in each other's way and the server ended one of them: done again, it can succeed. */
const LOST_RACE: readonly string[] = [SQLSTATE.serializationFailure, SQLSTATE.deadlockDetected];

export function isLostRace(error: unknown): boolean {
  return LOST_RACE.includes(sqlState(error) ?? '');
}

/** More than this many times is no bad luck any more: the caller hears that the service is busy. */
export const REPEATS_MAX = 3;

/** Those who lost together must not come back together: at random between these, and more apart each time. */
const PAUSE_MILLISECONDS_MIN = 10;
const PAUSE_MILLISECONDS_MAX = 100;

/** Handlers have 20 seconds, and the server needs one to notice a deadlock: after this nothing is begun once more. */
const REPEAT_WITHIN_MILLISECONDS = 5_000;

/** Repeats a transaction that lost against another one: `isLost` tells after which errors a repetition can succeed. */
export async function withRepeats<Result>(
  isLost: (error: unknown) => boolean,
  onRepeat: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work();
    } catch (error) {
      const isOver = repeats === REPEATS_MAX || performance.now() - startedAt > REPEAT_WITHIN_MILLISECONDS;
      if (isOver || !isLost(error)) throw error;
      onRepeat();
      const pauseMax = PAUSE_MILLISECONDS_MAX >> (REPEATS_MAX - 1 - repeats);
      await wait(randomInt(PAUSE_MILLISECONDS_MIN, pauseMax + 1));
    }
  }
}
