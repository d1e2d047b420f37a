-- What an organization asks of its grid fee reductions: by state, by customer, by contract, and which of them changed. Without
-- these a list walks all of them.
CREATE INDEX grid_fee_reductions_of_customer
  ON grid_fee_reductions (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX grid_fee_reductions_of_status ON grid_fee_reductions (organization_id, status, created_at DESC, id DESC);
CREATE INDEX grid_fee_reductions_updated ON grid_fee_reductions (organization_id, updated_at);
CREATE INDEX grid_fee_reductions_searched ON grid_fee_reductions
  USING gin (organization_id, customer_id extensions.gin_trgm_ops, subscription_id extensions.gin_trgm_ops);
