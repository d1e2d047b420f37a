import type { VersionChange } from '../../platform/interface/version-change.ts';

export const priceTables: VersionChange = {
  version: '2026-09-08.gauss',
  name: 'price-tables',
  appliesTo: ['GET /spot-prices', 'GET /subscriptions/{id}/prices'],
  summary: 'Prices can be had as CSV',
  before: 'Prices were answered as JSON, whatever `Accept` said.',
  after:
    '`GET /spot-prices` and `GET /subscriptions/{id}/prices` answer a table to who sends `Accept: text/csv`; to all others JSON, as before.',
};
