import type { VersionChange } from '../../platform/interface/version-change.ts';

export const meterOrders: VersionChange = {
  version: '2026-01-29.edison',
  summary: 'Smart meters can be ordered',
  before: 'A smart meter was ordered with a sign-up only, and nothing was shown of the order.',
  after: '`POST /meter-orders` orders one for a contract; orders are listed and read.',
  added: ['GET /meter-orders', 'POST /meter-orders', 'GET /meter-orders/{id}'],
};
