import type { Deps } from '../deps.ts';
import { type ApiRoute, listRoute, route } from '../platform/interface/route.ts';
import { createLead } from './create.ts';
import { lead, newLead } from './schema.ts';
import { getLead, getLeads } from './service.ts';

const TAG = 'Leads';

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
      handler: (request) => getLeads(deps, request),
    }),
    route({
      method: 'POST',
      path: '/leads',
      summary: 'Create a lead',
      description: 'Keeps what is known of somebody who may sign up, and answers a link to the checkout.',
      tag: TAG,
      customerTokens: 'no',
      idempotent: true,
      body: newLead,
      response: lead,
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
      handler: (request) => getLead(deps, request),
    }),
  ];
}
