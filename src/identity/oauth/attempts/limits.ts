import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../../../platform/clock.ts';
import type { ProcessGroup } from '../../../platform/process/group/member.ts';
import type { PromptRedis } from '../../../platform/redis/prompt-redis.ts';
import { type AttemptRule, COUNT_FAILURES_SCRIPT, parseAttemptState } from './counts.ts';
import { createLocalCounts, localCountsOfGroup } from './local-counts.ts';

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
  group?: ProcessGroup | null;
}

interface AttemptCommands {
  countFailures(...keysAndValues: (string | number)[]): Promise<number[]>;
}

/**
 * Brute force is slowed down, nobody is locked out: who fails is known by client and address together, so that a
 * stranger cannot keep a client from its own tokens. While Redis is away the processes of one machine count together,
 * those of different machines each for itself.
 */
export function createAttemptLimiter(
  deps: AttemptLimiterDeps,
  rules: readonly AttemptRule[],
): AttemptLimiter {
  const { redis, clock } = deps;
  const { group = null } = deps;
  const own = createLocalCounts(deps.entriesMax);
  const local = group === null ? own : localCountsOfGroup(group, own);
  const namesOf = (subjects: readonly string[]) =>
    rules.map((rule, index) => `attempts:${rule.name}:${subjectKey(subjects[index] ?? '')}`);

  return {
    async secondsToWait(subjects) {
      const names = namesOf(subjects);
      const kept = await redis.ask((connection, prefix) =>
        connection.mget(names.map((name) => `${prefix}:${name}`)),
      );
      const keptHere = await local.find(names);
      const now = clock.nowMilliseconds();
      const waits = names.map((_name, index) => {
        const text = kept?.[index];
        const states = [keptHere[index], typeof text === 'string' ? parseAttemptState(text) : undefined];
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
      return counts ?? (await local.countFailure(names, rules, now));
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
