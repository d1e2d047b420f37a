import type { VersionChange } from '../../platform/interface/version-change.ts';

export const marketPartners: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Suppliers are market partners',
  before:
    '`GET /suppliers` and `GET /suppliers/search` showed suppliers with `object` `supplier` and without `type`.',
  after:
    '`GET /market-partners` shows them with `object` `market_partner` and `type`; `name` is filtered there.',
  added: ['GET /market-partners'],
  removed: [
    { route: 'GET /suppliers', instead: 'GET /market-partners' },
    { route: 'GET /suppliers/search', instead: 'GET /market-partners?filter[name][contains]=<name>' },
  ],
};
