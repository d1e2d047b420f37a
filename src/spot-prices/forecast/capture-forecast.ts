import { isEnabled } from '../../config/price-sources.ts';
import { asksSyntheticOnly } from '../../config/prices.ts';
import type { JobResult } from '../../platform/jobs/jobs.ts';
import type { PriceParts } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { readExchange } from '../providers/exchange.ts';
import { forecastSource } from '../providers/index.ts';
import { pause } from '../providers/pause.ts';
import { waitBeforeRetry } from '../pull/retries.ts';
import { findPause, recordFailedJob } from '../store/sources.ts';
import { storeForecastExchange } from './store-forecast.ts';

const SOURCE = forecastSource.name;
/** Every day and every row of the horizon. */
const WHOLE_HORIZON = { zone: 'DE-LU', days: null } as const;

interface CaptureResult extends JobResult {
  readonly outcome: FetchOutcome | 'not_configured' | 'paused';
}

/**
 * Asks the source of forecasts once and keeps its forecast as a capture; three attempts at most. The provider calculates twice
 * a day and wants at least four hours between questions, which the schedule keeps.
 */
export async function captureForecast(
  parts: PriceParts,
  { signal }: { signal?: AbortSignal } = {},
): Promise<CaptureResult> {
  const paused = await parts.database.asService((connection) => findPause(connection, parts, SOURCE));
  if (paused !== null) return { outcome: 'paused', ...paused };
  if (asksSyntheticOnly(parts.config) || !isEnabled(parts.config, forecastSource)) {
    return { outcome: 'not_configured' };
  }
  const startedAt = parts.clock.nowMilliseconds();
  for (let failures = 1; ; failures += 1) {
    const answer = await forecastSource.ask(parts, signal);
    const read = readExchange(answer, forecastSource.read, WHOLE_HORIZON);
    const stored = await storeForecastExchange(parts, read, { byNetwork: true });
    if (stored.outcome !== 'transient_failure') return { ...stored };
    const wait = waitBeforeRetry('job', failures, parts.clock.nowMilliseconds() - startedAt);
    if (wait === null) {
      await parts.database.asService((connection) => recordFailedJob(connection, parts, SOURCE));
      return { ...stored };
    }
    await pause(parts, wait, signal);
  }
}
