import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Failure } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { ProcessGroup } from '../process/group/member.ts';
import type { PromptRedis } from '../redis/prompt-redis.ts';
import { bucketsOfGroup } from './group-buckets.ts';
import { createTokenAdvances } from './token-advances.ts';
import {
  type BucketNumbers,
  ProcessBuckets,
  TAKE_TOKENS_SCRIPT,
  type Tokens,
  tokensOf,
} from './token-bucket.ts';

/** What one request heard from its bucket. */
export interface TakenTokens {
  allowed: boolean;
  limit: number;
  remaining: number;
  secondsUntilFull: number;
  secondsUntilNext: number;
  /** Counted by all processes together; else by this one, and the numbers say nothing about the others. */
  shared: boolean;
}

export interface RateLimiter {
  /** Takes one token of the bucket; no promise where it is given on credit. Never throws. */
  take(bucket: string, numbers: BucketNumbers): TakenTokens | Promise<TakenTokens>;
}

interface WaitingTake {
  numbers: BucketNumbers;
  resolve(taken: TakenTokens): void;
}

interface BucketCommands {
  takeTokens(key: string, perSecond: number, burst: number, count: number): Promise<number[]>;
}

/**
 * Token buckets that all processes share. A large one gives tokens on credit (`createTokenAdvances`). Else, per bucket, one call is on its way at a time, and what arrives meanwhile goes together
 * into the next one: a client with 32 requests in flight costs one round trip for many of them, and no request waits for
 * more than two. The first call leaves at the end of the turn of the event loop in which it was asked for, and takes along
 * what was read in the same turn: a quarter fewer calls with 32 requests in flight.
 */
export function createRateLimiter(options: {
  redis: PromptRedis;
  metrics: Metrics;
  /** Of the buckets that this process counts by itself. */
  entriesMax: number;
  group?: ProcessGroup | null;
}): RateLimiter {
  const { redis, metrics, group: processes = null } = options;
  const own = new ProcessBuckets(options.entriesMax);
  const withoutRedis = processes === null ? own : bucketsOfGroup(processes, own);
  const ownDecisions = metrics.counter(
    'rate_limit_process_decisions_total',
    'Requests that this process counted by itself, because Redis gave no answer in time',
  );
  const refusals = metrics.counter('rate_limit_refusals_total', 'Requests over their rate limit');
  /** Those that go with the next call; no entry where nobody asks. */
  const queues = new Map<string, WaitingTake[]>();
  const advances = createTokenAdvances(takeShared, undefined, processes?.size);

  function takeShared(bucket: string, numbers: BucketNumbers, count: number): Promise<Tokens | undefined> {
    return redis.ask(async (connection, prefix) =>
      tokensOf(
        await commandsOn(connection).takeTokens(
          `${prefix}:bucket:${bucket}`,
          numbers.perSecond,
          numbers.burst,
          count,
        ),
      ),
    );
  }

  async function serve(bucket: string, first: WaitingTake): Promise<void> {
    let group = [first];
    queues.set(bucket, group);
    await endOfTurn();
    while (group.length > 0) {
      const waiting: WaitingTake[] = [];
      queues.set(bucket, waiting);
      const { numbers } = group[group.length - 1] ?? first;
      const tokens = await takeShared(bucket, numbers, group.length);
      if (tokens === undefined) {
        const all = [...group, ...waiting];
        ownDecisions.inc(all.length);
        queues.delete(bucket);
        shareOut(all, await withoutRedis.take(bucket, numbers, all.length), false);
        return;
      }
      advances.learn(bucket, numbers, tokens);
      shareOut(group, tokens, true);
      group = waiting;
    }
    queues.delete(bucket);
  }

  function shareOut(group: readonly WaitingTake[], tokens: Tokens, shared: boolean): void {
    for (const [place, { numbers, resolve }] of group.entries()) {
      const later = Math.max(0, tokens.granted - 1 - place);
      resolve(
        counted(place < tokens.granted, numbers, { ...tokens, remaining: tokens.remaining + later }, shared),
      );
    }
  }

  function counted(allowed: boolean, numbers: BucketNumbers, tokens: Tokens, shared: boolean): TakenTokens {
    if (!allowed) refusals.inc();
    const { remaining, secondsUntilFull, secondsUntilNext } = tokens;
    return { allowed, limit: numbers.burst, remaining, secondsUntilFull, secondsUntilNext, shared };
  }

  return {
    take: (bucket, numbers) => {
      const advance = advances.take(bucket, numbers);
      if (advance !== undefined) return counted(true, numbers, advance, true);
      return new Promise<TakenTokens>((resolve) => {
        const waiting = queues.get(bucket);
        if (waiting === undefined) void serve(bucket, { numbers, resolve });
        else waiting.push({ numbers, resolve });
      });
    },
  };
}

const prepared = new WeakSet<Redis>();

function commandsOn(redis: Redis): BucketCommands {
  if (!prepared.has(redis)) {
    redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE_TOKENS_SCRIPT });
    prepared.add(redis);
  }
  return redis as unknown as BucketCommands;
}

/** For every answer to a request that was counted. The shared count is unknown to a process that counts by itself. */
export function rateLimitHeaders(taken: TakenTokens): Record<string, string> {
  if (!taken.shared) return {};
  return {
    'ratelimit-limit': String(taken.limit),
    'ratelimit-remaining': String(taken.remaining),
    'ratelimit-reset': String(taken.secondsUntilFull),
  };
}

export function tooManyRequestsMessage(seconds: number): string {
  return `Too many requests. Retry after ${seconds} seconds`;
}

export function tooManyRequests(taken: TakenTokens): Failure {
  const seconds = taken.secondsUntilNext;
  return new Failure('TOO_MANY_REQUESTS', {
    message: tooManyRequestsMessage(seconds),
    headers: { 'retry-after': String(seconds) },
  });
}
