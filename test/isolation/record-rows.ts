import type { RouteName } from '../../src/platform/interface/route.ts';
import type { RouteRow } from './row.ts';

const id = (item: Record<string, unknown>) => item.id;

const newLead = (plan: string) => ({
  plan,
  address: { zip: '20354' },
  meter: { estimated_usage: 2500 },
  customer: {},
});

/** Customers, plans, leads and market partners. */
export const recordRows: Readonly<Record<RouteName, RouteRow>> = {
  'GET /customers': {
    call: ({ email }) => ({ path: `/customers?filter[email][eq]=${email}` }),
    list: {
      all: () => '/customers?',
      shown: ({ customer }) => [customer],
      idOf: id,
      filters: { email: ({ email }) => email },
      words: { type: 'person' },
    },
  },
  'GET /customers/{id}': {
    call: ({ customer }) => ({ path: `/customers/${customer}` }),
  },
  'PATCH /customers/{id}': {
    call: ({ customer }) => ({ path: `/customers/${customer}`, body: {} }),
    references: {},
  },
  'GET /plans': {
    call: () => ({ path: '/plans' }),
    list: {
      all: () => '/plans?',
      shown: ({ plans }) => plans,
      idOf: id,
      filters: {},
      words: { status: 'active' },
    },
  },
  'GET /plans/{id}': {
    call: ({ plan }) => ({ path: `/plans/${plan}` }),
  },
  'GET /leads': {
    call: () => ({ path: '/leads' }),
    list: { all: () => '/leads?', shown: ({ lead }) => [lead], idOf: id, filters: {} },
  },
  'POST /leads': {
    call: ({ plan }) => ({ path: '/leads', body: newLead(plan) }),
    references: { plan: (_own, { plan }) => newLead(plan) },
  },
  'GET /leads/{id}': {
    call: ({ lead }) => ({ path: `/leads/${lead}` }),
  },
  'GET /market-partners': {
    call: () => ({ path: '/market-partners' }),
    missingStatus: 200,
  },
  'GET /suppliers': {
    call: () => ({ path: '/suppliers' }),
    version: '2026-01-29.edison',
    missingStatus: 200,
  },
  'GET /suppliers/search': {
    call: () => ({ path: '/suppliers/search?name=Stadtwerke' }),
    version: '2026-01-29.edison',
    missingStatus: 200,
  },
};
