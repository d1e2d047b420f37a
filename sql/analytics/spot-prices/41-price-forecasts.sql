-- Expected prices: for each day and source the curve that was frozen at the gate closure of the auction, and the newest one
-- of each source. Beside it what came. Ask for delivery_day. An organization sees them while forecasts are enabled for it.
CREATE VIEW analytics.price_forecasts AS
SELECT o.id AS organization_id, c.zone, c.delivery_on AS delivery_day, c.source, c.kind, v.interval_start AS start, v.minutes,
       v.interval_start AT TIME ZONE 'Europe/Berlin' AS local_time, analytics.utc_offset_hours(v.interval_start) AS utc_offset_hours,
       v.amount AS eur_mwh, came.eur_mwh AS came_eur_mwh, c.captured_at, c.is_late
  FROM public.organizations AS o
 CROSS JOIN (
        SELECT f.zone, f.delivery_on, d.source, 'frozen' AS kind, f.capture_id, d.captured_at, f.late AS is_late
          FROM public.price_forecast_frozen AS f
          JOIN public.price_forecast_days AS d ON d.capture_id = f.capture_id AND d.delivery_on = f.delivery_on
        UNION ALL
        SELECT d.zone, d.delivery_on, d.source, 'newest', d.capture_id, d.captured_at, NULL
          FROM public.price_forecast_days AS d
         WHERE d.complete
           AND NOT EXISTS (SELECT FROM public.price_forecast_days AS newer
                            WHERE newer.zone = d.zone AND newer.delivery_on = d.delivery_on AND newer.complete
                              AND newer.source = d.source
                              AND (newer.captured_at, newer.capture_id) > (d.captured_at, d.capture_id))) AS c
  JOIN public.delivery_days AS b ON b.day = c.delivery_on
  JOIN public.price_forecast_values AS v
    ON v.capture_id = c.capture_id AND v.interval_start >= b.starts_at AND v.interval_start < b.ends_at
 CROSS JOIN LATERAL (
   SELECT CASE WHEN sum(p.minutes) = v.minutes OR max(p.minutes) >= v.minutes THEN avg(p.amount) END AS eur_mwh
     FROM public.spot_prices AS p
    WHERE p.zone = c.zone AND p.delivery_on = c.delivery_on AND p.interval_start < v.interval_start + v.minutes * interval '1 minute'
      AND p.interval_start + p.minutes * interval '1 minute' > v.interval_start) AS came
 WHERE o.forecast_enabled;

COMMENT ON VIEW analytics.price_forecasts IS
  'Forecasts of day-ahead prices against what came: of each day the frozen curve, and the newest one of each source. Ask for delivery_day. No rows where forecasts are not enabled for the organization, else the same for all.';
COMMENT ON COLUMN analytics.price_forecasts.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.price_forecasts.zone IS 'Bidding zone: DE-LU.';
COMMENT ON COLUMN analytics.price_forecasts.delivery_day IS 'Day of delivery, Europe/Berlin.';
COMMENT ON COLUMN analytics.price_forecasts.source IS 'Who made it: a feed, or model: and its name.';
COMMENT ON COLUMN analytics.price_forecasts.kind IS
  'frozen: what was there at gate closure, 12:00 of the day before; newest: the last one, which may know the prices.';
COMMENT ON COLUMN analytics.price_forecasts.start IS 'Instant at which the interval begins.';
COMMENT ON COLUMN analytics.price_forecasts.minutes IS 'Length of the interval in minutes: 60 or 15.';
COMMENT ON COLUMN analytics.price_forecasts.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.price_forecasts.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.price_forecasts.eur_mwh IS 'Expected price in EUR/MWh.';
COMMENT ON COLUMN analytics.price_forecasts.came_eur_mwh IS
  'Price that came in EUR/MWh, the mean of the interval; null: not published yet.';
COMMENT ON COLUMN analytics.price_forecasts.captured_at IS 'Instant at which the forecast was there.';
COMMENT ON COLUMN analytics.price_forecasts.is_late IS
  'Whether a frozen one was made after gate closure; null: kind is newest.';
