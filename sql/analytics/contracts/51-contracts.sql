-- What was sold to whom, by ids.
CREATE VIEW analytics.contracts AS
SELECT s.organization_id, s.id AS contract, s.customer_id AS customer, s.household_id AS household, s.meter_id AS meter,
       s.type, s.status, s.plan_id AS plan, p.name AS plan_name, s.estimated_usage AS estimated_kwh_year,
       s.intended_start_on, s.confirmed_at, s.start_at, (s.start_at AT TIME ZONE 'Europe/Berlin')::date AS start_on,
       s.end_at, (s.end_at AT TIME ZONE 'Europe/Berlin')::date AS end_on, s.terminated_at, s.termination_reason,
       s.is_tax_exempt, s.plant_commissioned_on, s.plant_size_kw, s.created_at,
       nullif(a.zip, '00000') AS zip,
       (SELECT z.operator FROM public.zip_areas AS z
         WHERE z.zip = a.zip AND z.valid_from <= current_date AND (z.valid_to IS NULL OR z.valid_to > current_date)
         ORDER BY z.share DESC, z.operator LIMIT 1) AS grid_operator
  FROM public.subscriptions AS s
  JOIN public.plans AS p ON p.organization_id = s.organization_id AND p.id = s.plan_id
  JOIN public.households AS h ON h.organization_id = s.organization_id AND h.id = s.household_id
  LEFT JOIN public.addresses AS a ON a.organization_id = s.organization_id AND a.id = coalesce(s.address_id, h.address_id);

CREATE VIEW analytics.grid_fee_reductions AS
SELECT organization_id, id AS grid_fee_reduction, subscription_id AS contract, customer_id AS customer, type, status,
       valid_from, valid_until, created_at
  FROM public.grid_fee_reductions;

CREATE VIEW analytics.meter_orders AS
SELECT organization_id, id AS meter_order, subscription_id AS contract, customer_id AS customer, product, provider, status,
       details_received_at, appointment_at, installed_at, activated_at, cancelled_at, cancelled_reason, blocked_at,
       blocked_reason, created_at
  FROM public.meter_orders;

COMMENT ON VIEW analytics.contracts IS 'Supply and feed-in contracts (subscriptions) with their plan and dates.';
COMMENT ON COLUMN analytics.contracts.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.contracts.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.contracts.customer IS 'Id of the contract partner, cus_.';
COMMENT ON COLUMN analytics.contracts.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.contracts.meter IS 'Id of the household''s meter, mtr_.';
COMMENT ON COLUMN analytics.contracts.type IS 'consumption or feed_in.';
COMMENT ON COLUMN analytics.contracts.status IS 'pending, active or ended.';
COMMENT ON COLUMN analytics.contracts.plan IS 'Id of the plan, pln_.';
COMMENT ON COLUMN analytics.contracts.plan_name IS 'Name of the plan.';
COMMENT ON COLUMN analytics.contracts.estimated_kwh_year IS
  'Energy in kWh a year as given at sign-up; of feed-in the expected feed-in.';
COMMENT ON COLUMN analytics.contracts.intended_start_on IS 'Day asked for, Europe/Berlin.';
COMMENT ON COLUMN analytics.contracts.confirmed_at IS 'First confirmation of the grid operator; null: none yet.';
COMMENT ON COLUMN analytics.contracts.start_at IS 'Beginning of supply, midnight in Europe/Berlin; null until confirmed.';
COMMENT ON COLUMN analytics.contracts.start_on IS 'First day of supply, Europe/Berlin; null until confirmed.';
COMMENT ON COLUMN analytics.contracts.end_at IS 'End of supply, no longer part of it; null: open.';
COMMENT ON COLUMN analytics.contracts.end_on IS 'First day without supply, Europe/Berlin; null: open.';
COMMENT ON COLUMN analytics.contracts.terminated_at IS 'When the termination in force was recorded; null: none.';
COMMENT ON COLUMN analytics.contracts.termination_reason IS 'ORDINARY, MOVE_OUT or WITHDRAWAL; null: none.';
COMMENT ON COLUMN analytics.contracts.is_tax_exempt IS 'Feed-in only: whether it is paid without value added tax.';
COMMENT ON COLUMN analytics.contracts.plant_commissioned_on IS
  'Feed-in only: first day of operation of the plant, Europe/Berlin; null: not known.';
COMMENT ON COLUMN analytics.contracts.plant_size_kw IS 'Feed-in only: installed power of the plant in kW; null: not known.';
COMMENT ON COLUMN analytics.contracts.created_at IS 'Instant of creation.';
COMMENT ON COLUMN analytics.contracts.zip IS 'Zip of the place of delivery; null: not known.';
COMMENT ON COLUMN analytics.contracts.grid_operator IS
  'Code of the grid operator that serves the zip today, the one with the greatest share; null: not known.';

COMMENT ON VIEW analytics.grid_fee_reductions IS 'Reductions of grid fees (section 14a EnWG) that contracts asked for.';
COMMENT ON COLUMN analytics.grid_fee_reductions.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.grid_fee_reductions.grid_fee_reduction IS 'Id of the reduction, gfr_.';
COMMENT ON COLUMN analytics.grid_fee_reductions.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.grid_fee_reductions.customer IS 'Id of the customer, cus_.';
COMMENT ON COLUMN analytics.grid_fee_reductions.type IS 'Module: enwg-14a-module-1, enwg-14a-module-2 or enwg-14a-module-3.';
COMMENT ON COLUMN analytics.grid_fee_reductions.status IS 'intended, ordered, activated, rejected or ended.';
COMMENT ON COLUMN analytics.grid_fee_reductions.valid_from IS 'In force from this instant; null: not yet known.';
COMMENT ON COLUMN analytics.grid_fee_reductions.valid_until IS 'No longer in force from this instant; null: open.';
COMMENT ON COLUMN analytics.grid_fee_reductions.created_at IS 'Instant of creation.';

COMMENT ON VIEW analytics.meter_orders IS 'Orders of smart meters and how far they are.';
COMMENT ON COLUMN analytics.meter_orders.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.meter_orders.meter_order IS 'Id of the order, prdo_.';
COMMENT ON COLUMN analytics.meter_orders.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.meter_orders.customer IS 'Id of the customer, cus_.';
COMMENT ON COLUMN analytics.meter_orders.product IS 'What was ordered.';
COMMENT ON COLUMN analytics.meter_orders.provider IS 'From whom.';
COMMENT ON COLUMN analytics.meter_orders.status IS 'How far it is: waiting, ordered, installed, cancelled and others.';
COMMENT ON COLUMN analytics.meter_orders.details_received_at IS 'When the details were there; null: not yet.';
COMMENT ON COLUMN analytics.meter_orders.appointment_at IS 'When the fitter comes; null: not known.';
COMMENT ON COLUMN analytics.meter_orders.installed_at IS 'When it was mounted; null: not yet.';
COMMENT ON COLUMN analytics.meter_orders.activated_at IS 'When it began to send; null: not yet.';
COMMENT ON COLUMN analytics.meter_orders.cancelled_at IS 'When it was cancelled; null: it was not.';
COMMENT ON COLUMN analytics.meter_orders.cancelled_reason IS 'pre_existing or customer_request; null: not cancelled.';
COMMENT ON COLUMN analytics.meter_orders.blocked_at IS 'When it was held up; null: it is not.';
COMMENT ON COLUMN analytics.meter_orders.blocked_reason IS 'check_missing or grid_operator_registration; null: not held up.';
COMMENT ON COLUMN analytics.meter_orders.created_at IS 'Instant of creation.';
