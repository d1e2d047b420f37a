import type { z } from 'zod';
import type { VersionChange } from '../../platform/interface/version-change.ts';

export const gridFeeReductionCustomer: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Grid fee reductions name their customer',
  before: 'A grid fee reduction had no `customer`; it was found by way of its `subscription`.',
  after: '`customer` is the id of the customer.',
  appliesTo: { object: 'grid_fee_reduction' },
  schema: { response: (newer) => (newer as z.ZodObject).omit({ customer: true }) },
  response: ({ customer, ...older }) => older,
};
