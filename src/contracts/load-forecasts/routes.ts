import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, route } from '../../platform/interface/route.ts';
import { berlinMilliseconds } from '../../platform/time/berlin-calendar.ts';
import { contractExample } from '../held-contracts/examples.ts';
import { ENDED_SUBSCRIPTION, SUBSCRIPTION_NOT_STARTED } from '../held-contracts/service.ts';
import { createLoadForecast } from './create.ts';
import { QUARTER_HOUR_MILLISECONDS } from './days.ts';
import { loadForecast, newLoadForecast } from './schema.ts';

const beginsMilliseconds = berlinMilliseconds('2026-12-01');

/** A day of 96 quarter hours: more by day than by night. */
const exampleData = Array.from({ length: 96 }, (_, index) => ({
  start: new Date(beginsMilliseconds + index * QUARTER_HOUR_MILLISECONDS).toISOString(),
  value: index >= 24 && index < 88 ? 0.5 : 0.2,
}));

export function loadForecastRoutes(deps: Deps): ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/load-forecasts',
      summary: 'Send a load forecast',
      description:
        'What a consumption subscription will probably draw, by quarter hour of whole days in Europe/Berlin that are still ' +
        'to come. Sending a day again replaces it. What arrives by 09:00 in Berlin of the day before serves the purchase of ' +
        'that day; what arrives later is no error and serves the purchase on the day itself.',
      tag: 'Load forecasts',
      customerTokens: 'no',
      refusals: [ENDED_SUBSCRIPTION, SUBSCRIPTION_NOT_STARTED],
      idempotent: true,
      body: newLoadForecast,
      response: loadForecast,
      example: {
        body: {
          scope: 'subscription',
          subscription: contractExample,
          resolution: '15min',
          unit: 'KW',
          data: exampleData,
        },
        response: {
          scope: 'subscription',
          subscription: contractExample,
          start: '2026-11-30T23:00:00.000Z',
          end: '2026-12-01T23:00:00.000Z',
          total: 9.6,
        },
      },
      handler: (request) => createLoadForecast(deps, request),
    }),
  ];
}
