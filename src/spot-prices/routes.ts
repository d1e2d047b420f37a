import type { Deps } from '../deps.ts';
import { type ApiRoute, route } from '../platform/route.ts';
import { spotPrices, spotPricesQuery } from './schema.ts';
import { createSpotPrices } from './serve/read.ts';

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
      query: spotPricesQuery,
      response: spotPrices,
      handler: createSpotPrices(deps),
    }),
  ];
}
