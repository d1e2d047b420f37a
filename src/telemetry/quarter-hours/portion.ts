import { elapsedSeconds } from '../../platform/clock.ts';
import { SQLSTATE, sqlState } from '../../platform/database/pg-errors.ts';
import { type Pace, withoutRest } from './pace.ts';

/** A statement works for about so long: far below its limit, and erasures wait for no more than that. */
const SECONDS_AIMED_AT = 1;
const GROWTH_MAX = 2;
const SHRINKAGE_MAX = 4;
/** After a statement that the server ended at its limit. */
const SHRINKAGE_AT_LIMIT = 8;

/** How much one statement takes on: learned from how long the last ones took. */
export interface Portion {
  /** Does some work, again with less of it while the server ends it at the time limit; throws when one is too much. */
  run<Result>(work: (size: number) => Promise<Result>): Promise<Result>;
}

export function createPortion({
  start,
  max,
  pace = withoutRest,
}: {
  start: number;
  max: number;
  pace?: Pace;
}): Portion {
  let size = start;
  return {
    async run(work) {
      for (;;) {
        await pace.rest();
        const begun = performance.now();
        try {
          const result = await work(size);
          const factor = SECONDS_AIMED_AT / Math.max(elapsedSeconds(begun), 0.001);
          const bounded = Math.min(GROWTH_MAX, Math.max(1 / SHRINKAGE_MAX, factor));
          size = Math.min(max, Math.max(1, Math.floor(size * bounded)));
          return result;
        } catch (error) {
          if (sqlState(error) !== SQLSTATE.queryCanceled || size === 1) throw error;
          size = Math.max(1, Math.floor(size / SHRINKAGE_AT_LIMIT));
        } finally {
          pace.worked(elapsedSeconds(begun));
        }
      }
    },
  };
}
