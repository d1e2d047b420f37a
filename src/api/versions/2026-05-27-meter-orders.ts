import type { z } from 'zod';
import {
  INTERNAL_STATUSES,
  type meterOrder,
  olderMeterOrderFields,
} from '../../contracts/meter-orders/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';

const version = '2026-05-27.curie';

const MILESTONES = {
  appointment_at: true,
  installed_at: true,
  activated_at: true,
  cancelled_at: true,
  cancelled_reason: true,
  blocked_at: true,
  blocked_reason: true,
} as const;

/** The internal status stands beside the public one until the older answer is made. */
const full = (newest: z.ZodType) => (newest as typeof meterOrder).extend(olderMeterOrderFields);

export const meterOrderMilestones: VersionChange = {
  version,
  summary: 'Meter orders show milestones and eight statuses',
  before: `\`status\` had 14 values (${INTERNAL_STATUSES.map((status) => `\`${status}\``).join(', ')}); \`updated_at\` told of the last change.`,
  after:
    '`status` has 8 values. `appointment_at`, `installed_at`, `activated_at` and `cancelled_at` tell when; an order that is held back keeps its `status` and has `blocked_at` and `blocked_reason`. `updated_at` is gone.',
  appliesTo: { object: 'meter_order' },
  schema: {
    encoded: full,
    response: (newer) =>
      (newer as typeof meterOrder).omit(MILESTONES).extend({
        status: olderMeterOrderFields.internal_status,
        updated_at: olderMeterOrderFields.updated_at,
      }),
  },
  response: ({
    appointment_at,
    installed_at,
    activated_at,
    cancelled_at,
    cancelled_reason,
    blocked_at,
    blocked_reason,
    internal_status,
    ...older
  }) => ({ ...older, status: internal_status }),
};

export const meterOrderStatusFilter: VersionChange = {
  version,
  summary: 'Meter orders are filtered by the new statuses',
  before: '`filter[status]` took the 14 values.',
  after: '`filter[status]` takes the 8 values.',
  appliesTo: ['GET /meter-orders'],
  schema: { filters: (newer) => ({ ...newer, status: { type: 'enum', values: INTERNAL_STATUSES } }) },
  filter: (filter) => (filter.field === 'status' ? { ...filter, field: 'internal_status' } : filter),
};
