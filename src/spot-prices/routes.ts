import type { Deps } from '../platform/deps.ts';
import { type ApiRoute, route } from '../platform/interface/route.ts';
import { spotPrices, spotPricesQuery } from './schema.ts';
import { isLongPeriod } from './serve/period.ts';
import { createSpotPrices } from './serve/read.ts';
import { SPOT_PRICE_COLUMNS } from './serve/series-answers.ts';

export function spotPriceRoutes(deps: Deps): ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/spot-prices',
      summary: 'Day-ahead prices of a period',
      description:
        'Without dates: today and tomorrow. Delivery days are Berlin days of 23, 24 or 25 hours. Intervals without a published price are listed under `missing`; realized prices and forecasts never fill each other. The answer has an `ETag`; sent back as `If-None-Match` it is answered 304 while nothing changed.',
      tag: 'Spot prices',
      customerTokens: 'no',
      prepared: true,
      csv: {
        since: 'price-tables',
        columns: SPOT_PRICE_COLUMNS,
        description:
          'A row for each interval of the period, in ct/kWh. Without a published price `amount_ct_kwh` is empty.',
        example: ['2026-11-01T22:30:00Z,7.912', '2026-11-01T22:45:00Z,'],
      },
      turn: ({ start, end }) =>
        start !== undefined && end !== undefined && isLongPeriod(start, end) ? 'long' : null,
      query: spotPricesQuery,
      response: spotPrices,
      example: {
        response: {
          object: 'price',
          type: 'day_ahead',
          period: { start: '2026-11-01T00:00:00+01:00', end: '2026-11-02T00:00:00+01:00' },
          currency: 'EUR',
          unit: 'ct/kWh',
          resolution: '15min',
          missing: ['2026-11-01T22:45:00Z'],
          items: [
            { timestamp: '2026-10-31T23:00:00Z', amount: 7.912 },
            { timestamp: '2026-10-31T23:15:00Z', amount: -0.613 },
          ],
        },
      },
      handler: createSpotPrices(deps),
    }),
  ];
}
