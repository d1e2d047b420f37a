import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { householdExample, listedHouseholdExample } from './examples.ts';
import { household, householdListItem } from './schema.ts';
import { getHousehold, getHouseholds } from './service.ts';

const TAG = 'Households';

export function householdRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/households',
      summary: 'List households',
      description: 'Newest first. Customer and address are ids here.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: householdListItem,
      list: { filters: { customer: { type: 'string' }, created_at: { type: 'date' } } },
      example: { response: listedHouseholdExample },
      handler: (request) => getHouseholds(deps, request),
    }),
    route({
      method: 'GET',
      path: '/households/{id}',
      summary: 'Retrieve a household',
      description: 'With its customer and its delivery address.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: household,
      example: { response: householdExample },
      handler: (request) => getHousehold(deps, request),
    }),
  ];
}
