import type { Deps } from '../../deps.ts';
import { createAttemptLimiter } from '../attempt-limits.ts';
import { networkOf } from '../token-limits.ts';

/** Against guessing one-time codes of many customers, and against having many of them mailed. */
export interface ScreenLimits {
  /** Whole seconds until forms of this address are looked at again; 0: at once. */
  secondsToWait(address: string): Promise<number>;
  /** A code that was asked for, or a wrong one. */
  count(address: string): Promise<void>;
}

export function createScreenLimits(deps: Pick<Deps, 'config' | 'clock' | 'redis'>): ScreenLimits {
  const { config, clock, redis } = deps;
  const attempts = createAttemptLimiter({ redis, clock, entriesMax: config.TOKEN_CACHE_ENTRIES_MAX }, [
    {
      name: 'sign-in-address',
      failuresMax: config.TOKEN_FAILURES_OF_ADDRESS_MAX,
      windowSeconds: 60,
      closedSeconds: 60,
      closedSecondsMax: 900,
    },
  ]);
  return {
    secondsToWait: (address) => attempts.secondsToWait([networkOf(address)]),
    count: async (address) => {
      await attempts.countFailure([networkOf(address)]);
    },
  };
}
