-- Quotes price energy by the mean of the day-ahead prices of the last twelve months. It is kept by price date, and what it
-- is made of by delivery day, so that a new mean reads 366 short rows and not 35,000 prices.

CREATE TABLE price_day_sums (
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_on date NOT NULL,
  version integer NOT NULL,
  minutes smallint CHECK (minutes IN (15, 60)),
  quarter_hours integer NOT NULL CHECK (quarter_hours BETWEEN 0 AND 100),
  amount_sum numeric NOT NULL,
  PRIMARY KEY (zone, delivery_on),
  FOREIGN KEY (zone, delivery_on) REFERENCES price_days (zone, delivery_on) ON DELETE CASCADE
);

CREATE TABLE day_ahead_means (
  price_date date PRIMARY KEY,
  window_start timestamptz NOT NULL,
  window_end timestamptz NOT NULL CHECK (window_end > window_start),
  quarter_hours integer NOT NULL CHECK (quarter_hours > 0),
  priced_quarter_hours integer NOT NULL CHECK (priced_quarter_hours BETWEEN 0 AND quarter_hours),
  mean_ct_net numeric CHECK ((mean_ct_net IS NULL) = (priced_quarter_hours = 0)),
  price_changes bigint NOT NULL,
  price_kind text CHECK (price_kind IN ('market', 'local', 'synthetic')),
  sources text[] NOT NULL,
  computed_at timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON price_day_sums, day_ahead_means TO voltstream_app;

COMMENT ON TABLE price_day_sums IS 'Sums of the served prices of delivery days; made again when the version of the day is another one.';
COMMENT ON COLUMN price_day_sums.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_day_sums.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN price_day_sums.version IS 'Version of the day in price_days that the sum is of.';
COMMENT ON COLUMN price_day_sums.minutes IS 'Width of its intervals; null: none has a price.';
COMMENT ON COLUMN price_day_sums.quarter_hours IS 'Quarter hours with a price; an hour counts as four.';
COMMENT ON COLUMN price_day_sums.amount_sum IS 'Sum of EUR/MWh over these quarter hours.';

COMMENT ON TABLE day_ahead_means IS 'Mean of the realized day-ahead prices of the twelve months before a price date.';
COMMENT ON COLUMN day_ahead_means.price_date IS 'Day of the quote, Europe/Berlin.';
COMMENT ON COLUMN day_ahead_means.window_start IS 'Berlin midnight one year before, inclusive.';
COMMENT ON COLUMN day_ahead_means.window_end IS 'Berlin midnight that begins the price date, exclusive.';
COMMENT ON COLUMN day_ahead_means.quarter_hours IS 'Quarter hours of the window.';
COMMENT ON COLUMN day_ahead_means.priced_quarter_hours IS 'Those with a price. Below 90 % the mean is not used.';
COMMENT ON COLUMN day_ahead_means.mean_ct_net IS 'ct/kWh net, 4 decimals; null: no price at all.';
COMMENT ON COLUMN day_ahead_means.price_changes IS 'Sum of the versions of the window''s days: one more with each change of a price in it.';
COMMENT ON COLUMN day_ahead_means.price_kind IS 'As in price_kind: synthetic means invented prices; null: prices came as files only, or none.';
COMMENT ON COLUMN day_ahead_means.sources IS 'Feeds whose prices it was made of.';
COMMENT ON COLUMN day_ahead_means.computed_at IS 'Instant of the computation, by the clock of the database.';
