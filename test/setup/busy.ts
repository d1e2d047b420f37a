import { availableParallelism, loadavg } from 'node:os';
import { isDatabaseUnavailable } from '../../src/platform/database/pg-errors.ts';
import { Failure } from '../../src/platform/errors.ts';

/**
 * How many times longer than at rest work takes on this machine now: each of those that compute gets its share of a core.
 * 1 at rest. For promises of a time, which hold for a machine that does nothing else.
 */
export const timesLonger = () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/** The transaction did nothing: the service is busy, or others held a row for longer than anybody waits. */
export function isBusy(error: unknown): boolean {
  return (error instanceof Failure && error.status === 503) || isDatabaseUnavailable(error);
}

const ATTEMPTS_MAX = 20;

/** As a caller who is told that the service is busy, and that nothing was done. */
export async function persistently<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isBusy(error)) throw error;
    }
  }
}
