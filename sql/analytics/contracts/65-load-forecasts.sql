-- What clients expected contracts to draw, one row per quarter hour. A condition on `delivery_day` or `contract` reaches an
-- index; `start` is calculated from the day.
CREATE VIEW analytics.load_forecasts AS
SELECT f.organization_id, f.subscription_id AS contract, c.household_id AS household, f.delivery_on AS delivery_day,
       f.purchase, point.start, point.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(point.start) AS utc_offset_hours,
       point.power_kw, point.power_kw / 4 AS kwh, f.received_at
  FROM public.load_forecasts AS f
  JOIN public.subscriptions AS c ON c.organization_id = f.organization_id AND c.id = f.subscription_id
 CROSS JOIN LATERAL (
   SELECT f.starts_at + (number - 1) * interval '15 minutes' AS start, kw AS power_kw
     FROM unnest(f.power_kw) WITH ORDINALITY AS points (kw, number)
 ) AS point;

COMMENT ON VIEW analytics.load_forecasts IS
  'Expected loads of consumption contracts as clients sent them, one row per quarter hour and purchase. Ask by delivery_day or by contract.';
COMMENT ON COLUMN analytics.load_forecasts.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.load_forecasts.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.load_forecasts.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.load_forecasts.delivery_day IS 'Day of delivery, Europe/Berlin.';
COMMENT ON COLUMN analytics.load_forecasts.purchase IS
  'day_ahead: was there by 09:00 of the day before; intraday: came later. A day can have both.';
COMMENT ON COLUMN analytics.load_forecasts.start IS 'Beginning of the quarter hour.';
COMMENT ON COLUMN analytics.load_forecasts.local_time IS
  'Clock time in Europe/Berlin. In the repeated hour of October two quarter hours have the same one: utc_offset_hours tells them apart.';
COMMENT ON COLUMN analytics.load_forecasts.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.load_forecasts.power_kw IS 'Expected mean power in kW, positive: out of the grid.';
COMMENT ON COLUMN analytics.load_forecasts.kwh IS 'The same as energy in kWh.';
COMMENT ON COLUMN analytics.load_forecasts.received_at IS 'Instant at which the forecast came in last.';
