-- Meter orders are listed by the status that callers see, which follows from the internal one: while an order is blocked,
-- from the one before the block. It is computed here, so that it has an index and cannot contradict its source.

ALTER TABLE meter_orders
  ADD COLUMN public_status text NOT NULL GENERATED ALWAYS AS (
    CASE CASE WHEN status IN ('blocked', 'blocked_wim') THEN unblocked_status ELSE status END
      WHEN 'intended' THEN 'created'
      WHEN 'waiting' THEN 'created'
      WHEN 'ordered' THEN CASE WHEN details_received_at IS NULL THEN 'placed' ELSE 'check_submitted' END
      WHEN 'checked' THEN 'check_reviewed'
      WHEN 'installation_planning' THEN 'check_reviewed'
      WHEN 'installation_scheduled' THEN 'scheduled'
      WHEN 'installation_waiting' THEN 'scheduled'
      WHEN 'installation_finished' THEN 'installed'
      WHEN 'installed' THEN 'installed'
      WHEN 'activated' THEN 'activated'
      WHEN 'pre_installed' THEN 'cancelled'
      WHEN 'cancelled' THEN 'cancelled'
    END
  ) STORED
  CHECK (public_status IN (
    'created', 'placed', 'check_submitted', 'check_reviewed', 'scheduled', 'installed', 'activated', 'cancelled'
  ));

-- Each filter of the list has an index in the order of the list, and each text that can be searched one of its trigrams.
CREATE INDEX meter_orders_of_status ON meter_orders (organization_id, status, created_at DESC, id DESC);
CREATE INDEX meter_orders_of_public_status ON meter_orders (organization_id, public_status, created_at DESC, id DESC);
CREATE INDEX meter_orders_of_product ON meter_orders (organization_id, product, created_at DESC, id DESC);
CREATE INDEX meter_orders_of_customer ON meter_orders (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX meter_orders_updated ON meter_orders (organization_id, updated_at);
CREATE INDEX meter_orders_searched ON meter_orders
  USING gin (
    organization_id extensions.text_ops, customer_id extensions.gin_trgm_ops, subscription_id extensions.gin_trgm_ops
  );

COMMENT ON COLUMN meter_orders.status IS 'Internal state. What may follow which stands in src/contracts/meter-orders/moves.ts.';
COMMENT ON COLUMN meter_orders.unblocked_status IS 'Last state that was no block: to it a blocked order goes back.';
COMMENT ON COLUMN meter_orders.public_status IS 'State as callers see it since 2026-05-27.curie.';
COMMENT ON COLUMN meter_orders.blocked_reason IS 'check_missing or grid_operator_registration; null when it is not blocked.';
