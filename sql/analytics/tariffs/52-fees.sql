-- Fees and taxes on a kWh: public facts, the same for all organizations. Only rows that hold on a day: where a price sheet ran
-- out and none followed, quotes carry it forward, and these views are null.
CREATE VIEW analytics.grid_fees AS
SELECT f.operator AS grid_operator, o.name, f.valid_from, f.valid_to AS valid_until, f.base_eur_year_net AS base_net_eur_year,
       f.working_ct_net AS working_net_ct_kwh, f.module_1_eur_year_net AS module_1_net_eur_year,
       coalesce(f.module_2_ct_net, round(0.4 * f.working_ct_net, 2)) AS module_2_net_ct_kwh, f.provisional AS is_provisional
  FROM public.grid_fees AS f
  LEFT JOIN public.grid_operators AS o
    ON o.operator = f.operator AND o.valid_from <= f.valid_from AND (o.valid_to IS NULL OR o.valid_to > f.valid_from);

-- Module 3 by the clock on the wall: a row for each quarter of the year and quarter hour of the day.
CREATE VIEW analytics.grid_fee_bands AS
SELECT s.operator AS grid_operator, s.valid_from, s.valid_to AS valid_until, quarter.number AS quarter,
       make_time(minute.number / 60, minute.number % 60, 0) AS local_time, band.name AS band,
       CASE band.name WHEN 'low' THEN s.low_ct_net WHEN 'high' THEN s.high_ct_net ELSE s.standard_ct_net END AS net_ct_kwh
  FROM public.grid_fee_schedules AS s
 CROSS JOIN generate_series(1, 4) AS quarter (number)
 CROSS JOIN generate_series(0, 1425, 15) AS minute (number)
 CROSS JOIN LATERAL (
   SELECT bool_or(w.kind = 'low') AS is_low, bool_or(w.kind = 'high') AS is_high
     FROM (SELECT 'low' AS kind, part FROM regexp_split_to_table(s.low_windows, ';') AS part
           UNION ALL SELECT 'high', part FROM regexp_split_to_table(s.high_windows, ';') AS part) AS w
    CROSS JOIN LATERAL (SELECT split_part(w.part, '-', 1)::time AS begins, split_part(w.part, '-', 2)::time AS ends,
                               make_time(minute.number / 60, minute.number % 60, 0) AS clock) AS c
    WHERE w.part <> ''
      AND CASE WHEN c.begins < c.ends THEN c.clock >= c.begins AND c.clock < c.ends
               ELSE c.clock >= c.begins OR c.clock < c.ends END
 ) AS inside
 CROSS JOIN LATERAL (
   SELECT CASE WHEN NOT quarter.number::text = ANY (string_to_array(s.quarters, ';')) THEN 'standard'
               WHEN inside.is_low THEN 'low' WHEN inside.is_high THEN 'high' ELSE 'standard' END AS name
 ) AS band;

-- The operator that serves a zip on a day: the one with the greatest share, or the first of equal ones by its code.
CREATE VIEW analytics.fee_days AS
SELECT d.day AS delivery_day, z.zip, z.operator AS grid_operator, f.base_net_eur_year AS grid_base_net_eur_year,
       f.working_net_ct_kwh AS grid_net_ct_kwh, f.module_2_net_ct_kwh AS grid_module_2_net_ct_kwh,
       c.ct_net AS concession_net_ct_kwh, l.ct_net AS levies_net_ct_kwh, v.rate AS vat_share
  FROM public.delivery_days AS d
  JOIN public.zip_areas AS z
    ON z.valid_from <= d.day AND (z.valid_to IS NULL OR z.valid_to > d.day)
   AND NOT EXISTS (SELECT FROM public.zip_areas AS other
                    WHERE other.zip = z.zip AND other.valid_from <= d.day AND (other.valid_to IS NULL OR other.valid_to > d.day)
                      AND (other.share > z.share OR (other.share = z.share AND other.operator < z.operator)))
  LEFT JOIN analytics.grid_fees AS f
    ON f.grid_operator = z.operator AND f.valid_from <= d.day AND (f.valid_until IS NULL OR f.valid_until > d.day)
  LEFT JOIN public.concession_fees AS c
    ON c.class = z.concession_class AND c.valid_from <= d.day AND (c.valid_to IS NULL OR c.valid_to > d.day)
  LEFT JOIN public.vat_rates AS v ON v.valid_from <= d.day AND (v.valid_to IS NULL OR v.valid_to > d.day)
 CROSS JOIN LATERAL (
   SELECT CASE WHEN count(*) = 4 THEN sum(w.ct_net) END AS ct_net
     FROM public.levies AS w
    WHERE w.valid_from <= d.day AND (w.valid_to IS NULL OR w.valid_to > d.day)) AS l;

