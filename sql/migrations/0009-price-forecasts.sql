-- Forecast curves, apart from realized prices: no statement reads both kinds of table.
CREATE TABLE price_forecast_captures (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  fetch_id bigint REFERENCES price_fetches (id),
  source text NOT NULL,
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  issued_at timestamptz,
  captured_at timestamptz NOT NULL,
  payload_hash bytea NOT NULL CHECK (octet_length(payload_hash) = 32),
  inputs jsonb
);
CREATE INDEX price_forecast_captures_newest ON price_forecast_captures (zone, source, captured_at DESC);

CREATE TABLE price_forecast_values (
  capture_id bigint NOT NULL REFERENCES price_forecast_captures (id),
  interval_start timestamptz NOT NULL,
  minutes smallint NOT NULL CHECK (minutes IN (15, 60)),
  amount numeric NOT NULL CHECK (amount > '-Infinity' AND amount < 'Infinity'),
  PRIMARY KEY (capture_id, interval_start)
);

-- Which days a capture covers: the choice of a day's curve is one look into this index.
CREATE TABLE price_forecast_days (
  capture_id bigint NOT NULL REFERENCES price_forecast_captures (id),
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_on date NOT NULL,
  source text NOT NULL,
  captured_at timestamptz NOT NULL,
  complete boolean NOT NULL,
  PRIMARY KEY (capture_id, delivery_on)
);
CREATE INDEX price_forecast_days_choice
  ON price_forecast_days (zone, delivery_on, captured_at DESC, capture_id DESC) WHERE complete;

CREATE TABLE price_forecast_frozen (
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_on date NOT NULL,
  capture_id bigint NOT NULL REFERENCES price_forecast_captures (id),
  frozen_at timestamptz NOT NULL,
  late boolean NOT NULL DEFAULT false,
  PRIMARY KEY (zone, delivery_on)
);

-- Frozen is not only the row that names the curve: its values are frozen with it, and no capture can be made older
-- than it is. So none of these rows is ever changed, by the owner neither.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'Rows of % are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER kept_for_good BEFORE UPDATE OR DELETE OR TRUNCATE ON price_forecast_captures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_for_good BEFORE UPDATE OR DELETE OR TRUNCATE ON price_forecast_values
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_for_good BEFORE UPDATE OR DELETE OR TRUNCATE ON price_forecast_days
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_for_good BEFORE UPDATE OR DELETE OR TRUNCATE ON price_forecast_frozen
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

GRANT SELECT, INSERT ON
  price_forecast_captures, price_forecast_values, price_forecast_days, price_forecast_frozen TO voltstream_app;
COMMENT ON FUNCTION refuse_change() IS 'Trigger: a captured and a frozen curve stay as they were, whoever asks.';

COMMENT ON TABLE price_forecast_captures IS 'Forecast runs as they were captured or calculated; append-only.';
COMMENT ON COLUMN price_forecast_captures.id IS 'Names the capture.';
COMMENT ON COLUMN price_forecast_captures.fetch_id IS 'The attempt that brought it; null for the own model.';
COMMENT ON COLUMN price_forecast_captures.source IS 'energyforecast, or model:<name>@<version>.';
COMMENT ON COLUMN price_forecast_captures.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_forecast_captures.issued_at IS 'When the source says it made the run; null when it does not.';
COMMENT ON COLUMN price_forecast_captures.captured_at IS 'Our clock at the last byte, or at the end of the calculation.';
COMMENT ON COLUMN price_forecast_captures.payload_hash IS 'SHA-256 of the content; an equal one is no new capture.';
COMMENT ON COLUMN price_forecast_captures.inputs IS 'Model: name, version, newest known day, training window.';

COMMENT ON TABLE price_forecast_values IS 'Forecast prices; append-only.';
COMMENT ON COLUMN price_forecast_values.capture_id IS 'The run.';
COMMENT ON COLUMN price_forecast_values.interval_start IS 'UTC start of the interval.';
COMMENT ON COLUMN price_forecast_values.minutes IS 'Width of the interval.';
COMMENT ON COLUMN price_forecast_values.amount IS 'EUR/MWh.';

COMMENT ON TABLE price_forecast_days IS 'Delivery days that a run touches; append-only.';
COMMENT ON COLUMN price_forecast_days.capture_id IS 'The run.';
COMMENT ON COLUMN price_forecast_days.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_forecast_days.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN price_forecast_days.source IS 'As in the capture.';
COMMENT ON COLUMN price_forecast_days.captured_at IS 'As in the capture: decides what was there before the freeze.';
COMMENT ON COLUMN price_forecast_days.complete IS 'Covers every interval of the day in the day''s width.';

COMMENT ON TABLE price_forecast_frozen IS 'The curve of a day that is served for ever; inserted once.';
COMMENT ON COLUMN price_forecast_frozen.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_forecast_frozen.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN price_forecast_frozen.capture_id IS 'The run that counts.';
COMMENT ON COLUMN price_forecast_frozen.frozen_at IS 'Instant of writing this row.';
COMMENT ON COLUMN price_forecast_frozen.late IS 'Made after the freeze, because nothing was there before it.';
