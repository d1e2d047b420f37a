-- Prices of days that came in, or were replaced, after bills of these days may have been made, with whom they concern: a null
-- is everybody. A condition on changed_at reaches an index in each part.
CREATE OR REPLACE VIEW price_changes WITH (security_invoker = true) AS
-- The first row of a plan counts for the days before it, too.
SELECT terms.organization_id,
       NULL::text AS contract_type,
       terms.plan_id,
       NULL::text AS zip,
       NULL::text AS metering_operator,
       NULL::date AS commissioned_from,
       NULL::date AS commissioned_until,
       CASE WHEN EXISTS (
              SELECT FROM public.plan_terms AS before
               WHERE before.organization_id = terms.organization_id AND before.plan_id = terms.plan_id
                 AND coalesce(before.valid_from, '-infinity') < terms.valid_from)
            THEN terms.valid_from ELSE '-infinity' END AS first_day,
       coalesce((SELECT min(next.valid_from) FROM public.plan_terms AS next
                  WHERE next.organization_id = terms.organization_id AND next.plan_id = terms.plan_id
                    AND next.valid_from > coalesce(terms.valid_from, '-infinity')), 'infinity') AS end_day,
       terms.prices_changed_at AS changed_at,
       terms.plan_id AS key,
       false AS moves_energy
  FROM public.plan_terms AS terms
 WHERE terms.prices_changed_at IS NOT NULL
UNION ALL
-- A rate for feed-in goes by the day on which the plant began, whatever day is billed.
SELECT NULL,
       CASE reference_table WHEN 'vat_rates' THEN NULL
                            WHEN 'eeg_rates' THEN 'feed_in' WHEN 'market_values' THEN 'feed_in'
                            ELSE 'consumption' END,
       NULL,
       NULL,
       CASE WHEN reference_table = 'metering_fees' THEN nullif(key, '') END,
       CASE WHEN reference_table = 'eeg_rates' THEN first_day END,
       CASE WHEN reference_table = 'eeg_rates' THEN coalesce(end_day, 'infinity') END,
       CASE WHEN reference_table = 'eeg_rates' THEN '-infinity' ELSE first_day END,
       CASE WHEN reference_table = 'eeg_rates' THEN 'infinity' ELSE coalesce(end_day, 'infinity') END,
       changed_at,
       CASE WHEN reference_table = 'metering_fees' THEN key ELSE '' END,
       reference_table = 'load_profiles'
  FROM public.reference_changes
 WHERE reference_table IN ('vat_rates', 'levies', 'metering_fees', 'eeg_rates', 'market_values', 'load_profiles')
UNION ALL
SELECT NULL, 'consumption', NULL, change.key, NULL, NULL, NULL, change.first_day, coalesce(change.end_day, 'infinity'),
       change.changed_at, change.key, false
  FROM public.reference_changes AS change
 WHERE change.reference_table = 'zip_areas'
UNION ALL
SELECT NULL, 'consumption', NULL, area.zip, NULL, NULL, NULL, change.first_day, coalesce(change.end_day, 'infinity'),
       change.changed_at, area.zip, false
  FROM public.reference_changes AS change
  JOIN public.zip_areas AS area ON area.concession_class = change.key
 WHERE change.reference_table = 'concession_fees'
UNION ALL
-- Joined by a hash: 850 operators may change at once. Without the text each of them would walk through the whole index that
-- keeps areas apart, which has no place for an operator alone.
SELECT NULL, 'consumption', NULL, area.zip, NULL, NULL, NULL, change.first_day, coalesce(change.end_day, 'infinity'),
       change.changed_at, area.zip, false
  FROM public.reference_changes AS change
  JOIN public.zip_areas AS area ON area.operator || '' = change.key
 WHERE change.reference_table IN ('grid_fees', 'grid_fee_schedules')
UNION ALL
-- The first version of a day is its publication: no bill goes without it.
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, delivery_on, delivery_on + 1, changed_at, '', false
  FROM public.price_day_changes
 WHERE zone = 'DE-LU' AND version > 1;

REVOKE ALL ON price_changes FROM PUBLIC;
GRANT SELECT ON price_changes TO voltstream_app;

COMMENT ON VIEW price_changes IS 'Prices that were entered late or corrected: whom, which days, and when.';
COMMENT ON COLUMN price_changes.organization_id IS 'Whose plan it is; null: every organization.';
COMMENT ON COLUMN price_changes.contract_type IS 'consumption or feed_in; null: both.';
COMMENT ON COLUMN price_changes.plan_id IS 'Contracts of this plan; null: of all.';
COMMENT ON COLUMN price_changes.zip IS 'Contracts supplied there; null: everywhere.';
COMMENT ON COLUMN price_changes.metering_operator IS 'Meters of this operator; null: all.';
COMMENT ON COLUMN price_changes.commissioned_from IS 'Plants that began on this day or later; null: whenever.';
COMMENT ON COLUMN price_changes.commissioned_until IS 'Plants that began before this day; set with commissioned_from.';
COMMENT ON COLUMN price_changes.first_day IS 'First day that has other prices, Europe/Berlin; -infinity: from the beginning. Never null.';
COMMENT ON COLUMN price_changes.end_day IS 'First day behind them; infinity: none. Never null.';
COMMENT ON COLUMN price_changes.changed_at IS 'When it was entered. Never null.';
COMMENT ON COLUMN price_changes.key IS 'The plan, zip or metering operator that is concerned; empty: everybody. Never null.';
COMMENT ON COLUMN price_changes.moves_energy IS
  'Whether energy between two readings is spread otherwise: other days between them are concerned, too. Never null.';
