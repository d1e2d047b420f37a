-- Sums by quarter hour without two columns that nobody reads: 16 bytes of each sum. The job now computes the sums itself
-- (src/telemetry/quarter-hours), and asks for values and writes sums by the functions of sql/repeatable/quarter-hours.sql.
DROP SCHEMA IF EXISTS measured CASCADE;
DROP FUNCTION IF EXISTS write_quarter_hours(timestamptz, timestamptz, bigint, integer);
DROP FUNCTION IF EXISTS write_late_quarter_hours(integer);
ALTER TABLE asset_quarter_hours DROP COLUMN first_power_kw, DROP COLUMN last_power_kw;
COMMENT ON COLUMN asset_quarter_hours.covered_seconds IS
  'For how many of the 900 seconds a power value held: each until the next one, at most for the usual distance of the asset''s values, 15 minutes to an hour.';
