-- As sql/migrations/0035-leaner-quarter-hours.sql, on every node: sums by quarter hour without two columns that nobody reads.
DROP SCHEMA IF EXISTS measured CASCADE;
DROP FUNCTION IF EXISTS write_quarter_hours(timestamptz, timestamptz, bigint, integer);
DROP FUNCTION IF EXISTS write_late_quarter_hours(integer);
SET LOCAL citus.enable_ddl_propagation = on;
SET LOCAL citus.multi_shard_modify_mode = sequential;
ALTER TABLE asset_quarter_hours DROP COLUMN first_power_kw, DROP COLUMN last_power_kw;
SET LOCAL citus.enable_ddl_propagation = off;
COMMENT ON COLUMN asset_quarter_hours.covered_seconds IS
  'For how many of the 900 seconds a power value held: each until the next one, at most for the usual distance of the asset''s values, 15 minutes to an hour.';
