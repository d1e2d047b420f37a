-- The full cost of a quarter hour of a supply contract: final usage times market price, margin, grid fee, concession fee,
-- levies and VAT. Base fees and metering are not part of it. The grid fee follows the contract's reductions: module 2,
-- module 3 by its bands, else the ordinary one, also with module 3 where the operator never published bands. Null where one of the
-- parts is not known, or the bands have ended. Ask for a span of delivery_day.
--
-- From the days of contracts, within the first and the last quarter hour of each: what holds for a day is looked up once, and then
-- its quarter hours by the index. OFFSET 0 keeps that order: the planner, who takes the rows for few, would look for fees and
-- bands of each quarter hour, and for a day in those of all years.
CREATE VIEW analytics.retail_cost AS
SELECT c.organization_id, c.id AS contract, c.household_id AS household, q.start, d.day AS delivery_day,
       q.start AT TIME ZONE 'Europe/Berlin' AS local_time, analytics.utc_offset_hours(q.start) AS utc_offset_hours, q.kwh,
       q.market_net_ct_kwh, t.margin_ct_net AS margin_net_ct_kwh, q.grid_net_ct_kwh, q.band,
       f.concession_net_ct_kwh + f.levies_net_ct_kwh AS levies_net_ct_kwh, f.vat_share,
       q.gross_ct_kwh, q.kwh * q.gross_ct_kwh / 100 AS gross_eur, q.is_synthetic
  FROM measured.contracts AS c
  JOIN public.households AS h ON h.organization_id = c.organization_id AND h.id = c.household_id
  LEFT JOIN public.addresses AS a ON a.organization_id = c.organization_id AND a.id = coalesce(c.address_id, h.address_id)
 CROSS JOIN LATERAL (
   SELECT min(u.interval_start) AS first, max(u.interval_start) AS last FROM public.usage_quarter_hours AS u
    WHERE u.organization_id = c.organization_id AND u.subscription_id = c.id) AS used
  JOIN public.delivery_days AS d ON d.ends_at > used.first AND d.starts_at <= used.last AND c.smart_days @> d.day
  -- In a gap, and behind the last terms, those that ended last; before the first ones these.
  LEFT JOIN LATERAL (
   SELECT of_plan.margin_ct_net
     FROM public.plan_terms AS of_plan
    CROSS JOIN LATERAL (SELECT coalesce(of_plan.valid_from <= d.day, true) AS has_begun) AS has
    WHERE of_plan.organization_id = c.organization_id AND of_plan.plan_id = c.plan_id
    ORDER BY has.has_begun DESC, CASE WHEN has.has_begun THEN of_plan.valid_from END DESC NULLS LAST, of_plan.valid_from
    LIMIT 1) AS t ON true
  LEFT JOIN LATERAL (SELECT * FROM analytics.fee_days AS of_zip WHERE of_zip.zip = a.zip AND of_zip.delivery_day = d.day) AS f ON true
 CROSS JOIN LATERAL (
   SELECT range_agg(tstzrange(r.valid_from, r.valid_until)) FILTER (WHERE r.type = 'enwg-14a-module-2') AS two,
          range_agg(tstzrange(r.valid_from, r.valid_until)) FILTER (WHERE r.type = 'enwg-14a-module-3') AS three
     FROM public.grid_fee_reductions AS r
    WHERE r.organization_id = c.organization_id AND r.subscription_id = c.id AND r.status IN ('activated', 'ended')
      AND r.valid_from < d.ends_at AND (r.valid_until IS NULL OR r.valid_until > greatest(r.valid_from, d.starts_at))) AS module
 CROSS JOIN LATERAL (
   SELECT array_agg(b.band ORDER BY b.local_time) AS names, array_agg(b.net_ct_kwh ORDER BY b.local_time) AS net_ct_kwh,
          EXISTS (SELECT FROM public.grid_fee_schedules AS s
                   WHERE s.operator = f.grid_operator AND s.valid_from <= d.day) AS have_begun
     FROM analytics.grid_fee_bands AS b
    WHERE module.three IS NOT NULL AND b.grid_operator = f.grid_operator
      AND b.valid_from <= d.day AND (b.valid_until IS NULL OR b.valid_until > d.day)
      AND b.quarter = extract(quarter FROM d.day)::integer) AS bands
 CROSS JOIN LATERAL (
   SELECT u.interval_start AS start, u.kwh, m.eur_mwh / 10 AS market_net_ct_kwh, m.is_synthetic, g.net_ct_kwh AS grid_net_ct_kwh, g.band,
          (m.eur_mwh / 10 + t.margin_ct_net + g.net_ct_kwh + f.concession_net_ct_kwh + f.levies_net_ct_kwh) * (1 + f.vat_share)
            AS gross_ct_kwh
     FROM public.usage_quarter_hours AS u
     LEFT JOIN public.spot_prices AS quarter
       ON quarter.zone = 'DE-LU' AND quarter.delivery_on = d.day AND quarter.interval_start = u.interval_start
      AND quarter.minutes = 15
     LEFT JOIN public.spot_prices AS hour
       ON hour.zone = 'DE-LU' AND hour.delivery_on = d.day AND hour.interval_start = date_trunc('hour', u.interval_start, 'UTC')
      AND hour.minutes = 60
    CROSS JOIN LATERAL (
      SELECT coalesce(quarter.amount, hour.amount) AS eur_mwh,
             CASE WHEN coalesce(quarter.source, hour.source) IS NOT NULL
                  THEN coalesce(quarter.source, hour.source) = 'synthetic'
                       OR EXISTS (SELECT FROM public.price_kind WHERE kind <> 'market') END AS is_synthetic) AS m
    CROSS JOIN LATERAL (
      SELECT coalesce(module.two @> u.interval_start, false) AS two, coalesce(module.three @> u.interval_start, false) AS three,
             extract(epoch FROM (u.interval_start AT TIME ZONE 'Europe/Berlin')::time)::integer / 900 + 1 AS quarter_hour) AS holds
    CROSS JOIN LATERAL (
      SELECT CASE WHEN holds.two THEN f.grid_module_2_net_ct_kwh
                  WHEN holds.three AND bands.have_begun THEN bands.net_ct_kwh[holds.quarter_hour]
                  ELSE f.grid_net_ct_kwh END AS net_ct_kwh,
             CASE WHEN holds.two THEN 'module_2' WHEN holds.three THEN bands.names[holds.quarter_hour] END AS band) AS g
    WHERE u.organization_id = c.organization_id AND u.subscription_id = c.id
      AND u.interval_start >= d.starts_at AND u.interval_start < d.ends_at
      AND (u.interval_start < c.start_at OR u.interval_start >= c.end_at) IS NOT TRUE
   OFFSET 0) AS q
 WHERE c.type = 'consumption';

