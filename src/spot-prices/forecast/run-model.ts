import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { JobResult } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { addDays, type DeliveryDay, daysBetween, freezeInstant } from '../calendar.ts';
import { freezeForecast } from './freeze.ts';
import { MODEL_SOURCES } from './model.ts';
import { insertModelCapture, modelForecasts } from './model-captures.ts';

export interface ModelParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

const DAYS_AHEAD = 7;

/**
 * The own forecast for the day after `today` to the seventh one, less the days whose price is known. One capture per
 * method; a method that says what it said last time writes nothing. Then tomorrow's late curve, if its freeze found
 * nothing.
 */
export async function runPriceModel(parts: ModelParts, task: { today: DeliveryDay }): Promise<JobResult> {
  const tomorrow = addDays(task.today, 1);
  const days = daysBetween(tomorrow, addDays(task.today, DAYS_AHEAD));
  /* Nobody knows tomorrow's prices before gate closure: what is stored of it then comes from a replay of past days. */
  const isOver = parts.clock.nowMilliseconds() >= freezeInstant(tomorrow);
  const forecasts = await modelForecasts(parts.database, days, isOver ? tomorrow : task.today);
  const stored: string[] = [];
  for (const source of MODEL_SOURCES) {
    const ofSource = forecasts.filter((forecast) => forecast.source === source);
    if (ofSource.length === 0) continue;
    const capture = await parts.database.asService((connection) =>
      insertModelCapture(connection, source, ofSource, parts.clock.nowMilliseconds()),
    );
    if (capture.isNew) stored.push(source);
  }
  if (forecasts.length === 0) parts.log.warn({ days }, 'no own price forecast: too few known days');
  const { outcome } = await freezeForecast(parts, { deliveryOn: tomorrow });
  return { days: forecasts.map(({ deliveryOn }) => deliveryOn), stored, freeze: outcome };
}
