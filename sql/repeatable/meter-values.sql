-- Which personal values of meters go, and which a bill still needs. By the role for maintenance: the service may not delete
-- them. These functions run as the owner of the tables.

-- A bill that was issued keeps its readings and its kWh for itself, so it needs the values only while it may be disputed:
-- until it is paid or given up. And a contract that is billed needs those of days that no bill covers, because it was
-- reversed or refused. Days before its first bill were billed elsewhere.
CREATE OR REPLACE FUNCTION is_needed_by_bill(organization text, contract text, first date, until date) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce((
    SELECT bool_or(bill.status = 'open' AND bill.period && asked.period)
           OR NOT coalesce(range_agg(bill.period) FILTER (WHERE bill.status <> 'voided'), '{}')
                    @> (asked.period * tstzrange(min(bill.begins), CASE WHEN asked.end_at > min(bill.begins) OR asked.end_at IS NULL
                                                                     THEN asked.end_at ELSE min(bill.begins) END))
      FROM (SELECT tstzrange(first::timestamp AT TIME ZONE 'Europe/Berlin', until::timestamp AT TIME ZONE 'Europe/Berlin')
                     AS period, s.end_at
              FROM public.subscriptions AS s
             WHERE s.organization_id = organization AND s.id = contract) AS asked
     CROSS JOIN (SELECT i.status, i.period_start AS begins, tstzrange(i.period_start, i.period_end) AS period
                   FROM public.invoices AS i
                  WHERE i.organization_id = organization AND i.subscription_id = contract AND i.type = 'usage') AS bill
     GROUP BY asked.period, asked.end_at), false)
$$;
COMMENT ON FUNCTION is_needed_by_bill IS
  'Whether a bill of a contract is open on some days, the second one exclusive, or missing between its bills and behind them.';

CREATE OR REPLACE FUNCTION check_meter_values_age(older_than date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF older_than IS NULL
     OR older_than > date_trunc('year', now() AT TIME ZONE 'Europe/Berlin')::date - interval '3 years' THEN
    RAISE EXCEPTION 'Values of meters are kept for three years after the end of their year'
      USING ERRCODE = 'check_violation';
  END IF;
END
$$;
COMMENT ON FUNCTION check_meter_values_age IS 'Refuses to remove values of meters before their time.';

-- By days: every kept quarter hour is in the sum of its day, and its key begins with the contract.
CREATE OR REPLACE FUNCTION delete_old_usage_days(older_than date, days_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  deleted bigint;
BEGIN
  PERFORM public.check_meter_values_age(older_than);
  WITH old AS MATERIALIZED (
    SELECT d.organization_id, d.subscription_id, d.day, d.day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
           (d.day + 1)::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
      FROM public.usage_days AS d
     WHERE d.day < older_than
       AND NOT public.is_needed_by_bill(d.organization_id, d.subscription_id, d.day, d.day + 1)
     ORDER BY d.day
     LIMIT days_max
  ), quarter_hours AS (
    DELETE FROM public.usage_quarter_hours AS q USING old
     WHERE q.organization_id = old.organization_id AND q.subscription_id = old.subscription_id
       AND q.interval_start >= old.begins AND q.interval_start < old.ends
  ), replaced AS (
    DELETE FROM public.replaced_usage AS r USING old
     WHERE r.organization_id = old.organization_id AND r.subscription_id = old.subscription_id
       AND r.interval_start >= old.begins AND r.interval_start < old.ends
  )
  DELETE FROM public.usage_days AS d USING old
   WHERE d.organization_id = old.organization_id AND d.subscription_id = old.subscription_id AND d.day = old.day;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_old_usage_days IS
  'Deletes usage of days before a day at least three years back, with its quarter hours and their history, unless a bill needs it; at most so many days; returns their number.';

-- The last reading of a register before that day stays as long as a contract is supplied by it: the next one is compared with
-- it, and the difference is what the days between them used. An estimate is not compared, so the last real one stays beside it.
CREATE OR REPLACE FUNCTION delete_old_meter_readings(older_than date, rows_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  deleted bigint;
BEGIN
  PERFORM public.check_meter_values_age(older_than);
  DELETE FROM public.meter_readings
   WHERE (organization_id, id) IN (
           SELECT old.organization_id, old.id
             FROM public.meter_readings AS old
            CROSS JOIN LATERAL (
                    SELECT max(near.read_on) FILTER (WHERE near.read_on < old.read_on) AS before,
                           min(near.read_on) FILTER (WHERE near.read_on > old.read_on) AS behind
                      FROM public.meter_readings AS near
                     WHERE near.organization_id = old.organization_id AND near.meter_id = old.meter_id
                       AND near.register = old.register AND near.type <> 'grid_estimation'
                       AND near.withdrawn_at IS NULL) AS real
            WHERE old.read_on < older_than
              AND (old.withdrawn_at IS NOT NULL OR NOT (
                    NOT EXISTS (
                      SELECT FROM public.meter_readings AS later
                       WHERE later.organization_id = old.organization_id AND later.meter_id = old.meter_id
                         AND later.register = old.register AND later.read_on > old.read_on AND later.read_on < older_than
                         AND later.withdrawn_at IS NULL
                         AND (later.type <> 'grid_estimation' OR old.type = 'grid_estimation'))
                    AND EXISTS (
                      SELECT FROM public.meter_states AS state
                       WHERE state.organization_id = old.organization_id AND state.meter_id = old.meter_id
                         AND state.register = old.register AND state.valid_until > older_than)
                    AND EXISTS (
                      SELECT FROM public.subscriptions AS s
                       WHERE s.organization_id = old.organization_id AND s.meter_id = old.meter_id
                         AND s.start_at IS NOT NULL
                         AND coalesce(s.end_at, 'infinity') > older_than::timestamp AT TIME ZONE 'Europe/Berlin')))
              AND NOT EXISTS (
                    SELECT FROM public.subscriptions AS s
                     WHERE s.organization_id = old.organization_id AND s.meter_id = old.meter_id
                       AND public.is_needed_by_bill(old.organization_id, s.id, coalesce(real.before, old.read_on),
                                                    least(real.behind, older_than)))
            ORDER BY old.read_on
            LIMIT rows_max);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_old_meter_readings IS
  'Deletes readings of before a day at least three years back, unless a bill needs them or a later reading is compared with them; at most so many; returns their number.';

REVOKE ALL ON FUNCTION is_needed_by_bill, check_meter_values_age, delete_old_usage_days, delete_old_meter_readings
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_usage_days, delete_old_meter_readings TO voltstream_maintenance;
