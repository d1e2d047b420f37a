import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { planExample } from '../../tariffs/plans/examples.ts';
import { UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { UNSERVICEABLE_ZIP } from '../../tariffs/reference-data/service.ts';
import { INVALID_IBAN } from '../payment-methods/service.ts';
import { createLead } from './create.ts';
import { type Lead, lead, newLead } from './schema.ts';
import { getLead, getLeads } from './service.ts';

const TAG = 'Leads';

const ID = 'lead_jule0brandt0autumn000001';

const shown: Lead = {
  object: 'lead',
  id: ID,
  link: `https://strom-dynamisch.checkout.example.org/?id=${ID}`,
  subscription: null,
  subscribed_at: null,
  created_by: 'staff@example.org',
  last_visited_at: null,
  metadata: { campaign: 'autumn' },
  created_at: '2026-10-05T08:40:12.345Z',
};

export function leadRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/leads',
      summary: 'List leads',
      description: 'Newest first.',
      tag: TAG,
      customerTokens: 'no',
      readsPersonalData: true,
      response: lead,
      list: { filters: { created_at: { type: 'date' } } },
      example: { response: shown },
      handler: (request) => getLeads(deps, request),
    }),
    route({
      method: 'POST',
      path: '/leads',
      summary: 'Create a lead',
      description: 'Keeps what is known of somebody who may sign up, and answers a link to the checkout.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [UNSUPPORTED_PRODUCT, UNSERVICEABLE_ZIP, INVALID_IBAN],
      idempotent: true,
      body: newLead,
      response: lead,
      example: {
        response: shown,
        body: {
          plan: planExample.id,
          address: { zip: '20357' },
          meter: { estimated_usage: 3200 },
          customer: { first_name: 'Jule', last_name: 'Brandt', email: 'jule.brandt@example.org' },
          created_by: 'staff@example.org',
          metadata: { campaign: 'autumn' },
        },
      },
      handler: (request) => createLead(deps, request),
    }),
    route({
      method: 'GET',
      path: '/leads/{id}',
      summary: 'Retrieve a lead',
      tag: TAG,
      customerTokens: 'no',
      readsPersonalData: true,
      response: lead,
      example: { response: shown },
      handler: (request) => getLead(deps, request),
    }),
  ];
}
