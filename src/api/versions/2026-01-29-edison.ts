import type { VersionChange } from '../../platform/interface/version-change.ts';

/* What differs between 2026-01-29.edison and the version before it. */

const version = '2026-01-29.edison';

const gridFeeReductions: VersionChange = {
  version,
  summary: 'Grid fee reductions can be ordered and followed',
  before: 'Modules of section 14a EnWG were ordered with a sign-up only, and not shown afterwards.',
  after:
    '`GET /grid-fee-reductions` and `GET /grid-fee-reductions/{id}` show them with their status; `POST /grid-fee-reductions` orders a module for a running or a pending subscription.',
  added: ['GET /grid-fee-reductions', 'POST /grid-fee-reductions', 'GET /grid-fee-reductions/{id}'],
};

const meterOrders: VersionChange = {
  version,
  summary: 'Smart meters can be ordered',
  before: 'A smart meter was ordered with a sign-up only, and nothing was shown of the order.',
  after: '`POST /meter-orders` orders one for a contract; orders are listed and read.',
  added: ['GET /meter-orders', 'POST /meter-orders', 'GET /meter-orders/{id}'],
};

/** Oldest first. */
export const edison: readonly VersionChange[] = [gridFeeReductions, meterOrders];
