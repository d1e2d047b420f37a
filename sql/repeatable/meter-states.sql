-- The states of a meter by day: a row is in force from its day to that of the next row. Number, type, register and metering
-- operator change apart from each other, so each of them is carried forward from the day that said it last. A sign-up that
-- says "smart" makes the meter smart from the start of its supply. A contract that is not confirmed has no start; one that
-- was refused or withdrawn from ends before it. What the back office says of the same day wins, and so does what it said after
-- the sign-up: of the beginning, or of a day before that start. Every window is cut by organization, customer and meter: a
-- question about one meter reads the rows of that meter.
CREATE OR REPLACE VIEW meter_states WITH (security_invoker = true) AS
WITH said AS (
  SELECT organization_id, customer_id, id AS meter_id, '-infinity'::date AS valid_from,
         number, 1 AS register, type, NULL::text AS signed_type, NULL::text AS metering_operator
    FROM public.meters
  UNION ALL
  SELECT organization_id, customer_id, meter_id, valid_from, number, register, type, NULL, metering_operator
    FROM public.meter_changes
  UNION ALL
  SELECT organization_id, customer_id, meter_id, (start_at AT TIME ZONE 'Europe/Berlin')::date,
         NULL, NULL, NULL, meter_type, NULL
    FROM public.subscriptions AS signed
   WHERE meter_type = 'smart' AND start_at IS NOT NULL AND (end_at IS NULL OR end_at > start_at)
     AND NOT EXISTS (
           SELECT FROM public.meters AS meter
            WHERE meter.organization_id = signed.organization_id AND meter.id = signed.meter_id
              AND meter.type_entered_at >= signed.created_at)
     AND NOT EXISTS (
           SELECT FROM public.meter_changes AS change
            WHERE change.organization_id = signed.organization_id AND change.meter_id = signed.meter_id
              AND change.type_entered_at >= signed.created_at
              AND change.valid_from <= (signed.start_at AT TIME ZONE 'Europe/Berlin')::date)
), days AS (
  SELECT organization_id, customer_id, meter_id, valid_from, max(number) AS number, max(register) AS register,
         coalesce(max(type), max(signed_type)) AS type, max(metering_operator) AS metering_operator
    FROM said
   GROUP BY organization_id, customer_id, meter_id, valid_from
), counted AS (
  SELECT *, count(number) OVER so_far AS numbers, count(type) OVER so_far AS types,
         count(metering_operator) OVER so_far AS operators
    FROM days
  WINDOW so_far AS (PARTITION BY organization_id, customer_id, meter_id ORDER BY valid_from)
)
SELECT organization_id,
       customer_id,
       meter_id,
       valid_from,
       lead(valid_from, 1, 'infinity') OVER (PARTITION BY organization_id, customer_id, meter_id ORDER BY valid_from)
         AS valid_until,
       max(number) OVER (PARTITION BY organization_id, customer_id, meter_id, numbers) AS number,
       max(register) OVER (PARTITION BY organization_id, customer_id, meter_id, numbers) AS register,
       max(type) OVER (PARTITION BY organization_id, customer_id, meter_id, types) AS type,
       max(metering_operator) OVER (PARTITION BY organization_id, customer_id, meter_id, operators)
         AS metering_operator
  FROM counted;

REVOKE ALL ON meter_states FROM PUBLIC;
GRANT SELECT ON meter_states TO voltstream_app;

COMMENT ON VIEW meter_states IS 'What each meter was from which day on.';
COMMENT ON COLUMN meter_states.organization_id IS 'The tenant. Never null.';
COMMENT ON COLUMN meter_states.customer_id IS 'Whose household it serves. Never null.';
COMMENT ON COLUMN meter_states.meter_id IS 'The meter. Never null.';
COMMENT ON COLUMN meter_states.valid_from IS 'First day, Europe/Berlin; -infinity: from the beginning. Never null.';
COMMENT ON COLUMN meter_states.valid_until IS 'First day of the next state; infinity: none. Never null.';
COMMENT ON COLUMN meter_states.number IS 'Number of the device. Never null.';
COMMENT ON COLUMN meter_states.register IS 'Its counter, to which readings belong. Never null.';
COMMENT ON COLUMN meter_states.type IS 'smart or analog. Never null.';
COMMENT ON COLUMN meter_states.metering_operator IS 'Who operates it; null: the grid operator.';
