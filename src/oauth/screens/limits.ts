import type { Deps } from '../../deps.ts';
import { networkOf } from '../../platform/http/network.ts';
import { createAttemptLimiter } from '../attempts/limits.ts';
import type { AuthorizationRequest } from '../authorize/request-queries.ts';

/** Against guessing one-time codes of many customers, and against having many of them mailed. */
export interface ScreenLimits {
  /** Whole seconds until forms of this address are looked at again; 0: at once. */
  secondsToWait(address: string): Promise<number>;
  /** A code that was asked for, or a wrong one. */
  count(address: string): Promise<void>;
  /** A wrong code; of one from which on codes are long an alarm is raised. */
  noteGuess(
    guess: CodeGuess,
    request: Pick<AuthorizationRequest, 'organization_id' | 'client_id'> | null,
  ): void;
}

/** `lengthening`: further codes of the account are long for a day. */
export type CodeGuess = 'wrong' | 'lengthening';

export function createScreenLimits(
  deps: Pick<Deps, 'config' | 'clock' | 'redis' | 'metrics' | 'log' | 'group'>,
): ScreenLimits {
  const { config, clock, redis, metrics, log, group } = deps;
  const wrongCodes = metrics.counter('one_time_code_failures_total', 'Wrong one-time codes');
  const alarms = metrics.counter(
    'one_time_code_alarms_total',
    'Accounts for which ten wrong one-time codes came within a day',
  );
  const attempts = createAttemptLimiter({ redis, clock, entriesMax: config.TOKEN_CACHE_ENTRIES_MAX, group }, [
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
    noteGuess: (guess, request) => {
      wrongCodes.inc();
      if (guess !== 'lengthening') return;
      alarms.inc();
      const { organization_id: organization, client_id: client } = request ?? {};
      log.error({ organization, client }, 'many wrong one-time codes for one account');
    },
  };
}
