-- Readings, estimates and energy as exact decimals: a binary float shows 0.00015 kWh, rounded to 4 decimals, as 0.0001.
-- With the bounds of the interface. What lies above them was a slip, because no household and no plant comes near; it
-- is cut to the bound, so that no stored row can stop this migration. USING reads 15 digits of a float, all that it has.
ALTER TABLE subscriptions
  DROP CONSTRAINT subscriptions_estimated_usage_check,
  ALTER COLUMN estimated_usage TYPE numeric USING least(estimated_usage, 1e9)::numeric,
  ADD CONSTRAINT subscriptions_estimated_usage_check CHECK (estimated_usage >= 100 AND estimated_usage <= 1000000000);

ALTER TABLE meter_readings
  DROP CONSTRAINT meter_readings_value_check,
  ALTER COLUMN value TYPE numeric USING least(value, 1e10)::numeric,
  ADD CONSTRAINT meter_readings_value_check CHECK (value >= 0 AND value <= 10000000000);

-- Below a million kWh a quarter hour the sum of ten years is exact as a JSON number, too. A quarter hour is read by its
-- sums as often as it is written, and twelve digits behind the point are more than any meter counts.
ALTER TABLE usage_quarter_hours
  DROP CONSTRAINT usage_quarter_hours_kwh_check,
  ALTER COLUMN kwh TYPE numeric(18, 12) USING least(kwh, 999999)::numeric(18, 12),
  ADD CONSTRAINT usage_quarter_hours_kwh_check CHECK (kwh >= 0 AND kwh < 1000000);
