-- What meters are and what they said. Numbers of meters and market locations name a person's connection: they are not shown.
-- The rule is that of meter_states. As a view inside this one it would look with the rights of whoever asks
-- (security_invoker), and an analyst has none: so its text stands here, copied by the server.
DO $$
BEGIN
  EXECUTE format(
    'CREATE VIEW analytics.meters AS
     SELECT s.organization_id, s.meter_id AS meter, m.household_id AS household, s.customer_id AS customer,
            nullif(s.valid_from, ''-infinity'') AS valid_from, nullif(s.valid_until, ''infinity'') AS valid_until,
            s.register, s.type, s.metering_operator
       FROM (%s) AS s
       JOIN public.meters AS m ON m.organization_id = s.organization_id AND m.id = s.meter_id',
    rtrim(pg_get_viewdef('public.meter_states'::regclass), ';'));
END
$$;

CREATE VIEW analytics.readings AS
SELECT organization_id, id AS reading, subscription_id AS contract, customer_id AS customer, meter_id AS meter, register,
       read_on, value AS value_kwh, type, created_at
  FROM public.meter_readings
 WHERE withdrawn_at IS NULL;

-- Contracts with the days on which their meter was smart. Grouped, because the planner, who takes quarter hours for few, would ask
-- for the states of the meter at each of them. Conditions on contracts reach below the groups.
CREATE VIEW measured.contracts AS
SELECT c.organization_id, c.id, c.type, c.plan_id, c.household_id, c.address_id, c.start_at, c.end_at, smart.days AS smart_days
  FROM public.subscriptions AS c
 CROSS JOIN LATERAL (
   SELECT range_agg(daterange(m.valid_from, m.valid_until)) AS days FROM analytics.meters AS m
    WHERE m.organization_id = c.organization_id AND m.meter = c.meter_id AND m.type = 'smart') AS smart
 GROUP BY c.organization_id, c.id, smart.days;
ALTER VIEW measured.contracts OWNER TO voltstream_analyst_reader;
REVOKE ALL ON measured.contracts FROM PUBLIC;

-- Values stay stored when the start or the end of supply, or the day of an exchange, is corrected: those of days that are not
-- supplied, or on which the meter was not smart, are not used, as in the interface and on bills.
-- From the contracts, whose quarter hours have one index for each contract and none for all together. The instants of a day are said
-- three times, for the reason that 25-measured.sql gives: a day is less of a contract's years than of an asset's months.
-- PostgreSQL takes one day of two hundred for one on which a meter is smart. It then expects a single row of a month, and reads what
-- is joined with the view once for each. `coalesce` hides the comparison: half of the days are expected.
CREATE VIEW analytics.usage_quarter_hours AS
SELECT c.organization_id, c.id AS contract, c.household_id AS household, u.interval_start AS start,
       d.day AS delivery_day, u.interval_start AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(u.interval_start) AS utc_offset_hours,
       u.kwh, u.source, u.kept_at
  FROM measured.contracts AS c
  JOIN public.usage_quarter_hours AS u ON u.organization_id = c.organization_id AND u.subscription_id = c.id
  LEFT JOIN public.delivery_days AS d
    ON d.day = (u.interval_start AT TIME ZONE 'Europe/Berlin')::date
   AND u.interval_start >= d.starts_at AND u.interval_start < d.ends_at
   AND u.interval_start > d.starts_at - interval '1 second' AND u.interval_start <= d.ends_at
   AND u.interval_start > d.starts_at - interval '2 seconds' AND u.interval_start < d.ends_at + interval '1 second'
   AND d.day < current_date + 3
 WHERE (u.interval_start < c.start_at OR u.interval_start >= c.end_at) IS NOT TRUE
   AND coalesce(c.smart_days @> (u.interval_start AT TIME ZONE 'Europe/Berlin')::date, false);

