import type { ReductionRow } from './queries.ts';
import type { GridFeeReduction } from './schema.ts';

export function shownReduction(row: ReductionRow): GridFeeReduction {
  const { customer_id, subscription_id, ...columns } = row;
  return {
    object: 'grid_fee_reduction',
    ...columns,
    customer: customer_id,
    subscription: subscription_id,
  };
}
