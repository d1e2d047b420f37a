-- What the job that keeps the sums by quarter hour may do, and nothing beside it: it signs in as the role for maintenance,
-- which reads no table. These functions run as the owner of the tables.
--
-- All that write sums take one lock by name before they look at snapshots: so nobody writes sums of an older look over those
-- of a newer one, or of snapshots that somebody is erasing.

-- Both functions below compute the same sums: they are made of one text.
DO $made$
DECLARE
  columns constant text := $columns$samples, connected_samples, first_at, last_at, first_power_kw, last_power_kw, power_kw_min,
         power_kw_max, covered_seconds, consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last,
         vehicle_state_of_charge_last$columns$;
  -- Of the asset %1$s and the quarter hour that begins at %2$s: one row, or none where no power value was sent in it or in the
  -- hour before. A value holds until the next one, at most for the usual distance of the asset's values: the median of its last
  -- 100 (of three days, before `ended`; five are needed), 15 minutes at least and an hour at most. What lies further apart is a
  -- gap. What held when the quarter hour began is the last value before it. The median is asked for where this value is older
  -- than 15 minutes when the next one comes: of most assets never. All of it stands at the level of the window: a level above
  -- would be folded into the sums, and compute the seconds of each value once for each sum. A row that nothing covers replaces
  -- one that something covered while other values were known; no view shows it. `begun` and `ended` leave a chunk or two when
  -- the plan is made. Less than a nanowatt counts as nothing: a product with it may leave the range of numbers, which is an
  -- error. 900,000 snapshots count, one a millisecond: whoever sends more takes the job from nobody.
  sums constant text := $sums$
         SELECT count(held.value_at)::integer AS samples,
                (count(*) FILTER (WHERE held.connected))::integer AS connected_samples,
                min(held.value_at) AS first_at,
                max(held.value_at) AS last_at,
                public.first(held.power_kw, held.value_at) FILTER (WHERE held.value_at IS NOT NULL) AS first_power_kw,
                public.last(held.power_kw, held.value_at) FILTER (WHERE held.value_at IS NOT NULL) AS last_power_kw,
                min(held.power_kw) FILTER (WHERE held.value_at IS NOT NULL) AS power_kw_min,
                max(held.power_kw) FILTER (WHERE held.value_at IS NOT NULL) AS power_kw_max,
                sum(held.seconds) AS covered_seconds,
                sum(CASE WHEN held.power_kw > 1e-12 THEN held.seconds * held.power_kw ELSE 0 END) / 3600 AS consumed_kwh,
                sum(CASE WHEN held.power_kw < -1e-12 THEN held.seconds * -held.power_kw ELSE 0 END) / 3600 AS fed_kwh,
                public.first(held.state_of_charge, held.timestamp)
                  FILTER (WHERE held.state_of_charge IS NOT NULL) AS state_of_charge_first,
                public.last(held.state_of_charge, held.timestamp)
                  FILTER (WHERE held.state_of_charge IS NOT NULL) AS state_of_charge_last,
                public.last(held.vehicle_state_of_charge, held.timestamp)
                  FILTER (WHERE held.vehicle_state_of_charge IS NOT NULL) AS vehicle_state_of_charge_last
           FROM (SELECT known.*,
                        CASE WHEN known.power_kw IS NOT NULL AND known.timestamp >= %2$s THEN known.timestamp END AS value_at,
                        CASE WHEN known.power_kw IS NOT NULL THEN
                          greatest(date_part('epoch', least(
                            lead(known.timestamp) OVER next_value, %2$s + interval '15 minutes',
                            CASE WHEN known.timestamp < %2$s
                                      AND (lead(known.timestamp) OVER next_value <= known.timestamp + interval '15 minutes') IS NOT TRUE
                                 THEN known.timestamp + (
                                   SELECT least(greatest(CASE WHEN count(apart.distance) >= 4 THEN
                                                           percentile_disc(0.5) WITHIN GROUP (ORDER BY apart.distance) END,
                                                         interval '15 minutes'), interval '1 hour')
                                     FROM (SELECT last.timestamp - lag(last.timestamp) OVER (ORDER BY last.timestamp) AS distance
                                             FROM (SELECT s.timestamp
                                                     FROM public.asset_snapshots AS s
                                                    WHERE s.asset_id = %1$s AND s.power_kw IS NOT NULL
                                                      AND s.timestamp > ended - interval '3 days' AND s.timestamp < ended
                                                    ORDER BY s.timestamp DESC
                                                    LIMIT 100) AS last) AS apart)
                            END) - greatest(known.timestamp, %2$s)), 0)
                        END AS seconds
                   FROM ((SELECT s.timestamp, s.power_kw, NULL::double precision AS state_of_charge, NULL::boolean AS connected,
                                 NULL::double precision AS vehicle_state_of_charge
                            FROM public.asset_snapshots AS s
                           WHERE s.asset_id = %1$s AND s.power_kw IS NOT NULL
                             AND s.timestamp > %2$s - interval '1 hour' AND s.timestamp < %2$s
                             AND s.timestamp > begun - interval '1 hour' AND s.timestamp < ended
                           ORDER BY s.timestamp DESC
                           LIMIT 1)
                         UNION ALL
                         (SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge
                            FROM public.asset_snapshots AS s
                           WHERE s.asset_id = %1$s
                             AND s.timestamp >= %2$s AND s.timestamp < %2$s + interval '15 minutes'
                             AND s.timestamp >= begun AND s.timestamp < ended
                           ORDER BY s.timestamp
                           LIMIT 900000)) AS known
                 WINDOW next_value AS (PARTITION BY known.power_kw IS NULL ORDER BY known.timestamp)) AS held
         HAVING count(held.power_kw) > 0$sums$;
  -- What is summed already is replaced, but never from what is left where snapshots were dropped, in the hour behind them either.
  replaced constant text := format(
    'ON CONFLICT (asset_id, start) DO UPDATE SET (%s) = ROW (%s) WHERE excluded.start > dropped_until + interval ''45 minutes''',
    columns, regexp_replace(columns, '(\w+)', 'excluded.\1', 'g')
  );
