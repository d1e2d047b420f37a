import type { BucketNumbers, Tokens } from './token-bucket.ts';

/** Clients with fewer tokens are not so fast that they would notice the way to Redis. */
const BURST_MIN = 1_000;
/** How long tokens may be given out before Redis hears of them. */
const SETTLE_MILLISECONDS = 10;
/** A bucket that holds less than this share gives nothing on credit. */
const KEPT_SHARE = 1 / 2;
/** What one process may owe, as a share of the bucket. */
const OWED_SHARE_MAX = 1 / 20;

/** The bucket as Redis had it a moment ago, and the tokens that this process has given out since. */
interface TokenAdvance {
  readonly numbers: BucketNumbers;
  /** Tokens, at this moment of the process's clock. */
  missing: number;
  at: number;
  owed: number;
}

/** Asks the shared bucket; undefined where it does not answer. */
type TakeShared = (bucket: string, numbers: BucketNumbers, count: number) => Promise<Tokens | undefined>;

export interface TokenAdvances {
  /** One token on credit; undefined where the shared bucket has to be asked. */
  take(bucket: string, numbers: BucketNumbers): Tokens | undefined;
  /** What the shared bucket has just said. */
  learn(bucket: string, numbers: BucketNumbers, tokens: Tokens): void;
}

/**
 * Tokens given out ahead, and paid every 10 ms: a busy client would else wait for Redis with each of its requests, which
 * took a tenth of the speed of small batches. Only of large buckets that are at least half full, and a process owes a
 * twentieth at most: by so much, for so long, processes together can give out more than there is. Redis alone refuses.
 * What is owed when Redis goes away is lost.
 */
export function createTokenAdvances(
  takeShared: TakeShared,
  nowMilliseconds: () => number = () => performance.now(),
  processes = 1,
): TokenAdvances {
  const open = new Map<string, TokenAdvance>();
  /* So many processes together owe no more than a bucket holds from which tokens are given on credit. */
  const owedShareMax = Math.min(OWED_SHARE_MAX, KEPT_SHARE / processes);

  /** A timer a bucket, as long as somebody asks. */
  function settleSoon(bucket: string, advance: TokenAdvance): void {
    setTimeout(() => void settle(bucket, advance), SETTLE_MILLISECONDS).unref();
  }

  async function settle(bucket: string, advance: TokenAdvance): Promise<void> {
    const { numbers, owed } = advance;
    const tokens = owed === 0 ? undefined : await takeShared(bucket, numbers, owed);
    if (tokens === undefined) {
      open.delete(bucket);
      return;
    }
    advance.owed -= owed;
    hear(advance, tokens);
    settleSoon(bucket, advance);
  }

  function hear(advance: TokenAdvance, { remaining }: Tokens): void {
    advance.missing = advance.numbers.burst - remaining + advance.owed;
    advance.at = nowMilliseconds();
  }

  function take(bucket: string, numbers: BucketNumbers): Tokens | undefined {
    const advance = open.get(bucket);
    if (advance === undefined || !areSame(advance.numbers, numbers)) return undefined;
    const { perSecond, burst } = numbers;
    const now = nowMilliseconds();
    const missing = Math.max(0, advance.missing - ((now - advance.at) / 1_000) * perSecond) + 1;
    const remaining = Math.floor(burst - missing);
    if (advance.owed + 1 > burst * owedShareMax || remaining < burst * KEPT_SHARE) return undefined;
    advance.missing = missing;
    advance.at = now;
    advance.owed += 1;
    return { granted: 1, remaining, secondsUntilFull: Math.ceil(missing / perSecond), secondsUntilNext: 1 };
  }

  function learn(bucket: string, numbers: BucketNumbers, tokens: Tokens): void {
    const known = open.get(bucket);
    if (known !== undefined && areSame(known.numbers, numbers)) hear(known, tokens);
    if (known !== undefined || numbers.burst < BURST_MIN) return;
    if (tokens.remaining < numbers.burst * KEPT_SHARE) return;
    const advance = { numbers, missing: numbers.burst - tokens.remaining, at: nowMilliseconds(), owed: 0 };
    open.set(bucket, advance);
    settleSoon(bucket, advance);
  }

  return { take, learn };
}

function areSame(left: BucketNumbers, right: BucketNumbers): boolean {
  return left.perSecond === right.perSecond && left.burst === right.burst;
}
