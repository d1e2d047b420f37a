import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, route } from '../../platform/interface/route.ts';
import { MARK_HEADERS } from '../day-ahead-means/service.ts';
import { UNSUPPORTED_PRODUCT } from '../plans/service.ts';
import { UNSERVICEABLE_ZIP } from '../reference-data/service.ts';
import { savingsBodyExample, savingsExample } from './examples.ts';
import { savings, savingsRequest } from './schema.ts';
import { getSavings } from './service.ts';

export function savingsRoutes(deps: Deps): ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: '/plans/{id}/savings',
      summary: 'Compare a plan with what a household pays now',
      description:
        'For a year of the household described, against its current tariff or, where none is sent, the mean of the market. `usage`, `optimization_rate` and `grid_fee_reductions` of the answer can be sent to `POST /plans/{id}/quote` as they are. Discounts of the plan are left out. Nothing is stored.',
      tag: 'Plans',
      customerTokens: 'no',
      refusals: [UNSERVICEABLE_ZIP, UNSUPPORTED_PRODUCT],
      body: savingsRequest,
      response: savings,
      answerHeaders: MARK_HEADERS,
      example: { body: savingsBodyExample, response: savingsExample },
      handler: (request) => getSavings(deps, request),
    }),
  ];
}
