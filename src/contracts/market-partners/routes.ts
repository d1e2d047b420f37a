import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute } from '../../platform/interface/route.ts';
import { marketPartnerExample, supplierExample } from './examples.ts';
import { listedSupplier, marketPartner, supplierSearch } from './schema.ts';
import { getMarketPartners, getSuppliers, searchSuppliers } from './service.ts';

const TAG = 'Market partners';

const filters = {
  name: { type: 'string' },
  code: { type: 'string' },
  created_at: { type: 'date' },
} as const;

export function marketPartnerRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/market-partners',
      summary: 'List market partners',
      description: 'Suppliers that a customer may come from, newest first.',
      tag: TAG,
      customerTokens: 'no',
      response: marketPartner,
      list: { filters },
      example: { response: marketPartnerExample },
      handler: (request) => getMarketPartners(deps, request),
    }),
    listRoute({
      path: '/suppliers',
      summary: 'List suppliers',
      description: 'Suppliers that a customer may come from, newest first.',
      tag: TAG,
      customerTokens: 'no',
      response: listedSupplier,
      list: { filters },
      example: { response: supplierExample },
      handler: (request) => getSuppliers(deps, request),
    }),
    listRoute({
      path: '/suppliers/search',
      summary: 'Search suppliers by name',
      description: 'Newest first.',
      tag: TAG,
      customerTokens: 'no',
      query: supplierSearch,
      response: listedSupplier,
      list: { filters: {} },
      example: { response: supplierExample },
      turn: () => 'long',
      handler: (request) => searchSuppliers(deps, request as typeof request & { query: { name: string } }),
    }),
  ];
}
