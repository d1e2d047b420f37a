-- Day-ahead prices: public facts, the same for all organizations. A database holds prices of one kind: where price_kind says that they
-- are not of the market, all of them are marked, also those that a feed on the same machine gave under the name of a source. Asked of
-- no row, that is looked up once.
CREATE VIEW analytics.spot_prices AS
SELECT zone, interval_start AS start, minutes, delivery_on AS delivery_day,
       interval_start AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(interval_start) AS utc_offset_hours,
       amount AS eur_mwh, amount / 10 AS ct_kwh, source,
       source = 'synthetic' OR EXISTS (SELECT FROM public.price_kind WHERE kind <> 'market') AS is_synthetic
  FROM public.spot_prices;

-- A price of an hour stands for its four quarter hours. A condition on delivery_day reaches an index, one on `start` reads
-- the prices of all years: some 100,000 rows.
CREATE VIEW analytics.spot_price_quarter_hours AS
SELECT p.zone, p.interval_start + step.minutes * interval '1 minute' AS start, p.delivery_on AS delivery_day,
       p.amount AS eur_mwh, p.amount / 10 AS ct_kwh, p.minutes AS priced_minutes, p.source,
       p.source = 'synthetic' OR EXISTS (SELECT FROM public.price_kind WHERE kind <> 'market') AS is_synthetic
  FROM public.spot_prices AS p
 CROSS JOIN LATERAL generate_series(0, p.minutes - 15, 15) AS step (minutes);

COMMENT ON VIEW analytics.spot_prices IS
  'Day-ahead prices as the market published them, one row per priced interval: hours until 2025-09-30, quarter hours from 2025-10-01. The same for all organizations.';
COMMENT ON COLUMN analytics.spot_prices.zone IS 'Bidding zone: DE-LU, before October 2018 DE-AT-LU.';
COMMENT ON COLUMN analytics.spot_prices.start IS 'Instant at which the interval begins.';
COMMENT ON COLUMN analytics.spot_prices.minutes IS 'Length of the interval in minutes: 60 or 15.';
COMMENT ON COLUMN analytics.spot_prices.delivery_day IS 'Day of delivery, Europe/Berlin.';
COMMENT ON COLUMN analytics.spot_prices.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.spot_prices.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.spot_prices.eur_mwh IS 'Price in EUR/MWh without taxes and fees; may be negative.';
COMMENT ON COLUMN analytics.spot_prices.ct_kwh IS 'The same in ct/kWh.';
COMMENT ON COLUMN analytics.spot_prices.source IS 'Feed that gave the value.';
COMMENT ON COLUMN analytics.spot_prices.is_synthetic IS
  'Whether it is no price of the market: invented, or from a feed on the same machine under the name of a source.';

COMMENT ON VIEW analytics.spot_price_quarter_hours IS
  'The same prices for each quarter hour; a price of an hour stands for its four. Joins energy by start. The same for all organizations.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.zone IS 'Bidding zone: DE-LU, before October 2018 DE-AT-LU.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.delivery_day IS 'Day of delivery, Europe/Berlin.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.eur_mwh IS 'Price in EUR/MWh without taxes and fees; may be negative.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.ct_kwh IS 'The same in ct/kWh.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.priced_minutes IS
  'Length in minutes of the interval that was priced: 60 or 15.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.source IS 'Feed that gave the value.';
COMMENT ON COLUMN analytics.spot_price_quarter_hours.is_synthetic IS
  'Whether it is no price of the market: invented, or from a feed on the same machine under the name of a source.';
