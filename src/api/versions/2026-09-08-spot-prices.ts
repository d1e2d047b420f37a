import type { VersionChange } from '../../platform/interface/version-change.ts';

export const spotPrices: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'Day-ahead prices can be read',
  before: 'Prices were seen only inside quotes and invoices.',
  after: '`GET /spot-prices` answers realized or forecast day-ahead prices of any delivery dates.',
  added: ['GET /spot-prices'],
};