BEGIN
  -- The sums of a span, of the next assets in the order of their keys. An asset without a value in it costs one look into
  -- the index. The plan is made for the values of each call: a general one asks every chunk about every quarter hour, with
  -- 61 chunks 0.2 ms each time.
  EXECUTE format($function$
CREATE OR REPLACE FUNCTION write_quarter_hours(
  begun timestamptz, ended timestamptz, after_asset bigint, assets_max integer,
  OUT last_asset bigint, OUT sums_written bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET timescaledb.enable_runtime_exclusion = off
AS $body$
DECLARE
  dropped_until timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT snapshots_dropped_until INTO STRICT dropped_until FROM public.quarter_hour_progress;
  SELECT max(portion.key) INTO last_asset
    FROM (SELECT key FROM public.assets WHERE key > after_asset ORDER BY key LIMIT assets_max) AS portion;
  INSERT INTO public.asset_quarter_hours (asset_id, start, %1$s)
  SELECT a.key, quarter_hour.start, sums.*
    FROM public.assets AS a
   CROSS JOIN LATERAL (
          SELECT min(s.timestamp) AS first, max(s.timestamp) AS last
            FROM public.asset_snapshots AS s
           WHERE s.asset_id = a.key AND s.timestamp > begun - interval '1 hour' AND s.timestamp < ended
        ) AS stored
   CROSS JOIN LATERAL generate_series(
          greatest(date_bin('15 minutes', stored.first, '2000-01-01 00:00:00+00'), begun),
          least(stored.last + interval '1 hour', ended - interval '15 minutes'),
          interval '15 minutes'
        ) AS quarter_hour (start)
   CROSS JOIN LATERAL (%2$s) AS sums
   WHERE a.key > after_asset AND a.key <= last_asset AND stored.first IS NOT NULL
   ORDER BY a.key, quarter_hour.start
  %3$s;
  GET DIAGNOSTICS sums_written = ROW_COUNT;
END
$body$
$function$, columns, format(sums, 'a.key', 'quarter_hour.start'), replaced);

  -- The oldest entries of the queue, week by week. An entry reaches an hour further: its last value may hold there. Beyond the
  -- first of these quarter hours (`is_far`) it does so only where no other value came between.
  EXECUTE format($function$
CREATE OR REPLACE FUNCTION write_late_quarter_hours(
  entries_max integer, OUT entries_taken bigint, OUT sums_written bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET timescaledb.enable_runtime_exclusion = off
AS $body$
DECLARE
  dropped_until timestamptz;
  taken_now bigint;
  written bigint;
  begun timestamptz;
  ended timestamptz;
  asset_ids bigint[];
  starts timestamptz[];
  far boolean[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT snapshots_dropped_until INTO STRICT dropped_until FROM public.quarter_hour_progress;
  entries_taken := 0;
  sums_written := 0;
  FOR taken_now, asset_ids, starts, far IN
    WITH taken AS (
      DELETE FROM public.late_quarter_hours
       WHERE id IN (SELECT id FROM public.late_quarter_hours ORDER BY id LIMIT entries_max)
      RETURNING asset_id, start, quarter_hours
    ), touched AS (
      SELECT taken.asset_id, taken.start + step * interval '15 minutes' AS start,
             bool_and(step > taken.quarter_hours) AS is_far
        FROM taken CROSS JOIN LATERAL generate_series(0, taken.quarter_hours + 3) AS step
       GROUP BY 1, 2
    )
    SELECT (SELECT count(*) FROM taken), array_agg(touched.asset_id), array_agg(touched.start), array_agg(touched.is_far)
      FROM touched
     GROUP BY date_bin('7 days', touched.start, '1970-01-01 00:00:00+00')
  LOOP
    entries_taken := taken_now;
    SELECT min(late.start), max(late.start) + interval '15 minutes' INTO begun, ended FROM unnest(starts) AS late (start);
    INSERT INTO public.asset_quarter_hours (asset_id, start, %1$s)
    SELECT late.asset_id, late.start, sums.*
      FROM unnest(asset_ids, starts, far) AS late (asset_id, start, is_far)
     CROSS JOIN LATERAL (%2$s) AS sums
     WHERE NOT late.is_far
        OR NOT EXISTS (SELECT FROM public.asset_snapshots AS s
                        WHERE s.asset_id = late.asset_id AND s.power_kw IS NOT NULL
                          AND s.timestamp >= late.start - interval '15 minutes' AND s.timestamp < late.start
                          AND s.timestamp > begun - interval '1 hour' AND s.timestamp < ended)
     ORDER BY late.asset_id, late.start
    %3$s;
    GET DIAGNOSTICS written = ROW_COUNT;
    sums_written := sums_written + written;
  END LOOP;
END
$body$
$function$, columns, format(sums, 'late.asset_id', 'late.start'), replaced);
END
$made$;
COMMENT ON FUNCTION write_quarter_hours IS
  'Sums the snapshots of a span by quarter hour, of at most so many assets after a key; returns the last key, null behind the last asset.';
COMMENT ON FUNCTION write_late_quarter_hours IS
  'Sums again what the oldest entries of late_quarter_hours name, and removes them; returns their number.';

COMMENT ON COLUMN asset_quarter_hours.covered_seconds IS
  'For how many of the 900 seconds a power value held: each until the next one, at most for the usual distance of the asset''s values, 15 minutes to an hour.';

REVOKE ALL ON FUNCTION write_quarter_hours, write_late_quarter_hours FROM PUBLIC;
GRANT EXECUTE ON FUNCTION write_quarter_hours, write_late_quarter_hours TO voltstream_maintenance;
