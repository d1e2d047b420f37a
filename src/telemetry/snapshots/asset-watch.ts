import { setTimeout as wait } from 'node:timers/promises';
import type { ChangedHousehold, Deps } from '../../platform/deps.ts';
import { createSignal } from '../../platform/process/signals.ts';
import { findChangedHouseholds } from '../assets/queries.ts';

/*
 * How a process that keeps assets in memory learns that they changed. A message tells it at once, and may be lost: Redis is
 * away, a process is killed between its COMMIT and the message, somebody writes SQL by hand. So the process also looks, every
 * two seconds, at what changed since it looked last. The looks are what is relied on, the messages only make it quick.
 */

const LOOK_MILLISECONDS = 2_000;

/** What changed before so long is known. Whoever finds this not so asks the database himself. */
export const KNOWN_AFTER_MILLISECONDS = 5_000;

/** One look tells of so many assets at most, which took 80 ms on a busy machine. Behind more, everything counts as changed. */
const CHANGES_MAX = 5_000;

/** `any`: nobody can say which ones. */
export type WatchedChange = ChangedHousehold | 'any';

export interface AssetWatch {
  subscribe(listener: (change: WatchedChange) => void): () => void;
  /** Whether everything was told that changed more than `KNOWN_AFTER_MILLISECONDS` ago. */
  isSure(): boolean;
}

export interface RunningAssetWatch extends AssetWatch {
  /** One look at what changed since the last one. */
  look(): Promise<void>;
  /** Looks again and again. */
  begin(): void;
  end(): Promise<void>;
}

export interface AssetWatchParts extends Pick<Deps, 'assetChanged' | 'log' | 'metrics'> {
  /** On a connection that requests do not take: when they wait for one, a look that waits too would send more of them there. */
  database: Deps['database'];
  nowMilliseconds?: () => number;
}

export function createAssetWatch(parts: AssetWatchParts): RunningAssetWatch {
  const { database, assetChanged, log, nowMilliseconds = () => performance.now() } = parts;
  const gauge = parts.metrics.gauge(
    'asset_changes_watched',
    'Whether the process knows which assets changed: 1 or 0',
    [],
    'min',
  );
  const changed = createSignal<WatchedChange>();
  const unsubscribe = assetChanged.subscribe(changed.emit);
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let seen: { server: string; snapshot: string } | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  async function look(): Promise<void> {
    const begunAt = nowMilliseconds();
    const found = await database.asService((connection) =>
      findChangedHouseholds(connection, seen?.snapshot ?? null, CHANGES_MAX),
    );
    if (found.server_started_at !== seen?.server || !found.is_complete) changed.emit('any');
    else {
      for (const [index, household] of found.households.entries()) {
        changed.emit({ organization: found.organizations[index] ?? '', household });
      }
    }
    seen = { server: found.server_started_at, snapshot: found.seen_now };
    lookedAt = begunAt;
  }

  function tell(error?: unknown): void {
    const fails = error !== undefined;
    gauge.set(fails ? 0 : 1);
    if (fails === isFailing) return;
    isFailing = fails;
    if (fails) log.warn({ err: error }, 'which assets changed is not known: they are asked for every 5 s');
    else log.info('which assets changed is known again');
  }

  async function lookAgainAndAgain(): Promise<void> {
    const { signal } = ending;
    while (!signal.aborted) {
      await look().then(() => tell(), tell);
      await wait(LOOK_MILLISECONDS, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  return {
    subscribe: changed.subscribe,
    isSure: () => nowMilliseconds() - lookedAt < KNOWN_AFTER_MILLISECONDS,
    look,
    begin: () => {
      running ??= lookAgainAndAgain();
    },
    end: async () => {
      ending.abort();
      unsubscribe();
      await running;
    },
  };
}
