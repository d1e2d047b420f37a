import {
  FEED_SOURCES,
  type FeedClock,
  type FeedSource,
  type FeedState,
  feedChange,
  instantOf,
  type SourceSwitches,
  sentencesOf,
} from './switches.ts';

/** State of a running feed: its clock, the switches of each source, and what was asked. */
export interface FeedKeeper {
  now(): number;
  set(change: FeedState): void;
  /** Counts a request and hands out the switches that hold for it. */
  count(source: FeedSource, address: string): { count: number; switches: SourceSwitches };
  /** A fault was played: one of its `times` is gone. */
  spend(source: FeedSource): void;
  requests(): Record<FeedSource, number>;
  addresses(): readonly string[];
  shown(): object;
}

/** Addresses are for tests: the newest so many. */
const ADDRESSES_KEPT = 2000;

export class FeedStateError extends Error {
  readonly sentences: readonly string[];
  constructor(sentences: readonly string[]) {
    super(sentences.join('; '));
    this.sentences = sentences;
  }
}

export function keepState(initial: FeedState): FeedKeeper {
  let now: FeedClock = null;
  const switches = new Map<FeedSource, SourceSwitches>();
  const timesLeft = new Map<FeedSource, number>();
  const counts = new Map<FeedSource, number>();
  let addresses: string[] = [];

  const keeper: FeedKeeper = {
    now: () => millisecondsOf(now),
    set(change) {
      const { now: given, ...rest } = change;
      const parsed = feedChange.safeParse(typeof given === 'function' ? rest : change);
      if (!parsed.success) throw new FeedStateError(sentencesOf(parsed.error));
      if (given !== undefined) now = given;
      for (const source of FEED_SOURCES) {
        const named = parsed.data[source];
        if (named === undefined) continue;
        switches.set(source, named);
        timesLeft.set(source, named.times ?? Number.POSITIVE_INFINITY);
      }
    },
    count(source, address) {
      const count = (counts.get(source) ?? 0) + 1;
      counts.set(source, count);
      addresses.push(address);
      if (addresses.length > ADDRESSES_KEPT) addresses = addresses.slice(-ADDRESSES_KEPT / 2);
      const given = switches.get(source) ?? {};
      return { count, switches: (timesLeft.get(source) ?? 1) > 0 ? given : withoutFaults(given) };
    },
    spend(source) {
      timesLeft.set(source, (timesLeft.get(source) ?? Number.POSITIVE_INFINITY) - 1);
    },
    requests: () => countsOf(counts),
    addresses: () => addresses,
    shown: () => ({
      synthetic: true,
      now: isoText(keeper.now()),
      clock: now === null ? 'this machine' : 'set',
      ...Object.fromEntries(FEED_SOURCES.map((source) => [source, switches.get(source) ?? {}])),
      requests: countsOf(counts),
    }),
  };
  keeper.set(initial);
  return keeper;
}

function countsOf(counts: ReadonlyMap<FeedSource, number>): Record<FeedSource, number> {
  const of = (source: FeedSource) => counts.get(source) ?? 0;
  return {
    entsoe: of('entsoe'),
    smard: of('smard'),
    'energy-charts': of('energy-charts'),
    awattar: of('awattar'),
    energyforecast: of('energyforecast'),
  };
}

function withoutFaults(switches: SourceSwitches): SourceSwitches {
  const {
    status: _status,
    html_200: _page,
    reset: _reset,
    slow_seconds: _slow,
    truncate_bytes: _cut,
    empty: _empty,
    oversize: _oversize,
    redirect: _redirect,
    ...rest
  } = switches;
  return rest;
}

function isoText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function millisecondsOf(now: FeedClock): number {
  if (now === null) return Date.now();
  if (typeof now === 'function') return now();
  return typeof now === 'number' ? now : (instantOf(now) ?? 0);
}
