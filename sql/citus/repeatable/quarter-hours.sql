-- What the job that keeps the sums by quarter hour may do, as in sql/repeatable/quarter-hours.sql: the same functions and the
-- same sums. Here each node reads its own shards and writes the sums into its own, all at once: a statement that goes through
-- the assets one by one could not be handed to them.
--
-- All that write sums take one lock by name before they look at snapshots.

-- Both functions below compute the same sums: they are made of one text.
DO $made$
DECLARE
  columns constant text := $columns$samples, connected_samples, first_at, last_at, first_power_kw, last_power_kw, power_kw_min,
         power_kw_max, covered_seconds, consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last,
         vehicle_state_of_charge_last$columns$;
  -- `%1$s` gives snapshots of assets with the bounds, `since` and `until`, of the quarter hours that are asked for, from 15
  -- minutes before them. A value holds until the next one, at most 15 minutes: the rule of held_power. So it counts in its own
  -- quarter hour and, not its own, in the next one at most. Less than a nanowatt counts as nothing: a product with it may
  -- leave the range of numbers, which is an error. First and last values come with their instant, as the least and greatest of
  -- such pairs: nothing has to be sorted.
  sums constant text := $sums$
  SELECT piece.asset_id, piece.start,
         (count(piece.power_kw) FILTER (WHERE piece.is_own))::integer,
         (count(*) FILTER (WHERE piece.is_own AND piece.connected))::integer,
         min(piece.timestamp) FILTER (WHERE piece.is_own AND piece.power_kw IS NOT NULL),
         max(piece.timestamp) FILTER (WHERE piece.is_own AND piece.power_kw IS NOT NULL),
         (min(ARRAY[piece.at, piece.power_kw]) FILTER (WHERE piece.is_own AND piece.power_kw IS NOT NULL))[2],
         (max(ARRAY[piece.at, piece.power_kw]) FILTER (WHERE piece.is_own AND piece.power_kw IS NOT NULL))[2],
         min(piece.power_kw) FILTER (WHERE piece.is_own),
         max(piece.power_kw) FILTER (WHERE piece.is_own),
         sum(piece.seconds),
         sum(CASE WHEN piece.power_kw > 1e-12 THEN piece.seconds * piece.power_kw ELSE 0 END) / 3600,
         sum(CASE WHEN piece.power_kw < -1e-12 THEN piece.seconds * -piece.power_kw ELSE 0 END) / 3600,
         (min(ARRAY[piece.at, piece.state_of_charge])
           FILTER (WHERE piece.is_own AND piece.state_of_charge IS NOT NULL))[2],
         (max(ARRAY[piece.at, piece.state_of_charge])
           FILTER (WHERE piece.is_own AND piece.state_of_charge IS NOT NULL))[2],
         (max(ARRAY[piece.at, piece.vehicle_state_of_charge])
           FILTER (WHERE piece.is_own AND piece.vehicle_state_of_charge IS NOT NULL))[2]
    FROM (SELECT held.asset_id, held.start, held.timestamp, held.power_kw, held.state_of_charge, held.connected,
                 held.vehicle_state_of_charge, held.is_own, date_part('epoch', held.timestamp) AS at,
                 CASE WHEN held.power_kw IS NOT NULL THEN
                   date_part('epoch', least(held.ends, held.start + interval '15 minutes')
                                      - greatest(held.timestamp, held.start))
                 END AS seconds
            FROM (SELECT value.*, quarter_hour.later = 0 AS is_own,
                         date_bin('15 minutes', value.timestamp, '2000-01-01 00:00:00+00')
                           + quarter_hour.later * interval '15 minutes' AS start
                    FROM (SELECT known.*,
                                 CASE WHEN known.power_kw IS NOT NULL THEN
                                   least(lead(known.timestamp) OVER next_value, known.timestamp + interval '15 minutes')
                                 END AS ends
                            FROM (%1$s) AS known
                          WINDOW next_value AS (
                            PARTITION BY known.asset_id, known.since, known.power_kw IS NULL ORDER BY known.timestamp)
                         ) AS value
                   CROSS JOIN generate_series(0, 1) AS quarter_hour (later)) AS held
           WHERE held.start >= held.since AND held.start < held.until AND (held.is_own OR held.ends > held.start)) AS piece
   GROUP BY piece.asset_id, piece.start
  HAVING count(piece.power_kw) > 0$sums$;
  -- What is summed already is replaced, but never from what is left where snapshots were dropped.
  replaced constant text := format(
    'ON CONFLICT (asset_id, start) DO UPDATE SET (%s) = ROW (%s) WHERE excluded.start > dropped_until',
    columns, regexp_replace(columns, '(\w+)', 'excluded.\1', 'g')
  );
