import { PUBLIC_STATUSES } from '../../contracts/meter-orders/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import { SMART_METER_PRODUCTS } from '../../tariffs/plans/schema.ts';

export const meterOrderFilters: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'Meter orders are filtered by customer and subscription only',
  before:
    'Meter orders were filtered by `status`, `product`, `customer`, `subscription`, `created_at` and `updated_at`, with every operator of these types.',
  after: '`filter[customer][eq]` and `filter[subscription][eq]` are the filters of meter orders.',
  appliesTo: ['GET /meter-orders'],
  schema: {
    filters: () => ({
      status: { type: 'enum', values: PUBLIC_STATUSES },
      product: { type: 'enum', values: SMART_METER_PRODUCTS },
      customer: { type: 'string' },
      subscription: { type: 'string' },
      created_at: { type: 'date' },
      updated_at: { type: 'date' },
    }),
  },
};
