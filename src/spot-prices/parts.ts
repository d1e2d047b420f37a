import type { PriceConfig } from '../config/prices.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/db.ts';
import type { HttpClient } from '../platform/http/client.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { DeliveryDay } from './calendar.ts';
import type { FetchOutcome } from './providers/exchange.ts';
import type { RealizedSource } from './providers/index.ts';

/** What everything that asks for prices works with. */
export interface PriceParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly config: PriceConfig;
  readonly http: HttpClient;
  /** How long retries and the pace between requests really take; tests hand in their own. */
  wait?(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Retries of a pull after a transient failure: `job` 2, `backfill` 5 up to five minutes apart, `none` 0. */
export type RetryRule = 'job' | 'backfill' | 'none';

export interface PullAttempt {
  readonly source: RealizedSource;
  readonly outcome: FetchOutcome;
  /** Intervals of the day that were accepted. */
  readonly intervals: number;
}

export interface PullReport {
  readonly deliveryOn: DeliveryDay;
  readonly outcome:
    | 'already_complete'
    /** Another pull of the same day is under way. */
    | 'busy'
    | 'complete'
    | 'partial'
    /** Looks like an unpublished future, or is far from the days before: stored, not served. */
    | 'suspect'
    | 'not_published'
    | 'failed';
  /** What is served for the day after this pull. */
  readonly servedSource: string | null;
  /** The last attempt of each source that was asked; a paused source was not. */
  readonly attempts: readonly PullAttempt[];
  /** Whether anything served is different now. */
  readonly changed: boolean;
}

/** A failure that another try may mend, or that must wait: nothing of it is stored but its record. */
export function isUnusable(outcome: FetchOutcome): boolean {
  return ['transient_failure', 'throttled', 'denied', 'rejected'].includes(outcome);
}