CREATE VIEW analytics.reference_tariffs AS
SELECT valid_from, valid_to AS valid_until, base_fee_eur_year_gross AS base_gross_eur_year, energy_ct_net AS energy_net_ct_kwh
  FROM public.benchmarks;

COMMENT ON VIEW analytics.grid_fees IS 'Price sheets of grid operators. The same for all organizations.';
COMMENT ON COLUMN analytics.grid_fees.grid_operator IS 'Code of the grid operator.';
COMMENT ON COLUMN analytics.grid_fees.name IS 'Its name; null: not known.';
COMMENT ON COLUMN analytics.grid_fees.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN analytics.grid_fees.valid_until IS 'First day that is no longer part of it; null: open.';
COMMENT ON COLUMN analytics.grid_fees.base_net_eur_year IS 'Base price in EUR a year without VAT.';
COMMENT ON COLUMN analytics.grid_fees.working_net_ct_kwh IS 'Working price in ct/kWh without VAT.';
COMMENT ON COLUMN analytics.grid_fees.module_1_net_eur_year IS
  'Published credit of module 1 in EUR a year without VAT; null: the formula counts.';
COMMENT ON COLUMN analytics.grid_fees.module_2_net_ct_kwh IS
  'Working price of module 2 in ct/kWh without VAT: as published, else by the formula.';
COMMENT ON COLUMN analytics.grid_fees.is_provisional IS 'Whether the sheet is provisional.';

COMMENT ON VIEW analytics.grid_fee_bands IS
  'Prices of module 3 (section 14a EnWG) by the clock: one row for each quarter of the year and quarter hour of the day. The same for all organizations.';
COMMENT ON COLUMN analytics.grid_fee_bands.grid_operator IS 'Code of the grid operator.';
COMMENT ON COLUMN analytics.grid_fee_bands.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN analytics.grid_fee_bands.valid_until IS 'First day that is no longer part of it; null: open.';
COMMENT ON COLUMN analytics.grid_fee_bands.quarter IS 'Quarter of the year, 1 to 4.';
COMMENT ON COLUMN analytics.grid_fee_bands.local_time IS 'Clock time in Europe/Berlin at which the quarter hour begins.';
COMMENT ON COLUMN analytics.grid_fee_bands.band IS 'low, standard or high.';
COMMENT ON COLUMN analytics.grid_fee_bands.net_ct_kwh IS 'Working price of the grid in ct/kWh without VAT.';

COMMENT ON VIEW analytics.fee_days IS
  'What a kWh costs in a zip on a day beside the energy. Ask for a zip, and for a day or a span of days. The same for all organizations.';
COMMENT ON COLUMN analytics.fee_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.fee_days.zip IS 'Zip.';
COMMENT ON COLUMN analytics.fee_days.grid_operator IS 'Code of the grid operator that serves it.';
COMMENT ON COLUMN analytics.fee_days.grid_base_net_eur_year IS 'Base price of the grid in EUR a year without VAT.';
COMMENT ON COLUMN analytics.fee_days.grid_net_ct_kwh IS
  'Working price of the grid in ct/kWh without VAT; null: no price sheet holds.';
COMMENT ON COLUMN analytics.fee_days.grid_module_2_net_ct_kwh IS 'The one of module 2 in ct/kWh without VAT.';
COMMENT ON COLUMN analytics.fee_days.concession_net_ct_kwh IS 'Concession fee in ct/kWh without VAT.';
COMMENT ON COLUMN analytics.fee_days.levies_net_ct_kwh IS
  'Electricity tax and the three levies in ct/kWh without VAT; null: one of them is not known.';
COMMENT ON COLUMN analytics.fee_days.vat_share IS 'Rate of VAT, a share from 0 to 1: 0.19.';

COMMENT ON VIEW analytics.reference_tariffs IS
  'The tariff that savings are measured against. The same for all organizations.';
COMMENT ON COLUMN analytics.reference_tariffs.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN analytics.reference_tariffs.valid_until IS 'First day that is no longer part of it; null: open.';
COMMENT ON COLUMN analytics.reference_tariffs.base_gross_eur_year IS 'Base fee in EUR a year with VAT.';
COMMENT ON COLUMN analytics.reference_tariffs.energy_net_ct_kwh IS
  'Energy price in ct/kWh without VAT, grid fees and levies.';
