import type { VersionChange } from '../../platform/interface/version-change.ts';

export const gridFeeReductions: VersionChange = {
  version: '2026-01-29.edison',
  summary: 'Grid fee reductions can be ordered and followed',
  before: 'Modules of section 14a EnWG were ordered with a sign-up only, and not shown afterwards.',
  after:
    '`GET /grid-fee-reductions` and `GET /grid-fee-reductions/{id}` show them with their status; `POST /grid-fee-reductions` orders a module for a running or a pending subscription.',
  added: ['GET /grid-fee-reductions', 'POST /grid-fee-reductions', 'GET /grid-fee-reductions/{id}'],
};
