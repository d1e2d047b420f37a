import type { MeterOrderRow } from './queries.ts';
import type { FullMeterOrder } from './schema.ts';

/** With what older versions show; the schema of the newest one leaves it out. */
export function shownMeterOrder(row: MeterOrderRow): FullMeterOrder {
  return {
    object: 'meter_order',
    id: row.id,
    subscription: row.subscription_id,
    customer: row.customer_id,
    provider: row.provider,
    status: row.public_status,
    appointment_at: row.appointment_at,
    installed_at: row.installed_at,
    activated_at: row.activated_at,
    cancelled_at: row.cancelled_at,
    cancelled_reason: row.cancelled_reason,
    blocked_at: row.blocked_at,
    blocked_reason: row.blocked_reason,
    created_at: row.created_at,
    internal_status: row.status,
    updated_at: row.updated_at,
  };
}