CREATE VIEW analytics.usage_days AS
SELECT u.organization_id, u.subscription_id AS contract, c.household_id AS household, u.day AS delivery_day, u.kwh,
       u.quarter_hours
  FROM public.usage_days AS u
  JOIN measured.contracts AS c ON c.organization_id = u.organization_id AND c.id = u.subscription_id
 WHERE (u.day < (c.start_at AT TIME ZONE 'Europe/Berlin')::date OR u.day >= (c.end_at AT TIME ZONE 'Europe/Berlin')::date)
       IS NOT TRUE
   AND c.smart_days @> u.day;

CREATE VIEW analytics.settled_months AS
SELECT organization_id, subscription_id AS contract, month, settled_at FROM public.settled_usage_months;

COMMENT ON VIEW analytics.meters IS 'What each meter was from which day on: one row per state.';
COMMENT ON COLUMN analytics.meters.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.meters.meter IS 'Id of the meter, mtr_.';
COMMENT ON COLUMN analytics.meters.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.meters.customer IS 'Id of the household''s customer, cus_.';
COMMENT ON COLUMN analytics.meters.valid_from IS 'First day of the state, Europe/Berlin; null: from the beginning.';
COMMENT ON COLUMN analytics.meters.valid_until IS 'First day of the next state; null: none.';
COMMENT ON COLUMN analytics.meters.register IS 'Counter of the device, to which readings belong: 1 for the first device.';
COMMENT ON COLUMN analytics.meters.type IS 'smart or analog.';
COMMENT ON COLUMN analytics.meters.metering_operator IS 'Who operates it; null: the grid operator.';

COMMENT ON VIEW analytics.readings IS 'Readings of analog meters, cumulative, without those that were found to be wrong.';
COMMENT ON COLUMN analytics.readings.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.readings.reading IS 'Id of the reading, mr_.';
COMMENT ON COLUMN analytics.readings.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.readings.customer IS 'Id of the customer, cus_.';
COMMENT ON COLUMN analytics.readings.meter IS 'Id of the meter, mtr_.';
COMMENT ON COLUMN analytics.readings.register IS 'Counter that was read: only readings of one counter are compared.';
COMMENT ON COLUMN analytics.readings.read_on IS 'Day of the reading, Europe/Berlin.';
COMMENT ON COLUMN analytics.readings.value_kwh IS 'What the counter showed, in kWh.';
COMMENT ON COLUMN analytics.readings.type IS 'customer_report, grid_reading, or grid_estimation: not read, estimated.';
COMMENT ON COLUMN analytics.readings.created_at IS 'Instant of storing.';

COMMENT ON VIEW analytics.usage_quarter_hours IS
  'Final energy per quarter hour of contracts, of the days on which their meter was smart: what is billed. Not the same as energy, which follows from snapshots.';
COMMENT ON COLUMN analytics.usage_quarter_hours.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.usage_quarter_hours.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.usage_quarter_hours.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.usage_quarter_hours.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.usage_quarter_hours.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.usage_quarter_hours.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.usage_quarter_hours.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.usage_quarter_hours.kwh IS
  'Energy in kWh, positive: consumption of a supply contract, feed-in of a feed-in contract.';
COMMENT ON COLUMN analytics.usage_quarter_hours.source IS
  'metering_operator: imported; own_measurement: from snapshots, frozen when the month was settled.';
COMMENT ON COLUMN analytics.usage_quarter_hours.kept_at IS 'Instant at which the value came in or was frozen.';

COMMENT ON VIEW analytics.usage_days IS 'Sums of usage_quarter_hours per day.';
COMMENT ON COLUMN analytics.usage_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.usage_days.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.usage_days.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.usage_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.usage_days.kwh IS 'Energy in kWh of the quarter hours that are known.';
COMMENT ON COLUMN analytics.usage_days.quarter_hours IS 'How many quarter hours are known; a whole day has 96, 92 or 100.';

COMMENT ON VIEW analytics.settled_months IS 'Months whose usage is final: snapshots that come later change nothing.';
COMMENT ON COLUMN analytics.settled_months.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.settled_months.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.settled_months.month IS 'First day of the month, Europe/Berlin.';
COMMENT ON COLUMN analytics.settled_months.settled_at IS 'Instant at which the month was settled.';
