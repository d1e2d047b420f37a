-- Price times energy of a household's grid connection: what the energy cost on the market, without margin, fees and taxes.
-- A price of an hour holds for its four quarter hours.
CREATE VIEW analytics.energy_cost AS
SELECT e.organization_id, e.household, e.start, e.delivery_day, e.local_time, e.utc_offset_hours, e.grid_import_kwh,
       e.grid_export_kwh, p.ct_kwh, e.grid_import_kwh * p.ct_kwh / 100 AS import_cost_eur,
       e.grid_export_kwh * p.ct_kwh / 100 AS export_value_eur, p.is_synthetic, e.grid_covered_seconds
  FROM analytics.household_energy AS e
  LEFT JOIN public.spot_prices AS quarter
    ON quarter.zone = 'DE-LU' AND quarter.interval_start = e.start AND quarter.minutes = 15
  LEFT JOIN public.spot_prices AS hour
    ON hour.zone = 'DE-LU' AND hour.interval_start = date_trunc('hour', e.start, 'UTC') AND hour.minutes = 60
 CROSS JOIN LATERAL (
   SELECT coalesce(quarter.amount, hour.amount)::double precision / 10 AS ct_kwh,
          CASE WHEN coalesce(quarter.source, hour.source) IS NOT NULL
               THEN coalesce(quarter.source, hour.source) = 'synthetic'
                    OR EXISTS (SELECT FROM public.price_kind WHERE kind <> 'market') END AS is_synthetic
 ) AS p
 WHERE e.grid_import_kwh IS NOT NULL;

CREATE VIEW analytics.energy_cost_days AS
SELECT c.organization_id, c.household, c.delivery_day, sum(c.grid_import_kwh) AS grid_import_kwh,
       sum(c.grid_export_kwh) AS grid_export_kwh, sum(c.import_cost_eur) AS import_cost_eur,
       sum(c.export_value_eur) AS export_value_eur,
       sum(c.import_cost_eur) * 100
         / nullif(sum(c.grid_import_kwh) FILTER (WHERE c.ct_kwh IS NOT NULL), 0) AS paid_ct_kwh,
       count(*)::integer AS quarter_hours, count(c.ct_kwh)::integer AS priced_quarter_hours, (d.hours * 4)::integer AS expected_quarter_hours,
       bool_or(c.is_synthetic) AS is_synthetic, sum(c.grid_covered_seconds) / (d.hours * 3600) AS covered_share
  FROM analytics.energy_cost AS c
  JOIN public.delivery_days AS d ON d.day = c.delivery_day
 GROUP BY c.organization_id, c.household, c.delivery_day, d.hours;

CREATE VIEW analytics.energy_cost_months AS
SELECT organization_id, household, date_trunc('month', delivery_day::timestamp)::date AS month,
       sum(grid_import_kwh) AS grid_import_kwh, sum(grid_export_kwh) AS grid_export_kwh,
       sum(import_cost_eur) AS import_cost_eur, sum(export_value_eur) AS export_value_eur,
       sum(import_cost_eur) * 100 / nullif(sum(grid_import_kwh) FILTER (WHERE ct_kwh IS NOT NULL), 0) AS paid_ct_kwh,
       count(DISTINCT delivery_day)::integer AS days, count(*)::integer AS quarter_hours,
       count(ct_kwh)::integer AS priced_quarter_hours, bool_or(is_synthetic) AS is_synthetic,
       sum(grid_covered_seconds)
         / date_part('epoch', (date_trunc('month', delivery_day::timestamp) + interval '1 month') AT TIME ZONE 'Europe/Berlin'
                              - date_trunc('month', delivery_day::timestamp) AT TIME ZONE 'Europe/Berlin') AS covered_share
  FROM analytics.energy_cost
 GROUP BY organization_id, household, date_trunc('month', delivery_day::timestamp);

COMMENT ON VIEW analytics.energy_cost IS
  'Price times energy of each household per quarter hour: market price only, without margin, fees and taxes, bidding zone DE-LU. Only where household_net sent values.';
