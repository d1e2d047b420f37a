-- What is sold.
CREATE VIEW analytics.plans AS
SELECT organization_id, id AS plan, slug, name, type, status, created_at FROM public.plans;

CREATE VIEW analytics.plan_terms AS
SELECT organization_id, plan_id AS plan, valid_from, valid_to AS valid_until, base_fee_net AS base_fee_net_eur_month,
       margin_ct_net AS margin_net_ct_kwh, optimization_rate, cancellation_months, feed_in_kind, feed_in_scope,
       feed_in_up_to_kw, feed_in_ct_net AS feed_in_net_ct_kwh, feed_in_margin_ct_net AS feed_in_margin_net_ct_kwh
  FROM public.plan_terms;

COMMENT ON VIEW analytics.plans IS 'Tariff plans of the organization.';
COMMENT ON COLUMN analytics.plans.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.plans.plan IS 'Id of the plan, pln_.';
COMMENT ON COLUMN analytics.plans.slug IS 'Its short name in links.';
COMMENT ON COLUMN analytics.plans.name IS 'Its name for customers.';
COMMENT ON COLUMN analytics.plans.type IS 'consumption, or feed_in: the customer is paid.';
COMMENT ON COLUMN analytics.plans.status IS 'active, or archived: no new contracts.';
COMMENT ON COLUMN analytics.plans.created_at IS 'Instant of creation.';

COMMENT ON VIEW analytics.plan_terms IS 'Terms of plans by date: what they cost without VAT from which day on.';
COMMENT ON COLUMN analytics.plan_terms.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.plan_terms.plan IS 'Id of the plan, pln_.';
COMMENT ON COLUMN analytics.plan_terms.valid_from IS 'First day, Europe/Berlin; null: always.';
COMMENT ON COLUMN analytics.plan_terms.valid_until IS 'First day that is no longer part of it; null: open.';
COMMENT ON COLUMN analytics.plan_terms.base_fee_net_eur_month IS 'Base fee in EUR a month without VAT.';
COMMENT ON COLUMN analytics.plan_terms.margin_net_ct_kwh IS 'Procurement margin in ct/kWh without VAT.';
COMMENT ON COLUMN analytics.plan_terms.optimization_rate IS
  'Share of the energy price saved by load shifting, 0 to 1; null: none.';
COMMENT ON COLUMN analytics.plan_terms.cancellation_months IS 'Period of notice in months.';
COMMENT ON COLUMN analytics.plan_terms.feed_in_kind IS 'eeg, direct or fixed; null: a consumption plan.';
COMMENT ON COLUMN analytics.plan_terms.feed_in_scope IS 'partial or full feed-in; null: a consumption plan.';
COMMENT ON COLUMN analytics.plan_terms.feed_in_up_to_kw IS 'Size class of the plant in kW: 10, 40 or 100; null: none.';
COMMENT ON COLUMN analytics.plan_terms.feed_in_net_ct_kwh IS 'Fixed rate in ct/kWh without VAT; null: none.';
COMMENT ON COLUMN analytics.plan_terms.feed_in_margin_net_ct_kwh IS
  'Service margin of direct marketing in ct/kWh without VAT; null: none.';
