import { BoundedCache } from '../bounded-cache.ts';

/** How fast a bucket fills, and what it holds when it is full. */
export interface BucketNumbers {
  perSecond: number;
  burst: number;
}

/** What a call for tokens found. */
export interface Tokens {
  granted: number;
  /** Whole tokens left. */
  remaining: number;
  secondsUntilFull: number;
  /** At least 1. */
  secondsUntilNext: number;
}

/*
 * A bucket is one number: the instant at which it will be full again. A full bucket is none at all, so forgetting one whose
 * instant has passed changes nothing. The missing part never exceeds the bucket, whatever the clock did or the numbers were
 * before.
 */

/**
 * The bucket in Redis, for all processes together: one key, one round trip, by the clock of the server. KEYS: the bucket;
 * ARGV: tokens a second, burst, tokens wanted. Microseconds since 1970 are exact in Lua's numbers, but `tostring` would
 * cut them to 14 digits.
 */
export const TAKE_TOKENS_SCRIPT = `
local interval = 1000000 / ARGV[1]
local burst = tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full_at = tonumber(redis.call('GET', KEYS[1]) or now)
local missing = math.min(math.max(full_at - now, 0) / interval, burst)
local whole = math.floor(burst - missing)
local granted = math.min(tonumber(ARGV[3]), whole)
missing = missing + granted
local filling = missing * interval
if granted > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f', now + filling), 'PX', math.ceil(filling / 1000))
end
return {
  granted,
  whole - granted,
  math.ceil(filling / 1000000),
  math.max(1, math.ceil((missing - burst + 1) * interval / 1000000))
}
`;

export function tokensOf(answer: readonly number[]): Tokens {
  const [granted = 0, remaining = 0, secondsUntilFull = 0, secondsUntilNext = 1] = answer;
  return { granted, remaining, secondsUntilFull, secondsUntilNext };
}

/** Buckets of this process alone, by a clock that never goes back. */
export class ProcessBuckets {
  readonly #fullAt: BoundedCache<number>;
  readonly #nowMilliseconds: () => number;

  constructor(entriesMax: number, nowMilliseconds: () => number = () => performance.now()) {
    this.#fullAt = new BoundedCache(entriesMax);
    this.#nowMilliseconds = nowMilliseconds;
  }

  take(name: string, { perSecond, burst }: BucketNumbers, count = 1): Tokens {
    const interval = 1000 / perSecond;
    const now = this.#nowMilliseconds();
    const fullAt = this.#fullAt.get(name) ?? now;
    const before = Math.min(Math.max(fullAt - now, 0) / interval, burst);
    const whole = Math.floor(burst - before);
    const granted = Math.min(count, whole);
    const missing = before + granted;
    if (granted > 0) this.#fullAt.set(name, now + missing * interval);
    return {
      granted,
      remaining: whole - granted,
      secondsUntilFull: Math.ceil((missing * interval) / 1000),
      secondsUntilNext: Math.max(1, Math.ceil(((missing - burst + 1) * interval) / 1000)),
    };
  }
}
