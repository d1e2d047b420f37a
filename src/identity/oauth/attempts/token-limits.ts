import type { Deps } from '../../../platform/deps.ts';
import { networkOf } from '../../../platform/http/network.ts';
import { slowDown } from '../protocol/failures.ts';
import { searchableId } from '../protocol/parameters.ts';
import type { AttemptRule } from './counts.ts';
import { createAttemptLimiter, subjectKey } from './limits.ts';

/** Who asks: the client id as it was presented, and the whole remote address. */
export interface TokenAsker {
  client: string;
  address: string;
}

/** What the endpoints of OAuth do against being asked too often. Each refusal is 429 `slow_down`. */
export interface TokenLimits {
  /**
   * Before anything is looked up: throws while the door is closed to this client id from this network, and takes one
   * request of the bucket that the two have together.
   */
  admit(endpoint: Endpoint, asking: TokenAsker): Promise<void>;
  /** Takes one request of the bucket of a client that has shown its secret. */
  takeProven(endpoint: Endpoint, client: string): Promise<void>;
  /** A wrong secret, or what a client without one presents in its place. */
  countFailure(asking: TokenAsker): Promise<void>;
}

/** Tokens are issued at the token endpoint; revocation and introspection ask about those that were. */
export type Endpoint = 'issue' | 'inspect';

const WINDOW_SECONDS = 60;
const CLOSED_SECONDS = 60;
const CLOSED_SECONDS_MAX = 900;
/** As many as a new client may make API calls. */
const INSPECTIONS = { perSecond: 50, burst: 100 };

/**
 * Nothing here closes a client id as such before its secret was shown, or anybody who knows the id could stop the client.
 * Against guessing: failures only, by client and network together and by network; they also bound how many made-up ids
 * one network can have looked up. The count of failures by client alone raises an alarm.
 */
export function createTokenLimits(
  deps: Pick<Deps, 'config' | 'clock' | 'log' | 'metrics' | 'redis' | 'limiter' | 'group'>,
): TokenLimits {
  const { config, log, metrics, limiter } = deps;
  const closing = {
    windowSeconds: WINDOW_SECONDS,
    closedSeconds: CLOSED_SECONDS,
    closedSecondsMax: CLOSED_SECONDS_MAX,
  };
  const rules: AttemptRule[] = [
    { name: 'client-at-address', failuresMax: config.TOKEN_FAILURES_MAX, ...closing },
    { name: 'address', failuresMax: config.TOKEN_FAILURES_OF_ADDRESS_MAX, ...closing },
    {
      name: 'client',
      failuresMax: config.TOKEN_FAILURES_ALARM,
      windowSeconds: WINDOW_SECONDS,
      closedSeconds: 0,
      closedSecondsMax: 0,
    },
  ];
  const attempts = createAttemptLimiter(
    {
      redis: deps.redis,
      clock: deps.clock,
      entriesMax: config.TOKEN_CACHE_ENTRIES_MAX,
      group: deps.group,
    },
    rules,
  );
  const failures = metrics.counter(
    'token_failures_total',
    'Wrong secrets and dead tokens of clients without a secret',
  );
  const alarms = metrics.counter(
    'token_failure_alarms_total',
    'Clients for which many wrong secrets came within a minute',
  );
  const subjectsOf = ({ client, address }: TokenAsker) => {
    const network = networkOf(address);
    return [`${client}\0${network}`, network, client] as const;
  };
  const numbersOf = {
    issue: { perSecond: config.TOKEN_REQUESTS_PER_SECOND, burst: config.TOKEN_REQUESTS_BURST },
    inspect: INSPECTIONS,
  };

  const closed = `Too many wrong secrets or dead tokens came from this address within a minute (${config.TOKEN_FAILURES_MAX} for one client, or ${config.TOKEN_FAILURES_OF_ADDRESS_MAX} in all): the right one has to wait as well`;

  async function take(endpoint: Endpoint, whose: string): Promise<void> {
    const taken = await limiter.take(`oauth-${endpoint}:${whose}`, numbersOf[endpoint]);
    if (!taken.allowed) throw slowDown(taken.secondsUntilNext);
  }

  return {
    async admit(endpoint, asking) {
      const subjects = subjectsOf(asking);
      const seconds = await attempts.secondsToWait(subjects);
      if (seconds > 0) throw slowDown(seconds, closed);
      await take(endpoint, `at-network:${subjectKey(subjects[0])}`);
    },
    takeProven: (endpoint, client) => take(endpoint, client),
    async countFailure(asking) {
      failures.inc();
      const counts = await attempts.countFailure(subjectsOf(asking));
      if (counts[2] !== config.TOKEN_FAILURES_ALARM) return;
      alarms.inc();
      /* What was typed may be anything: only what can be an id is kept. */
      log.error(
        { client: searchableId(asking.client) || 'none of ours' },
        'many wrong secrets for one client',
      );
    },
  };
}
