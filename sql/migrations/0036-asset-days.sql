-- Sums of quarter hours by day: a question about a year reads 365 rows of an asset in place of 35,000. The job that keeps the
-- quarter hours keeps them, as soon as a day is over, and again where late snapshots change one (src/telemetry/quarter-hours).
-- What is stored already gets its days by the job, some at a time. Why days that are over and no others:
-- docs/decisions/telemetry.md.
--
-- Like asset_quarter_hours without its organization and without row-level security: the barrier is made of rights.
CREATE TABLE asset_days (
  asset_id bigint NOT NULL,
  day date NOT NULL,
  month date NOT NULL GENERATED ALWAYS AS (date_trunc('month', day::timestamp)::date) STORED,
  quarter_hours smallint NOT NULL,
  samples integer NOT NULL,
  power_kw_min double precision,
  power_kw_max double precision,
  covered_seconds double precision NOT NULL,
  consumed_kwh double precision NOT NULL,
  fed_kwh double precision NOT NULL,
  PRIMARY KEY (asset_id, day)
);
-- By the first months are asked for: its entries are few, because 31 of its rows are alike. By the second old days go.
CREATE INDEX asset_days_asset_id_month ON asset_days (asset_id, month);
CREATE INDEX asset_days_day ON asset_days (day);
GRANT SELECT ON asset_days TO voltstream_analyst_reader;

COMMENT ON TABLE asset_days IS
  'Sums of asset_quarter_hours: one row per asset and day of Berlin that has one, when the day is over: before quarter_hour_progress.days_summed_until. Kept by the job sum-quarter-hours.';
COMMENT ON COLUMN asset_days.asset_id IS
  'Internal key of the asset: assets.key. Personal: shows when somebody was away. Kept to the end of the year in which QUARTER_HOUR_RETENTION_MONTHS, 3 years, are over.';
COMMENT ON COLUMN asset_days.day IS 'The day, Europe/Berlin.';
COMMENT ON COLUMN asset_days.month IS 'First day of its month.';
COMMENT ON COLUMN asset_days.quarter_hours IS 'Quarter hours in which a power value was sent.';
COMMENT ON COLUMN asset_days.samples IS 'Number of power values.';
COMMENT ON COLUMN asset_days.power_kw_min IS 'Least power value in kW; null: none.';
COMMENT ON COLUMN asset_days.power_kw_max IS 'Greatest power value in kW; null: none.';
COMMENT ON COLUMN asset_days.covered_seconds IS 'For how many seconds of the day a power value held.';
COMMENT ON COLUMN asset_days.consumed_kwh IS 'Energy into the asset while a value held, in kWh.';
COMMENT ON COLUMN asset_days.fed_kwh IS 'Energy out of the asset in kWh, positive.';

ALTER TABLE quarter_hour_progress
  ADD COLUMN days_summed_until date NOT NULL DEFAULT '-infinity',
  ADD COLUMN quarter_hours_dropped_until timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN quarter_hour_progress.days_summed_until IS
  'Days before this one are in asset_days; -infinity: none is.';
COMMENT ON COLUMN quarter_hour_progress.quarter_hours_dropped_until IS
  'Quarter hours before this instant were dropped by age: a day of that time is never summed again from what is left.';
