import { randomInt } from 'node:crypto';
import type { RetryRule } from '../parts.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Waits before each further try after a transient failure; anything else is not tried again. */
const WAITS: Readonly<Record<RetryRule, readonly number[]>> = {
  job: [5 * SECOND, 20 * SECOND],
  backfill: [5 * SECOND, 20 * SECOND, 80 * SECOND, 5 * MINUTE, 5 * MINUTE],
  none: [],
};

/** After that long a job makes no more retries; every source still gets its one attempt. */
const JOB_MILLISECONDS_MAX = 4 * MINUTE;

/** Up to a fifth more or less: installations that failed together do not come back together. */
const SPREAD_PERCENT = 20;

/** How long to wait before the next try; null: there is none. */
export function waitBeforeRetry(
  rule: RetryRule,
  failures: number,
  elapsedMilliseconds: number,
): number | null {
  const wait = WAITS[rule][failures - 1];
  if (wait === undefined) return null;
  if (rule === 'job' && elapsedMilliseconds >= JOB_MILLISECONDS_MAX) return null;
  return Math.round((wait * randomInt(100 - SPREAD_PERCENT, 100 + SPREAD_PERCENT + 1)) / 100);
}
