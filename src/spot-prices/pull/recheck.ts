import type { DeliveryDay } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { sources } from '../providers/index.ts';
import { waitFor } from '../providers/pause.ts';
import { configuredSources } from '../store/sources.ts';
import { chunksOf } from './chunks.ts';
import { pullChunk } from './pull.ts';

export interface RecheckTask {
  /** Ascending. */
  readonly days: readonly DeliveryDay[];
  readonly signal?: AbortSignal;
}

export interface RecheckReport {
  /** Days whose served prices are others now. */
  readonly changed: DeliveryDay[];
  readonly outcomes: Readonly<Record<string, Partial<Record<FetchOutcome, number>>>>;
}

/**
 * Asks every configured feed for the days again. What they correct is stored as revisions; nothing gets shorter. A feed that
 * does not answer is left for the next day, and the retries of the whole run end after four minutes.
 */
export async function recheck(parts: PriceParts, task: RecheckTask): Promise<RecheckReport> {
  const startedAt = parts.clock.nowMilliseconds();
  const changed = new Set<DeliveryDay>();
  const outcomes: Record<string, Partial<Record<FetchOutcome, number>>> = {};
  for (const source of configuredSources(parts.config)) {
    const counts: Partial<Record<FetchOutcome, number>> = {};
    for (const days of chunksOf(source, task.days)) {
      task.signal?.throwIfAborted();
      const reports = await pullChunk(parts, {
        source,
        days,
        recheck: true,
        retries: 'job',
        startedAt,
        ...(task.signal === undefined ? {} : { signal: task.signal }),
      });
      for (const report of reports) {
        if (report.changed) changed.add(report.deliveryOn);
        for (const { outcome } of report.attempts) counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      if ((counts.transient_failure ?? 0) > 0) break;
      await waitFor(parts, sources[source].pace.milliseconds, task.signal);
    }
    outcomes[source] = counts;
  }
  task.signal?.throwIfAborted();
  return { changed: [...changed].sort(), outcomes };
}
