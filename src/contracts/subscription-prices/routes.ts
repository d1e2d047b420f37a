import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, route } from '../../platform/interface/route.ts';
import { isLongPeriod } from '../../spot-prices/service.ts';
import { PRICE_COLUMNS } from './answers.ts';
import { createSubscriptionPrices } from './read.ts';
import { subscriptionPrices, subscriptionPricesQuery } from './schema.ts';

export function subscriptionPriceRoutes(deps: Deps): ApiRoute[] {
  return [
    route({
      method: 'GET',
      path: '/subscriptions/{id}/prices',
      summary: 'Prices of a subscription',
      description:
        'What a kWh costs, or what is paid for one that is fed in, in each interval of a period: VAT is included, except for feed-in of a tax-exempt customer. ' +
        'Plan, levies, VAT and grid fees are those of each day, and the grid follows the active reductions: with module 3 the band of the interval; an hour has the mean of its quarter hours. ' +
        'A price list that has ended counts for up to 366 days more where none follows; then a `Link` with `rel="describedby"` names its table. ' +
        'Without a published price `electricity` and `amount` are null. Base fees, metering and the yearly credit of module 1 are no part of it. ' +
        'The answer has an `ETag`; sent back as `If-None-Match` it is answered 304 while nothing changed.',
      tag: 'Subscriptions',
      customerTokens: 'own',
      readsPersonalData: true,
      prepared: true,
      csv: {
        since: 'price-tables',
        columns: PRICE_COLUMNS,
        description:
          'A row for each interval, in ct/kWh; what is null in JSON, and parts that a contract does not have, are empty.',
        example: [
          '2026-11-19T23:00:00Z,30.66154,12.9948,8.8774,8.78934',
          '2026-11-19T23:15:00Z,,,8.8774,8.78934',
        ],
      },
      turn: ({ start, end }) => (isLongPeriod(start, end) ? 'long' : null),
      query: subscriptionPricesQuery,
      response: subscriptionPrices,
      example: {
        response: {
          object: 'price',
          subscription: 'sub_hpn0t2xj6da49lilr812vg1h',
          period: { start: '2026-11-20', end: '2026-11-20' },
          currency: 'EUR',
          unit: 'ct/kWh',
          resolution: '15min',
          reference: 'EPEX Day-Ahead 15min',
          items: [
            {
              timestamp: '2026-11-19T23:00:00Z',
              amount: 30.66154,
              components: [
                { type: 'electricity', amount: 12.9948 },
                { type: 'grid', amount: 8.8774 },
                { type: 'levies', amount: 8.78934 },
              ],
            },
            {
              timestamp: '2026-11-19T23:15:00Z',
              amount: null,
              components: [
                { type: 'electricity', amount: null },
                { type: 'grid', amount: 8.8774 },
                { type: 'levies', amount: 8.78934 },
              ],
            },
          ],
        },
      },
      handler: createSubscriptionPrices(deps),
    }),
  ];
}
