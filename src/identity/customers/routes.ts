import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { customerExample } from './examples.ts';
import { changedCustomer, customer } from './schema.ts';
import { getCustomer, getCustomers } from './service.ts';
import { changeCustomer } from './update.ts';

const TAG = 'Customers';

export function customerRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/customers',
      summary: 'List customers',
      description: 'Newest first. `filter[email]` compares without regard to case.',
      tag: TAG,
      customerTokens: 'no',
      readsPersonalData: true,
      response: customer,
      list: {
        filters: {
          email: { type: 'string', ignoreCase: true },
          type: { type: 'string' },
          created_at: { type: 'date' },
        },
      },
      example: { response: customerExample },
      handler: (request) => getCustomers(deps, request),
    }),
    route({
      method: 'GET',
      path: '/customers/{id}',
      summary: 'Retrieve a customer',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: customer,
      example: { response: customerExample },
      handler: (request) => getCustomer(deps, request),
    }),
    route({
      method: 'PATCH',
      path: '/customers/{id}',
      summary: 'Change the names of a customer',
      description:
        'Only the names that are sent change. Another field of the customer is refused when it is sent with another value ' +
        'than the stored one, and so are unknown fields. Nothing changes of a customer who was erased.',
      tag: TAG,
      customerTokens: 'no',
      body: changedCustomer,
      response: customer,
      example: {
        response: { ...customerExample, last_name: 'Brandt-Voss' },
        body: { last_name: 'Brandt-Voss' },
      },
      handler: (request) => changeCustomer(deps, request),
    }),
  ];
}
