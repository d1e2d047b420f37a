import { isEnabled } from '../../config/price-sources.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';
import type { PriceParts, RetryRule } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { failureOf } from '../providers/exchange.ts';
import { type RealizedSource, sources } from '../providers/index.ts';
import { pause } from '../providers/pause.ts';
import { hasZone } from '../providers/price-source.ts';
import { findPause, recordFailedJob } from '../store/sources.ts';
import { type StoredDay, storeAnswer } from '../store/store.ts';
import { waitBeforeRetry } from './retries.ts';

export interface AskTask {
  readonly source: RealizedSource;
  readonly zone: Zone;
  /** Ascending, at most as many as one request of the source takes. */
  readonly days: readonly DeliveryDay[];
  readonly retries: RetryRule;
  /** When the job began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly recheck: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type SourceAnswer =
  | { readonly status: 'answered'; readonly days: readonly StoredDay[] }
  | { readonly status: 'failed'; readonly outcome: FetchOutcome };

/** Whether the source may be asked now; a paused one may not, nor one without token, nor for a zone it does not have. */
export async function mayAsk(parts: PriceParts, source: RealizedSource, zone: Zone): Promise<boolean> {
  if (!hasZone(sources[source], zone)) return false;
  if (!isEnabled(parts.config, sources[source])) return false;
  const paused = await parts.database.asService((connection) => findPause(connection, parts, source));
  if (paused === null) return true;
  parts.log.debug({ source, ...paused }, 'a paused source of prices was left out');
  return false;
}

/** Asks one source and keeps what came, with the retries that the outcome allows. */
export async function askSource(parts: PriceParts, task: AskTask): Promise<SourceAnswer> {
  const { source, zone, days, signal } = task;
  for (let failures = 1; ; failures += 1) {
    signal?.throwIfAborted();
    const answer = await sources[source].ask(parts, { zone, days, signal });
    const { recheck } = task;
    const stored = await storeAnswer(parts, { source, zone, days, answer, recheck, byNetwork: true });
    const failure = failureOf(answer);
    if (failure === null) return { status: 'answered', days: stored };
    if (failure.outcome !== 'transient_failure') return { status: 'failed', outcome: failure.outcome };

    const elapsed = parts.clock.nowMilliseconds() - task.startedAt;
    const wait = waitBeforeRetry(task.retries, failures, elapsed);
    if (wait === null) {
      await parts.database.asService((connection) => recordFailedJob(connection, parts, source));
      return { status: 'failed', outcome: 'transient_failure' };
    }
    await pause(parts, wait, signal);
  }
}