BEGIN
  -- The sums of a span, of the next assets in the order of their keys. An asset without a value in it costs one look into the
  -- index of each shard.
  EXECUTE format($function$
CREATE OR REPLACE FUNCTION write_quarter_hours(
  begun timestamptz, ended timestamptz, after_asset bigint, assets_max integer,
  OUT last_asset bigint, OUT sums_written bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $body$
DECLARE
  dropped_until timestamptz;
  keys bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT snapshots_dropped_until INTO STRICT dropped_until FROM public.quarter_hour_progress;
  keys := ARRAY(SELECT key FROM public.assets WHERE key > after_asset ORDER BY key LIMIT assets_max);
  last_asset := keys[cardinality(keys)];
  sums_written := 0;
  IF last_asset IS NOT NULL THEN
    INSERT INTO public.asset_quarter_hours (asset_id, start, %1$s)
    %2$s
    %3$s;
    GET DIAGNOSTICS sums_written = ROW_COUNT;
  END IF;
END
$body$
$function$, columns, format(sums, $known$
      SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge,
             begun AS since, ended AS until
        FROM public.asset_snapshots AS s
       WHERE s.asset_id = ANY (keys) AND s.timestamp > begun - interval '15 minutes' AND s.timestamp < ended$known$), replaced);

  -- The oldest entries of the queue, week by week. An entry reaches one quarter hour further: its last value may hold there.
  EXECUTE format($function$
CREATE OR REPLACE FUNCTION write_late_quarter_hours(
  entries_max integer, OUT entries_taken bigint, OUT sums_written bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $body$
DECLARE
  dropped_until timestamptz;
  taken_now bigint;
  written bigint;
  begun timestamptz;
  ended timestamptz;
  asset_ids bigint[];
  starts timestamptz[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT snapshots_dropped_until INTO STRICT dropped_until FROM public.quarter_hour_progress;
  entries_taken := 0;
  sums_written := 0;
  FOR taken_now, asset_ids, starts IN
    WITH taken AS (
      DELETE FROM public.late_quarter_hours
       WHERE id IN (SELECT id FROM public.late_quarter_hours ORDER BY id LIMIT entries_max)
      RETURNING asset_id, start, quarter_hours
    ), touched AS (
      SELECT DISTINCT taken.asset_id, taken.start + step * interval '15 minutes' AS start
        FROM taken CROSS JOIN LATERAL generate_series(0, taken.quarter_hours) AS step
    )
    SELECT (SELECT count(*) FROM taken), array_agg(touched.asset_id), array_agg(touched.start)
      FROM touched
     GROUP BY date_bin('7 days', touched.start, '1970-01-01 00:00:00+00')
  LOOP
    entries_taken := taken_now;
    SELECT min(late.start), max(late.start) + interval '15 minutes' INTO begun, ended FROM unnest(starts) AS late (start);
    INSERT INTO public.asset_quarter_hours (asset_id, start, %1$s)
    %2$s
    %3$s;
    GET DIAGNOSTICS written = ROW_COUNT;
    sums_written := sums_written + written;
  END LOOP;
END
$body$
$function$, columns, format(sums, $known$
      SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge,
             late.start AS since, late.start + interval '15 minutes' AS until
        FROM unnest(asset_ids, starts) AS late (asset_id, start)
        JOIN public.asset_snapshots AS s
          ON s.asset_id = late.asset_id AND s.timestamp > late.start - interval '15 minutes'
             AND s.timestamp < late.start + interval '15 minutes'
       WHERE s.asset_id = ANY (asset_ids) AND s.timestamp > begun - interval '15 minutes' AND s.timestamp < ended$known$), replaced);
END
$made$;
COMMENT ON FUNCTION write_quarter_hours IS
  'Sums the snapshots of a span by quarter hour, of at most so many assets after a key; returns the last key, null behind the last asset.';
COMMENT ON FUNCTION write_late_quarter_hours IS
  'Sums again what the oldest entries of late_quarter_hours name, and removes them; returns their number.';

REVOKE ALL ON FUNCTION write_quarter_hours, write_late_quarter_hours FROM PUBLIC;
GRANT EXECUTE ON FUNCTION write_quarter_hours, write_late_quarter_hours TO voltstream_maintenance;
