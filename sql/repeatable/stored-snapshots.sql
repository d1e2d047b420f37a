-- The stored rows beside sent ones: for each run of rows of one asset the stored ones as binary arrays, ascending; null
-- where there is none. Run `n` is the asset `asset_keys[n]` at `instants[ends[n - 1] + 1]` to `instants[ends[n]]`,
-- ascending; all instants lie within `since` and `until`. Runs of several organizations follow each other, each
-- organization's up to its number in `organization_ends`, and each sees its own assets; without organizations the
-- transaction's sees its own.
--
-- The cost follows the rows that are asked for, however many are stored between them: one look at the asset, then one
-- walk through the unique index that jumps from instant to instant (PostgreSQL 17). Measured with 5 million rows: four
-- rows spread over 25 days 5 ms, and 6.7 s by a join over their span; 10,000 spread rows 0.15 s; 10,000 rows side by side
-- touch the same 159 pages as their span does. A LIMIT on the span does not help: the planner reads and sorts all of it.
-- One probe for each row asks every chunk whether it has to be read, 7 s for 10,000 rows and 61 chunks. So callers ask for
-- a week at a time, `since` and `until` leave one chunk or two when the plan is made, and the plan is made for each call. So
-- there is nothing to leave out when it runs: TimescaleDB's node for that doubled the time of short runs (4.3 and 2.2 ms for
-- 160 rows of 160 assets).
-- The assets of an organization are looked up in one question. Asked one by one, a planner that knows little of a young table
-- read all assets of the organization for each run: 2.5 ms for 112 runs in place of 0.3.
-- In a compressed chunk the batches of an asset are unpacked that lie between the first and the last instant of its run.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

DROP FUNCTION IF EXISTS stored_snapshots(bigint[], integer[], timestamptz[], timestamptz, timestamptz);
CREATE OR REPLACE FUNCTION stored_snapshots(
  asset_keys bigint[],
  ends integer[],
  instants timestamptz[],
  since timestamptz,
  until timestamptz,
  organizations text[] DEFAULT NULL,
  organization_ends integer[] DEFAULT NULL
) RETURNS TABLE (
  "timestamp" bytea,
  power_kw bytea,
  state_of_charge bytea,
  connected bytea,
  vehicle_state_of_charge bytea
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET timescaledb.enable_chunk_append = off
AS $$
#variable_conflict use_column
DECLARE
  visible bigint[] := '{}';
  first_run integer := 1;
  keys bigint[];
  known bigint[];
BEGIN
  FOR number IN 1 .. coalesce(cardinality(organizations), 1) LOOP
    IF organizations IS NOT NULL THEN
      PERFORM set_config('app.organization', organizations[number], true);
    END IF;
    keys := asset_keys[first_run:coalesce(organization_ends[number], cardinality(asset_keys))];
    known := ARRAY(SELECT a.key FROM public.assets a WHERE a.key = ANY (keys));
    visible := visible || ARRAY(
      SELECT CASE WHEN given.asset_key = ANY (known) THEN given.asset_key END
        FROM unnest(keys) WITH ORDINALITY AS given (asset_key, position)
       ORDER BY given.position);
    first_run := organization_ends[number] + 1;
  END LOOP;
  RETURN QUERY
  SELECT stored.timestamps, stored.powers, stored.charges, stored.connections, stored.vehicle_charges
    FROM (SELECT visible_key, run_end, position, lag(run_end, 1, 0) OVER (ORDER BY position) + 1 AS run_start
            FROM unnest(visible, ends) WITH ORDINALITY AS given (visible_key, run_end, position)) run
   CROSS JOIN LATERAL (
     SELECT array_send(array_agg(s.timestamp)) AS timestamps,
            array_send(array_agg(s.power_kw)) AS powers,
            array_send(array_agg(s.state_of_charge)) AS charges,
            array_send(array_agg(s.connected)) AS connections,
            array_send(array_agg(s.vehicle_state_of_charge)) AS vehicle_charges
       FROM (SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge
               FROM public.asset_snapshots s
              WHERE s.asset_id = run.visible_key
                AND s.timestamp = ANY (instants[run.run_start:run.run_end])
                AND s.timestamp BETWEEN instants[run.run_start] AND instants[run.run_end]
                AND s.timestamp BETWEEN since AND until
              ORDER BY s.timestamp) s
   ) stored
   ORDER BY run.position;
END
$$;

ALTER FUNCTION stored_snapshots OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON FUNCTION stored_snapshots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stored_snapshots TO voltstream_app;

COMMENT ON FUNCTION stored_snapshots IS
  'Stored values of visible assets at given instants, run by run, as binary arrays.';
