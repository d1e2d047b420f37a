import type { VersionChange } from '../../platform/interface/version-change.ts';

export const feedIn: VersionChange = {
  version: '2026-05-27.curie',
  name: 'feed-in',
  summary: 'Feed-in plans and contracts',
  before:
    'Lists left out feed-in plans and everything that belongs to feed-in contracts; by id they were not found; using them answered `upgrade_api_version`.',
  appliesTo: [
    'GET /plans',
    'GET /plans/{id}',
    'GET /plans/{id}/quote',
    'POST /leads',
    'GET /subscriptions',
    'POST /subscriptions',
    'GET /subscriptions/{id}',
    'GET /subscriptions/{id}/prices',
    'GET /invoices/{id}',
    'GET /invoices/{id}/file',
  ],
  after: 'Feed-in plans and contracts are shown and can be used like all others.',
};
