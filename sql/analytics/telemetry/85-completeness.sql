-- What is missing. Days and quarter hours without any value have a row, too: from an asset's first value to now, or to its
-- end. So ask for assets or for a span of days: all assets since their beginning are many rows.
CREATE VIEW analytics.completeness AS
SELECT a.organization_id, a.id AS asset, a.household_id AS household, a.type, d.day AS delivery_day,
       (d.hours * 4)::integer AS expected_quarter_hours, found.quarter_hours,
       found.quarter_hours / (d.hours * 4)::double precision AS value_share,
       found.covered_seconds / (d.hours * 3600) AS covered_share, found.first_at, found.last_at,
       extract(epoch FROM greatest(coalesce(found.first_at, life.ends_at) - d.starts_at, found.longest_gap,
                                   life.ends_at - found.last_at))::double precision AS longest_gap_seconds
  FROM public.assets AS a
 CROSS JOIN LATERAL (SELECT min(q.start) AS start FROM measured.stored_quarter_hours AS q WHERE q.asset_id = a.key) AS begun
  JOIN public.delivery_days AS d ON d.ends_at > begun.start AND d.starts_at < least(now(), a.decommissioned_at)
 CROSS JOIN LATERAL (SELECT least(d.ends_at, now(), a.decommissioned_at) AS ends_at) AS life
 CROSS JOIN LATERAL (
   SELECT count(*) FILTER (WHERE samples > 0)::integer AS quarter_hours, coalesce(sum(covered_seconds), 0) AS covered_seconds,
          min(first_at) AS first_at, max(last_at) AS last_at, max(gap) AS longest_gap
     FROM (SELECT q.samples, q.covered_seconds, q.first_at, q.last_at,
                  q.first_at - max(q.last_at) OVER (ORDER BY q.start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
             FROM measured.stored_quarter_hours AS q
            WHERE q.asset_id = a.key AND q.start >= d.starts_at AND q.start < d.ends_at) AS sums
 ) AS found;

CREATE VIEW analytics.quarter_hours_filled AS
SELECT a.organization_id, a.id AS asset, a.household_id AS household, a.type, filled.start, d.day AS delivery_day,
       filled.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(filled.start) AS utc_offset_hours,
       filled.samples, filled.covered_seconds, filled.consumed_kwh, filled.fed_kwh
  FROM public.assets AS a
 CROSS JOIN LATERAL (SELECT min(q.start) AS start FROM measured.stored_quarter_hours AS q WHERE q.asset_id = a.key) AS begun
  JOIN public.delivery_days AS d ON d.ends_at > begun.start AND d.starts_at < least(now(), a.decommissioned_at)
 CROSS JOIN LATERAL (
   SELECT step AS start, coalesce(q.samples, 0) AS samples, coalesce(q.covered_seconds, 0) AS covered_seconds,
          q.consumed_kwh, q.fed_kwh
     FROM generate_series(greatest(d.starts_at, begun.start),
                          least(d.ends_at, now(), a.decommissioned_at) - interval '1 microsecond', interval '15 minutes') AS step
     LEFT JOIN (SELECT inner_q.* FROM measured.stored_quarter_hours AS inner_q
                 WHERE inner_q.asset_id = a.key AND inner_q.start >= d.starts_at AND inner_q.start < d.ends_at) AS q
       ON q.start = step
 ) AS filled;

COMMENT ON VIEW analytics.completeness IS
  'The values of each asset and day, days without any value included: from its first value to today. Ask for assets or for a span of delivery_day.';
COMMENT ON COLUMN analytics.completeness.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.completeness.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.completeness.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.completeness.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.completeness.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.completeness.expected_quarter_hours IS
  'Quarter hours of the day: 96; 92 and 100 when the clock is changed. Of today all, though some are still to come.';
COMMENT ON COLUMN analytics.completeness.quarter_hours IS 'Quarter hours in which a power value was sent.';
COMMENT ON COLUMN analytics.completeness.value_share IS 'quarter_hours of expected_quarter_hours, 0 to 1.';
COMMENT ON COLUMN analytics.completeness.covered_share IS
  'Share of the day in which a power value held, 0 to 1: each until the next one, by the step rule of energy.';
COMMENT ON COLUMN analytics.completeness.first_at IS 'Instant of the first power value of the day; null: none.';
COMMENT ON COLUMN analytics.completeness.last_at IS 'Instant of the last power value of the day; null: none.';
COMMENT ON COLUMN analytics.completeness.longest_gap_seconds IS
  'Longest time without a power value in seconds, from midnight and to midnight (today: to now) included; one within a quarter hour is not seen.';

COMMENT ON VIEW analytics.quarter_hours_filled IS
  'energy with a row for each quarter hour, also where nothing is known: from an asset''s first value to now. Ask for assets and for a span of delivery_day.';
COMMENT ON COLUMN analytics.quarter_hours_filled.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.quarter_hours_filled.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.quarter_hours_filled.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.quarter_hours_filled.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.quarter_hours_filled.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.quarter_hours_filled.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.quarter_hours_filled.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.quarter_hours_filled.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.quarter_hours_filled.samples IS 'Number of power values; 0: none was sent.';
COMMENT ON COLUMN analytics.quarter_hours_filled.covered_seconds IS
  'For how many of the 900 seconds a power value held.';
COMMENT ON COLUMN analytics.quarter_hours_filled.consumed_kwh IS
  'Energy into the asset in kWh; null: nothing is known.';
COMMENT ON COLUMN analytics.quarter_hours_filled.fed_kwh IS
  'Energy out of the asset in kWh, positive; null: nothing is known.';
