import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** One answer of the source of forecasts, where a token is configured. */
export const pullPriceForecastJob = job({
  name: 'pull-price-forecast',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

/** The own forecast for the seven days after the one on which the run fell due. */
export const runPriceModelJob = job({
  name: 'run-price-model',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

/** Tomorrow's curve, for ever; tomorrow is counted from the day on which the run fell due. */
export const freezePriceForecastJob = job({
  name: 'freeze-price-forecast',
  payload: z.object({}),
  attempts: 10,
  retrySeconds: 30,
});
