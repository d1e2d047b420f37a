import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PromptRedis } from '../../platform/redis/prompt-redis.ts';
import {
  type AttemptRule,
  type AttemptState,
  afterFailure,
  COUNT_FAILURES_SCRIPT,
  parseAttemptState,
} from './counts.ts';

/** Counts failures to prove who one is, and says how long the next attempt has to wait. Never throws. */
export interface AttemptLimiter {
  /** Whole seconds until the next attempt is looked at; 0: at once. One subject for each rule, in their order. */
  secondsToWait(subjects: readonly string[]): Promise<number>;
  /** Counts one failure of each subject and answers the counts. */
  countFailure(subjects: readonly string[]): Promise<readonly number[]>;
}

export interface AttemptLimiterDeps {
  redis: PromptRedis;
  clock: Clock;
  /** Subjects that this process counts by itself while Redis is away. */
  entriesMax: number;
}

interface AttemptCommands {
  countFailures(...keysAndValues: (string | number)[]): Promise<number[]>;
}

/**
 * Brute force is slowed down, nobody is locked out: who fails is known by client and address together, so that a
 * stranger cannot keep a client from its own tokens. While Redis is away each process counts by itself.
 */
export function createAttemptLimiter(
  deps: AttemptLimiterDeps,
  rules: readonly AttemptRule[],
): AttemptLimiter {
  const { redis, clock } = deps;
  const own = new BoundedCache<AttemptState>(deps.entriesMax);
  const countHere = (name: string, rule: AttemptRule, now: number): number => {
    const state = afterFailure(own.get(name), rule, now);
    own.set(name, state);
    return state.failures;
  };
  const namesOf = (subjects: readonly string[]) =>
    rules.map((rule, index) => `attempts:${rule.name}:${subjectKey(subjects[index] ?? '')}`);

  return {
    async secondsToWait(subjects) {
      const names = namesOf(subjects);
      const kept = await redis.ask((connection, prefix) =>
        connection.mget(names.map((name) => `${prefix}:${name}`)),
      );
      const now = clock.nowMilliseconds();
      const waits = names.map((name, index) => {
        const text = kept?.[index];
        const states = [own.get(name), typeof text === 'string' ? parseAttemptState(text) : undefined];
        return Math.max(...states.map((state) => (state?.closedUntilMilliseconds ?? 0) - now));
      });
      return Math.max(0, Math.ceil(Math.max(...waits) / 1000));
    },
    async countFailure(subjects) {
      const names = namesOf(subjects);
      const now = clock.nowMilliseconds();
      const counts = await redis.ask((connection, prefix) =>
        commandsOn(connection).countFailures(
          names.length,
          ...names.map((name) => `${prefix}:${name}`),
          now,
          ...rules.flatMap((rule) => [
            rule.failuresMax,
            rule.windowSeconds * 1000,
            rule.closedSeconds * 1000,
            rule.closedSecondsMax * 1000,
          ]),
        ),
      );
      return counts ?? rules.map((rule, index) => countHere(names[index] ?? '', rule, now));
    },
  };
}

/** Ids as they were typed and addresses of people stay out of Redis, and every key has the same length. */
export function subjectKey(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url').slice(0, 22);
}

const prepared = new WeakSet<Redis>();

function commandsOn(redis: Redis): AttemptCommands {
  if (!prepared.has(redis)) {
    redis.defineCommand('countFailures', { lua: COUNT_FAILURES_SCRIPT });
    prepared.add(redis);
  }
  return redis as unknown as AttemptCommands;
}
