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
  -- `%1$s` gives snapshots of assets with the bounds, `since` and `until`, of the quarter hours that are asked for, from `%2$s`
  -- quarter hours before them, and how long a value of the asset holds. It holds until the next one, and so counts in its own
  -- quarter hour and, not its own, in the next `%2$s` at most. Less than a nanowatt counts as nothing: a product with it may
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
                   greatest(date_part('epoch', least(held.ends, held.start + interval '15 minutes')
                                               - greatest(held.timestamp, held.start)), 0)
                 END AS seconds
            FROM (SELECT value.*, quarter_hour.later = 0 AS is_own,
                         date_bin('15 minutes', value.timestamp, '2000-01-01 00:00:00+00')
                           + quarter_hour.later * interval '15 minutes' AS start
                    FROM (SELECT known.*,
                                 CASE WHEN known.power_kw IS NOT NULL THEN
                                   least(known.next_at, known.timestamp + known.hold)
                                 END AS ends
                            FROM (SELECT sent.*, lead(sent.timestamp) OVER next_value AS next_at
                                    FROM (%1$s) AS sent
                                  WINDOW next_value AS (
                                    PARTITION BY sent.asset_id, sent.since, sent.power_kw IS NULL ORDER BY sent.timestamp)
                                 ) AS known) AS value
                   CROSS JOIN generate_series(0, %2$s) AS quarter_hour (later)) AS held
           WHERE held.start >= held.since AND held.start < held.until
             AND (held.is_own OR held.ends > held.start
                  OR %2$s > 1 AND (held.next_at > held.start) IS NOT FALSE AND held.power_kw IS NOT NULL
                     AND held.timestamp > held.start - interval '1 hour')) AS piece
   GROUP BY piece.asset_id, piece.start
  HAVING count(piece.power_kw) > 0$sums$;
  -- The assets `%1$s` whose values usually lie further apart than 15 minutes, as in sql/repeatable/quarter-hours.sql: the median
  -- distance of the last 100 values, an hour at most. It is taken from the sums of three days, where such assets have a value
  -- in a quarter hour: of several the distances are 15 minutes at most. Beside them assets with a quarter hour in which none
  -- was sent: what covered it may do so no more.
  sparse constant text := $sparse$
  SELECT array_agg(usual.asset_id), array_agg(usual.hold)
    FROM (SELECT apart.asset_id, bool_or(apart.is_carried) AS is_carried,
                 least(interval '1 hour', coalesce(
                   CASE WHEN max(apart.newer) >= 5 THEN
                     (array_agg(apart.distance ORDER BY apart.distance) FILTER (WHERE apart.is_long))[
                       ceil((least(max(apart.newer), 100) - 1) / 2.0)
                       - (least(max(apart.newer), 100) - 1 - count(*) FILTER (WHERE apart.is_long))]
                   END,
                   interval '15 minutes')) AS hold
            FROM (SELECT recent.*, coalesce(recent.newer < 100 AND recent.distance > interval '15 minutes', false) AS is_long
                    FROM (SELECT q.asset_id, q.samples = 0 AND q.start >= begun AS is_carried,
                                 q.first_at - max(q.last_at) OVER (PARTITION BY q.asset_id ORDER BY q.start
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS distance,
                                 sum(q.samples) OVER (PARTITION BY q.asset_id ORDER BY q.start DESC) AS newer
                            FROM public.asset_quarter_hours AS q
                           WHERE q.asset_id = ANY (%1$s) AND q.start > ended - interval '3 days' AND q.start < ended) AS recent
                 ) AS apart
           GROUP BY apart.asset_id) AS usual
   WHERE usual.is_carried OR usual.hold > interval '15 minutes'$sparse$;
  -- What is summed already is replaced, but never from what is left where snapshots were dropped, in the hour behind them either.
  replaced constant text := format(
    'ON CONFLICT (asset_id, start) DO UPDATE SET (%s) = ROW (%s) WHERE excluded.start > dropped_until + interval ''45 minutes''',
    columns, regexp_replace(columns, '(\w+)', 'excluded.\1', 'g')
  );
BEGIN
  -- The sums of a span, of the next assets in the order of their keys: first as if each value held for 15 minutes, then again
  -- those of assets that this leaves gaps, if it may hold for longer. An asset without a value in it costs one look into the
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
  holds interval[];
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
    keys := ARRAY(
      SELECT q.asset_id
        FROM public.asset_quarter_hours AS q
       WHERE q.asset_id = ANY (keys) AND q.start >= begun - interval '1 hour' AND q.start < ended
       GROUP BY q.asset_id
      HAVING coalesce(sum(q.covered_seconds) FILTER (WHERE q.start >= begun), 0) < date_part('epoch', ended - begun) - 0.001
          OR bool_or(q.samples = 0 AND q.start >= begun));
    %4$s INTO keys, holds;
    IF keys IS NOT NULL THEN
      INSERT INTO public.asset_quarter_hours (asset_id, start, %1$s)
      %5$s
      %3$s;
    END IF;
  END IF;
END
$body$
$function$, columns, format(sums, $known$
      SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge,
             begun AS since, ended AS until, interval '15 minutes' AS hold
        FROM public.asset_snapshots AS s
       WHERE s.asset_id = ANY (keys) AND s.timestamp > begun - interval '15 minutes' AND s.timestamp < ended$known$, 1), replaced,
    format(sparse, 'keys'), format(sums, $known$
      SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge,
             begun AS since, ended AS until, usual.hold
        FROM unnest(keys, holds) AS usual (asset_id, hold)
        JOIN public.asset_snapshots AS s ON s.asset_id = usual.asset_id
       WHERE s.asset_id = ANY (keys) AND s.timestamp > begun - interval '1 hour' AND s.timestamp < ended$known$, 4));

  -- The oldest entries of the queue, week by week. An entry reaches one quarter hour further, because its last value may hold
  -- there, and an hour where the asset's values usually lie far apart.
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
  far boolean[];
  keys bigint[];
  holds interval[];
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
    %2$s
    %3$s;
    GET DIAGNOSTICS written = ROW_COUNT;
    sums_written := sums_written + written;
    keys := ARRAY(SELECT DISTINCT late.asset_id FROM unnest(asset_ids) AS late (asset_id));
    %4$s INTO keys, holds;
    IF keys IS NOT NULL THEN
      SELECT array_agg(late.asset_id), array_agg(late.start), array_agg(usual.hold) INTO asset_ids, starts, holds
        FROM unnest(asset_ids, starts) AS late (asset_id, start)
        JOIN unnest(keys, holds) AS usual (asset_id, hold) ON usual.asset_id = late.asset_id;
      INSERT INTO public.asset_quarter_hours (asset_id, start, %1$s)
      %5$s
      %3$s;
    END IF;
  END LOOP;
END
$body$
$function$, columns, format(sums, $known$
      SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge,
             late.start AS since, late.start + interval '15 minutes' AS until, interval '15 minutes' AS hold
        FROM unnest(asset_ids, starts, far) AS late (asset_id, start, is_far)
        JOIN public.asset_snapshots AS s
          ON s.asset_id = late.asset_id AND s.timestamp > late.start - interval '15 minutes'
             AND s.timestamp < late.start + interval '15 minutes'
       WHERE NOT late.is_far
         AND s.asset_id = ANY (asset_ids) AND s.timestamp > begun - interval '15 minutes' AND s.timestamp < ended$known$, 1), replaced,
    format(sparse, 'keys'), format(sums, $known$
      SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge,
             late.start AS since, late.start + interval '15 minutes' AS until, late.hold
        FROM unnest(asset_ids, starts, holds) AS late (asset_id, start, hold)
        JOIN public.asset_snapshots AS s
          ON s.asset_id = late.asset_id AND s.timestamp > late.start - interval '1 hour'
             AND s.timestamp < late.start + interval '15 minutes'
       WHERE s.asset_id = ANY (keys) AND s.timestamp > begun - interval '1 hour' AND s.timestamp < ended$known$, 4));
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
