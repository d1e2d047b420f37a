import type { VersionChange } from '../../platform/interface/version-change.ts';

export const usage: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Consumption is called usage',
  before: '`GET /subscriptions/{id}/consumption` answered with `object` `consumption`.',
  after: '`GET /subscriptions/{id}/usage` answers the same with `object` `usage`, of feed-in contracts too.',
  added: ['GET /subscriptions/{id}/usage'],
  removed: [{ route: 'GET /subscriptions/{id}/consumption', instead: 'GET /subscriptions/{id}/usage' }],
};