COMMENT ON COLUMN analytics.energy_cost.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy_cost.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.energy_cost.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.energy_cost.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy_cost.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.energy_cost.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.energy_cost.grid_import_kwh IS 'Taken from the grid in kWh.';
COMMENT ON COLUMN analytics.energy_cost.grid_export_kwh IS 'Fed into the grid in kWh, positive.';
COMMENT ON COLUMN analytics.energy_cost.ct_kwh IS 'Day-ahead price in ct/kWh; null: not known.';
COMMENT ON COLUMN analytics.energy_cost.import_cost_eur IS
  'Import times price in EUR: market price only, without margin, fees and taxes; null: no price.';
COMMENT ON COLUMN analytics.energy_cost.export_value_eur IS
  'Export times price in EUR: market price only, without margin, fees and taxes; null: no price.';
COMMENT ON COLUMN analytics.energy_cost.is_synthetic IS 'Whether the price is none of the market, as in spot_prices; null: no price.';
COMMENT ON COLUMN analytics.energy_cost.grid_covered_seconds IS
  'For how many of the 900 seconds a value of household_net held.';

COMMENT ON VIEW analytics.energy_cost_days IS
  'energy_cost per household and day of Berlin: market price only, without margin, fees and taxes.';
COMMENT ON COLUMN analytics.energy_cost_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy_cost_days.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.energy_cost_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy_cost_days.grid_import_kwh IS 'Taken from the grid in kWh.';
COMMENT ON COLUMN analytics.energy_cost_days.grid_export_kwh IS 'Fed into the grid in kWh, positive.';
COMMENT ON COLUMN analytics.energy_cost_days.import_cost_eur IS
  'Sum of import times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';
COMMENT ON COLUMN analytics.energy_cost_days.export_value_eur IS
  'Sum of export times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';
COMMENT ON COLUMN analytics.energy_cost_days.paid_ct_kwh IS
  'Mean price of the import in ct/kWh, by its energy; null: no import with a price.';
COMMENT ON COLUMN analytics.energy_cost_days.quarter_hours IS 'Quarter hours with energy.';
COMMENT ON COLUMN analytics.energy_cost_days.priced_quarter_hours IS 'Quarter hours of them that have a price.';
COMMENT ON COLUMN analytics.energy_cost_days.expected_quarter_hours IS
  'Quarter hours of the day: 96; 92 and 100 when the clock is changed.';
COMMENT ON COLUMN analytics.energy_cost_days.is_synthetic IS 'Whether a price of it is none of the market; null: no price.';
COMMENT ON COLUMN analytics.energy_cost_days.covered_share IS
  'Share of the day in which a value of household_net held, 0 to 1: below 1 energy and cost are those of a part. Of today the share of the whole day.';

COMMENT ON VIEW analytics.energy_cost_months IS
  'energy_cost per household and month of Berlin: market price only, without margin, fees and taxes.';
COMMENT ON COLUMN analytics.energy_cost_months.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy_cost_months.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.energy_cost_months.month IS 'First day of the month, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy_cost_months.grid_import_kwh IS 'Taken from the grid in kWh.';
COMMENT ON COLUMN analytics.energy_cost_months.grid_export_kwh IS 'Fed into the grid in kWh, positive.';
COMMENT ON COLUMN analytics.energy_cost_months.import_cost_eur IS
  'Sum of import times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';
COMMENT ON COLUMN analytics.energy_cost_months.export_value_eur IS
  'Sum of export times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';
COMMENT ON COLUMN analytics.energy_cost_months.paid_ct_kwh IS
  'Mean price of the import in ct/kWh, by its energy; null: no import with a price.';
COMMENT ON COLUMN analytics.energy_cost_months.days IS 'Days with energy.';
COMMENT ON COLUMN analytics.energy_cost_months.quarter_hours IS 'Quarter hours with energy.';
COMMENT ON COLUMN analytics.energy_cost_months.priced_quarter_hours IS 'Quarter hours of them that have a price.';
COMMENT ON COLUMN analytics.energy_cost_months.is_synthetic IS 'Whether a price of it is none of the market; null: no price.';
COMMENT ON COLUMN analytics.energy_cost_months.covered_share IS
  'Share of the month in which a value of household_net held, 0 to 1: below 1 energy and cost are those of a part. Of this month the share of the whole month.';
