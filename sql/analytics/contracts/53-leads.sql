-- Who was offered a plan, by ids, and what became of it.
CREATE VIEW analytics.leads AS
SELECT l.organization_id, l.id AS lead, l.plan_id AS plan, l.created_at, l.last_visited_at, l.subscribed_at,
       l.subscription_id AS contract, s.customer_id AS customer, s.household_id AS household, s.status AS contract_status,
       s.start_at, s.end_at, s.termination_reason,
       CASE WHEN l.subscription_id IS NULL THEN 'open' WHEN s.termination_reason = 'WITHDRAWAL' THEN 'withdrawn'
            WHEN s.end_at <= least(s.start_at, now()) THEN 'refused' WHEN s.start_at <= now() THEN 'supplied' ELSE 'signed' END AS outcome
  FROM public.leads AS l
  LEFT JOIN public.subscriptions AS s ON s.organization_id = l.organization_id AND s.id = l.subscription_id;

CREATE VIEW analytics.billing_terms AS
SELECT organization_id, subscription_id AS contract, customer_id AS customer, valid_from, mode, instalment AS instalment_eur, basis
  FROM public.billing_terms;

COMMENT ON VIEW analytics.leads IS
  'People who were offered a plan, by ids, and what became of it. Those without a contract go after 6 months.';
COMMENT ON COLUMN analytics.leads.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.leads.lead IS 'Id of the lead, lead_.';
COMMENT ON COLUMN analytics.leads.plan IS 'Id of the plan that was offered, pln_.';
COMMENT ON COLUMN analytics.leads.created_at IS 'Instant of creation.';
COMMENT ON COLUMN analytics.leads.last_visited_at IS 'Instant at which its link was opened last; null: never.';
COMMENT ON COLUMN analytics.leads.subscribed_at IS 'Instant at which it became a contract; null: it did not.';
COMMENT ON COLUMN analytics.leads.contract IS 'Id of the contract, sub_; null: none.';
COMMENT ON COLUMN analytics.leads.customer IS 'Id of the contract partner, cus_; null: no contract.';
COMMENT ON COLUMN analytics.leads.household IS 'Id of the household that is supplied, dom_; null: no contract.';
COMMENT ON COLUMN analytics.leads.contract_status IS 'pending, active or ended; null: no contract.';
COMMENT ON COLUMN analytics.leads.start_at IS 'Beginning of supply; null: not confirmed.';
COMMENT ON COLUMN analytics.leads.end_at IS 'End of supply, no longer part of it; null: open.';
COMMENT ON COLUMN analytics.leads.termination_reason IS 'ORDINARY, MOVE_OUT or WITHDRAWAL; null: none.';
COMMENT ON COLUMN analytics.leads.outcome IS
  'open: no contract; signed: supply has not begun; supplied: it has; withdrawn: the customer withdrew; refused: the contract ended without supply for another reason.';

COMMENT ON VIEW analytics.billing_terms IS
  'How contracts are billed from which day on: what customers were told to pay in advance.';
COMMENT ON COLUMN analytics.billing_terms.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.billing_terms.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.billing_terms.customer IS 'Id of the customer, cus_.';
COMMENT ON COLUMN analytics.billing_terms.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN analytics.billing_terms.mode IS 'How it is billed.';
COMMENT ON COLUMN analytics.billing_terms.instalment_eur IS 'Monthly advance in EUR with VAT; null: none.';
COMMENT ON COLUMN analytics.billing_terms.basis IS 'What the advance rests on.';
