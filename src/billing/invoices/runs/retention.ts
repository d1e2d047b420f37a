import type { ExpiringRows } from '../../../platform/retention.ts';

/** How a run came out is asked for in the months after it. Its portions go a month before it: they refer to it. */
export const billingPortionsKept: ExpiringRows = {
  table: 'billing_portions',
  key: ['run_id', 'first_subscription'],
  at: 'created_at',
  keptFor: { months: 24 },
};

export const billingRunsKept: ExpiringRows = {
  table: 'billing_runs',
  key: ['id'],
  at: 'created_at',
  keptFor: { months: 25 },
};
