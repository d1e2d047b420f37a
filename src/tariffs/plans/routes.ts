import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { planExample } from './examples.ts';
import { plan } from './schema.ts';
import { getPlan, getPlans } from './service.ts';

const TAG = 'Plans';

export function planRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/plans',
      summary: 'List plans',
      description:
        'Newest first. Archived plans are listed too; `filter[status][eq]=active` leaves them out.',
      tag: TAG,
      customerTokens: 'all',
      response: plan,
      list: { filters: { status: { type: 'string' }, created_at: { type: 'date' } } },
      example: { response: planExample },
      handler: (request) => getPlans(deps, request),
    }),
    route({
      method: 'GET',
      path: '/plans/{id}',
      summary: 'Retrieve a plan',
      tag: TAG,
      customerTokens: 'all',
      response: plan,
      example: { response: planExample },
      handler: (request) => getPlan(deps, request),
    }),
  ];
}
