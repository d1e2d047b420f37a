-- A reduction of a contract that has ended moves with the end of the contract. Its own end, where it has one, is kept beside: an end of
-- the contract that was entered too early must not take it, nor a later one open the reduction again.
ALTER TABLE grid_fee_reductions ADD COLUMN own_until timestamptz;
COMMENT ON COLUMN grid_fee_reductions.own_until IS
  'When it ended by itself, whatever the contract did; null: it has not, or ended with its contract.';
UPDATE grid_fee_reductions AS reduction
   SET own_until = valid_until
  FROM subscriptions AS contract
 WHERE (contract.organization_id, contract.id) = (reduction.organization_id, reduction.subscription_id)
   AND reduction.status = 'ended'
   AND (contract.status <> 'ended' OR reduction.valid_until IS DISTINCT FROM greatest(contract.end_at, reduction.valid_from));
