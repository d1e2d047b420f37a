import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Connection, Database } from '../database/db.ts';
import type { Logger } from '../log/logger.ts';
import type { Metrics } from '../metrics.ts';
import { createSignal, type Signal } from './signals.ts';

/*
 * How a process that keeps something of the database in memory learns that it changed: the assets of a household, and what a
 * token may do. A message tells it at once, and may be lost: Redis is
 * away, a process is killed between its COMMIT and the message, somebody writes SQL by hand. So the process also looks, every
 * two seconds, at what changed since it looked last. The looks are what is relied on, the messages only make it quick.
 */

const LOOK_MILLISECONDS = 2_000;

/** What changed before so long is known. Whoever finds this not so asks the database himself. */
export const KNOWN_AFTER_MILLISECONDS = 5_000;

/** One look tells of so many rows at most, which took 80 ms on a busy machine. Behind more, everything counts as changed. */
const CHANGES_MAX = 5_000;

export interface ChangedObject {
  readonly organization: string;
  /** Id of a household whose assets changed, of a grant, of a client or of the organization itself; `jti` of a revoked token. */
  readonly object: string;
}

/** `any`: nobody can say which ones. */
export type WatchedChange = ChangedObject | 'any';

export interface ChangeWatch {
  subscribe(listener: (change: WatchedChange) => void): () => void;
  /** Whether everything was told that changed more than `KNOWN_AFTER_MILLISECONDS` ago. */
  isSure(): boolean;
}

export interface RunningChangeWatch extends ChangeWatch {
  /** One look at what changed since the last one. */
  look(): Promise<void>;
  /** Looks again and again; called once more it does nothing. */
  begin(): void;
  end(): Promise<void>;
}

export interface ChangeWatchParts {
  /** On a connection that requests do not take: when they wait for one, a look that waits too would send more of them there. */
  database: Database;
  messages: Signal<ChangedObject>;
  log: Logger;
  metrics: Metrics;
  nowMilliseconds?: () => number;
}

export function createChangeWatch(parts: ChangeWatchParts): RunningChangeWatch {
  const { database, messages, log, nowMilliseconds = () => performance.now() } = parts;
  const gauge = parts.metrics.gauge(
    'changes_watched',
    'Whether the process knows what changed of the assets and tokens that it keeps: 1 or 0',
    [],
    'min',
  );
  /* Who keeps nothing yet does not look, and misses nothing. */
  gauge.set(1);
  const changed = createSignal<WatchedChange>();
  const unsubscribe = messages.subscribe(changed.emit);
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let seen: { server: string; snapshot: string } | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  async function look(): Promise<void> {
    const begunAt = nowMilliseconds();
    const found = await database.asService((connection) =>
      findChanges(connection, seen?.snapshot ?? null, CHANGES_MAX),
    );
    if (found.server_started_at !== seen?.server || !found.is_complete) changed.emit('any');
    else {
      for (const [index, object] of found.objects.entries()) {
        changed.emit({ organization: found.organizations[index] ?? '', object });
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
    if (fails)
      log.warn({ err: error }, 'what changed is not known: assets and tokens are asked for every 5 s');
    else log.info('what changed is known again');
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

/** What changed between two snapshots of the database. */
interface Changes {
  /** A snapshot of another server, or from before a restart, cannot be compared. */
  server_started_at: string;
  seen_now: string;
  /** False: more rows changed than were asked for, and not all of them are named. */
  is_complete: boolean;
  /** One for each of the objects, which stand as often as rows of theirs changed. */
  organizations: string[];
  objects: string[];
}

/** Looks across organizations: what is other than that snapshot saw it. Nothing where there is no snapshot yet. */
async function findChanges(
  connection: Connection,
  seen: string | null,
  changesMax: number,
): Promise<Changes> {
  const { rows } = await sql<Changes>`
    SELECT * FROM find_changes(${seen}::pg_snapshot, ${changesMax}::integer)`.execute(connection);
  const [found] = rows;
  if (found === undefined) throw new Error('The database did not say what changed');
  return found;
}
