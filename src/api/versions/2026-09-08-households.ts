import type { VersionChange } from '../../platform/interface/version-change.ts';

export const households: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'Households can be read',
  before: 'A household was known only as the place of its contracts.',
  after: '`GET /households` and `GET /households/{id}` show the metering points of the customers.',
  added: ['GET /households', 'GET /households/{id}'],
};
