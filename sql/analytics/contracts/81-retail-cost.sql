-- What a quarter hour of a supply contract costs in full: final usage times market price, margin, grid fee, concession fee, levies
-- and VAT. Base fees and metering are not part of it. The grid fee follows the contract's reductions: module 2, module 3 by its
-- bands, else the ordinary one. Null where one of the parts is not known. Ask for contracts, and for a span of start.
CREATE VIEW analytics.retail_cost AS
SELECT u.organization_id, u.contract, u.household, u.start, u.delivery_day, u.local_time, u.utc_offset_hours, u.kwh,
       m.eur_mwh / 10 AS market_net_ct_kwh, t.margin_ct_net AS margin_net_ct_kwh, g.net_ct_kwh AS grid_net_ct_kwh, g.band,
       f.concession_net_ct_kwh + f.levies_net_ct_kwh AS levies_net_ct_kwh, f.vat_share,
       price.ct_kwh AS gross_ct_kwh, u.kwh * price.ct_kwh / 100 AS gross_eur, m.is_synthetic
  FROM analytics.usage_quarter_hours AS u
  JOIN public.subscriptions AS c ON c.organization_id = u.organization_id AND c.id = u.contract AND c.type = 'consumption'
  JOIN public.households AS h ON h.organization_id = c.organization_id AND h.id = c.household_id
  LEFT JOIN public.addresses AS a ON a.organization_id = c.organization_id AND a.id = coalesce(c.address_id, h.address_id)
  LEFT JOIN public.plan_terms AS t
    ON t.organization_id = c.organization_id AND t.plan_id = c.plan_id AND (t.valid_from IS NULL OR t.valid_from <= u.delivery_day)
   AND (t.valid_to IS NULL OR t.valid_to > u.delivery_day)
  LEFT JOIN LATERAL (SELECT * FROM analytics.fee_days AS d WHERE d.zip = a.zip AND d.delivery_day = u.delivery_day) AS f ON true
  LEFT JOIN LATERAL (
    SELECT p.amount AS eur_mwh, p.source = 'synthetic' AS is_synthetic FROM public.spot_prices AS p
     WHERE p.zone = 'DE-LU' AND p.delivery_on = u.delivery_day AND p.interval_start <= u.start
       AND p.interval_start + p.minutes * interval '1 minute' > u.start
     LIMIT 1) AS m ON true
 CROSS JOIN LATERAL (
   SELECT coalesce(bool_or(r.type = 'enwg-14a-module-2'), false) AS two, coalesce(bool_or(r.type = 'enwg-14a-module-3'), false) AS three
     FROM public.grid_fee_reductions AS r
    WHERE r.organization_id = u.organization_id AND r.subscription_id = u.contract AND r.status IN ('activated', 'ended')
      AND r.valid_from <= u.start AND (r.valid_until IS NULL OR r.valid_until > u.start)) AS module
  LEFT JOIN LATERAL (
    SELECT b.band, b.net_ct_kwh FROM analytics.grid_fee_bands AS b
     WHERE module.three AND NOT module.two AND b.grid_operator = f.grid_operator
       AND b.valid_from <= u.delivery_day AND (b.valid_until IS NULL OR b.valid_until > u.delivery_day)
       AND b.quarter = extract(quarter FROM u.delivery_day)::integer AND b.local_time = u.local_time::time) AS three ON true
 CROSS JOIN LATERAL (
   SELECT CASE WHEN module.two THEN f.grid_module_2_net_ct_kwh ELSE coalesce(three.net_ct_kwh, f.grid_net_ct_kwh) END AS net_ct_kwh,
          CASE WHEN module.two THEN 'module_2' ELSE three.band END AS band) AS g
 CROSS JOIN LATERAL (
   SELECT (m.eur_mwh / 10 + t.margin_ct_net + g.net_ct_kwh + f.concession_net_ct_kwh + f.levies_net_ct_kwh) * (1 + f.vat_share)
            AS ct_kwh) AS price;

CREATE VIEW analytics.retail_cost_days AS
SELECT organization_id, contract, household, delivery_day, sum(kwh) AS kwh, sum(gross_eur) AS gross_eur,
       sum(kwh * market_net_ct_kwh * (1 + vat_share)) / 100 AS market_gross_eur,
       sum(kwh * margin_net_ct_kwh * (1 + vat_share)) / 100 AS margin_gross_eur,
       sum(kwh * grid_net_ct_kwh * (1 + vat_share)) / 100 AS grid_gross_eur,
       sum(kwh * levies_net_ct_kwh * (1 + vat_share)) / 100 AS levies_gross_eur,
       count(*)::integer AS quarter_hours, count(gross_ct_kwh)::integer AS priced_quarter_hours
  FROM analytics.retail_cost
 GROUP BY organization_id, contract, household, delivery_day;

COMMENT ON VIEW analytics.retail_cost IS
  'Full cost of each final quarter hour of supply contracts, as the customer pays for a kWh: market price, margin, grid fee, concession fee, levies and VAT; base fees and metering are not in it. Ask for contracts, and for a span of start or delivery_day.';
COMMENT ON COLUMN analytics.retail_cost.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.retail_cost.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.retail_cost.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.retail_cost.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.retail_cost.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.retail_cost.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.retail_cost.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.retail_cost.kwh IS 'Energy in kWh.';
COMMENT ON COLUMN analytics.retail_cost.market_net_ct_kwh IS 'Day-ahead price in ct/kWh without VAT; null: not known.';
COMMENT ON COLUMN analytics.retail_cost.margin_net_ct_kwh IS
  'Margin of the plan in ct/kWh without VAT; null: the plan has no terms.';
COMMENT ON COLUMN analytics.retail_cost.grid_net_ct_kwh IS
  'Working price of the grid in ct/kWh without VAT, with the contracts reduction; null: not known.';
COMMENT ON COLUMN analytics.retail_cost.band IS 'low, standard or high of module 3, or module_2; null: the ordinary price.';
COMMENT ON COLUMN analytics.retail_cost.levies_net_ct_kwh IS
  'Concession fee, electricity tax and levies in ct/kWh without VAT; null: not known.';
COMMENT ON COLUMN analytics.retail_cost.vat_share IS 'Rate of VAT, a share from 0 to 1.';
COMMENT ON COLUMN analytics.retail_cost.gross_ct_kwh IS 'All of it in ct/kWh with VAT; null: a part is not known.';
COMMENT ON COLUMN analytics.retail_cost.gross_eur IS 'The same times kwh, in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost.is_synthetic IS 'Whether the market price is invented; null: no price.';

COMMENT ON VIEW analytics.retail_cost_days IS
  'retail_cost per contract and day: what the parts of a price cost. Quarter hours of which a part is not known are left out of it.';
COMMENT ON COLUMN analytics.retail_cost_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.retail_cost_days.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.retail_cost_days.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.retail_cost_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.retail_cost_days.kwh IS 'Energy in kWh.';
COMMENT ON COLUMN analytics.retail_cost_days.gross_eur IS 'Full cost in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.market_gross_eur IS 'Part of the market price in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.margin_gross_eur IS 'Part of the margin in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.grid_gross_eur IS 'Part of the grid fee in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.levies_gross_eur IS
  'Part of concession fee, electricity tax and levies in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.quarter_hours IS 'Quarter hours with energy.';
COMMENT ON COLUMN analytics.retail_cost_days.priced_quarter_hours IS 'Quarter hours of them of which all parts are known.';
