-- An order that waits for a visit without an appointment waits since it came there.
DROP INDEX meter_orders_to_act;
CREATE INDEX meter_orders_to_act ON meter_orders
  (organization_id,
   (CASE WHEN status IN ('installation_scheduled', 'installation_waiting') THEN coalesce(appointment_at, updated_at)
         ELSE updated_at END), id)
  WHERE status IN ('waiting', 'blocked', 'blocked_wim', 'installation_scheduled', 'installation_waiting');
