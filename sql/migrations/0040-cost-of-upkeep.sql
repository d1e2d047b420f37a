-- What is done again and again must not look at rows that stay. Each of these statements read a whole table of one
-- organization, or of all of them, to find a few rows or none.

-- Every hour the leads without a contract that are too old. Those with one stay for ever.
CREATE INDEX leads_without_contract ON leads (organization_id, created_at) WHERE subscription_id IS NULL;
-- Every hour the runs that ended long ago.
CREATE INDEX job_runs_finished ON job_runs (finished_at) WHERE state IN ('done', 'failed');
-- Every look at one contract.
CREATE INDEX grid_fee_reductions_of_subscription ON grid_fee_reductions (organization_id, subscription_id, created_at, id);

-- What the operator lists of a client, or of a customer: the newest first. A client has one grant for each token it got.
CREATE INDEX grants_of_client_newest ON grants (organization_id, client_id, created_at DESC, id DESC);
DROP INDEX grants_of_client;
CREATE INDEX grants_of_customer ON grants (organization_id, customer_id, created_at DESC, id DESC)
  WHERE customer_id IS NOT NULL;
