-- What is stored of sent rows: for each run of rows of one asset the stored ones as binary arrays, ascending; null where
-- there is none. Run `n` is the asset `asset_keys[n]` at `instants[ends[n - 1] + 1]` to `instants[ends[n]]`, ascending;
-- all instants lie within `since` and `until`.
--
-- The cost follows the rows that are asked for, however many are stored between them: one look at the asset, then one
-- walk through the unique index that jumps from instant to instant (PostgreSQL 17). Measured with 5 million rows: four
-- rows spread over 25 days 5 ms, and 6.7 s by a join over their span; 10,000 spread rows 0.15 s; 10,000 rows side by side
-- touch the same 159 pages as their span does. A LIMIT on the span does not help: the planner reads and sorts all of it.
-- One probe for each row asks every chunk whether it has to be read, 7 s for 10,000 rows and 61 chunks. So callers ask for
-- a week at a time, `since` and `until` leave one chunk or two when the plan is made, and the plan is made for each call.
-- In a compressed chunk the batches of an asset are unpacked that lie between the first and the last instant of its run.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

CREATE OR REPLACE FUNCTION stored_snapshots(
  asset_keys bigint[],
  ends integer[],
  instants timestamptz[],
  since timestamptz,
  until timestamptz
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
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT stored.timestamps, stored.powers, stored.charges, stored.connections, stored.vehicle_charges
    FROM (SELECT asset_key, run_end, position, lag(run_end, 1, 0) OVER (ORDER BY position) + 1 AS run_start
            FROM unnest(asset_keys, ends) WITH ORDINALITY AS given (asset_key, run_end, position)) run
    LEFT JOIN LATERAL (SELECT a.key FROM public.assets a WHERE a.key = run.asset_key LIMIT 1) visible ON true
   CROSS JOIN LATERAL (
     SELECT array_send(array_agg(s.timestamp)) AS timestamps,
            array_send(array_agg(s.power_kw)) AS powers,
            array_send(array_agg(s.state_of_charge)) AS charges,
            array_send(array_agg(s.connected)) AS connections,
            array_send(array_agg(s.vehicle_state_of_charge)) AS vehicle_charges
       FROM (SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge
               FROM public.asset_snapshots s
              WHERE s.asset_id = visible.key
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
  'What is stored of visible assets at given instants, run by run, as binary arrays.';
