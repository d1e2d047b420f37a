import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** One answer of the source of forecasts, where a token is configured. */
export const pullPriceForecastJob = job({
  name: 'pull-price-forecast',
  when: '05:40, 11:30, 17:40',
  does: 'asks for the forecast, where a token is set',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

/** The own forecast for the seven days after the one on which the run fell due. */
export const runPriceModelJob = job({
  name: 'run-price-model',
  when: '05:45, 11:40, 18:00',
  does: 'makes the own forecast',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

/** Tomorrow's curve, for ever; tomorrow is counted from the day on which the run fell due. */
export const freezePriceForecastJob = job({
  name: 'freeze-price-forecast',
  when: '12:00',
  does: 'keeps which forecast was the last before the auction',
  payload: z.object({}),
  attempts: 10,
  retrySeconds: 30,
});
