-- People who sign in with the rights of the service read this, for the table itself is closed to them. The service reads
-- through functions. The view runs with the rights of its owner, who sees `assets` under the same forced row-level security
-- as the caller, so that only rows of the set organization, or customer, join. A barrier: no condition of a caller is tried
-- on other rows first. Conditions with leakproof operators (=, <, >= on numbers and instants) still reach the index.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

CREATE OR REPLACE VIEW visible_snapshots WITH (security_barrier = true) AS
SELECT
  s.asset_id,
  s.timestamp,
  s.power_kw,
  s.state_of_charge,
  s.connected,
  s.vehicle_state_of_charge,
  s.created_at,
  a.id AS asset,
  a.household_id AS household
FROM public.asset_snapshots s
JOIN public.assets a ON a.key = s.asset_id;

ALTER VIEW visible_snapshots OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON visible_snapshots FROM PUBLIC;
GRANT SELECT ON visible_snapshots TO voltstream_app;

COMMENT ON VIEW visible_snapshots IS 'Snapshots of the assets that the set organization, or customer, may see.';
COMMENT ON COLUMN visible_snapshots.asset_id IS 'Internal key of the asset: assets.key. Never null.';
COMMENT ON COLUMN visible_snapshots.timestamp IS 'Instant of the measurement, to the microsecond. Never null.';
COMMENT ON COLUMN visible_snapshots.power_kw IS
  'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative.';
COMMENT ON COLUMN visible_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1.';
COMMENT ON COLUMN visible_snapshots.connected IS 'Whether a vehicle is connected to the wallbox.';
COMMENT ON COLUMN visible_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1.';
COMMENT ON COLUMN visible_snapshots.created_at IS 'Instant of storing. Never null.';
COMMENT ON COLUMN visible_snapshots.asset IS 'Id of the asset, ast_. Never null.';
COMMENT ON COLUMN visible_snapshots.household IS 'Id of the household, dom_. Never null.';