CREATE VIEW analytics.retail_cost_days AS
SELECT organization_id, contract, household, delivery_day, sum(priced_kwh) AS kwh, sum(gross_eur) AS gross_eur,
       sum(priced_kwh * market_net_ct_kwh * (1 + vat_share)) / 100 AS market_gross_eur,
       sum(priced_kwh * margin_net_ct_kwh * (1 + vat_share)) / 100 AS margin_gross_eur,
       sum(priced_kwh * grid_net_ct_kwh * (1 + vat_share)) / 100 AS grid_gross_eur,
       sum(priced_kwh * levies_net_ct_kwh * (1 + vat_share)) / 100 AS levies_gross_eur,
       count(*)::integer AS quarter_hours, count(gross_ct_kwh)::integer AS priced_quarter_hours,
       bool_or(is_synthetic) AS is_synthetic
  FROM analytics.retail_cost
 CROSS JOIN LATERAL (SELECT CASE WHEN gross_ct_kwh IS NOT NULL THEN kwh END AS priced_kwh) AS priced
 GROUP BY organization_id, contract, household, delivery_day;

COMMENT ON VIEW analytics.retail_cost IS
  'Full cost of each final quarter hour of supply contracts, as the customer pays for a kWh: market price, margin, grid fee, concession fee, levies and VAT; base fees and metering are not in it. Ask for a span of delivery_day: a condition on start alone reads all days.';
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
COMMENT ON COLUMN analytics.retail_cost.band IS 'low, standard or high of module 3, or module_2; null: the ordinary price, or the bands of module 3 have ended and no price is known.';
COMMENT ON COLUMN analytics.retail_cost.levies_net_ct_kwh IS
  'Concession fee, electricity tax and levies in ct/kWh without VAT; null: not known.';
COMMENT ON COLUMN analytics.retail_cost.vat_share IS 'Rate of VAT, a share from 0 to 1.';
COMMENT ON COLUMN analytics.retail_cost.gross_ct_kwh IS 'All of it in ct/kWh with VAT; null: a part is not known.';
COMMENT ON COLUMN analytics.retail_cost.gross_eur IS 'The same times kwh, in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost.is_synthetic IS 'Whether the market price is none of the market, as in spot_prices; null: no price.';

COMMENT ON VIEW analytics.retail_cost_days IS
  'retail_cost per contract and day: what the parts of a price cost. Quarter hours of which a part is not known are left out of energy and cost. Ask for a span of delivery_day.';
COMMENT ON COLUMN analytics.retail_cost_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.retail_cost_days.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.retail_cost_days.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.retail_cost_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.retail_cost_days.kwh IS
  'Energy in kWh of the quarter hours of which all parts are known; null: of none. That of all is in usage_days.';
COMMENT ON COLUMN analytics.retail_cost_days.gross_eur IS 'Full cost in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.market_gross_eur IS 'Part of the market price in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.margin_gross_eur IS 'Part of the margin in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.grid_gross_eur IS 'Part of the grid fee in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.levies_gross_eur IS
  'Part of concession fee, electricity tax and levies in EUR with VAT.';
COMMENT ON COLUMN analytics.retail_cost_days.quarter_hours IS 'Quarter hours with energy.';
COMMENT ON COLUMN analytics.retail_cost_days.priced_quarter_hours IS 'Quarter hours of them of which all parts are known.';
COMMENT ON COLUMN analytics.retail_cost_days.is_synthetic IS 'Whether a market price of it is none of the market; null: no price.';
