import { elapsedSeconds } from '../../platform/clock.ts';
import { SQLSTATE, sqlState } from '../../platform/database/pg-errors.ts';
import { type Pace, withoutRest } from './pace.ts';

/** A statement works for about so long: far below its limit, and erasures wait for no more than that. */
const SECONDS_AIMED_AT = 1;
const GROWTH_MAX = 2;
const SHRINKAGE_MAX = 4;
/** After one that was too much. */
const SHRINKAGE_AT_LIMIT = 8;

/** More than is read at once. */
export class PortionTooLarge extends Error {}

/**
 * Limits of the server that less work stays below: of the time of a statement, of a transaction and between two statements, and
 * of rows of the columnstore that a statement may unpack, 100,000. Sums of an old week are unpacked where they are replaced, of
 * each asset all of them.
 */
const LIMITS: readonly string[] = [
  SQLSTATE.queryCanceled,
  SQLSTATE.transactionTooLong,
  SQLSTATE.idleInTransaction,
  SQLSTATE.tooManyTuplesDecompressed,
];

/** Less of it may go: it was too large, or the server ended it at one of its limits. */
export const isTooMuch = (error: unknown): boolean =>
  error instanceof PortionTooLarge || LIMITS.includes(sqlState(error) ?? '');

/** How much one statement takes on: learned from how long the last ones took. */
export interface Portion {
  /** Does some work, again with less of it while that was too much; throws when one is too much. */
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
          if (!isTooMuch(error) || size === 1) throw error;
          size = Math.max(1, Math.floor(size / SHRINKAGE_AT_LIMIT));
        } finally {
          pace.worked(elapsedSeconds(begun));
        }
      }
    },
  };
}
