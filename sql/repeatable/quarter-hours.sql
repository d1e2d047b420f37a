-- The job that keeps the sums by quarter hour may do this, and nothing beside it: it signs in as the role for maintenance,
-- which reads no table. These functions run as the owner of the tables. The job computes the sums of the values that
-- quarter-hour-values.sql gives it: src/telemetry/quarter-hours/held.ts.
--
-- All that write sums take one lock by name before they look at snapshots, and keep it until they commit: so nobody writes
-- sums of an older look over those of a newer one, or of snapshots that somebody is erasing.

CREATE OR REPLACE FUNCTION next_assets_to_sum(after_asset bigint, assets_max integer) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  RETURN ARRAY(SELECT key FROM public.assets WHERE key > after_asset ORDER BY key LIMIT assets_max);
END
$$;
COMMENT ON FUNCTION next_assets_to_sum IS
  'Takes the lock of the sums by quarter hour, and returns the next keys of assets behind one, at most so many.';

-- By turns of organizations: one entry of each, then the next of each, as far as the portion goes, and the next portion goes on
-- behind the last turn. The oldest 100,000 entries are looked at, a share of each organization. A fleet that sends again what it
-- kept during an outage leaves an entry for each asset and batch, 15 of them for a quarter hour, far behind each other: those
-- equal to one that is taken go with it by an index, wherever they lie. Whatever is seen here was committed with its snapshots,
-- and these are read by a later statement.
--
-- Entries whose organization is not known may be equal to those of one. The plan may be from a time when the queue was empty.
CREATE OR REPLACE FUNCTION take_late_quarter_hours(entries_max integer)
RETURNS TABLE (asset_id bigint, start timestamptz, quarter_hours smallint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  last_turn text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT late_turn INTO STRICT last_turn FROM public.quarter_hour_progress;
  RETURN QUERY
    WITH RECURSIVE names AS (
      SELECT min(late.organization) AS name FROM public.late_quarter_hours AS late
      UNION ALL
      SELECT (SELECT min(late.organization) FROM public.late_quarter_hours AS late WHERE late.organization > names.name)
        FROM names WHERE names.name IS NOT NULL
    ), organizations AS (
      SELECT names.name, row_number() OVER (ORDER BY names.name <= last_turn, names.name) AS place,
             100000 / count(*) OVER () AS entries
        FROM names WHERE names.name IS NOT NULL
    ), different AS (
      SELECT organizations.name, organizations.place, oldest.asset_id, oldest.start, oldest.quarter_hours,
             row_number() OVER (PARTITION BY organizations.place ORDER BY min(oldest.id)) AS round
        FROM organizations
       CROSS JOIN LATERAL (
               SELECT late.id, late.asset_id, late.start, late.quarter_hours
                 FROM public.late_quarter_hours AS late
                WHERE late.organization = organizations.name
                ORDER BY late.id LIMIT greatest(organizations.entries, 1)) AS oldest
       WHERE organizations.place <= entries_max
       GROUP BY organizations.name, organizations.place, oldest.asset_id, oldest.start, oldest.quarter_hours
    ), portion AS (
      SELECT * FROM different ORDER BY different.round, different.place LIMIT entries_max
    ), taken AS (
      DELETE FROM public.late_quarter_hours AS late USING portion
       WHERE (late.asset_id, late.start, late.quarter_hours) = (portion.asset_id, portion.start, portion.quarter_hours)
    ), turned AS (
      UPDATE public.quarter_hour_progress SET late_turn = last.name
        FROM (SELECT portion.name FROM portion ORDER BY portion.round DESC, portion.place DESC LIMIT 1) AS last
    )
    SELECT portion.asset_id, portion.start, portion.quarter_hours FROM portion
     GROUP BY portion.asset_id, portion.start, portion.quarter_hours
     ORDER BY min(portion.round), min(portion.place);
END
$$;
COMMENT ON FUNCTION take_late_quarter_hours IS
  'Takes the lock of the sums by quarter hour, and the oldest entries of each organization by turns out of late_quarter_hours, equal ones as one.';

-- Instants in seconds since 1970, one array for each column. Existing sums are replaced, but never from the rest where
-- snapshots were dropped, in the hour behind them either. A sum that is the same is not written: of the seven times that a
-- quarter hour is summed until it is final, most find what the last one found.
--
-- Arrays are taken apart in the list of a SELECT: in FROM each would first be stored as rows of its own, a quarter of all this
-- costs. ON CONFLICT costs a third of it, so it is said only where a sum of these assets is stored already in that time.
CREATE OR REPLACE FUNCTION write_quarter_hours(
  asset_ids bigint[], starts bigint[], samples integer[], connected_samples integer[], first_at double precision[],
  last_at double precision[], power_kw_min double precision[], power_kw_max double precision[],
  covered_seconds double precision[], consumed_kwh double precision[], fed_kwh double precision[],
  state_of_charge_first double precision[], state_of_charge_last double precision[],
  vehicle_state_of_charge_last double precision[]
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
AS $$
DECLARE
  dropped_until timestamptz;
  first_start timestamptz;
  last_start timestamptz;
  statement text := $insert$
    INSERT INTO public.asset_quarter_hours AS kept
      (asset_id, start, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds,
       consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last)
    SELECT sums.a, to_timestamp(sums.b), sums.c, sums.d, to_timestamp(sums.e), to_timestamp(sums.f), sums.g, sums.h, sums.i,
           sums.j, sums.k, sums.l, sums.m, sums.n
      FROM (SELECT unnest($1) AS a, unnest($2) AS b, unnest($3) AS c, unnest($4) AS d, unnest($5) AS e, unnest($6) AS f,
                   unnest($7) AS g, unnest($8) AS h, unnest($9) AS i, unnest($10) AS j, unnest($11) AS k, unnest($12) AS l,
                   unnest($13) AS m, unnest($14) AS n
            OFFSET 0) AS sums $insert$;
  written bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT snapshots_dropped_until INTO STRICT dropped_until FROM public.quarter_hour_progress;
  SELECT to_timestamp(min(start)), to_timestamp(max(start)) INTO first_start, last_start FROM unnest(starts) AS start;
  PERFORM FROM public.asset_quarter_hours AS q
    WHERE q.asset_id = ANY (asset_ids) AND q.start >= first_start AND q.start <= last_start LIMIT 1;
  IF FOUND THEN
    statement := statement || $conflict$
    ON CONFLICT (asset_id, start) DO UPDATE
       SET (samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh,
            state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last)
         = ROW (excluded.samples, excluded.connected_samples, excluded.first_at, excluded.last_at, excluded.power_kw_min,
                excluded.power_kw_max, excluded.covered_seconds, excluded.consumed_kwh, excluded.fed_kwh,
                excluded.state_of_charge_first, excluded.state_of_charge_last, excluded.vehicle_state_of_charge_last)
     WHERE excluded.start > $15 + interval '45 minutes'
       AND (kept.samples, kept.connected_samples, kept.first_at, kept.last_at, kept.power_kw_min, kept.power_kw_max,
            kept.covered_seconds, kept.consumed_kwh, kept.fed_kwh, kept.state_of_charge_first, kept.state_of_charge_last,
            kept.vehicle_state_of_charge_last)
           IS DISTINCT FROM
           (excluded.samples, excluded.connected_samples, excluded.first_at, excluded.last_at, excluded.power_kw_min,
            excluded.power_kw_max, excluded.covered_seconds, excluded.consumed_kwh, excluded.fed_kwh,
            excluded.state_of_charge_first, excluded.state_of_charge_last, excluded.vehicle_state_of_charge_last)$conflict$;
  END IF;
  EXECUTE statement
    USING asset_ids, starts, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds,
          consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last, dropped_until;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END
$$;
COMMENT ON FUNCTION write_quarter_hours IS
  'Writes sums by quarter hour, also over those that are there and differ; returns how many were written.';

REVOKE ALL ON FUNCTION next_assets_to_sum, take_late_quarter_hours, write_quarter_hours FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_assets_to_sum, take_late_quarter_hours, write_quarter_hours TO voltstream_maintenance;
