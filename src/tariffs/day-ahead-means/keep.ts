import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { currentMean } from './current.ts';
import { figureOf, isNoMarketMean } from './figure.ts';
import { coveragePercent } from './mean.ts';

interface KeepDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Keeps the mean of today, whenever the run was due: what others ask for is the mean of the day that it is now. */
export async function keepDayAheadMean(
  { database, clock }: KeepDeps,
  { log }: Pick<JobRun, 'log'>,
): Promise<JobResult> {
  const today = berlinDayAt(clock.nowMilliseconds());
  const mean = await database.asService((connection) => currentMean(connection, today));
  const { mean_ct_net, priced_quarter_hours, quarter_hours, price_kind, sources, price_changes } = mean;
  const result = {
    price_date: today,
    mean_ct_net,
    coverage_percent: coveragePercent(priced_quarter_hours, quarter_hours),
    is_used: figureOf(mean) !== undefined,
    price_kind,
    sources,
    price_changes,
  };
  if (!result.is_used) {
    log.warn(result, 'too few prices of the last twelve months: the published mean counts');
  } else if (isNoMarketMean(mean)) {
    log.warn(result, 'the mean of the last twelve months is made of invented prices');
  }
  return result;
}
