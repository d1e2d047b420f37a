-- Written from the database by scripts/write-schema.ts: not changed by hand.

CREATE SCHEMA analytics;

ALTER SCHEMA analytics OWNER TO voltstream_analyst_reader;

COMMENT ON SCHEMA analytics IS 'Views for analysts of all organizations: the source of each organization''s own schema.';

CREATE SCHEMA measured;

ALTER SCHEMA measured OWNER TO voltstream_analyst_reader;

COMMENT ON SCHEMA measured IS 'Measured values as the views of analysts take them: for their owner alone.';

CREATE TYPE measured.charging_session AS (
	asset text,
	household text,
	start timestamp with time zone,
	delivery_day date,
	local_time timestamp without time zone,
	utc_offset_hours integer,
	ended_at timestamp with time zone,
	charged_kwh double precision,
	fed_kwh double precision,
	max_power_kw double precision,
	state_of_charge_before double precision,
	state_of_charge_after double precision
);

ALTER TYPE measured.charging_session OWNER TO voltstream_owner;

COMMENT ON COLUMN measured.charging_session.asset IS 'Id of the wallbox, ast_.';

COMMENT ON COLUMN measured.charging_session.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN measured.charging_session.start IS 'Instant at which its first quarter hour begins: a vehicle was connected or charged, and was not a quarter hour before.';

COMMENT ON COLUMN measured.charging_session.delivery_day IS 'Day of its beginning, Europe/Berlin.';

COMMENT ON COLUMN measured.charging_session.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN measured.charging_session.utc_offset_hours IS 'Hours by which the clock is ahead of UTC at its beginning: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN measured.charging_session.ended_at IS 'Instant at which its last quarter hour ends: no longer part of it. Of one that goes on: so far.';

COMMENT ON COLUMN measured.charging_session.charged_kwh IS 'Energy into the vehicle in kWh, of each quarter hour what went in less what came out.';

COMMENT ON COLUMN measured.charging_session.fed_kwh IS 'Energy out of the vehicle in kWh, positive, of each quarter hour what came out less what went in.';

COMMENT ON COLUMN measured.charging_session.max_power_kw IS 'Greatest power value in kW; null: none was sent.';

COMMENT ON COLUMN measured.charging_session.state_of_charge_before IS 'State of charge of the vehicle at first, 0 to 1; null: not sent.';

COMMENT ON COLUMN measured.charging_session.state_of_charge_after IS 'State of charge of the vehicle at last, 0 to 1; null: not sent.';

CREATE FUNCTION analytics.charging_sessions(begins timestamp with time zone, ends timestamp with time zone) RETURNS SETOF measured.charging_session
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT run.asset, run.household, run.start, (run.start AT TIME ZONE 'Europe/Berlin')::date,
         run.start AT TIME ZONE 'Europe/Berlin', analytics.utc_offset_hours(run.start), run.ended_at, run.charged_kwh, run.fed_kwh,
         run.max_power_kw,
         coalesce((SELECT s.vehicle_state_of_charge FROM analytics.snapshots AS s
                    WHERE s.asset = run.asset AND s.timestamp >= run.start AND s.timestamp < run.first_end
                      AND s.timestamp >= charging_sessions.begins AND s.timestamp < charging_sessions.ends + interval '15 minutes'
                      AND s.vehicle_state_of_charge IS NOT NULL
                    ORDER BY s.timestamp LIMIT 1), run.first_charge), run.last_charge
    FROM (SELECT part.asset, part.household, part.begun AS start, part.begun + interval '15 minutes' AS first_end,
                 max(part.start) + interval '15 minutes' AS ended_at,
                 sum(part.consumed_kwh) AS charged_kwh, sum(part.fed_kwh) AS fed_kwh, max(part.max_power_kw) AS max_power_kw,
                 (array_agg(part.charge ORDER BY part.start) FILTER (WHERE part.charge IS NOT NULL))[1] AS first_charge,
                 (array_agg(part.charge ORDER BY part.start DESC) FILTER (WHERE part.charge IS NOT NULL))[1] AS last_charge
            FROM (SELECT placed.*, min(placed.start) OVER (PARTITION BY placed.asset, placed.household, placed.run) AS begun
                    FROM (SELECT q.asset, q.household, q.start, q.max_power_kw, q.vehicle_state_of_charge_last AS charge,
                                 greatest(q.mean_power_kw, 0) * q.covered_seconds / 3600 AS consumed_kwh,
                                 greatest(-q.mean_power_kw, 0) * q.covered_seconds / 3600 AS fed_kwh,
                                 q.start - row_number() OVER (PARTITION BY q.asset, q.household ORDER BY q.start)
                                             * interval '15 minutes' AS run
                            FROM analytics.quarter_hours AS q
                           WHERE q.type = 'wallbox' AND q.start >= charging_sessions.begins - interval '15 minutes'
                             AND q.start < charging_sessions.ends + interval '7 days'
                             AND (q.connected_samples > 0 OR abs(q.mean_power_kw) * q.covered_seconds > 36)) AS placed) AS part
           WHERE part.start < part.begun + interval '7 days'
           GROUP BY part.asset, part.household, part.begun) AS run
   WHERE run.start >= charging_sessions.begins AND run.start < charging_sessions.ends
$$;

ALTER FUNCTION analytics.charging_sessions(begins timestamp with time zone, ends timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION analytics.charging_sessions(begins timestamp with time zone, ends timestamp with time zone) IS 'A function: charging sessions that begin from one instant to another, which is no longer part of it, one row each: whole, or the first seven days of a vehicle that stays longer.';

CREATE FUNCTION analytics.household_energy_filled(begins timestamp with time zone, ends timestamp with time zone, step text, least_covered double precision DEFAULT 0) RETURNS TABLE(household text, start timestamp with time zone, local_time timestamp without time zone, utc_offset_hours integer, grid_import_kwh double precision, grid_export_kwh double precision, solar_kwh double precision, battery_charge_kwh double precision, battery_discharge_kwh double precision, wallbox_kwh double precision, wallbox_fed_kwh double precision, heat_pump_kwh double precision, consumption_kwh double precision, residual_kwh double precision, covered_share double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT h.household, s.start, s.start AT TIME ZONE 'Europe/Berlin', analytics.utc_offset_hours(s.start),
         CASE WHEN enough.held THEN e.grid_import_kwh END, CASE WHEN enough.held THEN e.grid_export_kwh END,
         CASE WHEN enough.held THEN e.solar_kwh END, CASE WHEN enough.held THEN e.battery_charge_kwh END,
         CASE WHEN enough.held THEN e.battery_discharge_kwh END, CASE WHEN enough.held THEN e.wallbox_kwh END,
         CASE WHEN enough.held THEN e.wallbox_fed_kwh END, CASE WHEN enough.held THEN e.heat_pump_kwh END,
         CASE WHEN enough.held THEN e.consumption_kwh END, CASE WHEN enough.held THEN e.residual_kwh END,
         coalesce(e.covered_seconds / s.seconds, 0)
    FROM analytics.households AS h
   CROSS JOIN (
     SELECT begun AS start, date_part('epoch', date_add(begun, every.length, 'Europe/Berlin') - begun) AS seconds
       FROM (SELECT CASE step WHEN 'quarter hour' THEN interval '15 minutes' WHEN 'hour' THEN interval '1 hour'
                              WHEN 'day' THEN interval '1 day' WHEN 'month' THEN interval '1 month'
                              ELSE ('step is quarter hour, hour, day or month, not ' || step)::interval END AS length) AS every
      CROSS JOIN LATERAL generate_series(
              CASE WHEN step = 'quarter hour' THEN date_bin('15 minutes', begins, '2000-01-01 00:00+00')
                   WHEN step IN ('hour', 'day', 'month') THEN date_trunc(step, begins, 'Europe/Berlin') END,
              ends - interval '1 microsecond', every.length, 'Europe/Berlin') AS begun) AS s
    LEFT JOIN (
      SELECT q.household, CASE step WHEN 'hour' THEN date_trunc('hour', q.start, 'UTC') ELSE q.start END AS start,
             sum(q.grid_import_kwh) AS grid_import_kwh, sum(q.grid_export_kwh) AS grid_export_kwh,
             sum(q.solar_kwh) AS solar_kwh, sum(q.battery_charge_kwh) AS battery_charge_kwh,
             sum(q.battery_discharge_kwh) AS battery_discharge_kwh, sum(q.wallbox_kwh) AS wallbox_kwh,
             sum(q.wallbox_fed_kwh) AS wallbox_fed_kwh, sum(q.heat_pump_kwh) AS heat_pump_kwh,
             sum(q.consumption_kwh) AS consumption_kwh, sum(q.residual_kwh) AS residual_kwh,
             sum(q.covered_share * 900) AS covered_seconds
        FROM analytics.household_energy AS q
       WHERE step IN ('quarter hour', 'hour')
         AND q.start >= date_trunc('hour', begins, 'UTC') AND q.start < ends + interval '1 hour'
       GROUP BY 1, 2
      UNION ALL
      SELECT d.household, date_trunc(step, d.delivery_day::timestamp) AT TIME ZONE 'Europe/Berlin',
             sum(d.grid_import_kwh), sum(d.grid_export_kwh), sum(d.solar_kwh), sum(d.battery_charge_kwh),
             sum(d.battery_discharge_kwh), sum(d.wallbox_kwh), sum(d.wallbox_fed_kwh), sum(d.heat_pump_kwh),
             sum(d.consumption_kwh), sum(d.residual_kwh),
             sum(d.covered_share * l.hours * 3600)
        FROM analytics.household_energy_days AS d
        JOIN analytics.delivery_days AS l ON l.delivery_day = d.delivery_day
       WHERE step IN ('day', 'month')
         AND d.delivery_day >= date_trunc('month', begins AT TIME ZONE 'Europe/Berlin')::date
         AND d.delivery_day < (date_trunc('month', ends AT TIME ZONE 'Europe/Berlin') + interval '1 month')::date
       GROUP BY 1, 2) AS e
      ON e.household = h.household AND e.start = s.start
   CROSS JOIN LATERAL (SELECT e.covered_seconds >= s.seconds * (least_covered - 1e-9) AS held) AS enough
$$;

ALTER FUNCTION analytics.household_energy_filled(begins timestamp with time zone, ends timestamp with time zone, step text, least_covered double precision) OWNER TO voltstream_owner;

COMMENT ON FUNCTION analytics.household_energy_filled(begins timestamp with time zone, ends timestamp with time zone, step text, least_covered double precision) IS 'Energy of each household in steps of a quarter hour, hour, day or month of Berlin, from one instant to another, which is no longer part of it. A row for each step. Null: nothing is known, or less than least_covered (0 to 1) of the step. Days that are not over are null. Columns are those of household_energy: begin and clock time of the step, its sums, and its covered_share.';

CREATE FUNCTION analytics.utc_offset_hours(instant timestamp with time zone) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT (extract(epoch FROM (instant AT TIME ZONE 'Europe/Berlin') - (instant AT TIME ZONE 'UTC')) / 3600)::integer
$$;

ALTER FUNCTION analytics.utc_offset_hours(instant timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION analytics.utc_offset_hours(instant timestamp with time zone) IS 'Hours by which the clock of Berlin is ahead of UTC at an instant: 2 in summer, 1 in winter.';

CREATE FUNCTION public.advance_days(until date) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  UPDATE public.quarter_hour_progress SET days_summed_until = until WHERE days_summed_until < until
$$;

ALTER FUNCTION public.advance_days(until date) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.advance_days(until date) IS 'Says that days before this one are summed.';

CREATE FUNCTION public.advance_quarter_hours(until timestamp with time zone, known_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NOT isfinite(until) OR until <> date_bin('15 minutes', until, '2000-01-01 00:00:00+00') THEN
    RAISE EXCEPTION 'Sums are final up to the beginning of a quarter hour';
  END IF;
  UPDATE public.quarter_hour_progress
     SET summed_until = greatest(summed_until, until), summed_at = greatest(summed_at, known_at);
END
$$;

ALTER FUNCTION public.advance_quarter_hours(until timestamp with time zone, known_at timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.advance_quarter_hours(until timestamp with time zone, known_at timestamp with time zone) IS 'Says that quarter hours before the first instant are final, and up to which instant of the clock sums know what was sent, but for what waits to be summed again.';

CREATE FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
  SELECT count(*),
         sha256(coalesce(previous, ''::bytea) || coalesce(string_agg(row_hash, ''::bytea ORDER BY id), ''::bytea))
    FROM (SELECT id,
                 sha256(convert_to(jsonb_build_array(
                   id, at, organization_id, client_id, grant_id, staff, act, object_id, route, reason, result,
                   request_id, address, before, after)::text, 'UTF8')) AS row_hash
            FROM public.audit_log
           WHERE at >= sealed_day::timestamptz AND at < (sealed_day + 1)::timestamptz) AS of_day
$$;

ALTER FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) IS 'Number and chained hash of the audit rows of one day (UTC).';

CREATE FUNCTION public.audit_seal_problems() RETURNS TABLE(day date, problem text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT NULL::date, 'where the chain begins is not there any more'
   WHERE NOT EXISTS (SELECT FROM public.audit_chain)
  UNION ALL
  SELECT missing::date, 'its seal is missing'
    FROM public.audit_chain AS chain
   CROSS JOIN LATERAL generate_series(
           chain.first_day::timestamp, (SELECT max(s.day) FROM public.audit_seals AS s), interval '1 day') AS missing
   WHERE NOT EXISTS (SELECT FROM public.audit_seals AS s WHERE s.day = missing::date)
  UNION ALL
  SELECT seal.day,
         CASE WHEN seal.day <= chain.first_day
           THEN 'it is not the first one of the chain'
           ELSE 'does not continue the seal of the day before'
         END
    FROM public.audit_seals AS seal
    LEFT JOIN public.audit_seals AS before_it ON before_it.day = seal.day - 1
    LEFT JOIN public.audit_chain AS chain ON true
   WHERE seal.day < chain.first_day
      OR (seal.day = chain.first_day AND seal.previous_hash IS NOT NULL)
      OR (before_it.day IS NOT NULL AND seal.previous_hash IS DISTINCT FROM before_it.hash)
  UNION ALL
  SELECT seal.day, seal.problem FROM public.audit_seals AS seal WHERE seal.problem IS NOT NULL
   ORDER BY 1 NULLS FIRST, 2
$$;

ALTER FUNCTION public.audit_seal_problems() OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.audit_seal_problems() IS 'Days whose seal does not fit the audit log or the seal before, or is missing.';

CREATE TABLE public.job_runs (
    id bigint NOT NULL,
    schedule text,
    due_at timestamp with time zone NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    fence integer DEFAULT 0 NOT NULL,
    heartbeat_at timestamp with time zone,
    queued_at timestamp with time zone DEFAULT now() NOT NULL,
    next_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    result jsonb,
    job text NOT NULL,
    organization_id text,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    key text,
    lane text GENERATED ALWAYS AS (((job || ' '::text) || COALESCE(organization_id, ''::text))) STORED NOT NULL,
    CONSTRAINT job_runs_key_check CHECK ((length(key) <= 200)),
    CONSTRAINT job_runs_payload_check CHECK ((length((payload)::text) <= 8192)),
    CONSTRAINT job_runs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.job_runs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.job_runs OWNER TO voltstream_owner;

COMMENT ON TABLE public.job_runs IS 'Work that was asked for, by a schedule or by a transaction, and what became of it.';

COMMENT ON COLUMN public.job_runs.id IS 'Order of asking.';

COMMENT ON COLUMN public.job_runs.schedule IS 'The schedule that asked for it; null: a transaction did.';

COMMENT ON COLUMN public.job_runs.due_at IS 'The instant it fell due, whenever it runs.';

COMMENT ON COLUMN public.job_runs.state IS 'queued, running, done, or failed: given up.';

COMMENT ON COLUMN public.job_runs.fence IS 'Raised with each start: a process that was overtaken cannot write its end.';

COMMENT ON COLUMN public.job_runs.heartbeat_at IS 'Last sign of life of the process that runs it.';

COMMENT ON COLUMN public.job_runs.queued_at IS 'Asked for at.';

COMMENT ON COLUMN public.job_runs.next_at IS 'From here on it may be started.';

COMMENT ON COLUMN public.job_runs.started_at IS 'Last started at.';

COMMENT ON COLUMN public.job_runs.finished_at IS 'Ended at.';

COMMENT ON COLUMN public.job_runs.attempts IS 'How often it was started since it was asked for, or since an operator asked again.';

COMMENT ON COLUMN public.job_runs.error IS 'What the last failure said.';

COMMENT ON COLUMN public.job_runs.result IS 'What the run reported.';

COMMENT ON COLUMN public.job_runs.job IS 'Name of the job.';

COMMENT ON COLUMN public.job_runs.organization_id IS 'The tenant it works for; null: the service itself.';

COMMENT ON COLUMN public.job_runs.payload IS 'Handed to the job; ids and dates only.';

COMMENT ON COLUMN public.job_runs.key IS 'Makes it once: a second run of this job with this key is not written, whatever became of the first.';

COMMENT ON COLUMN public.job_runs.lane IS 'Job and organization: lanes take turns.';

CREATE FUNCTION public.bring_job_runs_to_now(now_at timestamp with time zone, sign_at timestamp with time zone, retry_at timestamp with time zone) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH queued AS (
          UPDATE public.job_runs SET next_at = bring_job_runs_to_now.now_at
           WHERE (job_runs.id IN ( SELECT r.id
                    FROM public.job_runs r
                   WHERE ((r.state = 'queued'::text) AND ((r.schedule IS NOT NULL) OR (r.next_at > r.due_at)) AND (r.next_at > bring_job_runs_to_now.retry_at))
                  FOR UPDATE OF r SKIP LOCKED))
           RETURNING job_runs.id
         ), telling AS (
          UPDATE public.job_runs SET next_at = bring_job_runs_to_now.now_at
           WHERE (job_runs.id IN ( WITH RECURSIVE lanes AS (
                          SELECT 'fan-out-event '::text AS lane
                         UNION ALL
                          SELECT ( SELECT next.lane
                                    FROM public.job_runs next
                                   WHERE ((next.state = 'queued'::text) AND (next.lane > lanes_1.lane) AND (next.lane < 'fan-out-event!'::text))
                                   ORDER BY next.lane
                                  LIMIT 1) AS lane
                            FROM lanes lanes_1
                           WHERE (lanes_1.lane IS NOT NULL)
                         )
                  SELECT r.id
                    FROM (lanes
                      JOIN public.job_runs r ON ((r.lane = lanes.lane)))
                   WHERE ((r.state = 'queued'::text) AND (r.next_at = r.due_at) AND (r.next_at > bring_job_runs_to_now.sign_at))
                  FOR UPDATE OF r SKIP LOCKED))
           RETURNING job_runs.id
         ), running AS (
          UPDATE public.job_runs SET heartbeat_at = bring_job_runs_to_now.now_at
           WHERE (job_runs.id IN ( SELECT r.id
                    FROM public.job_runs r
                   WHERE ((r.state = 'running'::text) AND (r.heartbeat_at > bring_job_runs_to_now.sign_at))
                  FOR UPDATE OF r SKIP LOCKED))
           RETURNING job_runs.id
         )
  SELECT ((( SELECT count(*) AS count
            FROM queued) + ( SELECT count(*) AS count
            FROM telling)) + ( SELECT count(*) AS count
            FROM running));
END;

ALTER FUNCTION public.bring_job_runs_to_now(now_at timestamp with time zone, sign_at timestamp with time zone, retry_at timestamp with time zone) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.bring_job_runs_to_now(now_at timestamp with time zone, sign_at timestamp with time zone, retry_at timestamp with time zone) IS 'Undoes what a clock that ran ahead has written into runs.';

CREATE FUNCTION public.check_invoice_status() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  settled numeric;
BEGIN
  IF NEW.status = 'voided' THEN
    PERFORM FROM invoices WHERE organization_id = NEW.organization_id AND voids = NEW.id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'Invoice %: no document reverses it', NEW.id USING ERRCODE = 'check_violation';
    END IF;
  ELSIF NEW.status = 'paid' AND NEW.total <> 0 THEN
    PERFORM FROM invoices WHERE organization_id = NEW.organization_id AND id = NEW.voids AND paid_at IS NULL;
    IF NOT FOUND THEN
      SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0) INTO settled FROM payments
       WHERE organization_id = NEW.organization_id AND invoice_id = NEW.id AND status = 'settled';
      IF settled * sign(NEW.total) < abs(NEW.total) THEN
        RAISE EXCEPTION 'Invoice %: % of % was paid', NEW.id, settled, NEW.total USING ERRCODE = 'check_violation';
      END IF;
    END IF;
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.check_invoice_status() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.check_invoice_status() IS 'Refuses a document that is voided without a reversal, or paid without a payment.';

CREATE FUNCTION public.check_issued() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE
  given bigint;
  ledger invoice_ledgers;
  wrong record;
BEGIN
  SELECT * INTO ledger FROM invoice_ledgers WHERE organization_id = NEW.organization_id;
  SELECT count(*) INTO given FROM invoices
   WHERE organization_id = NEW.organization_id
     AND ledger_number > ledger.number_before AND ledger_number <= ledger.last_number;
  IF given IS DISTINCT FROM ledger.last_number - ledger.number_before THEN
    RAISE EXCEPTION 'Ledger of %: % documents have the numbers from % to %', NEW.organization_id, given,
      ledger.number_before + 1, ledger.last_number USING ERRCODE = 'check_violation';
  END IF;
  SELECT i.id, CASE WHEN lines.net <> i.net THEN format('its lines add up to %s, and it says %s', lines.net, i.net)
                    WHEN i.running_number <> earlier.number + 1
                    THEN format('number %s does not follow %s, the last one of its contract', i.running_number, earlier.number)
                    ELSE format('it does not reverse %s', i.voids) END AS problem
    INTO wrong
    FROM invoices AS i
   CROSS JOIN LATERAL (
           SELECT coalesce(sum(l.net), 0) AS net FROM invoice_lines AS l
            WHERE l.organization_id = i.organization_id AND l.invoice_id = i.id) AS lines
   CROSS JOIN LATERAL (
           SELECT coalesce(max(e.running_number), 0) AS number FROM invoices AS e
            WHERE e.organization_id = i.organization_id AND e.subscription_id = i.subscription_id
              AND e.running_number < i.running_number) AS earlier
   WHERE i.organization_id = NEW.organization_id
     AND i.ledger_number > ledger.number_before AND i.ledger_number <= ledger.last_number
     AND (lines.net <> i.net OR i.running_number <> earlier.number + 1
          OR i.voids IS NOT NULL AND NOT EXISTS (
               SELECT FROM invoices AS o
                WHERE o.organization_id = i.organization_id AND o.id = i.voids AND o.status = 'voided'
                  AND o.net = -i.net AND o.tax = -i.tax AND o.deducted = -i.deducted))
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Invoice %: %', wrong.id, wrong.problem USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.check_issued() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.check_issued() IS 'Refuses a ledger ahead of its documents, and documents that their lines do not add up to, that leave out a number of their contract, or that reverse nothing.';

CREATE FUNCTION public.check_meter_values_age(older_than date) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF older_than IS NULL
     OR older_than > date_trunc('year', now() AT TIME ZONE 'Europe/Berlin')::date - interval '3 years' THEN
    RAISE EXCEPTION 'Values of meters are kept for three years after the end of their year'
      USING ERRCODE = 'check_violation';
  END IF;
END
$$;

ALTER FUNCTION public.check_meter_values_age(older_than date) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.check_meter_values_age(older_than date) IS 'Refuses to remove values of meters before their time.';

CREATE FUNCTION public.claim_job_run(now_at timestamp with time zone, unknown_before timestamp with time zone, names text[], totals integer[], owns integer[], elsewhere text[] DEFAULT '{}'::text[], runs_max integer DEFAULT 1) RETURNS TABLE(id bigint, fence integer, attempts integer, job text, organization_id text, schedule text, due_at timestamp with time zone, payload jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream job runs', 0));
  RETURN QUERY
  WITH RECURSIVE lanes AS (
    (SELECT first.lane FROM public.job_runs first WHERE first.state = 'queued' ORDER BY first.lane LIMIT 1)
    UNION ALL
    SELECT (SELECT next.lane FROM public.job_runs next
             WHERE next.state = 'queued' AND next.lane > lanes.lane ORDER BY next.lane LIMIT 1)
      FROM lanes WHERE lanes.lane IS NOT NULL
  ), of_each AS (
    SELECT ceil(runs_max::numeric / greatest(count(lanes.lane), 1))::integer AS runs FROM lanes
  ), heads AS (
    SELECT head.id, head.lane, head.job, head.organization_id, head.next_at,
           row_number() OVER (PARTITION BY head.lane ORDER BY head.next_at, head.id) AS place
      FROM lanes CROSS JOIN LATERAL (
        SELECT r.id, r.lane, r.job, r.organization_id, r.next_at FROM public.job_runs r
         WHERE r.state = 'queued' AND r.lane = lanes.lane
         ORDER BY r.next_at, r.id LIMIT (SELECT of_each.runs FROM of_each)) AS head
     WHERE head.next_at <= now_at AND head.job <> ALL (elsewhere)
       AND (head.job = ANY (names) OR head.next_at <= unknown_before)
  ), turns AS (
    SELECT heads.lane,
           (SELECT max(turn.started_at) FROM public.job_runs turn WHERE turn.lane = heads.lane) AS last_at
      FROM heads WHERE heads.place = 1
  ), busy AS MATERIALIZED (
    SELECT r.lane, r.job, r.organization_id, count(*) AS runs FROM public.job_runs r
     WHERE r.state = 'running' GROUP BY r.lane, r.job, r.organization_id
  ), busy_jobs AS (
    SELECT busy.job, sum(busy.runs) AS runs FROM busy GROUP BY busy.job
  ), busy_organizations AS (
    SELECT busy.organization_id, sum(busy.runs) AS runs FROM busy WHERE busy.job = ANY (names) GROUP BY busy.organization_id
  ), fitting AS (
    SELECT heads.id, heads.job, heads.next_at, heads.place, turns.last_at,
           known.total - coalesce(busy_jobs.runs, 0) AS room,
           CASE WHEN heads.organization_id IS NULL THEN 0
                ELSE coalesce(busy_organizations.runs, 0)
                     + row_number() OVER (PARTITION BY heads.organization_id
                                          ORDER BY heads.place, turns.last_at NULLS FIRST, heads.next_at, heads.id) - 1
           END AS before
      FROM heads
      JOIN turns ON turns.lane = heads.lane
      LEFT JOIN unnest(names, totals, owns) AS known (name, total, own) ON known.name = heads.job
      LEFT JOIN public.organizations o ON o.id = heads.organization_id
      LEFT JOIN busy ON busy.lane = heads.lane
      LEFT JOIN busy_jobs ON busy_jobs.job = heads.job
      LEFT JOIN busy_organizations ON busy_organizations.organization_id = heads.organization_id
     WHERE (heads.organization_id IS NULL OR o.standing IN ('in_order', 'past_due')
            OR heads.job = 'erase-late-snapshots')
       AND (known.name IS NULL OR heads.organization_id IS NULL OR coalesce(busy.runs, 0) + heads.place <= known.own)
  ), numbered AS (
    SELECT fitting.*,
           row_number() OVER (PARTITION BY fitting.job
                              ORDER BY fitting.before, fitting.place, fitting.last_at NULLS FIRST, fitting.next_at, fitting.id) AS of_job
      FROM fitting
  ), chosen AS (
    SELECT head_run.id
      FROM unnest(ARRAY(
             SELECT numbered.id FROM numbered
              WHERE numbered.room IS NULL OR numbered.of_job <= numbered.room
              ORDER BY numbered.before, numbered.place, numbered.last_at NULLS FIRST, numbered.next_at, numbered.id
           )) WITH ORDINALITY AS next_run (id, place)
      JOIN public.job_runs head_run ON head_run.id = next_run.id
     WHERE head_run.state = 'queued'
     ORDER BY next_run.place
     LIMIT runs_max FOR UPDATE OF head_run SKIP LOCKED
  )
  UPDATE public.job_runs run
     SET state = 'running', fence = run.fence + 1, attempts = run.attempts + 1, started_at = now_at,
         heartbeat_at = now_at, error = NULL
    FROM chosen
   WHERE run.id = chosen.id AND run.state = 'queued'
  RETURNING run.id, run.fence, run.attempts, run.job, run.organization_id, run.schedule, run.due_at, run.payload;
END
$$;

ALTER FUNCTION public.claim_job_run(now_at timestamp with time zone, unknown_before timestamp with time zone, names text[], totals integer[], owns integer[], elsewhere text[], runs_max integer) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.claim_job_run(now_at timestamp with time zone, unknown_before timestamp with time zone, names text[], totals integer[], owns integer[], elsewhere text[], runs_max integer) IS 'Starts the next runs, by turns of organizations and within the limits of their jobs.';

CREATE FUNCTION public.compare_audit_seals(first_day date, last_day date) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
DECLARE
  -- Of the day before it some rows may be gone already.
  oldest_whole_day constant date := (now() - interval '24 months')::date + 1;
  compared bigint;
BEGIN
  UPDATE public.audit_seals SET problem = NULL
   WHERE day BETWEEN first_day AND last_day AND day < oldest_whole_day AND problem IS NOT NULL;
  WITH found AS MATERIALIZED (
    SELECT seal.day,
           CASE
             WHEN seal.rows <> now_there.rows
               THEN format('%s rows were sealed, %s are there', seal.rows, now_there.rows)
             WHEN seal.hash <> now_there.hash
               THEN 'the rows are not those that were sealed'
           END AS problem
      FROM public.audit_seals AS seal
     CROSS JOIN LATERAL public.audit_day_hash(seal.day, seal.previous_hash) AS now_there
     WHERE seal.day BETWEEN greatest(first_day, oldest_whole_day) AND last_day
  ), kept AS (
    UPDATE public.audit_seals AS seal SET problem = found.problem
      FROM found
     WHERE seal.day = found.day AND seal.problem IS DISTINCT FROM found.problem
  )
  SELECT count(*) INTO compared FROM found;
  RETURN compared;
END
$$;

ALTER FUNCTION public.compare_audit_seals(first_day date, last_day date) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.compare_audit_seals(first_day date, last_day date) IS 'Compares seals of some days with the audit rows and keeps what does not fit; returns the number of days.';

CREATE FUNCTION public.compressed_until(hypertable text) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT coalesce(max(range_end), '-infinity') FROM timescaledb_information.chunks
   WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND is_compressed
$$;

ALTER FUNCTION public.compressed_until(hypertable text) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.compressed_until(hypertable text) IS 'The end of the newest compressed chunk of a hypertable; -infinity: none is compressed.';

CREATE TABLE public.organizations (
    id text NOT NULL,
    name text NOT NULL,
    standing text DEFAULT 'in_order'::text NOT NULL,
    forecast_enabled boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_in xid8,
    CONSTRAINT organizations_id_check CHECK ((id ~ '^org_[0-9a-z]{24}$'::text)),
    CONSTRAINT organizations_name_check CHECK ((name <> ''::text)),
    CONSTRAINT organizations_standing_check CHECK ((standing = ANY (ARRAY['in_order'::text, 'past_due'::text, 'suspended'::text, 'deleted'::text])))
);

ALTER TABLE ONLY public.organizations FORCE ROW LEVEL SECURITY;

ALTER TABLE public.organizations OWNER TO voltstream_owner;

COMMENT ON TABLE public.organizations IS 'Tenants: every row of every other tenant table belongs to exactly one of them.';

COMMENT ON COLUMN public.organizations.id IS 'org_ and 24 random characters.';

COMMENT ON COLUMN public.organizations.name IS 'Name for operators; shown by no API call.';

COMMENT ON COLUMN public.organizations.standing IS 'in_order; past_due answers 402; suspended and deleted make every token invalid within 5 seconds.';

COMMENT ON COLUMN public.organizations.forecast_enabled IS 'Whether forecast prices are shown to it.';

COMMENT ON COLUMN public.organizations.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.organizations.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.organizations.changed_in IS 'The transaction that last changed its standing; never shown. Processes that believe tokens of it ask by it.';

CREATE FUNCTION public.count_job_runs(now_at timestamp with time zone) RETURNS TABLE(job text, waiting bigint, failed bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT counted.job,
     sum(counted.waiting) AS sum,
     sum(counted.failed) AS sum
    FROM ( SELECT r.job,
             1 AS waiting,
             0 AS failed
            FROM (public.job_runs r
              LEFT JOIN public.organizations o ON ((o.id = r.organization_id)))
           WHERE ((r.state = 'queued'::text) AND (r.next_at <= count_job_runs.now_at) AND ((r.organization_id IS NULL) OR (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text])) OR (r.job = 'erase-late-snapshots'::text)))
         UNION ALL
          SELECT r.job,
             0,
             1
            FROM public.job_runs r
           WHERE (r.state = 'failed'::text)) counted
   GROUP BY counted.job;
END;

ALTER FUNCTION public.count_job_runs(now_at timestamp with time zone) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.count_job_runs(now_at timestamp with time zone) IS 'How many runs of each job are due and how many were given up: for metrics.';

CREATE TABLE public.billing_refusals (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    type text NOT NULL,
    period_start date NOT NULL,
    period_end date NOT NULL,
    code text NOT NULL,
    detail text NOT NULL,
    deadline date,
    run_id text,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT billing_refusals_check CHECK ((period_end > period_start)),
    CONSTRAINT billing_refusals_code_check CHECK ((code ~ '^[a-z_0-9]+$'::text)),
    CONSTRAINT billing_refusals_type_check CHECK ((type = ANY (ARRAY['usage'::text, 'prepayment'::text, 'correction'::text, 'exit_summary'::text])))
);

ALTER TABLE ONLY public.billing_refusals FORCE ROW LEVEL SECURITY;

ALTER TABLE public.billing_refusals OWNER TO voltstream_owner;

COMMENT ON TABLE public.billing_refusals IS 'Documents that are due and could not be made, and what is missing; removed when they are.';

COMMENT ON COLUMN public.billing_refusals.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.billing_refusals.customer_id IS 'Whose contract it is. Personal; for billing; until the document is made.';

COMMENT ON COLUMN public.billing_refusals.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.billing_refusals.type IS 'Which document is missing; correction: a bill that no longer fits its energy.';

COMMENT ON COLUMN public.billing_refusals.period_start IS 'First day of its period, Europe/Berlin.';

COMMENT ON COLUMN public.billing_refusals.period_end IS 'Day behind its period.';

COMMENT ON COLUMN public.billing_refusals.code IS 'What kind of thing is missing.';

COMMENT ON COLUMN public.billing_refusals.detail IS 'What is missing and where it is entered; no names and no values of persons.';

COMMENT ON COLUMN public.billing_refusals.deadline IS 'First day on which the bill is late (section 40c EnWG); null: the law sets none.';

COMMENT ON COLUMN public.billing_refusals.run_id IS 'The run that met it last.';

COMMENT ON COLUMN public.billing_refusals.first_at IS 'When it was met first.';

COMMENT ON COLUMN public.billing_refusals.last_at IS 'When it was met last.';

CREATE FUNCTION public.count_missing_documents(today date, near_until date) RETURNS TABLE(code text, late bigint, near bigint, undated bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT missing.code,
     count(*) FILTER (WHERE (missing.deadline <= count_missing_documents.today)) AS count,
     count(*) FILTER (WHERE (missing.deadline > count_missing_documents.today)) AS count,
     count(*) FILTER (WHERE (missing.deadline IS NULL)) AS count
    FROM ( SELECT refusal.code,
             refusal.deadline
            FROM (public.billing_refusals refusal
              JOIN public.organizations o ON (((o.id = refusal.organization_id) AND (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text])))))
           WHERE ((refusal.deadline IS NOT NULL) AND (refusal.deadline <= count_missing_documents.near_until))
         UNION ALL
          SELECT refusal.code,
             refusal.deadline
            FROM (public.organizations o
              JOIN public.billing_refusals refusal ON (((refusal.organization_id = o.id) AND (refusal.code = 'defect'::text) AND (refusal.deadline IS NULL))))
           WHERE (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text]))) missing
   GROUP BY missing.code;
END;

ALTER FUNCTION public.count_missing_documents(today date, near_until date) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.count_missing_documents(today date, near_until date) IS 'How many documents are late or near their deadline, or have none and failed by a defect, by what is missing: for metrics.';

CREATE FUNCTION public.count_reference_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE public.reference_revision SET revision = revision + 1;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.count_reference_change() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.count_reference_change() IS 'Trigger of the tables of reference data: counts a statement that writes.';

CREATE TABLE public.event_deliveries (
    organization_id text NOT NULL,
    event_id text NOT NULL,
    endpoint_id text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    attempts_in_all integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT now(),
    last_attempt_at timestamp with time zone,
    delivered_at timestamp with time zone,
    last_status smallint,
    last_error text,
    kept_from timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT event_deliveries_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT event_deliveries_check CHECK ((attempts_in_all >= attempts)),
    CONSTRAINT event_deliveries_check1 CHECK (((state = 'pending'::text) = (next_at IS NOT NULL))),
    CONSTRAINT event_deliveries_check2 CHECK (((state = 'delivered'::text) = (delivered_at IS NOT NULL))),
    CONSTRAINT event_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY public.event_deliveries FORCE ROW LEVEL SECURITY;

ALTER TABLE public.event_deliveries OWNER TO voltstream_owner;

COMMENT ON TABLE public.event_deliveries IS 'Which endpoint is to hear of which event, and whether it has.';

COMMENT ON COLUMN public.event_deliveries.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.event_deliveries.event_id IS 'The event.';

COMMENT ON COLUMN public.event_deliveries.endpoint_id IS 'The receiver.';

COMMENT ON COLUMN public.event_deliveries.state IS 'pending, delivered, failed or cancelled.';

COMMENT ON COLUMN public.event_deliveries.created_at IS 'Written at.';

COMMENT ON COLUMN public.event_deliveries.attempts IS 'How often it was sent, since it was written or asked for again.';

COMMENT ON COLUMN public.event_deliveries.attempts_in_all IS 'How often it was sent ever: number of the last row in delivery_attempts.';

COMMENT ON COLUMN public.event_deliveries.next_at IS 'Not sent before; null where nothing is to be sent any more.';

COMMENT ON COLUMN public.event_deliveries.last_attempt_at IS 'Sent last at.';

COMMENT ON COLUMN public.event_deliveries.delivered_at IS 'The request that was answered with 2xx was sent at.';

COMMENT ON COLUMN public.event_deliveries.last_status IS 'HTTP status of the last answer; null: none came.';

COMMENT ON COLUMN public.event_deliveries.last_error IS 'Why no answer came: connection, tls, time_out or address.';

COMMENT ON COLUMN public.event_deliveries.kept_from IS 'Delivered, given up or cancelled at: it goes 30 days later. While it is pending: written or last sent at.';

CREATE TABLE public.webhook_endpoints (
    organization_id text NOT NULL,
    id text NOT NULL,
    topics text[],
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text DEFAULT 'address'::text NOT NULL,
    url text,
    description text DEFAULT ''::text NOT NULL,
    contact_email text,
    secret bytea,
    previous_secret bytea,
    previous_secret_until timestamp with time zone,
    disabled_reason text,
    deleted_at timestamp with time zone,
    failing_since timestamp with time zone,
    last_success_at timestamp with time zone,
    last_failure_at timestamp with time zone,
    first_mail_at timestamp with time zone,
    wait_until timestamp with time zone,
    one_at_a_time boolean DEFAULT false NOT NULL,
    asked_run bigint,
    asked_at timestamp with time zone,
    served_by bigint,
    served_at timestamp with time zone,
    CONSTRAINT webhook_endpoints_check CHECK (((kind = 'address'::text) = (url IS NOT NULL))),
    CONSTRAINT webhook_endpoints_check1 CHECK (((kind = 'listener'::text) OR (secret IS NOT NULL))),
    CONSTRAINT webhook_endpoints_check2 CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
    CONSTRAINT webhook_endpoints_check3 CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
    CONSTRAINT webhook_endpoints_check4 CHECK (((asked_run IS NULL) = (asked_at IS NULL))),
    CONSTRAINT webhook_endpoints_check5 CHECK (((served_by IS NULL) = (served_at IS NULL))),
    CONSTRAINT webhook_endpoints_contact_email_check CHECK ((length(contact_email) <= 254)),
    CONSTRAINT webhook_endpoints_description_check CHECK ((length(description) <= 200)),
    CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['operator'::text, 'gone'::text, 'long_failure'::text]))),
    CONSTRAINT webhook_endpoints_id_check CHECK ((id ~ '^whe_[0-9a-z]{24}$'::text)),
    CONSTRAINT webhook_endpoints_kind_check CHECK ((kind = ANY (ARRAY['address'::text, 'listener'::text]))),
    CONSTRAINT webhook_endpoints_url_check CHECK ((length(url) <= 2048))
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.webhook_endpoints FORCE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_endpoints OWNER TO voltstream_owner;

COMMENT ON TABLE public.webhook_endpoints IS 'Receivers of an organization''s events.';

COMMENT ON COLUMN public.webhook_endpoints.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.webhook_endpoints.id IS 'whe_ and 24 random characters.';

COMMENT ON COLUMN public.webhook_endpoints.topics IS 'What it wants to hear; null: everything.';

COMMENT ON COLUMN public.webhook_endpoints.disabled_at IS 'From here on nothing is sent to it.';

COMMENT ON COLUMN public.webhook_endpoints.created_at IS 'When it was asked for; it hears what happens once it is stored.';

COMMENT ON COLUMN public.webhook_endpoints.kind IS 'address: requests go to its url. listener: a developer''s command line takes them.';

COMMENT ON COLUMN public.webhook_endpoints.url IS 'Where requests go; null for a listener.';

COMMENT ON COLUMN public.webhook_endpoints.description IS 'For people; shown in lists and mails.';

COMMENT ON COLUMN public.webhook_endpoints.contact_email IS 'Who is told when it fails or was disabled. Personal; for the operation of the endpoint; as long as the endpoint.';

COMMENT ON COLUMN public.webhook_endpoints.secret IS 'Signs what is sent; encrypted. Null: a listener that has its own.';

COMMENT ON COLUMN public.webhook_endpoints.previous_secret IS 'Signs as well until previous_secret_until; encrypted.';

COMMENT ON COLUMN public.webhook_endpoints.previous_secret_until IS 'End of the overlap of two secrets.';

COMMENT ON COLUMN public.webhook_endpoints.disabled_reason IS 'operator: by command. gone: it answered 410. long_failure: days without a success.';

COMMENT ON COLUMN public.webhook_endpoints.deleted_at IS 'From here on it is shown to nobody; its deliveries stay for their time.';

COMMENT ON COLUMN public.webhook_endpoints.failing_since IS 'First failed attempt since the last success; null: the last attempt was a success, or none was made for five days.';

COMMENT ON COLUMN public.webhook_endpoints.last_success_at IS 'Last attempt that was answered with 2xx.';

COMMENT ON COLUMN public.webhook_endpoints.last_failure_at IS 'Last attempt that was not.';

COMMENT ON COLUMN public.webhook_endpoints.first_mail_at IS 'The mail about this failure was asked for at.';

COMMENT ON COLUMN public.webhook_endpoints.wait_until IS 'It asked to be left alone until then, by Retry-After.';

COMMENT ON COLUMN public.webhook_endpoints.one_at_a_time IS 'It asked to be left alone and has not answered with 2xx since: one request at a time.';

COMMENT ON COLUMN public.webhook_endpoints.asked_run IS 'The run that was asked for and has not begun, in job_runs; null: none.';

COMMENT ON COLUMN public.webhook_endpoints.asked_at IS 'The instant at which that run is due.';

COMMENT ON COLUMN public.webhook_endpoints.served_by IS 'The run that serves it; null: none.';

COMMENT ON COLUMN public.webhook_endpoints.served_at IS 'Last sign of life of that run: after a while another one may take over.';

CREATE FUNCTION public.count_webhook_deliveries(now_at timestamp with time zone) RETURNS TABLE(lane text, endpoints bigint, waiting bigint, oldest_due_seconds double precision, long_failing bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (e.failing_since IS NULL) THEN 'healthy'::text
             ELSE 'failing'::text
         END AS "case",
     count(*) FILTER (WHERE (due.waiting > 0)) AS count,
     (sum(due.waiting))::bigint AS sum,
     (COALESCE(EXTRACT(epoch FROM (count_webhook_deliveries.now_at - min(due.oldest))), (0)::numeric))::double precision AS "coalesce",
     count(*) FILTER (WHERE (e.failing_since <= (count_webhook_deliveries.now_at - '1 day'::interval))) AS count
    FROM ((public.webhook_endpoints e
      JOIN public.organizations o ON (((o.id = e.organization_id) AND (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text])))))
      CROSS JOIN LATERAL ( SELECT count(*) AS waiting,
             min(counted.next_at) AS oldest
            FROM ( SELECT d.next_at
                    FROM public.event_deliveries d
                   WHERE ((d.organization_id = e.organization_id) AND (d.endpoint_id = e.id) AND (d.state = 'pending'::text) AND (GREATEST(d.next_at, e.wait_until) <= count_webhook_deliveries.now_at))
                   ORDER BY d.next_at
                  LIMIT 1000) counted) due)
   WHERE ((e.disabled_at IS NULL) AND (e.deleted_at IS NULL))
   GROUP BY
         CASE
             WHEN (e.failing_since IS NULL) THEN 'healthy'::text
             ELSE 'failing'::text
         END;
END;

ALTER FUNCTION public.count_webhook_deliveries(now_at timestamp with time zone) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.count_webhook_deliveries(now_at timestamp with time zone) IS 'How much is due at endpoints that work and at those that fail: for metrics.';

CREATE FUNCTION public.delete_finished_job_runs(older_than timestamp with time zone, rows_max integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH gone AS (
          DELETE FROM public.job_runs
           WHERE (job_runs.id IN ( SELECT r.id
                    FROM public.job_runs r
                   WHERE ((r.finished_at < delete_finished_job_runs.older_than) AND (r.state = ANY (ARRAY['done'::text, 'failed'::text])) AND (NOT ((r.organization_id IS NULL) AND (r.job = 'settle-usage'::text))))
                   ORDER BY r.finished_at
                  LIMIT delete_finished_job_runs.rows_max
                  FOR UPDATE OF r SKIP LOCKED))
           RETURNING job_runs.id
         )
  SELECT count(*) AS count
    FROM gone;
END;

ALTER FUNCTION public.delete_finished_job_runs(older_than timestamp with time zone, rows_max integer) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.delete_finished_job_runs(older_than timestamp with time zone, rows_max integer) IS 'Removes some runs that ended before an instant.';

CREATE FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  deleted bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() - interval '24 months' THEN
    RAISE EXCEPTION 'Rows of the audit log are kept for 24 months' USING ERRCODE = 'check_violation';
  END IF;
  DELETE FROM public.audit_log
   WHERE id IN (SELECT id FROM public.audit_log WHERE at < older_than ORDER BY at LIMIT rows_max);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;

ALTER FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) IS 'Deletes audit rows before an instant at least 24 months ago, at most so many; returns their number.';

CREATE FUNCTION public.delete_old_days(older_than date, rows_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
DECLARE
  deleted bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Days are deleted up to one in the past only';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  DELETE FROM public.asset_days AS d
   WHERE (d.asset_id, d.day) IN (SELECT old.asset_id, old.day FROM public.asset_days AS old
                                  WHERE old.day < older_than ORDER BY old.day LIMIT rows_max);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  UPDATE public.quarter_hour_progress SET days_dropped_until = older_than
   WHERE days_dropped_until < older_than AND deleted > 0;
  RETURN deleted;
END
$$;

ALTER FUNCTION public.delete_old_days(older_than date, rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_days(older_than date, rows_max integer) IS 'Deletes sums by day before a day, at most so many; returns their number.';

CREATE FUNCTION public.delete_old_invoices(rows_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  today constant date := (now() AT TIME ZONE 'Europe/Berlin')::date;
  deleted bigint;
BEGIN
  WITH old AS (
    SELECT i.organization_id, ARRAY[i.id, v.id] AS ids
      FROM public.invoices AS i
      LEFT JOIN public.invoices AS v ON v.organization_id = i.organization_id AND v.voids = i.id
     WHERE i.voids IS NULL AND i.retain_until < today AND coalesce(v.retain_until < today, true)
       AND NOT EXISTS (
             SELECT FROM public.subscriptions AS s
              WHERE s.organization_id = i.organization_id AND s.id = i.subscription_id AND s.status <> 'ended'
                AND NOT EXISTS (SELECT FROM public.customers AS c
                                 WHERE c.organization_id = s.organization_id AND c.id = s.customer_id
                                   AND c.erased_at IS NOT NULL)
                AND greatest(i.running_number, v.running_number)
                    = (SELECT max(n.running_number) FROM public.invoices AS n
                        WHERE n.organization_id = s.organization_id AND n.subscription_id = s.id))
     ORDER BY i.retain_until
     LIMIT rows_max
  ), gone AS (
    DELETE FROM public.invoices AS i USING old
     WHERE i.organization_id = old.organization_id AND i.id = ANY (old.ids)
    RETURNING i.organization_id, i.ledger_number
  ), noted AS (
    UPDATE public.invoice_ledgers AS l SET removed_number = greatest(l.removed_number, removed.number)
      FROM (SELECT gone.organization_id, max(gone.ledger_number) AS number FROM gone GROUP BY 1) AS removed
     WHERE l.organization_id = removed.organization_id
  )
  SELECT count(*) INTO deleted FROM gone;
  RETURN deleted;
END
$$;

ALTER FUNCTION public.delete_old_invoices(rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_invoices(rows_max integer) IS 'Deletes documents that need not be kept any more, at most so many and those that reverse them, with what belongs to them; returns their number.';

CREATE FUNCTION public.delete_old_meter_readings(older_than date, rows_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
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

ALTER FUNCTION public.delete_old_meter_readings(older_than date, rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_meter_readings(older_than date, rows_max integer) IS 'Deletes readings of before a day at least three years back, unless a bill needs them or a later reading is compared with them; at most so many; returns their number.';

CREATE FUNCTION public.delete_old_usage_days(older_than date, days_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
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

ALTER FUNCTION public.delete_old_usage_days(older_than date, days_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_usage_days(older_than date, days_max integer) IS 'Deletes usage of days before a day at least three years back, with its quarter hours and their history, unless a bill needs it; at most so many days; returns their number.';

CREATE FUNCTION public.delete_old_vouchers(rows_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  -- The first day of the oldest year of which anything is kept.
  oldest constant date := date_trunc('year', now() AT TIME ZONE 'Europe/Berlin') - interval '8 years';
  files bigint;
  entries bigint;
BEGIN
  DELETE FROM public.payment_files AS gone
   USING (SELECT f.organization_id, f.id FROM public.payment_files AS f
           WHERE f.created_at < oldest::timestamp AT TIME ZONE 'Europe/Berlin'
             AND NOT EXISTS (SELECT FROM public.payments AS p
                              WHERE p.organization_id = f.organization_id AND p.file_id = f.id)
           ORDER BY f.created_at
           LIMIT rows_max) AS old
   WHERE gone.organization_id = old.organization_id AND gone.id = old.id;
  GET DIAGNOSTICS files = ROW_COUNT;
  DELETE FROM public.bank_entries AS gone
   USING (SELECT e.organization_id, e.id FROM public.bank_entries AS e
           WHERE e.booked_on < oldest
             AND NOT EXISTS (SELECT FROM public.payments AS p
                              WHERE p.organization_id = e.organization_id AND p.bank_entry_id = e.id)
           ORDER BY e.booked_on
           LIMIT rows_max - files) AS old
   WHERE gone.organization_id = old.organization_id AND gone.id = old.id;
  GET DIAGNOSTICS entries = ROW_COUNT;
  RETURN files + entries;
END
$$;

ALTER FUNCTION public.delete_old_vouchers(rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_vouchers(rows_max integer) IS 'Deletes files for the bank and movements of the account after eight years, at most so many; returns their number.';

CREATE FUNCTION public.drop_old_quarter_hour_chunks(older_than timestamp with time zone, chunks_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  gone record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT * INTO gone FROM public.drop_oldest_chunks('asset_quarter_hours', older_than, chunks_max);
  UPDATE public.quarter_hour_progress SET quarter_hours_dropped_until = gone.dropped_until
   WHERE quarter_hours_dropped_until < gone.dropped_until;
  RETURN gone.dropped;
END
$$;

ALTER FUNCTION public.drop_old_quarter_hour_chunks(older_than timestamp with time zone, chunks_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.drop_old_quarter_hour_chunks(older_than timestamp with time zone, chunks_max integer) IS 'Drops the oldest chunks of asset_quarter_hours that lie wholly before an instant, at most so many; returns their number.';

CREATE FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone, chunks_max integer DEFAULT 10) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  summed timestamptz;
  settling timestamp;
  gone record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT summed_until INTO STRICT summed FROM public.quarter_hour_progress;
  WITH runs AS (
    SELECT run.state, run.due_at, date_trunc('month', run.due_at AT TIME ZONE 'Europe/Berlin') AS month
      FROM public.job_runs AS run
     WHERE run.organization_id IS NULL AND run.job = 'settle-usage' AND run.key IS NOT NULL
  )
  SELECT min(runs.month) - interval '1 month' INTO settling
    FROM runs
   WHERE runs.state <> 'done'
     AND NOT EXISTS (SELECT FROM runs AS later
                      WHERE later.state = 'done' AND later.month = runs.month AND later.due_at > runs.due_at);
  IF older_than <= now() THEN
    IF isfinite(summed) THEN
      older_than := least(older_than, greatest(summed, older_than - interval '1 month'));
    END IF;
    older_than := least(older_than, settling AT TIME ZONE 'Europe/Berlin' - interval '15 minutes');
  END IF;
  SELECT * INTO gone FROM public.drop_oldest_chunks('asset_snapshots', older_than, chunks_max);
  UPDATE public.quarter_hour_progress SET snapshots_dropped_until = gone.dropped_until
   WHERE snapshots_dropped_until < gone.dropped_until;
  RETURN gone.dropped;
END
$$;

ALTER FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone, chunks_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone, chunks_max integer) IS 'Drops the oldest chunks of asset_snapshots that lie wholly before an instant, at most so many; returns their number.';

CREATE FUNCTION public.drop_oldest_chunks(hypertable text, older_than timestamp with time zone, chunks_max integer, OUT dropped bigint, OUT dropped_until timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Chunks are dropped up to an instant in the past only';
  END IF;
  dropped := 0;
  SELECT max(oldest.range_end) INTO dropped_until
    FROM (SELECT range_end FROM timescaledb_information.chunks
           WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND range_end <= older_than
           ORDER BY range_end LIMIT chunks_max) AS oldest;
  IF dropped_until IS NOT NULL THEN
    SELECT count(*) INTO dropped
      FROM public.drop_chunks(format('public.%I', hypertable)::regclass, older_than => dropped_until);
  END IF;
END
$$;

ALTER FUNCTION public.drop_oldest_chunks(hypertable text, older_than timestamp with time zone, chunks_max integer, OUT dropped bigint, OUT dropped_until timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.drop_oldest_chunks(hypertable text, older_than timestamp with time zone, chunks_max integer, OUT dropped bigint, OUT dropped_until timestamp with time zone) IS 'Drops the oldest chunks of a hypertable that lie wholly before an instant, at most so many.';

CREATE FUNCTION public.end_long_analyst_sessions(statement_limit interval DEFAULT '00:01:00'::interval, transaction_limit interval DEFAULT '00:05:00'::interval, OUT cancelled integer, OUT ended integer) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  grace constant interval := '30 seconds';
BEGIN
  WITH sessions AS (
    SELECT s.pid,
           NOT r.rolcanlogin OR s.datname IS DISTINCT FROM current_database() AND NOT EXISTS (
             SELECT FROM pg_database AS d, aclexplode(d.datacl) AS given
              WHERE d.oid = s.datid AND given.grantee = r.oid AND given.privilege_type = 'CONNECT') AS is_stray,
           s.state IN ('active', 'fastpath function call') AS is_running,
           clock_timestamp() - s.query_start AS statement_age,
           clock_timestamp() - s.xact_start AS transaction_age,
           CASE WHEN s.state LIKE 'idle in transaction%' THEN clock_timestamp() - s.state_change END AS idle_age
      FROM pg_stat_activity AS s
      JOIN pg_roles AS r ON r.oid = s.usesysid
      JOIN public.analysts AS a ON r.rolname = 'voltstream_analyst_' || a.name
     WHERE s.backend_type = 'client backend' AND s.pid <> pg_backend_pid()
  ), judged AS (
    SELECT pid, coalesce(is_stray OR transaction_age > transaction_limit OR idle_age > statement_limit
                         OR (is_running AND statement_age > statement_limit + grace), false) AS ends,
           coalesce(is_running AND statement_age > statement_limit, false) AS is_late
      FROM sessions
  ), done AS (
    SELECT ends, CASE WHEN ends THEN pg_terminate_backend(pid) ELSE pg_cancel_backend(pid) END AS is_done
      FROM judged WHERE ends OR is_late
  )
  SELECT count(*) FILTER (WHERE is_done AND NOT ends), count(*) FILTER (WHERE is_done AND ends)
    INTO cancelled, ended
    FROM done;
END
$$;

ALTER FUNCTION public.end_long_analyst_sessions(statement_limit interval, transaction_limit interval, OUT cancelled integer, OUT ended integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.end_long_analyst_sessions(statement_limit interval, transaction_limit interval, OUT cancelled integer, OUT ended integer) IS 'Cancels statements and ends sessions of analysts that outlive their limits; returns how many.';

CREATE FUNCTION public.erase_asset_snapshots(asset_key bigint, rows_max integer DEFAULT 10000) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
DECLARE
  erased bigint;
  by_rows_from timestamptz;
  boundary timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  by_rows_from := public.compressed_until('asset_snapshots');
  SELECT max(oldest.timestamp) INTO boundary
    FROM (SELECT s.timestamp FROM public.asset_snapshots AS s
           WHERE s.asset_id = asset_key AND s.timestamp >= by_rows_from
           ORDER BY s.timestamp LIMIT rows_max) AS oldest;
  IF boundary IS NULL THEN
    DELETE FROM public.asset_snapshots AS s WHERE s.asset_id = asset_key;
  ELSE
    DELETE FROM public.asset_snapshots AS s
     WHERE s.asset_id = asset_key AND s.timestamp >= by_rows_from AND s.timestamp <= boundary;
  END IF;
  GET DIAGNOSTICS erased = ROW_COUNT;
  IF erased = 0 THEN
    DELETE FROM public.late_quarter_hours AS l WHERE l.asset_id = asset_key;
    DELETE FROM public.asset_days AS d WHERE d.asset_id = asset_key;
    DELETE FROM public.asset_quarter_hours AS q WHERE q.asset_id = asset_key;
    GET DIAGNOSTICS erased = ROW_COUNT;
  END IF;
  RETURN erased;
END
$$;

ALTER FUNCTION public.erase_asset_snapshots(asset_key bigint, rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.erase_asset_snapshots(asset_key bigint, rows_max integer) IS 'Deletes snapshots of one asset, by assets.key, some at a time, and then their sums by quarter hour and day; returns the number of rows, 0 when none is left.';

CREATE FUNCTION public.find_access(grant_id text, client_id text, token_id text DEFAULT NULL::text) RETURNS TABLE(organization_id text, standing text, revoked_at timestamp with time zone, disabled_at timestamp with time zone, token_revoked boolean, rate_per_second integer, rate_burst integer, is_of_one_customer boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT o.id, o.standing, g.revoked_at, c.disabled_at,
         EXISTS (SELECT FROM public.revoked_tokens r WHERE (r.organization_id, r.jti) = (g.organization_id, token_id)),
         c.rate_per_second, c.rate_burst, c.customer_id IS NOT NULL
    FROM public.grants g
    JOIN public.auth_clients c ON (c.organization_id, c.id) = (g.organization_id, g.client_id)
    JOIN public.organizations o ON o.id = g.organization_id
   WHERE g.id = grant_id AND g.client_id = find_access.client_id;
END
$$;

ALTER FUNCTION public.find_access(grant_id text, client_id text, token_id text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_access(grant_id text, client_id text, token_id text) IS 'Whether an access token, its grant, its client and its organization are alive, and how often the client may call.';

CREATE TABLE public.authorization_codes (
    hash bytea NOT NULL,
    organization_id text NOT NULL,
    request_id text NOT NULL,
    client_id text NOT NULL,
    customer_id text NOT NULL,
    redirect_uri text NOT NULL,
    code_challenge text,
    grant_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    scopes text[],
    CONSTRAINT authorization_codes_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT authorization_codes_scopes_check CHECK ((scopes <@ ARRAY['read:*'::text, 'write:*'::text])),
    CONSTRAINT authorization_codes_scopes_check1 CHECK ((scopes <> '{}'::text[]))
);

ALTER TABLE ONLY public.authorization_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.authorization_codes OWNER TO voltstream_owner;

COMMENT ON TABLE public.authorization_codes IS 'Authorization codes, hashed; single use, 10 minutes.';

COMMENT ON COLUMN public.authorization_codes.hash IS 'HMAC-SHA-256 of the code under the pepper, 32 bytes.';

COMMENT ON COLUMN public.authorization_codes.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.authorization_codes.request_id IS 'The authorization request that it answers.';

COMMENT ON COLUMN public.authorization_codes.client_id IS 'The client it was issued to.';

COMMENT ON COLUMN public.authorization_codes.customer_id IS 'The customer who allowed it. Personal; for the access of a program; 30 days, or as long as the grant.';

COMMENT ON COLUMN public.authorization_codes.redirect_uri IS 'The token request must name exactly this text.';

COMMENT ON COLUMN public.authorization_codes.code_challenge IS 'As in the request; null: no verifier may be presented.';

COMMENT ON COLUMN public.authorization_codes.grant_id IS 'What was issued for it: revoked when the code comes back.';

COMMENT ON COLUMN public.authorization_codes.created_at IS 'Instant of the consent.';

COMMENT ON COLUMN public.authorization_codes.expires_at IS '10 minutes later; the instant of the consent where the customer has withdrawn it.';

COMMENT ON COLUMN public.authorization_codes.used_at IS 'Presented at, successfully or not.';

COMMENT ON COLUMN public.authorization_codes.scopes IS 'What the customer allowed; null: all that the client has.';

CREATE FUNCTION public.find_authorization_code(code_hash bytea) RETURNS TABLE(organization_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT c.organization_id
    FROM public.authorization_codes c
   WHERE (c.hash = find_authorization_code.code_hash);
END;

ALTER FUNCTION public.find_authorization_code(code_hash bytea) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_authorization_code(code_hash bytea) IS 'Whose code it is: a client of another organization presented it, so it has leaked.';

CREATE TABLE public.authorization_requests (
    organization_id text NOT NULL,
    id text NOT NULL,
    client_id text NOT NULL,
    redirect_uri text NOT NULL,
    state bytea,
    code_challenge text,
    flow text NOT NULL,
    browser_hash bytea,
    email text,
    sign_up json,
    customer_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    scopes text[],
    CONSTRAINT authorization_requests_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
    CONSTRAINT authorization_requests_flow_check CHECK ((flow = ANY (ARRAY['consent'::text, 'login'::text, 'signup'::text]))),
    CONSTRAINT authorization_requests_id_check CHECK ((id ~ '^atx_[0-9a-z]{24}$'::text)),
    CONSTRAINT authorization_requests_scopes_check CHECK ((scopes <@ ARRAY['read:*'::text, 'write:*'::text])),
    CONSTRAINT authorization_requests_scopes_check1 CHECK ((scopes <> '{}'::text[]))
);

ALTER TABLE ONLY public.authorization_requests FORCE ROW LEVEL SECURITY;

ALTER TABLE public.authorization_requests OWNER TO voltstream_owner;

COMMENT ON TABLE public.authorization_requests IS 'Calls of the authorize endpoint, from the redirect to the sign-in until the answer; for 2 hours.';

COMMENT ON COLUMN public.authorization_requests.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.authorization_requests.id IS 'atx_ and 24 random characters; in the address of every screen.';

COMMENT ON COLUMN public.authorization_requests.client_id IS 'The client that asks.';

COMMENT ON COLUMN public.authorization_requests.redirect_uri IS 'Where the answer goes, as it was sent.';

COMMENT ON COLUMN public.authorization_requests.state IS 'The client''s own text, byte by byte; goes back unchanged.';

COMMENT ON COLUMN public.authorization_requests.code_challenge IS 'base64url of the SHA-256 of the expected verifier; null: none was sent.';

COMMENT ON COLUMN public.authorization_requests.flow IS 'consent: sign in and consent; login: consent for third parties only; signup: may create a customer.';

COMMENT ON COLUMN public.authorization_requests.browser_hash IS 'HMAC-SHA-256 of the cookie of the browser that opened the first screen.';

COMMENT ON COLUMN public.authorization_requests.email IS 'Address that was typed in. Personal; to send the code and to show where it went; until the answer, 2 hours at most.';

COMMENT ON COLUMN public.authorization_requests.sign_up IS 'Names of a customer to be created. Personal; for the supply contract; until the answer, 2 hours at most.';

COMMENT ON COLUMN public.authorization_requests.customer_id IS 'The customer who signed in; null before.';

COMMENT ON COLUMN public.authorization_requests.created_at IS 'Instant of the call.';

COMMENT ON COLUMN public.authorization_requests.expires_at IS '15 minutes later.';

COMMENT ON COLUMN public.authorization_requests.ended_at IS 'Answered at: allowed, denied or failed.';

COMMENT ON COLUMN public.authorization_requests.scopes IS 'What the client asked for; null: all that it has.';

CREATE FUNCTION public.find_authorization_request(request_id text) RETURNS TABLE(organization_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT r.organization_id
    FROM public.authorization_requests r
   WHERE (r.id = find_authorization_request.request_id);
END;

ALTER FUNCTION public.find_authorization_request(request_id text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_authorization_request(request_id text) IS 'Whose authorization request it is: a screen knows the id only.';

CREATE FUNCTION public.find_changes(seen pg_snapshot, changes_max integer) RETURNS TABLE(server_started_at timestamp with time zone, seen_now pg_snapshot, is_complete boolean, organizations text[], objects text[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '200ms'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT pg_postmaster_start_time(), pg_current_snapshot(), count(*) <= changes_max,
         coalesce(array_agg(changed.organization_id), '{}'), coalesce(array_agg(changed.object), '{}')
    FROM ((SELECT c.organization_id AS organization_id, c.household_id AS object FROM public.assets c
            WHERE c.changed_in >= pg_snapshot_xmax(seen) AND c.changed_in < pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY c.changed_in LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id, c.household_id FROM public.assets c
            WHERE c.changed_in = ANY (ARRAY(SELECT pg_snapshot_xip(seen))) LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id AS organization_id, c.id AS object FROM public.grants c
            WHERE c.changed_in >= pg_snapshot_xmax(seen) AND c.changed_in < pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY c.changed_in LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id, c.id FROM public.grants c
            WHERE c.changed_in = ANY (ARRAY(SELECT pg_snapshot_xip(seen))) LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id AS organization_id, c.id AS object FROM public.auth_clients c
            WHERE c.changed_in >= pg_snapshot_xmax(seen) AND c.changed_in < pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY c.changed_in LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id, c.id FROM public.auth_clients c
            WHERE c.changed_in = ANY (ARRAY(SELECT pg_snapshot_xip(seen))) LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.id AS organization_id, c.id AS object FROM public.organizations c
            WHERE c.changed_in >= pg_snapshot_xmax(seen) AND c.changed_in < pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY c.changed_in LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.id, c.id FROM public.organizations c
            WHERE c.changed_in = ANY (ARRAY(SELECT pg_snapshot_xip(seen))) LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id AS organization_id, c.jti AS object FROM public.revoked_tokens c
            WHERE c.changed_in >= pg_snapshot_xmax(seen) AND c.changed_in < pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY c.changed_in LIMIT changes_max + 1)
          UNION ALL
          (SELECT c.organization_id, c.jti FROM public.revoked_tokens c
            WHERE c.changed_in = ANY (ARRAY(SELECT pg_snapshot_xip(seen))) LIMIT changes_max + 1)) changed;
END
$$;

ALTER FUNCTION public.find_changes(seen pg_snapshot, changes_max integer) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_changes(seen pg_snapshot, changes_max integer) IS 'Households whose assets, and grants, clients, organizations and tokens that a snapshot did not see as they are now, and the snapshot to ask with next time.';

CREATE FUNCTION public.find_client(client_id text) RETURNS TABLE(id text, organization_id text, standing text, role text, customer_id text, scopes text[], grants text[], public boolean, third_party boolean, version text, disabled_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT c.id, c.organization_id, o.standing, c.role, c.customer_id, c.scopes, c.grants, c.public, c.third_party,
         c.version, c.disabled_at
    FROM public.auth_clients c JOIN public.organizations o ON o.id = c.organization_id
   WHERE c.id = client_id;
END
$$;

ALTER FUNCTION public.find_client(client_id text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_client(client_id text) IS 'An auth client with the standing of its organization.';

CREATE TABLE public.console_users (
    organization_id text NOT NULL,
    id text NOT NULL,
    email text NOT NULL,
    email_lower text GENERATED ALWAYS AS (lower(email)) STORED,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.console_users FORCE ROW LEVEL SECURITY;

ALTER TABLE public.console_users OWNER TO voltstream_owner;

COMMENT ON TABLE public.console_users IS 'People of an organization who may sign in to its console.';

COMMENT ON COLUMN public.console_users.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.console_users.id IS 'Opaque id, usr_.';

COMMENT ON COLUMN public.console_users.email IS 'Where codes are mailed to; of one organization only. Personal; to sign in; as long as the user.';

COMMENT ON COLUMN public.console_users.email_lower IS 'In small letters, by which it is found.';

COMMENT ON COLUMN public.console_users.created_at IS 'Instant of creation.';

CREATE FUNCTION public.find_console_organization(address text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT o.id
    FROM (public.organizations o
      LEFT JOIN public.console_users u ON (((u.organization_id = o.id) AND (u.email_lower = lower(find_console_organization.address)))))
   WHERE (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text]))
   ORDER BY (u.id IS NULL), o.created_at, o.id
  LIMIT 1;
END;

ALTER FUNCTION public.find_console_organization(address text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_console_organization(address text) IS 'Where somebody with this address signs in to the console.';

CREATE TABLE public.console_sessions (
    hash bytea NOT NULL,
    organization_id text NOT NULL,
    user_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT console_sessions_hash_check CHECK ((octet_length(hash) = 32))
);

ALTER TABLE ONLY public.console_sessions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.console_sessions OWNER TO voltstream_owner;

COMMENT ON TABLE public.console_sessions IS 'Sessions of users in the console.';

COMMENT ON COLUMN public.console_sessions.hash IS 'HMAC-SHA-256 of the cookie, 32 bytes.';

COMMENT ON COLUMN public.console_sessions.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.console_sessions.user_id IS 'Who is signed in.';

COMMENT ON COLUMN public.console_sessions.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.console_sessions.expires_at IS '12 hours after creation.';

CREATE FUNCTION public.find_console_session(session_hash bytea) RETURNS TABLE(organization_id text, user_id text, email text, expires_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT s.organization_id,
     s.user_id,
     u.email,
     s.expires_at
    FROM ((public.console_sessions s
      JOIN public.console_users u ON (((u.organization_id = s.organization_id) AND (u.id = s.user_id))))
      JOIN public.organizations o ON ((o.id = s.organization_id)))
   WHERE ((s.hash = find_console_session.session_hash) AND (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text])));
END;

ALTER FUNCTION public.find_console_session(session_hash bytea) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_console_session(session_hash bytea) IS 'The user who is signed in to the console, and until when; none while the organization is switched off.';

CREATE TABLE public.grants (
    organization_id text NOT NULL,
    id text NOT NULL,
    client_id text NOT NULL,
    customer_id text,
    kind text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    revoked_reason text,
    changed_in xid8,
    CONSTRAINT grants_check CHECK (((revoked_at IS NULL) = (revoked_reason IS NULL))),
    CONSTRAINT grants_id_check CHECK ((id ~ '^grt_[0-9a-z]{24}$'::text)),
    CONSTRAINT grants_kind_check CHECK ((kind = ANY (ARRAY['client_credentials'::text, 'authorization_code'::text]))),
    CONSTRAINT grants_scopes_check CHECK ((scopes <@ ARRAY['read:*'::text, 'write:*'::text])),
    CONSTRAINT grants_scopes_check1 CHECK ((scopes <> '{}'::text[]))
);

ALTER TABLE ONLY public.grants FORCE ROW LEVEL SECURITY;

ALTER TABLE public.grants OWNER TO voltstream_owner;

COMMENT ON TABLE public.grants IS 'What was issued together and is revoked together.';

COMMENT ON COLUMN public.grants.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.grants.id IS 'grt_ and 24 random characters; access tokens carry it.';

COMMENT ON COLUMN public.grants.client_id IS 'The client it was issued to.';

COMMENT ON COLUMN public.grants.customer_id IS 'The customer it acts for; null: the whole organization. Personal; for the access of a program; 30 days after its last token.';

COMMENT ON COLUMN public.grants.kind IS 'The grant type that began it.';

COMMENT ON COLUMN public.grants.scopes IS 'What was given; a refresh never widens it.';

COMMENT ON COLUMN public.grants.created_at IS 'Beginning; refresh tokens end 180 days later at the latest.';

COMMENT ON COLUMN public.grants.revoked_at IS 'Dead since; access tokens within 5 seconds.';

COMMENT ON COLUMN public.grants.revoked_reason IS 'Why it was revoked.';

COMMENT ON COLUMN public.grants.changed_in IS 'The transaction that ended it; never shown. Processes that believe its tokens ask by it.';

CREATE FUNCTION public.find_grant(grant_id text) RETURNS TABLE(organization_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT g.organization_id
    FROM public.grants g
   WHERE (g.id = find_grant.grant_id);
END;

ALTER FUNCTION public.find_grant(grant_id text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_grant(grant_id text) IS 'Whose grant it is.';

CREATE TABLE public.magic_links (
    hash bytea NOT NULL,
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT magic_links_hash_check CHECK ((octet_length(hash) = 32))
);

ALTER TABLE ONLY public.magic_links FORCE ROW LEVEL SECURITY;

ALTER TABLE public.magic_links OWNER TO voltstream_owner;

COMMENT ON TABLE public.magic_links IS 'Links into the portal, used once.';

COMMENT ON COLUMN public.magic_links.hash IS 'HMAC-SHA-256 of the link''s secret, 32 bytes.';

COMMENT ON COLUMN public.magic_links.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.magic_links.customer_id IS 'Whom it lets in. Personal; to sign in; 30 days after its end.';

COMMENT ON COLUMN public.magic_links.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.magic_links.expires_at IS '15 minutes after creation.';

COMMENT ON COLUMN public.magic_links.used_at IS 'Used at; it works once.';

CREATE FUNCTION public.find_magic_link(link_hash bytea) RETURNS TABLE(organization_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT l.organization_id
    FROM public.magic_links l
   WHERE (l.hash = find_magic_link.link_hash);
END;

ALTER FUNCTION public.find_magic_link(link_hash bytea) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_magic_link(link_hash bytea) IS 'Whose link into the portal it is, also while the organization is switched off.';

CREATE TABLE public.portal_sessions (
    hash bytea NOT NULL,
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT portal_sessions_hash_check CHECK ((octet_length(hash) = 32))
);

ALTER TABLE ONLY public.portal_sessions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.portal_sessions OWNER TO voltstream_owner;

COMMENT ON TABLE public.portal_sessions IS 'Sessions of customers in the portal.';

COMMENT ON COLUMN public.portal_sessions.hash IS 'HMAC-SHA-256 of the cookie, 32 bytes.';

COMMENT ON COLUMN public.portal_sessions.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.portal_sessions.customer_id IS 'Who is signed in. Personal; to stay signed in; 30 days after its end.';

COMMENT ON COLUMN public.portal_sessions.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.portal_sessions.expires_at IS '12 hours after creation.';

CREATE FUNCTION public.find_portal_session(session_hash bytea) RETURNS TABLE(organization_id text, customer_id text, expires_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT s.organization_id,
     s.customer_id,
     s.expires_at
    FROM (public.portal_sessions s
      JOIN public.organizations o ON ((o.id = s.organization_id)))
   WHERE ((s.hash = find_portal_session.session_hash) AND (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text])));
END;

ALTER FUNCTION public.find_portal_session(session_hash bytea) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_portal_session(session_hash bytea) IS 'The account that is signed in in the portal, and until when; none while the organization is switched off.';

CREATE FUNCTION public.find_quarter_hour_progress(entries_counted_max integer, OUT summed_until timestamp with time zone, OUT summed_at timestamp with time zone, OUT late_entries bigint, OUT oldest_late_at timestamp with time zone) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  WITH RECURSIVE names AS (
    SELECT min(late.organization) AS name FROM public.late_quarter_hours AS late
    UNION ALL
    SELECT (SELECT min(late.organization) FROM public.late_quarter_hours AS late WHERE late.organization > names.name)
      FROM names WHERE names.name IS NOT NULL
  ), oldest AS (
    SELECT min((SELECT min(late.queued_at) FROM public.late_quarter_hours AS late
                 WHERE late.organization = names.name)) AS queued_at
      FROM names
  )
  SELECT nullif(progress.summed_until, '-infinity'),
         CASE WHEN progress.summed_at IS NOT NULL THEN least(progress.summed_at, oldest.queued_at) END,
         (SELECT count(*) FROM (SELECT FROM public.late_quarter_hours LIMIT entries_counted_max) AS counted),
         oldest.queued_at
    FROM public.quarter_hour_progress AS progress CROSS JOIN oldest
$$;

ALTER FUNCTION public.find_quarter_hour_progress(entries_counted_max integer, OUT summed_until timestamp with time zone, OUT summed_at timestamp with time zone, OUT late_entries bigint, OUT oldest_late_at timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.find_quarter_hour_progress(entries_counted_max integer, OUT summed_until timestamp with time zone, OUT summed_at timestamp with time zone, OUT late_entries bigint, OUT oldest_late_at timestamp with time zone) IS 'How far the sums by quarter hour have come, and what waits to be summed again.';

CREATE FUNCTION public.find_snapshot_weeks_ahead(at timestamp with time zone) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT NULL::integer
$$;

ALTER FUNCTION public.find_snapshot_weeks_ahead(at timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.find_snapshot_weeks_ahead(at timestamp with time zone) IS 'How many whole weeks behind an instant measured values have their place already; null: nothing has to be made ahead.';

CREATE TABLE public.request_days (
    organization_id text NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    refused bigint NOT NULL,
    rows_stored bigint NOT NULL
);

ALTER TABLE ONLY public.request_days FORCE ROW LEVEL SECURITY;

ALTER TABLE public.request_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.request_days IS 'Requests of an organization by day, also of those that the log has no row of.';

COMMENT ON COLUMN public.request_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.request_days.day IS 'The day of the calendar in Berlin.';

COMMENT ON COLUMN public.request_days.requests IS 'Number of requests with a valid token.';

COMMENT ON COLUMN public.request_days.refused IS 'Number of those that were answered with 400 or more.';

COMMENT ON COLUMN public.request_days.rows_stored IS 'Number of rows that were newly stored.';

CREATE TABLE public.request_minutes (
    organization_id text NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests bigint NOT NULL,
    rows_stored bigint NOT NULL
);

ALTER TABLE ONLY public.request_minutes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.request_minutes OWNER TO voltstream_owner;

COMMENT ON TABLE public.request_minutes IS 'Requests of an organization by minute, for the rate of the last minutes. Kept for a day.';

COMMENT ON COLUMN public.request_minutes.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.request_minutes.minute IS 'Start of the minute of the answer; of the hour where the database was away.';

COMMENT ON COLUMN public.request_minutes.requests IS 'Number of requests with a valid token.';

COMMENT ON COLUMN public.request_minutes.rows_stored IS 'Number of rows that were newly stored.';

CREATE FUNCTION public.find_stored_rows(first_day date, since timestamp with time zone) RETURNS TABLE(rows_of_days bigint, rows_of_minutes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT ( SELECT (COALESCE(sum(d.rows_stored), (0)::numeric))::bigint AS "coalesce"
            FROM public.request_days d
           WHERE (d.day >= find_stored_rows.first_day)) AS "coalesce",
     ( SELECT (COALESCE(sum(m.rows_stored), (0)::numeric))::bigint AS "coalesce"
            FROM public.request_minutes m
           WHERE (m.minute >= find_stored_rows.since)) AS "coalesce";
END;

ALTER FUNCTION public.find_stored_rows(first_day date, since timestamp with time zone) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_stored_rows(first_day date, since timestamp with time zone) IS 'Rows that all organizations stored since a day, and since a minute.';

CREATE FUNCTION public.find_usual_distances(keys bigint[], before timestamp with time zone) RETURNS TABLE(asset_id bigint, seconds double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET "timescaledb.enable_runtime_exclusion" TO 'off'
    AS $$
BEGIN
  RETURN QUERY
  SELECT asset.key, date_part('epoch', usual.distance)
    FROM unnest(keys) AS asset (key)
   CROSS JOIN LATERAL (
     SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY apart.distance) AS distance
       FROM (SELECT last.timestamp - lag(last.timestamp) OVER (ORDER BY last.timestamp) AS distance
               FROM (SELECT s.timestamp
                       FROM public.asset_snapshots AS s
                      WHERE s.asset_id = asset.key AND s.power_kw IS NOT NULL
                        AND s.timestamp > before - interval '3 days' AND s.timestamp < before
                      ORDER BY s.timestamp DESC
                      LIMIT 100) AS last) AS apart
     HAVING count(apart.distance) >= 4) AS usual;
END
$$;

ALTER FUNCTION public.find_usual_distances(keys bigint[], before timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.find_usual_distances(keys bigint[], before timestamp with time zone) IS 'How far apart values of an asset usually lie before an instant; no row where too few are known.';

CREATE FUNCTION public.give_asset_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  digest bytea := sha256(convert_to(NEW.organization_id || ' ' || NEW.household_id, 'UTF8'));
  bucket integer := ((get_byte(digest, 0) << 2) | (get_byte(digest, 1) >> 6)) - 512;
  first_key bigint := nextval('public.asset_keys') << 16;
BEGIN
  NEW.key := coalesce(
    (SELECT tried.key FROM (SELECT generate_series(first_key, first_key + 65535) AS key) tried
      WHERE hashint8(tried.key) >> 22 = bucket LIMIT 1),
    first_key);
  RETURN NEW;
END
$$;

ALTER FUNCTION public.give_asset_key() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.give_asset_key() IS 'Gives an asset a key in the bucket of its household.';

CREATE FUNCTION public.held_power(asset_key bigint, begun timestamp with time zone, ended timestamp with time zone, stored_before timestamp with time zone) RETURNS TABLE(start double precision, seconds double precision, consumed double precision, fed double precision, next_seconds double precision, next_consumed double precision, next_fed double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
BEGIN
  PERFORM FROM public.assets AS a WHERE a.key = asset_key;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT parts.quarter_hour, sum(parts.seconds), sum(parts.seconds * parts.consumed_kw), sum(parts.seconds * parts.fed_kw),
         sum(parts.next_seconds), sum(parts.next_seconds * parts.consumed_kw), sum(parts.next_seconds * parts.fed_kw)
    FROM (SELECT holds.quarter_hour, CASE WHEN holds.power_kw > 1e-12 THEN holds.power_kw ELSE 0 END AS consumed_kw,
                 CASE WHEN holds.power_kw < -1e-12 THEN -holds.power_kw ELSE 0 END AS fed_kw,
                 least(holds.until, holds.quarter_hour + 900) - holds.since AS seconds,
                 greatest(holds.until - holds.quarter_hour - 900, 0) AS next_seconds
            FROM (SELECT held.since, held.power_kw, floor(held.since / 900) * 900 AS quarter_hour,
                         least(lead(held.since) OVER (ORDER BY held.timestamp), held.since + 900) AS until
                    FROM (SELECT s.timestamp, date_part('epoch', s.timestamp) AS since, s.power_kw
                            FROM public.asset_snapshots AS s
                           WHERE s.asset_id = asset_key AND s.timestamp >= begun AND s.timestamp < ended
                             AND s.power_kw IS NOT NULL AND s.created_at < stored_before) AS held) AS holds
         ) AS parts
   GROUP BY parts.quarter_hour
   ORDER BY parts.quarter_hour;
END
$$;

ALTER FUNCTION public.held_power(asset_key bigint, begun timestamp with time zone, ended timestamp with time zone, stored_before timestamp with time zone) OWNER TO voltstream_snapshot_reader;

COMMENT ON FUNCTION public.held_power(asset_key bigint, begun timestamp with time zone, ended timestamp with time zone, stored_before timestamp with time zone) IS 'Power of one visible asset by quarter hours: for how long values held, and kW times seconds in both directions.';

CREATE FUNCTION public.hidden_ids(organization text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  PERFORM FROM public.customers AS c WHERE c.organization_id = organization AND c.restricted_at IS NOT NULL LIMIT 1;
  IF NOT FOUND THEN RETURN ''; END IF;
  RETURN (SELECT string_agg(r.id, ',') FROM public.restricted_ids AS r WHERE r.organization_id = organization);
END
$$;

ALTER FUNCTION public.hidden_ids(organization text) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.hidden_ids(organization text) IS 'What a transaction sets as app.hidden: restricted_ids of an organization, with commas between them.';

CREATE TABLE public.payments (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    id text NOT NULL,
    invoice_id text NOT NULL,
    direction text NOT NULL,
    way text NOT NULL,
    amount numeric(14,2) NOT NULL,
    status text NOT NULL,
    payment_method_id text,
    sequence_type text,
    file_id text,
    end_to_end_id text,
    block_id text,
    execute_on date,
    booked_on date,
    final_on date,
    return_reason text,
    bank_entry_id text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    restricted_at timestamp with time zone,
    meant_for text,
    failure_told_at timestamp with time zone,
    CONSTRAINT payments_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT payments_check CHECK (((way = ANY (ARRAY['direct_debit'::text, 'credit_transfer'::text])) = (file_id IS NOT NULL))),
    CONSTRAINT payments_check1 CHECK (((way = 'direct_debit'::text) = (sequence_type IS NOT NULL))),
    CONSTRAINT payments_check2 CHECK (((status = 'returned'::text) = (return_reason IS NOT NULL))),
    CONSTRAINT payments_check3 CHECK (((status = 'requested'::text) OR (booked_on IS NOT NULL))),
    CONSTRAINT payments_check4 CHECK (((status = 'credited'::text) <= (final_on IS NOT NULL))),
    CONSTRAINT payments_direction_check CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text]))),
    CONSTRAINT payments_id_check CHECK ((id ~ '^pay_[0-9a-z]{24}$'::text)),
    CONSTRAINT payments_sequence_type_check CHECK ((sequence_type = ANY (ARRAY['FRST'::text, 'RCUR'::text]))),
    CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'credited'::text, 'settled'::text, 'returned'::text]))),
    CONSTRAINT payments_way_check CHECK ((way = ANY (ARRAY['direct_debit'::text, 'credit_transfer'::text, 'bank_transfer'::text, 'entered'::text])))
);

ALTER TABLE ONLY public.payments FORCE ROW LEVEL SECURITY;

ALTER TABLE public.payments OWNER TO voltstream_owner;

COMMENT ON TABLE public.payments IS 'Each attempt to settle a bill, and each sum that came in or went out for it; kept as long as the bill.';

COMMENT ON COLUMN public.payments.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.payments.customer_id IS 'Whose bill it is.';

COMMENT ON COLUMN public.payments.id IS 'pay_ and 24 random characters.';

COMMENT ON COLUMN public.payments.invoice_id IS 'The bill. A debit of a prepayment that its closing bill took over moves to that bill; end_to_end_id keeps its number.';

COMMENT ON COLUMN public.payments.direction IS 'in: from the customer; out: to the customer.';

COMMENT ON COLUMN public.payments.way IS 'direct_debit, credit_transfer: by a file; bank_transfer: the customer paid by himself; entered: staff said so.';

COMMENT ON COLUMN public.payments.amount IS 'EUR. Personal; for billing; 8 years from the end of the year.';

COMMENT ON COLUMN public.payments.status IS 'requested: in a file; credited: booked, may still come back; settled: done; returned: came back.';

COMMENT ON COLUMN public.payments.payment_method_id IS 'The mandate or account that was used.';

COMMENT ON COLUMN public.payments.sequence_type IS 'FRST: first debit of the mandate; RCUR: a further one.';

COMMENT ON COLUMN public.payments.file_id IS 'The file that it is in.';

COMMENT ON COLUMN public.payments.end_to_end_id IS 'Comes back with its result.';

COMMENT ON COLUMN public.payments.block_id IS 'Block of the file.';

COMMENT ON COLUMN public.payments.execute_on IS 'Day on which the bank was to collect or pay.';

COMMENT ON COLUMN public.payments.booked_on IS 'Day on which the bank booked it last.';

COMMENT ON COLUMN public.payments.final_on IS 'Last day on which the bank of the payer returns a debit as unpaid.';

COMMENT ON COLUMN public.payments.return_reason IS 'Why it came back: code of ISO 20022.';

COMMENT ON COLUMN public.payments.bank_entry_id IS 'The movement on the account that said so last.';

COMMENT ON COLUMN public.payments.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.payments.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.payments.restricted_at IS 'As that of the bill.';

COMMENT ON COLUMN public.payments.meant_for IS 'The prepayment that it was for, where invoice_id is the bill that took it over; null: the bill itself.';

COMMENT ON COLUMN public.payments.failure_told_at IS 'When invoice.payment_failed told that it failed; null: it was not told.';

CREATE FUNCTION public.is_file_reported(file text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM public.payments p
           WHERE ((p.organization_id = NULLIF(current_setting('app.organization'::text, true), ''::text)) AND (NULLIF(current_setting('app.customer'::text, true), ''::text) IS NULL) AND (p.file_id = is_file_reported.file) AND (p.bank_entry_id IS NOT NULL)))) AS "exists";
END;

ALTER FUNCTION public.is_file_reported(file text) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.is_file_reported(file text) IS 'Whether a payment of this file of the organization was booked by a movement, also one of a person who was erased.';

CREATE FUNCTION public.is_needed_by_bill(organization text, contract text, first date, until date) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
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

ALTER FUNCTION public.is_needed_by_bill(organization text, contract text, first date, until date) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.is_needed_by_bill(organization text, contract text, first date, until date) IS 'Whether a bill of a contract is open on some days, the second one exclusive, or missing between its bills and behind them.';

CREATE FUNCTION public.keep_invoice() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  free constant text[] := ARRAY['status', 'paid_at', 'restricted_at', 'retain_until'];
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.retain_until < (now() AT TIME ZONE 'Europe/Berlin')::date THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Invoice % is kept until %', OLD.id, OLD.retain_until USING ERRCODE = 'restrict_violation';
  END IF;
  IF to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free OR NEW.retain_until < OLD.retain_until THEN
    RAISE EXCEPTION 'Invoice % was issued: it never changes', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
       ('open', 'paid'), ('open', 'uncollectible'), ('open', 'voided'), ('uncollectible', 'paid'), ('paid', 'voided'))
     OR NEW.paid_at IS DISTINCT FROM OLD.paid_at AND (NEW.status <> 'paid' OR OLD.status = 'paid') THEN
    RAISE EXCEPTION 'Invoice % is %: it does not become %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_invoice() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.keep_invoice() IS 'Refuses to change a document that was issued, and to remove it before its time.';

CREATE FUNCTION public.keep_invoice_part() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'restricted_at' IS NOT DISTINCT FROM to_jsonb(OLD) - 'restricted_at' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND NOT EXISTS (
    SELECT FROM invoices WHERE organization_id = OLD.organization_id AND id = OLD.invoice_id
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'Invoice % was issued: what belongs to it never changes', OLD.invoice_id
    USING ERRCODE = 'restrict_violation';
END
$$;

ALTER FUNCTION public.keep_invoice_part() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.keep_invoice_part() IS 'Refuses to change lines and files of a document, and to remove them without it.';

CREATE FUNCTION public.keep_price_kind() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  given constant text := CASE WHEN NEW.source = 'synthetic' THEN 'synthetic'
                              WHEN NEW.url ~ '^https?://(127\.|localhost[:/]|\[::1\])' THEN 'local'
                              WHEN NEW.url ~ '^https?://' THEN 'market' END;
  held text;
BEGIN
  SELECT kind INTO held FROM price_kind;
  IF held IS NULL AND given = 'synthetic' AND EXISTS (SELECT FROM price_source_days WHERE source <> 'synthetic') THEN
    held := 'market';
  ELSIF held IS NULL AND given IS NOT NULL THEN
    INSERT INTO price_kind (kind) VALUES (given) ON CONFLICT DO NOTHING;
    SELECT kind INTO held FROM price_kind;
  END IF;
  IF held IS DISTINCT FROM given AND (given IS NOT NULL OR held = 'synthetic') THEN
    RAISE EXCEPTION 'This database holds % prices: those of % are kept apart from them', held, NEW.source
      USING ERRCODE = 'check_violation', CONSTRAINT = 'price_kind';
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION public.keep_price_kind() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.keep_price_kind() IS 'Trigger: invented prices and those of the market never meet in one database.';

CREATE FUNCTION public.last_days_of_assets(asset_ids text[]) RETURNS TABLE(asset text, day date)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_variable
DECLARE
  asset_key bigint;
BEGIN
  FOR asset, asset_key IN SELECT a.id, a.key FROM public.assets AS a WHERE a.id = ANY (asset_ids) LOOP
    SELECT d.day INTO day FROM public.asset_days AS d
     WHERE d.asset_id = asset_key AND d.samples > 0
     ORDER BY d.day DESC LIMIT 1;
    IF FOUND THEN RETURN NEXT; END IF;
  END LOOP;
END
$$;

ALTER FUNCTION public.last_days_of_assets(asset_ids text[]) OWNER TO voltstream_snapshot_reader;

COMMENT ON FUNCTION public.last_days_of_assets(asset_ids text[]) IS 'The last day that is over on which a visible asset sent a power value; no row where there is none.';

CREATE TABLE public.invoice_ledgers (
    organization_id text NOT NULL,
    last_number bigint NOT NULL,
    number_before bigint,
    moved_in xid8,
    removed_number bigint DEFAULT 0 NOT NULL,
    series integer DEFAULT 0 NOT NULL,
    CONSTRAINT invoice_ledgers_last_number_check CHECK ((last_number >= 0)),
    CONSTRAINT invoice_ledgers_series_check CHECK ((series >= 0))
);

ALTER TABLE ONLY public.invoice_ledgers FORCE ROW LEVEL SECURITY;

ALTER TABLE public.invoice_ledgers OWNER TO voltstream_owner;

COMMENT ON TABLE public.invoice_ledgers IS 'The number of an organization''s last document. Whoever issues holds the row until the commit.';

COMMENT ON COLUMN public.invoice_ledgers.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.invoice_ledgers.last_number IS 'invoices.ledger_number of the last document; 0: there is none.';

COMMENT ON COLUMN public.invoice_ledgers.number_before IS 'last_number before the transaction that changed it last.';

COMMENT ON COLUMN public.invoice_ledgers.moved_in IS 'That transaction.';

COMMENT ON COLUMN public.invoice_ledgers.removed_number IS 'Highest ledger_number that was removed because its time was over; 0: none. Set by delete_old_invoices alone.';

COMMENT ON COLUMN public.invoice_ledgers.series IS 'The second at which printed numbers began anew behind a restore, counted from 1 January 2026; 0: never. Smaller values were counted, one by one. From then on they are 100,000 higher for each: K7P2M9QX-2872080000005 behind K7P2M9QX-004.';

CREATE TABLE public.invoice_lines (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    invoice_id text NOT NULL,
    "position" smallint NOT NULL,
    kind text NOT NULL,
    period_from date NOT NULL,
    period_until date NOT NULL,
    band text,
    quantity numeric,
    unit text,
    unit_price numeric,
    net numeric(14,2) NOT NULL,
    vat_rate numeric(5,4) NOT NULL,
    figures jsonb NOT NULL,
    restricted_at timestamp with time zone,
    CONSTRAINT invoice_lines_band_check CHECK ((band = ANY (ARRAY['low'::text, 'standard'::text, 'high'::text, 'module_2'::text]))),
    CONSTRAINT invoice_lines_check CHECK ((period_until > period_from)),
    CONSTRAINT invoice_lines_check1 CHECK (((quantity IS NULL) = (unit IS NULL))),
    CONSTRAINT invoice_lines_figures_check CHECK ((jsonb_typeof(figures) = 'array'::text)),
    CONSTRAINT invoice_lines_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{0,39}$'::text)),
    CONSTRAINT invoice_lines_position_check CHECK (("position" >= 1)),
    CONSTRAINT invoice_lines_unit_check CHECK ((unit = ANY (ARRAY['kWh'::text, 'day'::text, 'month'::text]))),
    CONSTRAINT invoice_lines_vat_rate_check CHECK (((vat_rate >= (0)::numeric) AND (vat_rate < (1)::numeric)))
);

ALTER TABLE ONLY public.invoice_lines FORCE ROW LEVEL SECURITY;

ALTER TABLE public.invoice_lines OWNER TO voltstream_owner;

COMMENT ON TABLE public.invoice_lines IS 'The lines of documents, each with how its figure came about; kept as long as the document.';

COMMENT ON COLUMN public.invoice_lines.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.invoice_lines.customer_id IS 'Whose document it is.';

COMMENT ON COLUMN public.invoice_lines.invoice_id IS 'The document.';

COMMENT ON COLUMN public.invoice_lines."position" IS 'Its place, from 1.';

COMMENT ON COLUMN public.invoice_lines.kind IS 'What is charged: energy, base_fee, electricity_tax and so on.';

COMMENT ON COLUMN public.invoice_lines.period_from IS 'First day that it is about, Europe/Berlin.';

COMMENT ON COLUMN public.invoice_lines.period_until IS 'Day after the last.';

COMMENT ON COLUMN public.invoice_lines.band IS 'Band of module 3, or module_2; null: the plain grid fee, or another kind of line.';

COMMENT ON COLUMN public.invoice_lines.quantity IS 'kWh, days or months. Personal where it is usage; for billing; as long as the document.';

COMMENT ON COLUMN public.invoice_lines.unit IS 'Unit of the quantity.';

COMMENT ON COLUMN public.invoice_lines.unit_price IS 'EUR per unit, net; the mean where it varies.';

COMMENT ON COLUMN public.invoice_lines.net IS 'EUR, net, rounded by itself.';

COMMENT ON COLUMN public.invoice_lines.vat_rate IS 'Share: 0.19.';

COMMENT ON COLUMN public.invoice_lines.figures IS 'What it was computed from: name, value, unit, source, valid from.';

COMMENT ON COLUMN public.invoice_lines.restricted_at IS 'As that of the document.';

CREATE TABLE public.invoices (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    running_number integer NOT NULL,
    invoice_number text NOT NULL,
    ledger_number bigint NOT NULL,
    month smallint NOT NULL,
    year smallint NOT NULL,
    period_start timestamp with time zone NOT NULL,
    period_end timestamp with time zone NOT NULL,
    period_number integer NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    is_estimated boolean NOT NULL,
    is_final boolean NOT NULL,
    usage_kwh numeric,
    net numeric(14,2) NOT NULL,
    tax numeric(14,2) NOT NULL,
    deducted numeric(14,2) NOT NULL,
    total numeric(14,2) NOT NULL,
    taxes jsonb NOT NULL,
    voids text,
    void_reason text,
    due_on date NOT NULL,
    created_at timestamp with time zone NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    paid_at timestamp with time zone,
    facts jsonb NOT NULL,
    run_id text,
    retain_until date NOT NULL,
    restricted_at timestamp with time zone,
    CONSTRAINT invoices_check CHECK ((period_end > period_start)),
    CONSTRAINT invoices_check1 CHECK ((total = ((net + tax) - deducted))),
    CONSTRAINT invoices_check2 CHECK (((type = 'usage'::text) = (usage_kwh IS NOT NULL))),
    CONSTRAINT invoices_check3 CHECK ((((type = 'void'::text) = (voids IS NOT NULL)) AND ((type = 'void'::text) = (void_reason IS NOT NULL)))),
    CONSTRAINT invoices_check4 CHECK (((type <> 'void'::text) OR (status = ANY (ARRAY['open'::text, 'paid'::text])))),
    CONSTRAINT invoices_check5 CHECK ((((status <> 'paid'::text) OR (paid_at IS NOT NULL)) AND ((paid_at IS NULL) OR (status = ANY (ARRAY['paid'::text, 'voided'::text]))))),
    CONSTRAINT invoices_check6 CHECK ((retain_until >= make_date(((EXTRACT(year FROM (issued_at AT TIME ZONE 'Europe/Berlin'::text)))::integer + 8), 12, 31))),
    CONSTRAINT invoices_facts_check CHECK ((jsonb_typeof(facts) = 'object'::text)),
    CONSTRAINT invoices_id_check CHECK ((id ~ '^inv_[0-9a-z]{24}$'::text)),
    CONSTRAINT invoices_invoice_number_check CHECK ((invoice_number ~ '^[A-Z0-9]{8}-[0-9]{3,}$'::text)),
    CONSTRAINT invoices_ledger_number_check CHECK ((ledger_number >= 1)),
    CONSTRAINT invoices_month_check CHECK (((month >= 1) AND (month <= 12))),
    CONSTRAINT invoices_period_number_check CHECK ((period_number >= 1)),
    CONSTRAINT invoices_running_number_check CHECK ((running_number >= 1)),
    CONSTRAINT invoices_status_check CHECK ((status = ANY (ARRAY['open'::text, 'paid'::text, 'voided'::text, 'uncollectible'::text]))),
    CONSTRAINT invoices_taxes_check CHECK ((jsonb_typeof(taxes) = 'array'::text)),
    CONSTRAINT invoices_type_check CHECK ((type = ANY (ARRAY['usage'::text, 'prepayment'::text, 'void'::text, 'exit_summary'::text]))),
    CONSTRAINT invoices_usage_kwh_check CHECK ((usage_kwh >= (0)::numeric))
);

ALTER TABLE ONLY public.invoices FORCE ROW LEVEL SECURITY;

ALTER TABLE public.invoices OWNER TO voltstream_owner;

COMMENT ON TABLE public.invoices IS 'Bills, prepayments, reversals and closing documents as they were issued; 8 years from the end of the year of issue.';

COMMENT ON COLUMN public.invoices.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.invoices.customer_id IS 'Who pays or is paid.';

COMMENT ON COLUMN public.invoices.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.invoices.id IS 'inv_ and 24 random characters.';

COMMENT ON COLUMN public.invoices.type IS 'usage: what was used or fed in; prepayment: a monthly advance; void: reverses another; exit_summary: closes the contract.';

COMMENT ON COLUMN public.invoices.running_number IS 'Counts the documents of the contract.';

COMMENT ON COLUMN public.invoices.invoice_number IS 'Printed: number of the contract, hyphen, running number; 100,000 higher for each invoice_ledgers.series.';

COMMENT ON COLUMN public.invoices.ledger_number IS 'Counts the documents of the organization without a gap.';

COMMENT ON COLUMN public.invoices.month IS 'Month in Berlin in which the period begins; of an exit summary that of the last supplied day.';

COMMENT ON COLUMN public.invoices.year IS 'Its year.';

COMMENT ON COLUMN public.invoices.period_start IS 'Midnight in Berlin of the first day.';

COMMENT ON COLUMN public.invoices.period_end IS 'Midnight in Berlin after the last day.';

COMMENT ON COLUMN public.invoices.period_number IS 'Counts the periods of the contract; documents about one period share it.';

COMMENT ON COLUMN public.invoices.status IS 'What may follow which stands in src/billing/invoices/issue/moves.ts.';

COMMENT ON COLUMN public.invoices.is_estimated IS 'A part of the usage was estimated.';

COMMENT ON COLUMN public.invoices.is_final IS 'Covers the end of supply.';

COMMENT ON COLUMN public.invoices.usage_kwh IS 'kWh used, or fed in. Personal; for billing; 8 years from the end of the year of issue.';

COMMENT ON COLUMN public.invoices.net IS 'EUR, sum of the lines. Positive is charged, negative is paid out.';

COMMENT ON COLUMN public.invoices.tax IS 'EUR, VAT of all rates.';

COMMENT ON COLUMN public.invoices.deducted IS 'EUR incl. VAT: paid prepayments.';

COMMENT ON COLUMN public.invoices.total IS 'EUR: net and tax less what is deducted.';

COMMENT ON COLUMN public.invoices.taxes IS 'By rate: rate, net, tax as decimal texts.';

COMMENT ON COLUMN public.invoices.voids IS 'The document that this one reverses.';

COMMENT ON COLUMN public.invoices.void_reason IS 'Why it was reversed, as staff or the billing job said.';

COMMENT ON COLUMN public.invoices.due_on IS 'Day on which it is due, Europe/Berlin.';

COMMENT ON COLUMN public.invoices.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.invoices.issued_at IS 'Instant of issue.';

COMMENT ON COLUMN public.invoices.paid_at IS 'When it was paid or settled in full; stays when it is reversed.';

COMMENT ON COLUMN public.invoices.facts IS 'What the document says beside its figures: name, addresses, meters, readings, as they were. Personal; for billing; 8 years from the end of the year of issue.';

COMMENT ON COLUMN public.invoices.run_id IS 'The billing run that made it; null: issued otherwise.';

COMMENT ON COLUMN public.invoices.retain_until IS 'Last day on which it must be there: end of the eighth year after that of the issue (section 147(3) AO). May be set later, never earlier.';

COMMENT ON COLUMN public.invoices.restricted_at IS 'When the person was erased: from then on the service does not see the document, only the finance role does.';

CREATE FUNCTION public.list_document_problems(rows_max integer) RETURNS TABLE(documents bigint, organization_id text, document text, problem text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH numbered AS (
          SELECT ledger.organization_id,
             i.id,
             COALESCE(i.ledger_number, (0)::bigint) AS number,
             ledger.last_number,
             ledger.removed_number,
             lead(i.ledger_number) OVER (PARTITION BY ledger.organization_id ORDER BY i.ledger_number) AS next,
             i.issued_at
            FROM (public.invoice_ledgers ledger
              LEFT JOIN public.invoices i ON ((i.organization_id = ledger.organization_id)))
         ), kept AS (
          SELECT ((make_date(((EXTRACT(year FROM (now() AT TIME ZONE 'Europe/Berlin'::text)))::integer - 8), 1, 1))::timestamp without time zone AT TIME ZONE 'Europe/Berlin'::text) AS since
         ), found AS (
          SELECT n.organization_id,
             n.id,
             format('behind number %s of the ledger one is missing'::text, n.number) AS problem
            FROM (numbered n
              CROSS JOIN kept)
           WHERE ((COALESCE(n.next, (n.last_number + 1)) <> (n.number + 1)) AND ((n.issued_at >= kept.since) OR (n.number = 0)) AND ((n.number > 0) OR (n.last_number > n.removed_number)))
         UNION ALL
          SELECT i.organization_id,
             i.id,
             'its lines do not add up to it'::text
            FROM (public.invoices i
              LEFT JOIN ( SELECT l.organization_id,
                     l.invoice_id,
                     sum(l.net) AS net
                    FROM public.invoice_lines l
                   GROUP BY l.organization_id, l.invoice_id) lines ON (((lines.organization_id = i.organization_id) AND (lines.invoice_id = i.id))))
           WHERE (COALESCE(lines.net, (0)::numeric) <> i.net)
         UNION ALL
          SELECT i.organization_id,
             i.id,
             'it is voided, and no document reverses it'::text
            FROM public.invoices i
           WHERE ((i.status = 'voided'::text) AND (NOT (EXISTS ( SELECT
                    FROM public.invoices v
                   WHERE ((v.organization_id = i.organization_id) AND (v.voids = i.id))))))
         UNION ALL
          SELECT v.organization_id,
             v.id,
             'it does not reverse what it names'::text
            FROM (public.invoices v
              JOIN public.invoices i ON (((i.organization_id = v.organization_id) AND (i.id = v.voids))))
           WHERE ((i.status <> 'voided'::text) OR (i.net <> (- v.net)) OR (i.tax <> (- v.tax)) OR (i.deducted <> (- v.deducted)))
         UNION ALL
          SELECT i.organization_id,
             i.id,
             'it is paid without a payment'::text
            FROM public.invoices i
           WHERE ((i.status = 'paid'::text) AND (i.total <> (0)::numeric) AND (NOT (EXISTS ( SELECT
                    FROM public.payments p
                   WHERE ((p.organization_id = i.organization_id) AND (p.invoice_id = i.id))))) AND (NOT (EXISTS ( SELECT
                    FROM public.invoices o
                   WHERE ((o.organization_id = i.organization_id) AND (o.id = i.voids) AND (o.paid_at IS NULL))))))
         )
  SELECT counted.documents,
     found.organization_id,
     found.id,
     found.problem
    FROM (( SELECT count(*) AS documents
            FROM public.invoices) counted
      LEFT JOIN found ON (true))
  LIMIT list_document_problems.rows_max;
END;

ALTER FUNCTION public.list_document_problems(rows_max integer) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.list_document_problems(rows_max integer) IS 'How many documents there are, and which of them have other numbers, lines, reversals or payments than they must have.';

CREATE FUNCTION public.list_failed_job_runs(rows_max integer, run_id bigint DEFAULT NULL::bigint) RETURNS TABLE(id bigint, job text, organization_id text, key text, attempts integer, finished_at timestamp with time zone, error text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT r.id,
     r.job,
     r.organization_id,
     r.key,
     r.attempts,
     r.finished_at,
     r.error
    FROM public.job_runs r
   WHERE ((r.state = 'failed'::text) AND ((list_failed_job_runs.run_id IS NULL) OR (r.id = list_failed_job_runs.run_id)))
   ORDER BY r.finished_at DESC, r.id DESC
  LIMIT list_failed_job_runs.rows_max;
END;

ALTER FUNCTION public.list_failed_job_runs(rows_max integer, run_id bigint) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.list_failed_job_runs(rows_max integer, run_id bigint) IS 'Runs that were given up, newest first: for operators.';

CREATE FUNCTION public.list_hypertables() RETURNS TABLE(hypertable text, chunks bigint, compressed_chunks bigint, rows_estimated bigint, bytes bigint, index_bytes bigint, bytes_before_compression bigint, bytes_after_compression bigint, oldest_at timestamp with time zone, newest_until timestamp with time zone, next_compression_at timestamp with time zone, kept_months integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  FOR hypertable IN
    SELECT 'asset_days'
    UNION ALL SELECT hypertable_name FROM timescaledb_information.hypertables WHERE hypertable_schema = 'public' ORDER BY 1
  LOOP
    SELECT count(*), count(*) FILTER (WHERE is_compressed), min(range_start), max(range_end)
      INTO chunks, compressed_chunks, oldest_at, newest_until
      FROM timescaledb_information.chunks
     WHERE hypertable_schema = 'public' AND hypertable_name = hypertable;
    rows_estimated := public.approximate_row_count(format('public.%I', hypertable)::regclass);
    bytes_before_compression := NULL;
    bytes_after_compression := NULL;
    next_compression_at := NULL;
    IF hypertable = 'asset_days' THEN
      bytes := pg_total_relation_size('public.asset_days');
      index_bytes := pg_indexes_size('public.asset_days');
      SELECT min(day)::timestamp AT TIME ZONE 'Europe/Berlin', (max(day) + 1)::timestamp AT TIME ZONE 'Europe/Berlin'
        INTO oldest_at, newest_until FROM public.asset_days;
    ELSE
      SELECT total_bytes, size.index_bytes INTO bytes, index_bytes
        FROM public.hypertable_detailed_size(format('public.%I', hypertable)::regclass) AS size;
    END IF;
    -- The Apache edition has the function and refuses to run it.
    IF hypertable <> 'asset_days' AND current_setting('timescaledb.license') = 'timescale' THEN
      SELECT before_compression_total_bytes, after_compression_total_bytes
        INTO bytes_before_compression, bytes_after_compression
        FROM public.hypertable_compression_stats(format('public.%I', hypertable)::regclass);
      SELECT min(next_start) INTO next_compression_at FROM timescaledb_information.jobs
       WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND scheduled;
    END IF;
    -- As the worker that removes old records was last told; the environment of an operator's shell may say something else.
    SELECT (result -> 'kept_months' ->> hypertable)::integer INTO kept_months
      FROM public.job_runs
     WHERE lane = 'remove-old-records ' AND started_at IS NOT NULL AND state = 'done'
     ORDER BY started_at DESC LIMIT 1;
    RETURN NEXT;
  END LOOP;
END
$$;

ALTER FUNCTION public.list_hypertables() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.list_hypertables() IS 'Chunks, sizes, span and compression of each hypertable.';

CREATE FUNCTION public.list_issued_periods(first_contract text, last_contract text) RETURNS TABLE(subscription_id text, usage_from text[], usage_until text[], prepayment text[], has_exit_summary boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT i.subscription_id,
         coalesce(array_agg(d.first::text ORDER BY d.first) FILTER (WHERE i.type = 'usage'), '{}'),
         coalesce(array_agg(d.until::text ORDER BY d.first) FILTER (WHERE i.type = 'usage'), '{}'),
         coalesce(array_agg(d.first::text) FILTER (WHERE i.type = 'prepayment'), '{}'),
         bool_or(i.type = 'exit_summary')
    FROM public.invoices AS i
   CROSS JOIN LATERAL (SELECT (i.period_start AT TIME ZONE 'Europe/Berlin')::date AS first,
                              (i.period_end AT TIME ZONE 'Europe/Berlin')::date AS until) AS d
   WHERE i.organization_id = nullif(current_setting('app.organization', true), '')
     AND i.customer_id = coalesce(nullif(current_setting('app.customer', true), ''), i.customer_id)
     AND i.subscription_id BETWEEN first_contract AND last_contract
     AND i.type <> 'void' AND i.status <> 'voided'
   GROUP BY i.subscription_id
$$;

ALTER FUNCTION public.list_issued_periods(first_contract text, last_contract text) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.list_issued_periods(first_contract text, last_contract text) IS 'Days that contracts of the organization have bills about, and first days of prepayments, also of restricted documents; those that were reversed do not count.';

CREATE FUNCTION public.list_open_bills_of_total(wanted numeric, rows_max integer) RETURNS TABLE(id text)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT i.id
    FROM public.invoices i
   WHERE ((i.organization_id = NULLIF(current_setting('app.organization'::text, true), ''::text)) AND (NULLIF(current_setting('app.customer'::text, true), ''::text) IS NULL) AND (i.status = 'open'::text) AND (i.total = list_open_bills_of_total.wanted) AND (i.restricted_at IS NULL))
   ORDER BY i.total, i.due_on, i.id
  LIMIT list_open_bills_of_total.rows_max;
END;

ALTER FUNCTION public.list_open_bills_of_total(wanted numeric, rows_max integer) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.list_open_bills_of_total(wanted numeric, rows_max integer) IS 'Open bills of the organization with exactly this total, at most so many.';

CREATE FUNCTION public.list_organizations() RETURNS TABLE(id text, name text, standing text, forecast_enabled boolean, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT o.id,
     o.name,
     o.standing,
     o.forecast_enabled,
     o.created_at,
     o.updated_at
    FROM public.organizations o
   ORDER BY o.created_at DESC, o.id DESC;
END;

ALTER FUNCTION public.list_organizations() OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.list_organizations() IS 'All organizations: for jobs that go through them one by one, and for operators.';

CREATE FUNCTION public.list_webhook_endpoints_to_sweep(now_at timestamp with time zone) RETURNS TABLE(organization_id text, id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT e.organization_id,
     e.id
    FROM (((public.webhook_endpoints e
      JOIN public.organizations o ON (((o.id = e.organization_id) AND (o.standing = ANY (ARRAY['in_order'::text, 'past_due'::text])))))
      LEFT JOIN LATERAL ( SELECT d.next_at
            FROM public.event_deliveries d
           WHERE ((d.organization_id = e.organization_id) AND (d.endpoint_id = e.id) AND (d.state = 'pending'::text))
           ORDER BY d.next_at
          LIMIT 1) first ON (true))
      LEFT JOIN LATERAL ( SELECT d.next_at
            FROM public.event_deliveries d
           WHERE ((d.organization_id = e.organization_id) AND (d.endpoint_id = e.id) AND (d.state = 'pending'::text))
           ORDER BY d.next_at DESC
          LIMIT 1) last ON (true))
   WHERE (((first.next_at IS NOT NULL) AND ((e.served_at IS NULL) OR (e.served_at <= (list_webhook_endpoints_to_sweep.now_at - '00:01:30'::interval)) OR (e.served_at > (list_webhook_endpoints_to_sweep.now_at + '00:01:00'::interval))) AND ((e.disabled_at IS NOT NULL) OR (e.deleted_at IS NOT NULL) OR ((e.kind = 'address'::text) AND (GREATEST(first.next_at, e.wait_until) <= (list_webhook_endpoints_to_sweep.now_at - '00:02:00'::interval))))) OR (last.next_at > (list_webhook_endpoints_to_sweep.now_at + '32:01:00'::interval)) OR (e.wait_until > (list_webhook_endpoints_to_sweep.now_at + '24:01:00'::interval)) OR (e.failing_since > (list_webhook_endpoints_to_sweep.now_at + '00:01:00'::interval)) OR (e.last_failure_at > (list_webhook_endpoints_to_sweep.now_at + '00:01:00'::interval)) OR ((e.disabled_at IS NULL) AND (e.deleted_at IS NULL) AND (((e.failing_since <= (list_webhook_endpoints_to_sweep.now_at - '1 day'::interval)) AND (e.first_mail_at IS NULL)) OR ((first.next_at IS NULL) AND (e.failing_since IS NOT NULL) AND (e.last_failure_at <= (list_webhook_endpoints_to_sweep.now_at - '5 days'::interval))))) OR ((e.kind = 'listener'::text) AND (e.deleted_at IS NULL) AND (COALESCE(e.served_at, e.created_at) <= (list_webhook_endpoints_to_sweep.now_at - '00:05:00'::interval))));
END;

ALTER FUNCTION public.list_webhook_endpoints_to_sweep(now_at timestamp with time zone) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.list_webhook_endpoints_to_sweep(now_at timestamp with time zone) IS 'Endpoints that need something that no run of theirs does.';

CREATE FUNCTION public.make_analyst_schema(organization text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET check_function_bodies TO 'off'
    AS $$
DECLARE
  made constant text := 'analytics_' || organization;
  house_view record;
  house_column record;
  house_function record;
BEGIN
  -- Whoever wants them at the same time waits here, and finds them.
  PERFORM FROM public.organizations WHERE id = organization FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no organization %', organization USING ERRCODE = 'no_data_found';
  END IF;
  IF to_regnamespace(made) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE SCHEMA %I AUTHORIZATION voltstream_analyst_reader', made);
  EXECUTE format('COMMENT ON SCHEMA %I IS %L', made, 'Views for the analysts of one organization.');
  FOR house_view IN
    SELECT c.oid, c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
           string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE a.attname <> 'organization_id')
             AS columns,
           bool_or(a.attname = 'organization_id') AS is_of_organizations
      FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
     WHERE c.relnamespace = to_regnamespace('analytics') AND c.relkind = 'v'
     GROUP BY c.oid, c.relname
  LOOP
    EXECUTE format('CREATE VIEW %I.%I WITH (security_barrier = true) AS SELECT %s FROM analytics.%I%s',
                   made, house_view.name, house_view.columns, house_view.name,
                   CASE WHEN house_view.is_of_organizations THEN format(' WHERE organization_id = %L', organization) END);
    EXECUTE format('ALTER VIEW %I.%I OWNER TO voltstream_analyst_reader', made, house_view.name);
    EXECUTE format('COMMENT ON VIEW %I.%I IS %L', made, house_view.name, house_view.comment);
    FOR house_column IN
      SELECT attname AS name, col_description(attrelid, attnum) AS comment
        FROM pg_attribute WHERE attrelid = house_view.oid AND attnum > 0 AND attname <> 'organization_id'
    LOOP
      EXECUTE format('COMMENT ON COLUMN %I.%I.%I IS %L',
                     made, house_view.name, house_column.name, house_column.comment);
    END LOOP;
  END LOOP;
  -- Functions ask the views of the schema in which they stand, with the rights of who calls them.
  FOR house_function IN
    SELECT p.oid, p.proname AS name, obj_description(p.oid, 'pg_proc') AS comment
      FROM pg_proc AS p WHERE p.pronamespace = to_regnamespace('analytics')
  LOOP
    EXECUTE replace(pg_get_functiondef(house_function.oid), 'analytics.', format('%I.', made));
    EXECUTE format('ALTER FUNCTION %I.%I OWNER TO voltstream_analyst_reader', made, house_function.name);
    EXECUTE format('COMMENT ON FUNCTION %I.%I IS %L', made, house_function.name, house_function.comment);
  END LOOP;
  PERFORM public.set_analyst_access(organization);
END
$$;

ALTER FUNCTION public.make_analyst_schema(organization text) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.make_analyst_schema(organization text) IS 'Makes the views of one organization''s analysts, with their rights, if they are not there.';

CREATE TABLE public.analysts (
    organization_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    rotated_at timestamp with time zone,
    CONSTRAINT analysts_name_check CHECK (((name ~ '^[a-z][a-z0-9_]{0,39}$'::text) AND (name <> 'reader'::text)))
);

ALTER TABLE ONLY public.analysts FORCE ROW LEVEL SECURITY;

ALTER TABLE public.analysts OWNER TO voltstream_owner;

COMMENT ON TABLE public.analysts IS 'Accounts of the database that read the views of one organization.';

COMMENT ON COLUMN public.analysts.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.analysts.name IS 'What the operator called it; the role is voltstream_analyst_ and this name.';

COMMENT ON COLUMN public.analysts.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.analysts.rotated_at IS 'Instant of the last new password; null: the first one is in force.';

CREATE FUNCTION public.missing_analyst_schemas() RETURNS TABLE(organization text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT DISTINCT a.organization_id
    FROM public.analysts a
   WHERE (NOT (EXISTS ( SELECT
            FROM pg_namespace n
           WHERE (n.nspname = ('analytics_'::text || a.organization_id)))));
END;

ALTER FUNCTION public.missing_analyst_schemas() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.missing_analyst_schemas() IS 'Organizations whose analysts have no views: after an update, until they are made.';

CREATE FUNCTION public.move_invoice_ledger() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.number_before := 0;
  ELSIF NEW.last_number < OLD.last_number THEN
    RAISE EXCEPTION 'Ledger of %: % documents were issued, and their number never falls', OLD.organization_id, OLD.last_number
      USING ERRCODE = 'restrict_violation';
  ELSIF OLD.moved_in = pg_current_xact_id() THEN
    NEW.number_before := OLD.number_before;
  ELSE
    NEW.number_before := OLD.last_number;
  END IF;
  NEW.moved_in := pg_current_xact_id();
  RETURN NEW;
END
$$;

ALTER FUNCTION public.move_invoice_ledger() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.move_invoice_ledger() IS 'Says which numbers the transaction gives.';

CREATE FUNCTION public.move_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END
$$;

ALTER FUNCTION public.move_updated_at() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.move_updated_at() IS 'Lets updated_at of a changed row move forwards only, by one microsecond at least.';

CREATE FUNCTION public.name_late_organization() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  NEW.organization := coalesce((SELECT a.organization_id FROM public.assets AS a WHERE a.key = NEW.asset_id), '');
  RETURN NEW;
END
$$;

ALTER FUNCTION public.name_late_organization() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.name_late_organization() IS 'Says of an entry of late_quarter_hours whose asset it is.';

CREATE FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer, stored_until timestamp with time zone DEFAULT NULL::timestamp with time zone, seen pg_snapshot DEFAULT NULL::pg_snapshot) RETURNS TABLE(household text, asset text, asset_type text, "timestamp" timestamp with time zone, power_kw double precision, state_of_charge double precision, connected boolean, vehicle_state_of_charge double precision, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
DECLARE
  unfinished constant xid[] := ARRAY(SELECT id::xid FROM pg_snapshot_xip(seen) AS id);
  not_begun constant xid := pg_snapshot_xmax(seen)::xid;
BEGIN
  RETURN QUERY
  SELECT a.household_id, a.id, a.type, newest.timestamp, newest.power_kw, newest.state_of_charge, newest.connected,
         newest.vehicle_state_of_charge, newest.created_at
    FROM public.assets a
   CROSS JOIN LATERAL (
     SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
       FROM public.asset_snapshots s
      WHERE s.asset_id = a.key AND s.timestamp >= since
        AND (stored_until IS NULL OR s.created_at <= now() - INTERVAL '15 minutes'
             OR s.created_at <= stored_until
                AND (seen IS NULL OR s.xmin <> ALL (unfinished) AND age(s.xmin) > age(not_begun)))
      ORDER BY s.timestamp DESC
      LIMIT 1
   ) newest
   WHERE (households IS NULL OR a.household_id = ANY (households))
     AND (asset_ids IS NULL OR a.id = ANY (asset_ids))
     AND (after_timestamp IS NULL OR (newest.timestamp, a.id) < (after_timestamp, after_asset))
   ORDER BY newest.timestamp DESC, a.id DESC
   LIMIT page_rows;
END
$$;

ALTER FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer, stored_until timestamp with time zone, seen pg_snapshot) OWNER TO voltstream_snapshot_reader;

COMMENT ON FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer, stored_until timestamp with time zone, seen pg_snapshot) IS 'Newest snapshot per visible asset since an instant, newest first, by household and asset, in pages.';

CREATE FUNCTION public.next_assets_to_sum(after_asset bigint, assets_max integer) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  RETURN ARRAY(SELECT key FROM public.assets WHERE key > after_asset ORDER BY key LIMIT assets_max);
END
$$;

ALTER FUNCTION public.next_assets_to_sum(after_asset bigint, assets_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.next_assets_to_sum(after_asset bigint, assets_max integer) IS 'Takes the lock of the sums by quarter hour, and returns the next keys of assets behind one, at most so many.';

CREATE FUNCTION public.next_days_to_sum(days_max integer) RETURNS TABLE(first_day date, end_day date)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  since date;
  over date;
  stored date;
BEGIN
  SELECT p.days_summed_until, (p.summed_until AT TIME ZONE 'Europe/Berlin')::date INTO STRICT since, over
    FROM public.quarter_hour_progress AS p;
  IF since >= over THEN
    RETURN;
  END IF;
  stored := (public.next_stored('asset_quarter_hours', since::timestamp AT TIME ZONE 'Europe/Berlin')
               AT TIME ZONE 'Europe/Berlin')::date;
  first_day := least(coalesce(stored, over), over);
  end_day := least(first_day + days_max, over);
  RETURN NEXT;
END
$$;

ALTER FUNCTION public.next_days_to_sum(days_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.next_days_to_sum(days_max integer) IS 'The next days that are over and not summed yet, at most so many; the second day is no longer one of them.';

CREATE FUNCTION public.next_stored(hypertable text, since timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT greatest(range_start, since) FROM timescaledb_information.chunks
   WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND range_end > since
   ORDER BY range_end LIMIT 1
$$;

ALTER FUNCTION public.next_stored(hypertable text, since timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.next_stored(hypertable text, since timestamp with time zone) IS 'The first instant not before another one at which a chunk of a hypertable may hold a row.';

CREATE FUNCTION public.next_stored_snapshots(since timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT public.next_stored('asset_snapshots', since)
$$;

ALTER FUNCTION public.next_stored_snapshots(since timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.next_stored_snapshots(since timestamp with time zone) IS 'The first instant not before another one at which a chunk of asset_snapshots may hold a row.';

CREATE FUNCTION public.note_changed_reduction() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  supply tstzrange;
  before tstzrange := 'empty';
  after tstzrange := 'empty';
  first_change timestamptz;
BEGIN
  SELECT tstzrange(start_at, CASE WHEN end_at IS NOT NULL THEN greatest(start_at, end_at) END) INTO supply FROM public.subscriptions
   WHERE organization_id = NEW.organization_id AND id = NEW.subscription_id AND start_at IS NOT NULL;
  IF TG_OP = 'UPDATE' AND OLD.valid_from IS NOT NULL THEN
    before := tstzrange(OLD.valid_from, OLD.valid_until) * supply;
  END IF;
  IF NEW.valid_from IS NOT NULL THEN
    after := tstzrange(NEW.valid_from, NEW.valid_until) * supply;
  END IF;
  IF supply IS NULL OR before = after THEN
    RETURN NULL;
  END IF;
  first_change := CASE
    WHEN isempty(before) THEN lower(after)
    WHEN isempty(after) THEN lower(before)
    WHEN lower(before) <> lower(after) THEN least(lower(before), lower(after))
    ELSE least(upper(before), upper(after))
  END;
  UPDATE public.subscriptions
     SET bills_changed_at = greatest(bills_changed_at, NEW.updated_at),
         bills_changed_from = least(bills_changed_from, (first_change AT TIME ZONE 'Europe/Berlin')::date)
   WHERE organization_id = NEW.organization_id AND id = NEW.subscription_id;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.note_changed_reduction() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.note_changed_reduction() IS 'Notes from which day on bills of the contract have another module.';

CREATE FUNCTION public.note_transaction() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  RETURN NEW;
END
$$;

ALTER FUNCTION public.note_transaction() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.note_transaction() IS 'Writes into a row which transaction wrote it.';

CREATE FUNCTION public.number_events(rows_max integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  organization text := nullif(current_setting('app.organization', true), '');
  numbered integer;
BEGIN
  PERFORM FROM public.events WHERE organization_id = organization AND sequence IS NULL LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('events of ' || organization, 0));
  UPDATE public.events AS event
     SET sequence = newest.sequence + placed.place
    FROM (SELECT id, row_number() OVER (ORDER BY position) AS place
            FROM (SELECT id, position FROM public.events
                   WHERE organization_id = organization AND sequence IS NULL
                   ORDER BY position LIMIT rows_max) AS found) AS placed,
         (SELECT coalesce(max(sequence), 0) AS sequence FROM public.events WHERE organization_id = organization) AS newest
   WHERE event.organization_id = organization AND event.id = placed.id;
  GET DIAGNOSTICS numbered = ROW_COUNT;
  RETURN numbered;
END
$$;

ALTER FUNCTION public.number_events(rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.number_events(rows_max integer) IS 'Gives committed events of the organization of the session that have no sequence yet the next ones, at most so many; says how many.';

CREATE FUNCTION public.prepare_snapshot_partitions(since timestamp with time zone, weeks integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT 0
$$;

ALTER FUNCTION public.prepare_snapshot_partitions(since timestamp with time zone, weeks integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.prepare_snapshot_partitions(since timestamp with time zone, weeks integer) IS 'Makes what measured values of some weeks from an instant on are stored in; returns how much was missing.';

CREATE FUNCTION public.quarter_hours_of_assets(asset_ids text[], begun timestamp with time zone, ended timestamp with time zone) RETURNS TABLE(asset text, start timestamp with time zone, covered_seconds double precision, consumed_kwh double precision, fed_kwh double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
DECLARE
  names constant jsonb := (SELECT coalesce(jsonb_object_agg(a.key, a.id), '{}') FROM public.assets AS a WHERE a.id = ANY (asset_ids));
  keys constant bigint[] := ARRAY(SELECT jsonb_object_keys(names)::bigint);
BEGIN
  RETURN QUERY
  SELECT names ->> q.asset_id::text, q.start, q.covered_seconds, q.consumed_kwh, q.fed_kwh
    FROM public.asset_quarter_hours AS q
   WHERE q.asset_id = ANY (keys) AND q.start >= begun AND q.start < ended AND q.covered_seconds > 0
   ORDER BY q.start;
END
$$;

ALTER FUNCTION public.quarter_hours_of_assets(asset_ids text[], begun timestamp with time zone, ended timestamp with time zone) OWNER TO voltstream_snapshot_reader;

COMMENT ON FUNCTION public.quarter_hours_of_assets(asset_ids text[], begun timestamp with time zone, ended timestamp with time zone) IS 'Sums by quarter hour of visible assets from one instant to another, the second one exclusive.';

CREATE FUNCTION public.read_values_to_sum(keys bigint[], begun timestamp with time zone, ended timestamp with time zone, rows_max integer) RETURNS TABLE(asset_id bigint, snapshots bigint, power_kw bytea, state_of_charge bytea, vehicle_state_of_charge bytea, connected bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET "timescaledb.enable_runtime_exclusion" TO 'off'
    SET enable_seqscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
BEGIN
  RETURN QUERY
  SELECT value.asset_id, count(*),
         string_agg(timestamptz_send(value.timestamp) || float8send(value.power_kw), ''),
         string_agg(timestamptz_send(value.timestamp) || float8send(value.state_of_charge), '')
           FILTER (WHERE value.state_of_charge IS NOT NULL),
         string_agg(timestamptz_send(value.timestamp) || float8send(value.vehicle_state_of_charge), '')
           FILTER (WHERE value.vehicle_state_of_charge IS NOT NULL),
         string_agg(timestamptz_send(value.timestamp), '') FILTER (WHERE value.connected)
    FROM (SELECT before.asset_id, before.timestamp, before.power_kw, NULL::double precision AS state_of_charge,
                 NULL::double precision AS vehicle_state_of_charge, NULL::boolean AS connected
            FROM unnest(keys) AS asset (key)
           CROSS JOIN LATERAL (
             SELECT s.asset_id, s.timestamp, s.power_kw
               FROM public.asset_snapshots AS s
              WHERE s.asset_id = asset.key AND s.power_kw IS NOT NULL
                AND s.timestamp > begun - interval '1 hour' AND s.timestamp < begun
              ORDER BY s.timestamp DESC
              LIMIT 1) AS before
          UNION ALL
          (SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.vehicle_state_of_charge, s.connected
             FROM public.asset_snapshots AS s
            WHERE s.asset_id = ANY (keys) AND s.timestamp >= begun AND s.timestamp < ended
            LIMIT rows_max)) AS value
   GROUP BY value.asset_id;
END
$$;

ALTER FUNCTION public.read_values_to_sum(keys bigint[], begun timestamp with time zone, ended timestamp with time zone, rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.read_values_to_sum(keys bigint[], begun timestamp with time zone, ended timestamp with time zone, rows_max integer) IS 'Values of assets from one instant to another, at most so many snapshots, and before them the last power value of the hour.';

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION 'Rows of % are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

ALTER FUNCTION public.refuse_change() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.refuse_change() IS 'Trigger: a captured and a frozen curve stay as they were, whoever asks.';

CREATE FUNCTION public.refuse_later_lines() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE
  later text;
BEGIN
  SELECT line.invoice_id INTO later
    FROM (SELECT DISTINCT organization_id, invoice_id FROM added) AS line
    LEFT JOIN invoices AS i ON i.organization_id = line.organization_id AND i.id = line.invoice_id
    LEFT JOIN invoice_ledgers AS l ON l.organization_id = line.organization_id
   WHERE (l.moved_in = pg_current_xact_id() AND i.ledger_number > l.number_before) IS NOT TRUE
   LIMIT 1;
  IF later IS NOT NULL THEN
    RAISE EXCEPTION 'Invoice % was issued: it gets no more lines', later USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.refuse_later_lines() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.refuse_later_lines() IS 'Refuses lines for a document of an earlier transaction.';

CREATE FUNCTION public.refuse_other_numbers() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  wrong record;
BEGIN
  SELECT i.id, i.ledger_number INTO wrong
    FROM added AS i LEFT JOIN invoice_ledgers AS l ON l.organization_id = i.organization_id
   WHERE (l.moved_in = pg_current_xact_id() AND i.ledger_number > l.number_before AND i.ledger_number <= l.last_number)
         IS NOT TRUE
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Invoice %: % is not the next number of the ledger', wrong.id, wrong.ledger_number
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.refuse_other_numbers() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.refuse_other_numbers() IS 'Refuses documents with a number that the ledger does not give in this transaction.';

CREATE FUNCTION public.refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION '% is never emptied', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

ALTER FUNCTION public.refuse_truncate() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.refuse_truncate() IS 'Refuses to empty a table.';

CREATE FUNCTION public.requeue_silent_job_runs(now_at timestamp with time zone, silent_since timestamp with time zone) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH silent AS (
          UPDATE public.job_runs SET state = 'queued'::text, next_at = requeue_silent_job_runs.now_at
           WHERE (job_runs.id IN ( SELECT r.id
                    FROM public.job_runs r
                   WHERE ((r.state = 'running'::text) AND (r.heartbeat_at < requeue_silent_job_runs.silent_since))
                  FOR UPDATE OF r SKIP LOCKED))
           RETURNING job_runs.id
         )
  SELECT count(*) AS count
    FROM silent;
END;

ALTER FUNCTION public.requeue_silent_job_runs(now_at timestamp with time zone, silent_since timestamp with time zone) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.requeue_silent_job_runs(now_at timestamp with time zone, silent_since timestamp with time zone) IS 'Gives back the runs whose worker shows no sign of life any more.';

CREATE FUNCTION public.restrict_assets() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM FROM public.households AS h
    WHERE h.organization_id = NEW.organization_id AND h.customer_id = NEW.id ORDER BY h.id FOR NO KEY UPDATE;
  UPDATE public.assets SET is_restricted = NEW.restricted_at IS NOT NULL
   WHERE organization_id = NEW.organization_id AND customer_id = NEW.id;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.restrict_assets() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.restrict_assets() IS 'Marks the assets of a customer who is restricted, or is not any more.';

CREATE FUNCTION public.restrict_invoices(customer text, since timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  organization constant text := nullif(current_setting('app.organization', true), '');
  restricted bigint;
BEGIN
  IF organization IS NULL OR nullif(current_setting('app.customer', true), '') IS NOT NULL THEN
    RAISE EXCEPTION 'Bills are restricted by who acts for the organization' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE public.invoices SET restricted_at = since
   WHERE organization_id = organization AND customer_id = customer AND restricted_at IS NULL;
  GET DIAGNOSTICS restricted = ROW_COUNT;
  UPDATE public.invoice_lines AS l SET restricted_at = since
    FROM public.invoices AS i
   WHERE i.organization_id = organization AND i.customer_id = customer
     AND l.organization_id = organization AND l.invoice_id = i.id AND l.restricted_at IS NULL;
  UPDATE public.invoice_files AS f SET restricted_at = since
    FROM public.invoices AS i
   WHERE i.organization_id = organization AND i.customer_id = customer
     AND f.organization_id = organization AND f.invoice_id = i.id AND f.restricted_at IS NULL;
  UPDATE public.payments SET restricted_at = since
   WHERE organization_id = organization AND customer_id = customer AND restricted_at IS NULL;
  -- A movement of the bank can be about bills of several people: the last of them takes it along.
  UPDATE public.bank_entries AS e SET restricted_at = since
   WHERE e.organization_id = organization AND e.restricted_at IS NULL
     AND e.id IN (SELECT p.bank_entry_id FROM public.payments AS p
                   WHERE p.organization_id = organization AND p.customer_id = customer)
     AND NOT EXISTS (SELECT FROM public.payments AS p
                      WHERE p.organization_id = organization AND p.bank_entry_id = e.id AND p.restricted_at IS NULL);
  -- What staff set aside names its payer too. An account that others have as well stays for them.
  UPDATE public.bank_entries AS e SET restricted_at = since
   WHERE e.organization_id = organization AND e.restricted_at IS NULL AND e.state = 'set_aside'
     AND e.iban IN (SELECT m.iban FROM public.payment_methods AS m
                     WHERE m.organization_id = organization AND m.customer_id = customer)
     AND NOT EXISTS (SELECT FROM public.payment_methods AS m
                      WHERE m.organization_id = organization AND m.customer_id <> customer AND m.iban = e.iban);
  -- A file for the bank has many people in it and was handed over long ago: nobody but bookkeepers needs it any more.
  UPDATE public.payment_files AS f SET restricted_at = since
   WHERE f.organization_id = organization AND f.restricted_at IS NULL
     AND f.id IN (SELECT p.file_id FROM public.payments AS p
                   WHERE p.organization_id = organization AND p.customer_id = customer);
  RETURN restricted;
END
$$;

ALTER FUNCTION public.restrict_invoices(customer text, since timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.restrict_invoices(customer text, since timestamp with time zone) IS 'Hides the bills and payments of an erased customer from everybody but the finance role; returns how many.';

CREATE FUNCTION public.restrict_new_asset() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  NEW.is_restricted := EXISTS (SELECT FROM public.customers AS c
    WHERE c.organization_id = NEW.organization_id AND c.id = NEW.customer_id AND c.restricted_at IS NOT NULL);
  RETURN NEW;
END
$$;

ALTER FUNCTION public.restrict_new_asset() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.restrict_new_asset() IS 'Marks an asset that a restricted customer gets.';

CREATE FUNCTION public.seal_audit_days(days_max integer DEFAULT 1) RETURNS TABLE(day date, rows bigint, hash bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
#variable_conflict use_column
DECLARE
  head public.audit_seals%ROWTYPE;
  next_day date;
  last_day date := (now() - interval '10 minutes')::date - 1;
  sealed record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream audit seals', 0));
  SELECT * INTO head FROM public.audit_seals ORDER BY day DESC LIMIT 1;
  next_day := coalesce(head.day + 1, (SELECT first_day FROM public.audit_chain),
                       (SELECT min(at)::date FROM public.audit_log));
  last_day := least(last_day, next_day + days_max - 1);
  WHILE next_day <= last_day LOOP
    SELECT * INTO sealed FROM public.audit_day_hash(next_day, head.hash);
    INSERT INTO public.audit_seals (day, rows, hash, previous_hash)
    VALUES (next_day, sealed.rows, sealed.hash, head.hash)
    RETURNING * INTO head;
    RETURN QUERY SELECT head.day, head.rows, head.hash;
    next_day := next_day + 1;
  END LOOP;
END
$$;

ALTER FUNCTION public.seal_audit_days(days_max integer) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.seal_audit_days(days_max integer) IS 'Seals days of the audit log that are over, at most so many; returns the new seals, oldest first.';

CREATE FUNCTION public.set_analyst_access(organization text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  made constant text := 'analytics_' || organization;
  is_served constant boolean := EXISTS (
    SELECT FROM public.organizations WHERE id = organization AND standing IN ('in_order', 'past_due'));
  analyst name;
BEGIN
  IF to_regnamespace(made) IS NULL THEN
    RETURN;
  END IF;
  FOR analyst IN
    SELECT r.rolname FROM public.analysts AS a JOIN pg_roles AS r ON r.rolname = 'voltstream_analyst_' || a.name
     WHERE a.organization_id = organization
  LOOP
    IF is_served THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', made, analyst);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', made, analyst);
      EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %I TO %I', made, analyst);
      EXECUTE format('ALTER ROLE %I LOGIN', analyst);
    ELSE
      EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA %I FROM %I', made, analyst);
      EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', made, analyst);
      EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %I', made, analyst);
      EXECUTE format('ALTER ROLE %I NOLOGIN', analyst);
      PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = analyst;
    END IF;
  END LOOP;
END
$$;

ALTER FUNCTION public.set_analyst_access(organization text) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.set_analyst_access(organization text) IS 'Gives the analysts of an organization the right to read its views, or takes it, as the organization''s standing wants.';

CREATE FUNCTION public.set_audit_instant() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  NEW.at := clock_timestamp();
  RETURN NEW;
END
$$;

ALTER FUNCTION public.set_audit_instant() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.set_audit_instant() IS 'Gives a row of the audit log the instant at which it is written.';

CREATE FUNCTION public.split_late_quarter_hours() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  WITH turn AS (
    SELECT coalesce((SELECT min(organization) FROM public.late_quarter_hours WHERE organization > late_turn),
                    (SELECT min(organization) FROM public.late_quarter_hours)) AS name
      FROM public.quarter_hour_progress
  ), turned AS (
    UPDATE public.quarter_hour_progress SET late_turn = turn.name FROM turn WHERE turn.name IS NOT NULL
  ), taken AS (
    DELETE FROM public.late_quarter_hours
     WHERE id = (SELECT id FROM public.late_quarter_hours WHERE organization = (SELECT turn.name FROM turn)
                  ORDER BY id LIMIT 1)
    RETURNING asset_id, start, quarter_hours, queued_at
  ), parts AS (
    INSERT INTO public.late_quarter_hours (asset_id, start, quarter_hours, queued_at)
    SELECT asset_id, start + step * interval '15 minutes', 1, queued_at
      FROM taken CROSS JOIN LATERAL generate_series(0, quarter_hours - 1) AS step
    RETURNING 1
  )
  SELECT count(*) FROM parts
$$;

ALTER FUNCTION public.split_late_quarter_hours() OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.split_late_quarter_hours() IS 'Makes single quarter hours of the oldest entry of late_quarter_hours whose turn it is; returns their number.';

CREATE FUNCTION public.stored_snapshots(asset_keys bigint[], ends integer[], instants timestamp with time zone[], since timestamp with time zone, until timestamp with time zone, organizations text[] DEFAULT NULL::text[], organization_ends integer[] DEFAULT NULL::integer[]) RETURNS TABLE("timestamp" bytea, power_kw bytea, state_of_charge bytea, connected bytea, vehicle_state_of_charge bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET "timescaledb.enable_chunk_append" TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  visible bigint[] := '{}';
  first_run integer := 1;
  keys bigint[];
  known bigint[];
BEGIN
  FOR number IN 1 .. coalesce(cardinality(organizations), 1) LOOP
    IF organizations IS NOT NULL THEN
      PERFORM set_config('app.organization', organizations[number], true);
    END IF;
    keys := asset_keys[first_run:coalesce(organization_ends[number], cardinality(asset_keys))];
    known := ARRAY(SELECT a.key FROM public.assets a WHERE a.key = ANY (keys));
    visible := visible || ARRAY(
      SELECT CASE WHEN given.asset_key = ANY (known) THEN given.asset_key END
        FROM unnest(keys) WITH ORDINALITY AS given (asset_key, position)
       ORDER BY given.position);
    first_run := organization_ends[number] + 1;
  END LOOP;
  RETURN QUERY
  SELECT stored.timestamps, stored.powers, stored.charges, stored.connections, stored.vehicle_charges
    FROM (SELECT visible_key, run_end, position, lag(run_end, 1, 0) OVER (ORDER BY position) + 1 AS run_start
            FROM unnest(visible, ends) WITH ORDINALITY AS given (visible_key, run_end, position)) run
   CROSS JOIN LATERAL (
     SELECT array_send(array_agg(s.timestamp)) AS timestamps,
            array_send(array_agg(s.power_kw)) AS powers,
            array_send(array_agg(s.state_of_charge)) AS charges,
            array_send(array_agg(s.connected)) AS connections,
            array_send(array_agg(s.vehicle_state_of_charge)) AS vehicle_charges
       FROM (SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge
               FROM public.asset_snapshots s
              WHERE s.asset_id = run.visible_key
                AND s.timestamp = ANY (instants[run.run_start:run.run_end])
                AND s.timestamp BETWEEN instants[run.run_start] AND instants[run.run_end]
                AND s.timestamp BETWEEN since AND until
              ORDER BY s.timestamp) s
   ) stored
   ORDER BY run.position;
END
$$;

ALTER FUNCTION public.stored_snapshots(asset_keys bigint[], ends integer[], instants timestamp with time zone[], since timestamp with time zone, until timestamp with time zone, organizations text[], organization_ends integer[]) OWNER TO voltstream_snapshot_reader;

COMMENT ON FUNCTION public.stored_snapshots(asset_keys bigint[], ends integer[], instants timestamp with time zone[], since timestamp with time zone, until timestamp with time zone, organizations text[], organization_ends integer[]) IS 'Stored values of visible assets at given instants, run by run, as binary arrays.';

CREATE FUNCTION public.take_late_quarter_hours(entries_max integer) RETURNS TABLE(asset_id bigint, start timestamp with time zone, quarter_hours smallint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE
  last_turn text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT late_turn INTO STRICT last_turn FROM public.quarter_hour_progress;
  RETURN QUERY
    WITH RECURSIVE names AS (
      SELECT min(late.organization) AS name FROM public.late_quarter_hours AS late
      UNION ALL
      SELECT (SELECT min(late.organization) FROM public.late_quarter_hours AS late WHERE late.organization > names.name)
        FROM names WHERE names.name IS NOT NULL
    ), organizations AS (
      SELECT names.name, row_number() OVER (ORDER BY names.name <= last_turn, names.name) AS place,
             100000 / count(*) OVER () AS entries
        FROM names WHERE names.name IS NOT NULL
    ), different AS (
      SELECT organizations.name, organizations.place, oldest.asset_id, oldest.start, oldest.quarter_hours,
             row_number() OVER (PARTITION BY organizations.place ORDER BY min(oldest.id)) AS round
        FROM organizations
       CROSS JOIN LATERAL (
               SELECT late.id, late.asset_id, late.start, late.quarter_hours
                 FROM public.late_quarter_hours AS late
                WHERE late.organization = organizations.name
                ORDER BY late.id LIMIT greatest(organizations.entries, 1)) AS oldest
       WHERE organizations.place <= entries_max
       GROUP BY organizations.name, organizations.place, oldest.asset_id, oldest.start, oldest.quarter_hours
    ), portion AS (
      SELECT * FROM different ORDER BY different.round, different.place LIMIT entries_max
    ), taken AS (
      DELETE FROM public.late_quarter_hours AS late USING portion
       WHERE (late.asset_id, late.start, late.quarter_hours) = (portion.asset_id, portion.start, portion.quarter_hours)
    ), turned AS (
      UPDATE public.quarter_hour_progress SET late_turn = last.name
        FROM (SELECT portion.name FROM portion ORDER BY portion.round DESC, portion.place DESC LIMIT 1) AS last
    )
    SELECT portion.asset_id, portion.start, portion.quarter_hours FROM portion
     GROUP BY portion.asset_id, portion.start, portion.quarter_hours
     ORDER BY min(portion.round), min(portion.place);
END
$$;

ALTER FUNCTION public.take_late_quarter_hours(entries_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.take_late_quarter_hours(entries_max integer) IS 'Takes the lock of the sums by quarter hour, and the oldest entries of each organization by turns out of late_quarter_hours, equal ones as one.';

CREATE FUNCTION public.write_days_of_quarter_hours(keys bigint[], begun timestamp with time zone, ended timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET work_mem TO '64MB'
    AS $$
DECLARE
  final_until timestamptz;
  dropped_until timestamptz;
  first_day date := (begun AT TIME ZONE 'Europe/Berlin')::date;
  end_day date;
  first_whole_day date;
  written bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT greatest(p.summed_until, p.days_summed_until::timestamp AT TIME ZONE 'Europe/Berlin'), p.quarter_hours_dropped_until
    INTO STRICT final_until, dropped_until FROM public.quarter_hour_progress AS p;
  end_day := least(((ended - interval '1 microsecond') AT TIME ZONE 'Europe/Berlin')::date + 1,
                   (final_until AT TIME ZONE 'Europe/Berlin')::date);
  IF first_day >= end_day THEN
    RETURN 0;
  END IF;
  first_whole_day := CASE WHEN isfinite(dropped_until)
                          THEN ((dropped_until - interval '1 microsecond') AT TIME ZONE 'Europe/Berlin')::date + 1
                          ELSE '-infinity' END;
  INSERT INTO public.asset_days AS kept
    (asset_id, day, quarter_hours, samples, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh)
  SELECT q.asset_id, (q.start AT TIME ZONE 'Europe/Berlin')::date, count(*) FILTER (WHERE q.samples > 0), sum(q.samples),
         min(q.power_kw_min), max(q.power_kw_max), sum(q.covered_seconds), sum(q.consumed_kwh), sum(q.fed_kwh)
    FROM public.asset_quarter_hours AS q
   WHERE q.asset_id = ANY (keys) AND q.start >= first_day::timestamp AT TIME ZONE 'Europe/Berlin'
     AND q.start < end_day::timestamp AT TIME ZONE 'Europe/Berlin'
   GROUP BY q.asset_id, (q.start AT TIME ZONE 'Europe/Berlin')::date
  ON CONFLICT (asset_id, day) DO UPDATE
     SET (quarter_hours, samples, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh)
       = ROW (excluded.quarter_hours, excluded.samples, excluded.power_kw_min, excluded.power_kw_max,
              excluded.covered_seconds, excluded.consumed_kwh, excluded.fed_kwh)
   WHERE excluded.day >= first_whole_day;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END
$$;

ALTER FUNCTION public.write_days_of_quarter_hours(keys bigint[], begun timestamp with time zone, ended timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.write_days_of_quarter_hours(keys bigint[], begun timestamp with time zone, ended timestamp with time zone) IS 'Sums the quarter hours of assets by day, for the days of a span that are over; returns their number.';

CREATE FUNCTION public.write_quarter_hours(asset_ids bigint[], starts bigint[], samples integer[], connected_samples integer[], first_at double precision[], last_at double precision[], power_kw_min double precision[], power_kw_max double precision[], covered_seconds double precision[], consumed_kwh double precision[], fed_kwh double precision[], state_of_charge_first double precision[], state_of_charge_last double precision[], vehicle_state_of_charge_last double precision[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    AS $_$
DECLARE
  dropped_until timestamptz;
  first_start timestamptz;
  last_start timestamptz;
  statement text := $insert$
    INSERT INTO public.asset_quarter_hours AS kept
      (asset_id, start, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds,
       consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last)
    SELECT sums.a, to_timestamp(sums.b), sums.c, sums.d, to_timestamp(sums.e), to_timestamp(sums.f), sums.g, sums.h, sums.i,
           sums.j, sums.k, sums.l, sums.m, sums.n
      FROM (SELECT unnest($1) AS a, unnest($2) AS b, unnest($3) AS c, unnest($4) AS d, unnest($5) AS e, unnest($6) AS f,
                   unnest($7) AS g, unnest($8) AS h, unnest($9) AS i, unnest($10) AS j, unnest($11) AS k, unnest($12) AS l,
                   unnest($13) AS m, unnest($14) AS n
            OFFSET 0) AS sums $insert$;
  written bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT snapshots_dropped_until INTO STRICT dropped_until FROM public.quarter_hour_progress;
  SELECT to_timestamp(min(start)), to_timestamp(max(start)) INTO first_start, last_start FROM unnest(starts) AS start;
  PERFORM FROM public.asset_quarter_hours AS q
    WHERE q.asset_id = ANY (asset_ids) AND q.start >= first_start AND q.start <= last_start LIMIT 1;
  IF FOUND THEN
    statement := statement || $conflict$
    ON CONFLICT (asset_id, start) DO UPDATE
       SET (samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh,
            state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last)
         = ROW (excluded.samples, excluded.connected_samples, excluded.first_at, excluded.last_at, excluded.power_kw_min,
                excluded.power_kw_max, excluded.covered_seconds, excluded.consumed_kwh, excluded.fed_kwh,
                excluded.state_of_charge_first, excluded.state_of_charge_last, excluded.vehicle_state_of_charge_last)
     WHERE excluded.start > $15 + interval '45 minutes'
       AND (kept.samples, kept.connected_samples, kept.first_at, kept.last_at, kept.power_kw_min, kept.power_kw_max,
            kept.covered_seconds, kept.consumed_kwh, kept.fed_kwh, kept.state_of_charge_first, kept.state_of_charge_last,
            kept.vehicle_state_of_charge_last)
           IS DISTINCT FROM
           (excluded.samples, excluded.connected_samples, excluded.first_at, excluded.last_at, excluded.power_kw_min,
            excluded.power_kw_max, excluded.covered_seconds, excluded.consumed_kwh, excluded.fed_kwh,
            excluded.state_of_charge_first, excluded.state_of_charge_last, excluded.vehicle_state_of_charge_last)$conflict$;
  END IF;
  EXECUTE statement
    USING asset_ids, starts, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds,
          consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last, dropped_until;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END
$_$;

ALTER FUNCTION public.write_quarter_hours(asset_ids bigint[], starts bigint[], samples integer[], connected_samples integer[], first_at double precision[], last_at double precision[], power_kw_min double precision[], power_kw_max double precision[], covered_seconds double precision[], consumed_kwh double precision[], fed_kwh double precision[], state_of_charge_first double precision[], state_of_charge_last double precision[], vehicle_state_of_charge_last double precision[]) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.write_quarter_hours(asset_ids bigint[], starts bigint[], samples integer[], connected_samples integer[], first_at double precision[], last_at double precision[], power_kw_min double precision[], power_kw_max double precision[], covered_seconds double precision[], consumed_kwh double precision[], fed_kwh double precision[], state_of_charge_first double precision[], state_of_charge_last double precision[], vehicle_state_of_charge_last double precision[]) IS 'Writes sums by quarter hour, also over those that are there and differ; returns how many were written.';

CREATE TABLE public.assets (
    organization_id text NOT NULL,
    id text NOT NULL,
    key bigint DEFAULT 0 NOT NULL,
    household_id text NOT NULL,
    customer_id text NOT NULL,
    type text NOT NULL,
    external_id text,
    display_name text,
    manufacturer text,
    model text,
    parent_inverter text,
    max_power_kw double precision,
    hybrid boolean,
    peak_power_kw double precision,
    azimuth double precision,
    tilt double precision,
    capacity_kwh double precision,
    max_charge_power_kw double precision,
    max_discharge_power_kw double precision,
    phases integer,
    bidirectional boolean,
    thermal_power_kw double precision,
    decommissioned_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_in xid8,
    is_restricted boolean DEFAULT false NOT NULL,
    CONSTRAINT assets_battery CHECK ((((capacity_kwh IS NOT NULL) = (type = 'battery'::text)) AND ((max_charge_power_kw IS NOT NULL) = (type = 'battery'::text)) AND ((max_discharge_power_kw IS NOT NULL) = (type = 'battery'::text)) AND (capacity_kwh > (0)::double precision) AND (capacity_kwh < 'Infinity'::double precision) AND (max_charge_power_kw > (0)::double precision) AND (max_charge_power_kw < 'Infinity'::double precision) AND (max_discharge_power_kw > (0)::double precision) AND (max_discharge_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
    CONSTRAINT assets_heat_pump CHECK ((((type = 'heat_pump'::text) OR (thermal_power_kw IS NULL)) AND (thermal_power_kw > (0)::double precision) AND (thermal_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_household_assets CHECK (((type <> ALL (ARRAY['household_net'::text, 'household_residual'::text])) OR ((external_id IS NULL) AND (manufacturer IS NULL) AND (model IS NULL)))),
    CONSTRAINT assets_id_check CHECK ((id ~ '^ast_[0-9a-z]{24}$'::text)),
    CONSTRAINT assets_inverter CHECK (((hybrid IS NOT NULL) = (type = 'inverter'::text))),
    CONSTRAINT assets_max_power_kw CHECK ((((max_power_kw IS NOT NULL) = (type = ANY (ARRAY['inverter'::text, 'wallbox'::text, 'heat_pump'::text]))) AND (max_power_kw > (0)::double precision) AND (max_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_orientation CHECK ((((type = 'solar'::text) OR ((azimuth IS NULL) AND (tilt IS NULL))) AND ((azimuth >= (0)::double precision) AND (azimuth <= (360)::double precision)) AND ((tilt >= (0)::double precision) AND (tilt <= (90)::double precision)))),
    CONSTRAINT assets_parent_by_type CHECK (
CASE type
    WHEN 'solar'::text THEN (parent_inverter IS NOT NULL)
    WHEN 'battery'::text THEN true
    ELSE (parent_inverter IS NULL)
END),
    CONSTRAINT assets_solar CHECK ((((peak_power_kw IS NOT NULL) = (type = 'solar'::text)) AND (peak_power_kw > (0)::double precision) AND (peak_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_type_check CHECK ((type = ANY (ARRAY['inverter'::text, 'solar'::text, 'battery'::text, 'wallbox'::text, 'heat_pump'::text, 'household_net'::text, 'household_residual'::text]))),
    CONSTRAINT assets_wallbox CHECK ((((bidirectional IS NOT NULL) = (type = 'wallbox'::text)) AND ((type = 'wallbox'::text) OR (phases IS NULL)) AND (phases = ANY (ARRAY[1, 3]))))
);

ALTER TABLE ONLY public.assets FORCE ROW LEVEL SECURITY;

ALTER TABLE public.assets OWNER TO voltstream_owner;

COMMENT ON TABLE public.assets IS 'Devices of households and the two computed assets of each household.';

COMMENT ON COLUMN public.assets.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.assets.id IS 'ast_ and 24 random characters.';

COMMENT ON COLUMN public.assets.key IS 'Internal key in asset_snapshots; never shown, never used again. 0 asks for one: keys of a household share a bucket, hashint8(key) >> 22. Older keys need not.';

COMMENT ON COLUMN public.assets.household_id IS 'The household it belongs to; never changes.';

COMMENT ON COLUMN public.assets.customer_id IS 'The household''s customer, kept here so that policies need no join.';

COMMENT ON COLUMN public.assets.type IS 'Device type, or household_net or household_residual; never changes.';

COMMENT ON COLUMN public.assets.external_id IS 'The organization''s own name for it; once set it never changes, and only the erasure of the customer frees it. Personal; to name the device; until erased.';

COMMENT ON COLUMN public.assets.display_name IS 'Name for people. Personal; to tell devices apart; until erased.';

COMMENT ON COLUMN public.assets.manufacturer IS 'Manufacturer.';

COMMENT ON COLUMN public.assets.model IS 'Model.';

COMMENT ON COLUMN public.assets.parent_inverter IS 'The inverter behind which a solar array or a battery sits.';

COMMENT ON COLUMN public.assets.max_power_kw IS 'Rated power in kW of an inverter, wallbox or heat pump (electrical).';

COMMENT ON COLUMN public.assets.hybrid IS 'Whether the inverter takes batteries.';

COMMENT ON COLUMN public.assets.peak_power_kw IS 'Peak power in kW of the solar array.';

COMMENT ON COLUMN public.assets.azimuth IS 'Direction of the solar array in degrees, 0 to 360.';

COMMENT ON COLUMN public.assets.tilt IS 'Tilt of the solar array in degrees, 0 to 90.';

COMMENT ON COLUMN public.assets.capacity_kwh IS 'Capacity of the battery in kWh.';

COMMENT ON COLUMN public.assets.max_charge_power_kw IS 'Rated charging power of the battery in kW.';

COMMENT ON COLUMN public.assets.max_discharge_power_kw IS 'Rated discharging power of the battery in kW.';

COMMENT ON COLUMN public.assets.phases IS 'Phases of the wallbox, 1 or 3.';

COMMENT ON COLUMN public.assets.bidirectional IS 'Whether the wallbox can discharge a vehicle.';

COMMENT ON COLUMN public.assets.thermal_power_kw IS 'Thermal power of the heat pump in kW.';

COMMENT ON COLUMN public.assets.decommissioned_at IS 'Out of use since; no snapshot after it. 1970: the person was erased, and none is taken. The household''s own assets end in this way only.';

COMMENT ON COLUMN public.assets.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.assets.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.assets.changed_in IS 'The transaction that wrote the row last; never shown. Processes that keep assets in memory ask by it what changed.';

COMMENT ON COLUMN public.assets.is_restricted IS 'Whether its customer is restricted: customers.restricted_at.';

CREATE VIEW analytics.assets AS
 SELECT organization_id,
    id AS asset,
    household_id AS household,
    customer_id AS customer,
    type,
    external_id,
    manufacturer,
    model,
    parent_inverter,
    max_power_kw,
    hybrid,
    peak_power_kw,
    azimuth AS azimuth_degrees,
    tilt AS tilt_degrees,
    capacity_kwh,
    max_charge_power_kw,
    max_discharge_power_kw,
    phases,
    bidirectional,
    thermal_power_kw,
    decommissioned_at,
    created_at
   FROM public.assets;

ALTER VIEW analytics.assets OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.assets IS 'Devices of households, and of each household its grid connection (household_net) and what no device explains (household_residual).';

COMMENT ON COLUMN analytics.assets.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.assets.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.assets.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.assets.customer IS 'Id of the household''s customer, cus_.';

COMMENT ON COLUMN analytics.assets.type IS 'inverter, solar, battery, wallbox, heat_pump, household_net or household_residual.';

COMMENT ON COLUMN analytics.assets.external_id IS 'The organization''s own name for the device; null: none.';

COMMENT ON COLUMN analytics.assets.manufacturer IS 'Manufacturer; null: not known.';

COMMENT ON COLUMN analytics.assets.model IS 'Model; null: not known.';

COMMENT ON COLUMN analytics.assets.parent_inverter IS 'Id of the inverter behind which a solar array or a battery sits, ast_; null: none.';

COMMENT ON COLUMN analytics.assets.max_power_kw IS 'Rated power in kW of an inverter, wallbox or heat pump (electrical); null: another type.';

COMMENT ON COLUMN analytics.assets.hybrid IS 'Whether the inverter takes batteries; null: another type.';

COMMENT ON COLUMN analytics.assets.peak_power_kw IS 'Peak power in kW of the solar array; null: another type.';

COMMENT ON COLUMN analytics.assets.azimuth_degrees IS 'Direction of the solar array in degrees, 0 to 360: 0 north, 180 south; null: not known.';

COMMENT ON COLUMN analytics.assets.tilt_degrees IS 'Tilt of the solar array in degrees: 0 flat, 90 upright; null: not known.';

COMMENT ON COLUMN analytics.assets.capacity_kwh IS 'Capacity of the battery in kWh; null: another type.';

COMMENT ON COLUMN analytics.assets.max_charge_power_kw IS 'Rated charging power of the battery in kW; null: another type.';

COMMENT ON COLUMN analytics.assets.max_discharge_power_kw IS 'Rated discharging power of the battery in kW; null: another type.';

COMMENT ON COLUMN analytics.assets.phases IS 'Phases of the wallbox, 1 or 3; null: not known.';

COMMENT ON COLUMN analytics.assets.bidirectional IS 'Whether the wallbox can discharge a vehicle; null: another type.';

COMMENT ON COLUMN analytics.assets.thermal_power_kw IS 'Thermal power in kW of the heat pump; null: not known.';

COMMENT ON COLUMN analytics.assets.decommissioned_at IS 'Out of use since; null: in use.';

COMMENT ON COLUMN analytics.assets.created_at IS 'Instant of creation.';

CREATE VIEW analytics.billing_refusals AS
 SELECT organization_id,
    customer_id AS customer,
    subscription_id AS contract,
    type,
    period_start AS period_start_on,
    period_end AS period_end_on,
    code,
    deadline AS deadline_on,
    first_at,
    last_at,
    run_id AS billing_run
   FROM public.billing_refusals;

ALTER VIEW analytics.billing_refusals OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.billing_refusals IS 'Bills that wait, because something that they need is missing. A row goes when the bill is issued.';

COMMENT ON COLUMN analytics.billing_refusals.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.billing_refusals.customer IS 'Id of the contract partner, cus_.';

COMMENT ON COLUMN analytics.billing_refusals.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.billing_refusals.type IS 'What was not issued: usage, prepayment, correction or exit_summary.';

COMMENT ON COLUMN analytics.billing_refusals.period_start_on IS 'First day of its period, Europe/Berlin.';

COMMENT ON COLUMN analytics.billing_refusals.period_end_on IS 'First day that is no longer part of the period, Europe/Berlin.';

COMMENT ON COLUMN analytics.billing_refusals.code IS 'Why: missing_price, missing_usage, missing_reference and so on.';

COMMENT ON COLUMN analytics.billing_refusals.deadline_on IS 'Until when it has to be issued, Europe/Berlin; null: no day is set.';

COMMENT ON COLUMN analytics.billing_refusals.first_at IS 'Instant at which it was refused first.';

COMMENT ON COLUMN analytics.billing_refusals.last_at IS 'Instant at which it was refused last.';

COMMENT ON COLUMN analytics.billing_refusals.billing_run IS 'Id of the run that refused it last, brun_; null: the run is not known any more.';

CREATE TABLE public.billing_terms (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    valid_from date NOT NULL,
    mode text NOT NULL,
    instalment numeric(12,2),
    basis text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT billing_terms_basis_check CHECK ((basis = ANY (ARRAY['forecast'::text, 'closing_bill'::text, 'evidence'::text]))),
    CONSTRAINT billing_terms_check CHECK (((mode = 'advance'::text) = (instalment IS NOT NULL))),
    CONSTRAINT billing_terms_instalment_check CHECK ((instalment > (0)::numeric)),
    CONSTRAINT billing_terms_mode_check CHECK ((mode = ANY (ARRAY['monthly'::text, 'advance'::text, 'none'::text]))),
    CONSTRAINT billing_terms_valid_from_check CHECK (isfinite(valid_from))
);

ALTER TABLE ONLY public.billing_terms FORCE ROW LEVEL SECURITY;

ALTER TABLE public.billing_terms OWNER TO voltstream_owner;

COMMENT ON TABLE public.billing_terms IS 'How contracts are billed from which day on; without a row: month by month.';

COMMENT ON COLUMN public.billing_terms.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.billing_terms.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.billing_terms.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.billing_terms.valid_from IS 'First day, Europe/Berlin; until the next row of the contract.';

COMMENT ON COLUMN public.billing_terms.mode IS 'monthly: a bill each month; advance: a prepayment each month and a bill after twelve; none: another system bills.';

COMMENT ON COLUMN public.billing_terms.instalment IS 'Monthly advance in EUR with VAT. Personal; for billing; as long as the contract.';

COMMENT ON COLUMN public.billing_terms.basis IS 'What the instalment follows from: forecast of the contract, closing_bill of the year before, evidence of the customer.';

COMMENT ON COLUMN public.billing_terms.created_at IS 'When it was entered.';

CREATE VIEW analytics.billing_terms AS
 SELECT organization_id,
    subscription_id AS contract,
    customer_id AS customer,
    valid_from,
    mode,
    instalment AS instalment_eur,
    basis
   FROM public.billing_terms;

ALTER VIEW analytics.billing_terms OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.billing_terms IS 'How contracts are billed from which day on: what customers were told to pay in advance.';

COMMENT ON COLUMN analytics.billing_terms.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.billing_terms.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.billing_terms.customer IS 'Id of the customer, cus_.';

COMMENT ON COLUMN analytics.billing_terms.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN analytics.billing_terms.mode IS 'How it is billed.';

COMMENT ON COLUMN analytics.billing_terms.instalment_eur IS 'Monthly advance in EUR with VAT; null: none.';

COMMENT ON COLUMN analytics.billing_terms.basis IS 'What the advance rests on.';

CREATE VIEW analytics.holidays AS
 WITH years AS (
         SELECT year.year,
            (year.year % 19) AS a,
            (year.year / 100) AS b,
            (year.year % 100) AS c
           FROM generate_series(2000, 2099) year(year)
        ), moon AS (
         SELECT years.year,
            years.a,
            ((((((19 * years.a) + years.b) - (years.b / 4)) - (((years.b - ((years.b + 8) / 25)) + 1) / 3)) + 15) % 30) AS h,
            years.b,
            years.c
           FROM years
        ), sunday AS (
         SELECT moon.year,
            moon.a,
            moon.h,
            (((((32 + (2 * (moon.b % 4))) + (2 * (moon.c / 4))) - moon.h) - (moon.c % 4)) % 7) AS l
           FROM moon
        ), easter AS (
         SELECT sunday.year,
            (((make_date(sunday.year, 3, 22) + sunday.h) + sunday.l) - (7 * (((sunday.a + (11 * sunday.h)) + (22 * sunday.l)) / 451))) AS sunday
           FROM sunday
        ), states AS (
         SELECT ARRAY['BW'::text, 'BY'::text, 'BE'::text, 'BB'::text, 'HB'::text, 'HH'::text, 'HE'::text, 'MV'::text, 'NI'::text, 'NW'::text, 'RP'::text, 'SL'::text, 'SN'::text, 'ST'::text, 'SH'::text, 'TH'::text] AS all_states
        )
 SELECT rule.day AS delivery_day,
    state.state,
    rule.name,
    (cardinality(rule.states) = 16) AS is_nationwide
   FROM (((easter e
     CROSS JOIN states s)
     CROSS JOIN LATERAL ( VALUES (make_date(e.year, 1, 1),'New Year''s Day'::text,s.all_states), (make_date(e.year, 1, 6),'Epiphany'::text,ARRAY['BW'::text, 'BY'::text, 'ST'::text]), (make_date(e.year, 3, 8),'Women''s Day'::text,
                CASE
                    WHEN (e.year >= 2023) THEN ARRAY['BE'::text, 'MV'::text]
                    WHEN (e.year >= 2019) THEN ARRAY['BE'::text]
                    ELSE '{}'::text[]
                END), ((e.sunday - 2),'Good Friday'::text,s.all_states), (e.sunday,'Easter Sunday'::text,ARRAY['BB'::text]), ((e.sunday + 1),'Easter Monday'::text,s.all_states), (make_date(e.year, 5, 1),'Labour Day'::text,s.all_states), (make_date(e.year, 5, 8),'Liberation Day'::text,
                CASE
                    WHEN (e.year = ANY (ARRAY[2020, 2025])) THEN ARRAY['BE'::text]
                    ELSE '{}'::text[]
                END), ((e.sunday + 39),'Ascension Day'::text,s.all_states), ((e.sunday + 49),'Whit Sunday'::text,ARRAY['BB'::text]), ((e.sunday + 50),'Whit Monday'::text,s.all_states), ((e.sunday + 60),'Corpus Christi'::text,ARRAY['BW'::text, 'BY'::text, 'HE'::text, 'NW'::text, 'RP'::text, 'SL'::text]), (make_date(e.year, 8, 15),'Assumption Day'::text,ARRAY['BY'::text, 'SL'::text]), (make_date(e.year, 9, 20),'Children''s Day'::text,
                CASE
                    WHEN (e.year >= 2019) THEN ARRAY['TH'::text]
                    ELSE '{}'::text[]
                END), (make_date(e.year, 10, 3),'Day of German Unity'::text,s.all_states), (make_date(e.year, 10, 31),'Reformation Day'::text,
                CASE
                    WHEN (e.year = 2017) THEN s.all_states
                    WHEN (e.year >= 2018) THEN ARRAY['BB'::text, 'HB'::text, 'HH'::text, 'MV'::text, 'NI'::text, 'SN'::text, 'ST'::text, 'SH'::text, 'TH'::text]
                    ELSE ARRAY['BB'::text, 'MV'::text, 'SN'::text, 'ST'::text, 'TH'::text]
                END), (make_date(e.year, 11, 1),'All Saints'' Day'::text,ARRAY['BW'::text, 'BY'::text, 'NW'::text, 'RP'::text, 'SL'::text]), ((make_date(e.year, 11, 22) - (((EXTRACT(dow FROM make_date(e.year, 11, 22)))::integer + 4) % 7)),'Repentance Day'::text,ARRAY['SN'::text]), (make_date(e.year, 12, 25),'Christmas Day'::text,s.all_states), (make_date(e.year, 12, 26),'Boxing Day'::text,s.all_states)) rule(day, name, states))
     CROSS JOIN LATERAL unnest(rule.states) state(state));

ALTER VIEW analytics.holidays OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.holidays IS 'Holidays of Germany by state, 2000 to 2099. The same for all organizations.';

COMMENT ON COLUMN analytics.holidays.delivery_day IS 'The day, Europe/Berlin.';

COMMENT ON COLUMN analytics.holidays.state IS 'State by its code of ISO 3166-2: BY, NW and so on.';

COMMENT ON COLUMN analytics.holidays.name IS 'Name of the holiday.';

COMMENT ON COLUMN analytics.holidays.is_nationwide IS 'Whether all states have it.';

CREATE TABLE public.delivery_days (
    day date NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    hours smallint NOT NULL,
    CONSTRAINT delivery_days_check CHECK ((ends_at > starts_at)),
    CONSTRAINT delivery_days_hours_check CHECK (((hours >= 23) AND (hours <= 25)))
);

ALTER TABLE public.delivery_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.delivery_days IS 'Days of Europe/Berlin from 2000 to 2099 with their instants.';

COMMENT ON COLUMN public.delivery_days.day IS 'The day.';

COMMENT ON COLUMN public.delivery_days.starts_at IS 'Instant of its midnight.';

COMMENT ON COLUMN public.delivery_days.ends_at IS 'Instant of the next midnight: no longer part of it.';

COMMENT ON COLUMN public.delivery_days.hours IS 'Its length in hours: 24; 23 and 25 when the clock is changed.';

CREATE VIEW analytics.calendar AS
 SELECT d.day AS delivery_day,
    (EXTRACT(isodow FROM d.day))::integer AS weekday,
    (EXTRACT(isodow FROM d.day) >= (6)::numeric) AS is_weekend,
    (date_trunc('week'::text, (d.day)::timestamp without time zone))::date AS week,
    (date_trunc('month'::text, (d.day)::timestamp without time zone))::date AS month,
    d.hours,
        CASE d.hours
            WHEN 23 THEN 'forward'::text
            WHEN 25 THEN 'back'::text
            ELSE NULL::text
        END AS clock_change,
    COALESCE(h.is_nationwide, false) AS is_holiday,
    h.name AS holiday,
    COALESCE(h.states, '{}'::text[]) AS holiday_states
   FROM (public.delivery_days d
     LEFT JOIN ( SELECT holidays.delivery_day,
            string_agg(DISTINCT holidays.name, ', '::text) AS name,
            bool_or(holidays.is_nationwide) AS is_nationwide,
            array_agg(DISTINCT holidays.state) AS states
           FROM analytics.holidays
          GROUP BY holidays.delivery_day) h ON ((h.delivery_day = d.day)));

ALTER VIEW analytics.calendar OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.calendar IS 'Days of Europe/Berlin with what they are: weekday, holiday, clock change. The same for all organizations.';

COMMENT ON COLUMN analytics.calendar.delivery_day IS 'The day, Europe/Berlin.';

COMMENT ON COLUMN analytics.calendar.weekday IS '1 Monday to 7 Sunday.';

COMMENT ON COLUMN analytics.calendar.is_weekend IS 'Saturday or Sunday.';

COMMENT ON COLUMN analytics.calendar.week IS 'Monday of its week.';

COMMENT ON COLUMN analytics.calendar.month IS 'First day of its month.';

COMMENT ON COLUMN analytics.calendar.hours IS 'Its length in hours: 24; 23 and 25 when the clock is changed.';

COMMENT ON COLUMN analytics.calendar.clock_change IS 'forward in March, back in October; null: none.';

COMMENT ON COLUMN analytics.calendar.is_holiday IS 'Whether it is a holiday in all states.';

COMMENT ON COLUMN analytics.calendar.holiday IS 'Name of the holiday, of some states at least; of two on one day both; null: none.';

COMMENT ON COLUMN analytics.calendar.holiday_states IS 'Codes of the states that have it.';

CREATE TABLE public.asset_quarter_hours (
    asset_id bigint NOT NULL,
    start timestamp with time zone NOT NULL,
    samples integer NOT NULL,
    connected_samples integer NOT NULL,
    first_at timestamp with time zone,
    last_at timestamp with time zone,
    power_kw_min double precision,
    power_kw_max double precision,
    covered_seconds double precision NOT NULL,
    consumed_kwh double precision NOT NULL,
    fed_kwh double precision NOT NULL,
    state_of_charge_first double precision,
    state_of_charge_last double precision,
    vehicle_state_of_charge_last double precision
);

ALTER TABLE public.asset_quarter_hours OWNER TO voltstream_owner;

COMMENT ON TABLE public.asset_quarter_hours IS 'Sums of snapshots: one row per asset and quarter hour in which a power value was sent or still held. A hypertable in chunks of 7 days, kept by the job sum-quarter-hours: final before quarter_hour_progress.summed_until, some minutes old after it.';

COMMENT ON COLUMN public.asset_quarter_hours.asset_id IS 'Internal key of the asset: assets.key. Personal, shows who is at home; for analyses; QUARTER_HOUR_RETENTION_MONTHS, 3 years.';

COMMENT ON COLUMN public.asset_quarter_hours.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN public.asset_quarter_hours.samples IS 'Number of power values; 0: none was sent, the last one of the quarter hour before still held.';

COMMENT ON COLUMN public.asset_quarter_hours.connected_samples IS 'Number of values that say a vehicle is connected.';

COMMENT ON COLUMN public.asset_quarter_hours.first_at IS 'Instant of the first power value; null: none.';

COMMENT ON COLUMN public.asset_quarter_hours.last_at IS 'Instant of the last power value; null: none.';

COMMENT ON COLUMN public.asset_quarter_hours.power_kw_min IS 'Least power value in kW; null: none.';

COMMENT ON COLUMN public.asset_quarter_hours.power_kw_max IS 'Greatest power value in kW; null: none.';

COMMENT ON COLUMN public.asset_quarter_hours.covered_seconds IS 'For how many of the 900 seconds a power value held: each until the next one, at most for the usual distance of the asset''s values, 15 minutes to an hour.';

COMMENT ON COLUMN public.asset_quarter_hours.consumed_kwh IS 'Energy into the asset while a value held, in kWh: its positive power times its seconds.';

COMMENT ON COLUMN public.asset_quarter_hours.fed_kwh IS 'Energy out of the asset in kWh, positive.';

COMMENT ON COLUMN public.asset_quarter_hours.state_of_charge_first IS 'First state of charge of a battery, 0 to 1; null: none.';

COMMENT ON COLUMN public.asset_quarter_hours.state_of_charge_last IS 'Last state of charge of a battery, 0 to 1; null: none.';

COMMENT ON COLUMN public.asset_quarter_hours.vehicle_state_of_charge_last IS 'Last state of charge of the vehicle at a wallbox, 0 to 1; null: none.';

CREATE VIEW measured.stored_quarter_hours AS
 SELECT asset_id,
    start,
    samples,
    connected_samples,
    first_at,
    last_at,
    power_kw_min,
    power_kw_max,
    covered_seconds,
    consumed_kwh,
    fed_kwh,
    state_of_charge_first,
    state_of_charge_last,
    vehicle_state_of_charge_last
   FROM public.asset_quarter_hours
  WHERE (covered_seconds > (0)::double precision);

ALTER VIEW measured.stored_quarter_hours OWNER TO voltstream_analyst_reader;

CREATE VIEW analytics.completeness AS
 SELECT a.organization_id,
    a.id AS asset,
    a.household_id AS household,
    a.type,
    d.day AS delivery_day,
    (d.hours * 4) AS expected_quarter_hours,
    found.quarter_hours,
    ((found.quarter_hours)::double precision / ((d.hours * 4))::double precision) AS value_share,
    (found.covered_seconds / ((d.hours * 3600))::double precision) AS covered_share,
    found.first_at,
    found.last_at,
    (EXTRACT(epoch FROM GREATEST((COALESCE(found.first_at, life.ends_at) - d.starts_at), found.longest_gap, (life.ends_at - found.last_at))))::double precision AS longest_gap_seconds
   FROM ((((public.assets a
     CROSS JOIN LATERAL ( SELECT min(q.start) AS start
           FROM measured.stored_quarter_hours q
          WHERE (q.asset_id = a.key)) begun)
     JOIN public.delivery_days d ON (((d.ends_at > begun.start) AND (d.starts_at < LEAST(now(), a.decommissioned_at)))))
     CROSS JOIN LATERAL ( SELECT LEAST(d.ends_at, now(), a.decommissioned_at) AS ends_at) life)
     CROSS JOIN LATERAL ( SELECT (count(*) FILTER (WHERE (sums.samples > 0)))::integer AS quarter_hours,
            COALESCE(sum(sums.covered_seconds), (0)::double precision) AS covered_seconds,
            min(sums.first_at) AS first_at,
            max(sums.last_at) AS last_at,
            max(sums.gap) AS longest_gap
           FROM ( SELECT q.samples,
                    q.covered_seconds,
                    q.first_at,
                    q.last_at,
                    (q.first_at - max(q.last_at) OVER (ORDER BY q.start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS gap
                   FROM measured.stored_quarter_hours q
                  WHERE ((q.asset_id = a.key) AND (q.start >= d.starts_at) AND (q.start < d.ends_at))) sums) found);

ALTER VIEW analytics.completeness OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.completeness IS 'The values of each asset and day, days without any value included: from its first value to today. Ask for assets or for a span of delivery_day.';

COMMENT ON COLUMN analytics.completeness.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.completeness.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.completeness.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.completeness.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.completeness.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.completeness.expected_quarter_hours IS 'Quarter hours of the day: 96; 92 and 100 when the clock is changed. Of today all, though some are still to come.';

COMMENT ON COLUMN analytics.completeness.quarter_hours IS 'Quarter hours in which a power value was sent.';

COMMENT ON COLUMN analytics.completeness.value_share IS 'quarter_hours of expected_quarter_hours, 0 to 1.';

COMMENT ON COLUMN analytics.completeness.covered_share IS 'Share of the day in which a power value held, 0 to 1: each until the next one, by the step rule of energy.';

COMMENT ON COLUMN analytics.completeness.first_at IS 'Instant of the first power value of the day; null: none.';

COMMENT ON COLUMN analytics.completeness.last_at IS 'Instant of the last power value of the day; null: none.';

COMMENT ON COLUMN analytics.completeness.longest_gap_seconds IS 'Longest time without a power value in seconds, from midnight and to midnight (today: to now) included; one within a quarter hour is not seen.';

CREATE TABLE public.addresses (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    street text NOT NULL,
    house_number text NOT NULL,
    zip text NOT NULL,
    city text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT addresses_id_check CHECK ((id ~ '^adr_[0-9a-z]{24}$'::text))
);

ALTER TABLE ONLY public.addresses FORCE ROW LEVEL SECURITY;

ALTER TABLE public.addresses OWNER TO voltstream_owner;

COMMENT ON TABLE public.addresses IS 'Postal addresses of customers.';

COMMENT ON COLUMN public.addresses.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.addresses.id IS 'adr_ and 24 random characters.';

COMMENT ON COLUMN public.addresses.customer_id IS 'Whose address it is.';

COMMENT ON COLUMN public.addresses.street IS 'Street without number. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.house_number IS 'House number. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.zip IS 'German postal code, 5 digits. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.city IS 'Town. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.created_at IS 'Instant of creation.';

CREATE TABLE public.households (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    address_id text,
    display_name text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT households_id_check CHECK ((id ~ '^dom_[0-9a-z]{24}$'::text))
);

ALTER TABLE ONLY public.households FORCE ROW LEVEL SECURITY;

ALTER TABLE public.households OWNER TO voltstream_owner;

COMMENT ON TABLE public.households IS 'Places of delivery: what assets belong to.';

COMMENT ON COLUMN public.households.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.households.id IS 'dom_ and 24 random characters.';

COMMENT ON COLUMN public.households.customer_id IS 'The customer who lives there.';

COMMENT ON COLUMN public.households.address_id IS 'Address of delivery; null when unknown.';

COMMENT ON COLUMN public.households.display_name IS 'Set by the operator only. Personal; to tell places apart; until erased.';

COMMENT ON COLUMN public.households.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.households.updated_at IS 'Instant of the last change.';

CREATE TABLE public.plans (
    organization_id text NOT NULL,
    id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    type text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT plans_id_check CHECK ((id ~ '^pln_[0-9a-z]{24}$'::text)),
    CONSTRAINT plans_name_check CHECK ((name <> ''::text)),
    CONSTRAINT plans_slug_check CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
    CONSTRAINT plans_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text]))),
    CONSTRAINT plans_type_check CHECK ((type = ANY (ARRAY['consumption'::text, 'feed_in'::text])))
);

ALTER TABLE ONLY public.plans FORCE ROW LEVEL SECURITY;

ALTER TABLE public.plans OWNER TO voltstream_owner;

COMMENT ON TABLE public.plans IS 'Tariff plans of an organization.';

COMMENT ON COLUMN public.plans.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.plans.id IS 'pln_ and 24 random characters.';

COMMENT ON COLUMN public.plans.slug IS 'Lower-case letters, digits, hyphens; unique in the organization; part of lead links.';

COMMENT ON COLUMN public.plans.name IS 'Shown to customers.';

COMMENT ON COLUMN public.plans.description IS 'Shown to customers; empty when there is none.';

COMMENT ON COLUMN public.plans.status IS 'active, or archived: no new contracts.';

COMMENT ON COLUMN public.plans.type IS 'consumption, or feed_in: the customer is paid.';

COMMENT ON COLUMN public.plans.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.plans.updated_at IS 'Instant of the last change.';

CREATE TABLE public.subscriptions (
    organization_id text NOT NULL,
    id text NOT NULL,
    number text,
    plan_id text NOT NULL,
    type text NOT NULL,
    customer_id text NOT NULL,
    household_id text NOT NULL,
    address_id text,
    billing_address_id text NOT NULL,
    meter_id text NOT NULL,
    payment_method_id text NOT NULL,
    supplier_id text,
    status text NOT NULL,
    estimated_usage numeric NOT NULL,
    intended_start_on date NOT NULL,
    confirmed_at timestamp with time zone,
    start_at timestamp with time zone,
    terminated_at timestamp with time zone,
    termination_reason text,
    end_at timestamp with time zone,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    meter_type text,
    is_tax_exempt boolean DEFAULT false NOT NULL,
    plant_commissioned_on date,
    plant_size_kw numeric,
    bills_changed_at timestamp with time zone,
    bills_changed_from date,
    CONSTRAINT subscriptions_bills_changed_check CHECK (((bills_changed_at IS NULL) = (bills_changed_from IS NULL))),
    CONSTRAINT subscriptions_check CHECK ((billing_address_id <> address_id)),
    CONSTRAINT subscriptions_check1 CHECK (((start_at IS NULL) = (confirmed_at IS NULL))),
    CONSTRAINT subscriptions_check2 CHECK (((status <> 'active'::text) OR (start_at IS NOT NULL))),
    CONSTRAINT subscriptions_check3 CHECK (((status <> 'ended'::text) OR (end_at IS NOT NULL))),
    CONSTRAINT subscriptions_check4 CHECK (((terminated_at IS NULL) = (termination_reason IS NULL))),
    CONSTRAINT subscriptions_estimated_usage_check CHECK (((estimated_usage >= (100)::numeric) AND (estimated_usage <= (1000000000)::numeric))),
    CONSTRAINT subscriptions_id_check CHECK ((id ~ '^sub_[0-9a-z]{24}$'::text)),
    CONSTRAINT subscriptions_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT subscriptions_meter_type_check CHECK ((meter_type = ANY (ARRAY['smart'::text, 'analog'::text]))),
    CONSTRAINT subscriptions_number_check CHECK ((number ~ '^[A-Z0-9]{8}$'::text)),
    CONSTRAINT subscriptions_plant_check CHECK (((type = 'feed_in'::text) OR ((NOT is_tax_exempt) AND (plant_commissioned_on IS NULL) AND (plant_size_kw IS NULL)))),
    CONSTRAINT subscriptions_plant_size_kw_check CHECK (((plant_size_kw > (0)::numeric) AND (plant_size_kw <= (100000)::numeric))),
    CONSTRAINT subscriptions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'ended'::text]))),
    CONSTRAINT subscriptions_termination_reason_check CHECK ((termination_reason = ANY (ARRAY['ORDINARY'::text, 'MOVE_OUT'::text, 'WITHDRAWAL'::text]))),
    CONSTRAINT subscriptions_type_check CHECK ((type = ANY (ARRAY['consumption'::text, 'feed_in'::text])))
);

ALTER TABLE ONLY public.subscriptions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.subscriptions OWNER TO voltstream_owner;

COMMENT ON TABLE public.subscriptions IS 'Supply and feed-in contracts.';

COMMENT ON COLUMN public.subscriptions.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.subscriptions.id IS 'sub_ and 24 random characters.';

COMMENT ON COLUMN public.subscriptions.number IS 'Eight characters for people; null only for imported contracts.';

COMMENT ON COLUMN public.subscriptions.plan_id IS 'The plan.';

COMMENT ON COLUMN public.subscriptions.type IS 'As the plan: consumption or feed_in.';

COMMENT ON COLUMN public.subscriptions.customer_id IS 'The contract partner.';

COMMENT ON COLUMN public.subscriptions.household_id IS 'The household.';

COMMENT ON COLUMN public.subscriptions.address_id IS 'Address of delivery; null only for imported contracts.';

COMMENT ON COLUMN public.subscriptions.billing_address_id IS 'Address of invoices: begins as a copy of the delivery address.';

COMMENT ON COLUMN public.subscriptions.meter_id IS 'The household''s meter.';

COMMENT ON COLUMN public.subscriptions.payment_method_id IS 'How it is paid.';

COMMENT ON COLUMN public.subscriptions.supplier_id IS 'Previous supplier; null for a move-in and for feed-in.';

COMMENT ON COLUMN public.subscriptions.status IS 'pending, active or ended.';

COMMENT ON COLUMN public.subscriptions.estimated_usage IS 'kWh a year given at sign-up; for feed-in the expected feed-in.';

COMMENT ON COLUMN public.subscriptions.intended_start_on IS 'Day asked for, Europe/Berlin, moved to the earliest possible one.';

COMMENT ON COLUMN public.subscriptions.confirmed_at IS 'First confirmation of the grid operator; the right of withdrawal counts from here.';

COMMENT ON COLUMN public.subscriptions.start_at IS 'Beginning of supply, midnight in Europe/Berlin; null until confirmed.';

COMMENT ON COLUMN public.subscriptions.terminated_at IS 'When the termination in force was recorded.';

COMMENT ON COLUMN public.subscriptions.termination_reason IS 'ORDINARY, MOVE_OUT or WITHDRAWAL.';

COMMENT ON COLUMN public.subscriptions.end_at IS 'End of supply, exclusive.';

COMMENT ON COLUMN public.subscriptions.metadata IS 'The client''s own values, at most 10 KB. Personal; for the client''s own records; until erased.';

COMMENT ON COLUMN public.subscriptions.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.subscriptions.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.subscriptions.meter_type IS 'smart or analog, as the sign-up said; smart counts from the start of supply. Null: not kept then.';

COMMENT ON COLUMN public.subscriptions.is_tax_exempt IS 'Feed-in only: whether it is paid without value added tax (section 19 UStG).';

COMMENT ON COLUMN public.subscriptions.plant_commissioned_on IS 'Feed-in only: first day of operation of the plant, Europe/Berlin; null: not known.';

COMMENT ON COLUMN public.subscriptions.plant_size_kw IS 'Feed-in only: installed power of the plant in kW; null: not known.';

COMMENT ON COLUMN public.subscriptions.bills_changed_at IS 'When something was entered last that bills depend on and that has no instant of its own, a module of section 14a EnWG for instance; null: never, or all bills were looked at since. Not shown.';

COMMENT ON COLUMN public.subscriptions.bills_changed_from IS 'First day, Europe/Berlin, that any of the changes is about that no run has looked at; set with bills_changed_at.';

CREATE TABLE public.zip_areas (
    zip text NOT NULL,
    operator text NOT NULL,
    concession_class text NOT NULL,
    share numeric NOT NULL,
    municipality_key text,
    city text,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT zip_areas_check CHECK ((valid_to > valid_from)),
    CONSTRAINT zip_areas_concession_class_check CHECK ((concession_class = ANY (ARRAY['T1'::text, 'T2'::text, 'T3'::text, 'T4'::text]))),
    CONSTRAINT zip_areas_municipality_key_check CHECK ((municipality_key ~ '^[0-9]{8}$'::text)),
    CONSTRAINT zip_areas_share_check CHECK (((share > (0)::numeric) AND (share <= (1)::numeric))),
    CONSTRAINT zip_areas_source_check CHECK ((source <> ''::text)),
    CONSTRAINT zip_areas_zip_check CHECK ((zip ~ '^[0-9]{5}$'::text))
);

ALTER TABLE public.zip_areas OWNER TO voltstream_owner;

COMMENT ON TABLE public.zip_areas IS 'Which operators a zip has. The largest share serves; equal shares: the first by code.';

COMMENT ON COLUMN public.zip_areas.zip IS 'Five digits.';

COMMENT ON COLUMN public.zip_areas.operator IS 'Code of the operator.';

COMMENT ON COLUMN public.zip_areas.concession_class IS 'Class of the concession fee by inhabitants (section 2 KAV).';

COMMENT ON COLUMN public.zip_areas.share IS 'The operator''s part of the zip, above 0 and at most 1.';

COMMENT ON COLUMN public.zip_areas.municipality_key IS 'Official key of the municipality, 8 digits; null: not known.';

COMMENT ON COLUMN public.zip_areas.city IS 'Name of the municipality; null: not known.';

COMMENT ON COLUMN public.zip_areas.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.zip_areas.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.zip_areas.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.zip_areas.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW analytics.contracts AS
 SELECT s.organization_id,
    s.id AS contract,
    s.customer_id AS customer,
    s.household_id AS household,
    s.meter_id AS meter,
    s.type,
    s.status,
    s.plan_id AS plan,
    p.name AS plan_name,
    s.estimated_usage AS estimated_kwh_year,
    s.intended_start_on,
    s.confirmed_at,
    s.start_at,
    ((s.start_at AT TIME ZONE 'Europe/Berlin'::text))::date AS start_on,
    s.end_at,
    ((s.end_at AT TIME ZONE 'Europe/Berlin'::text))::date AS end_on,
    s.terminated_at,
    s.termination_reason,
    s.is_tax_exempt,
    s.plant_commissioned_on,
    s.plant_size_kw,
    s.created_at,
    NULLIF(a.zip, '00000'::text) AS zip,
    ( SELECT z.operator
           FROM public.zip_areas z
          WHERE ((z.zip = a.zip) AND (z.valid_from <= CURRENT_DATE) AND ((z.valid_to IS NULL) OR (z.valid_to > CURRENT_DATE)))
          ORDER BY z.share DESC, z.operator
         LIMIT 1) AS grid_operator
   FROM (((public.subscriptions s
     JOIN public.plans p ON (((p.organization_id = s.organization_id) AND (p.id = s.plan_id))))
     JOIN public.households h ON (((h.organization_id = s.organization_id) AND (h.id = s.household_id))))
     LEFT JOIN public.addresses a ON (((a.organization_id = s.organization_id) AND (a.id = COALESCE(s.address_id, h.address_id)))));

ALTER VIEW analytics.contracts OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.contracts IS 'Supply and feed-in contracts (subscriptions) with their plan and dates.';

COMMENT ON COLUMN analytics.contracts.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.contracts.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.contracts.customer IS 'Id of the contract partner, cus_.';

COMMENT ON COLUMN analytics.contracts.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.contracts.meter IS 'Id of the household''s meter, mtr_.';

COMMENT ON COLUMN analytics.contracts.type IS 'consumption or feed_in.';

COMMENT ON COLUMN analytics.contracts.status IS 'pending, active or ended.';

COMMENT ON COLUMN analytics.contracts.plan IS 'Id of the plan, pln_.';

COMMENT ON COLUMN analytics.contracts.plan_name IS 'Name of the plan.';

COMMENT ON COLUMN analytics.contracts.estimated_kwh_year IS 'Energy in kWh a year as given at sign-up; of feed-in the expected feed-in.';

COMMENT ON COLUMN analytics.contracts.intended_start_on IS 'Day asked for, Europe/Berlin.';

COMMENT ON COLUMN analytics.contracts.confirmed_at IS 'First confirmation of the grid operator; null: none yet.';

COMMENT ON COLUMN analytics.contracts.start_at IS 'Beginning of supply, midnight in Europe/Berlin; null until confirmed.';

COMMENT ON COLUMN analytics.contracts.start_on IS 'First day of supply, Europe/Berlin; null until confirmed.';

COMMENT ON COLUMN analytics.contracts.end_at IS 'End of supply, no longer part of it; null: open.';

COMMENT ON COLUMN analytics.contracts.end_on IS 'First day without supply, Europe/Berlin; null: open.';

COMMENT ON COLUMN analytics.contracts.terminated_at IS 'When the termination in force was recorded; null: none.';

COMMENT ON COLUMN analytics.contracts.termination_reason IS 'ORDINARY, MOVE_OUT or WITHDRAWAL; null: none.';

COMMENT ON COLUMN analytics.contracts.is_tax_exempt IS 'Feed-in only: whether it is paid without value added tax.';

COMMENT ON COLUMN analytics.contracts.plant_commissioned_on IS 'Feed-in only: first day of operation of the plant, Europe/Berlin; null: not known.';

COMMENT ON COLUMN analytics.contracts.plant_size_kw IS 'Feed-in only: installed power of the plant in kW; null: not known.';

COMMENT ON COLUMN analytics.contracts.created_at IS 'Instant of creation.';

COMMENT ON COLUMN analytics.contracts.zip IS 'Zip of the place of delivery; null: not known.';

COMMENT ON COLUMN analytics.contracts.grid_operator IS 'Code of the grid operator that serves the zip today, the one with the greatest share; null: not known.';

CREATE TABLE public.customers (
    organization_id text NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    company_name text,
    email text NOT NULL,
    vat_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    email_lower text GENERATED ALWAYS AS (lower(email)) STORED NOT NULL,
    email_search text GENERATED ALWAYS AS (lower(NORMALIZE(email, NFC))) STORED NOT NULL,
    erased_at timestamp with time zone,
    name_lower text GENERATED ALWAYS AS (lower(NORMALIZE(
CASE
    WHEN (company_name IS NULL) THEN ((first_name || ' '::text) || last_name)
    ELSE company_name
END, NFC))) STORED NOT NULL,
    restricted_at timestamp with time zone,
    CONSTRAINT customers_check CHECK (((type = 'company'::text) = (company_name IS NOT NULL))),
    CONSTRAINT customers_id_check CHECK ((id ~ '^cus_[0-9a-z]{24}$'::text)),
    CONSTRAINT customers_type_check CHECK ((type = ANY (ARRAY['person'::text, 'company'::text])))
);

ALTER TABLE ONLY public.customers FORCE ROW LEVEL SECURITY;

ALTER TABLE public.customers OWNER TO voltstream_owner;

COMMENT ON TABLE public.customers IS 'People and companies that an organization supplies.';

COMMENT ON COLUMN public.customers.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.customers.id IS 'cus_ and 24 random characters.';

COMMENT ON COLUMN public.customers.type IS 'person or company.';

COMMENT ON COLUMN public.customers.first_name IS 'Given name. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.last_name IS 'Family name. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.company_name IS 'Company; null for persons. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.email IS 'As spelt at sign-up, compared without regard to case. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.vat_id IS 'VAT id, unchecked. Personal; for invoices; until erased.';

COMMENT ON COLUMN public.customers.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.customers.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.customers.email_lower IS 'The e-mail address in lower case: what it is compared by. Personal; for the supply contract; as long as the address.';

COMMENT ON COLUMN public.customers.email_search IS 'The e-mail address in lower case and Unicode form NFC: what a search looks at. Personal; for the supply contract; as long as the address.';

COMMENT ON COLUMN public.customers.erased_at IS 'When the person was erased: from then on nothing new is taken. Null: never.';

COMMENT ON COLUMN public.customers.name_lower IS 'The name in lower case and Unicode form NFC: what that of a payer is compared with, and what the back office looks for. Personal; for matching payments and finding contracts; as long as the name.';

COMMENT ON COLUMN public.customers.restricted_at IS 'Processing of the customer''s data is restricted since (Art. 18 GDPR); null: it is not. Personal; to hide the data from programs and analysts; until lifted or erased.';

CREATE VIEW analytics.customers AS
 SELECT organization_id,
    id AS customer,
    type,
    created_at
   FROM public.customers;

ALTER VIEW analytics.customers OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.customers IS 'Customers: id and kind, without name, address, e-mail and account.';

COMMENT ON COLUMN analytics.customers.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.customers.customer IS 'Id of the customer, cus_.';

COMMENT ON COLUMN analytics.customers.type IS 'person or company.';

COMMENT ON COLUMN analytics.customers.created_at IS 'Instant of creation.';

CREATE VIEW analytics.delivery_days AS
 SELECT day AS delivery_day,
    starts_at,
    ends_at,
    hours
   FROM public.delivery_days;

ALTER VIEW analytics.delivery_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.delivery_days IS 'Days of Europe/Berlin with their instants: 92, 96 or 100 quarter hours. The same for all organizations.';

COMMENT ON COLUMN analytics.delivery_days.delivery_day IS 'The day, Europe/Berlin.';

COMMENT ON COLUMN analytics.delivery_days.starts_at IS 'Instant of its midnight.';

COMMENT ON COLUMN analytics.delivery_days.ends_at IS 'Instant of the next midnight: no longer part of it.';

COMMENT ON COLUMN analytics.delivery_days.hours IS 'Its length in hours: 24; 23 in March and 25 in October when the clock is changed.';

CREATE VIEW measured.quarter_hours AS
 SELECT a.organization_id,
    a.id AS asset,
    q.asset_id,
    a.household_id AS household,
    a.type,
    d.day AS delivery_day,
    q.start,
    q.samples,
    q.connected_samples,
    q.first_at,
    q.last_at,
    q.power_kw_min,
    q.power_kw_max,
    q.covered_seconds,
    q.consumed_kwh,
    q.fed_kwh,
    q.state_of_charge_first,
    q.state_of_charge_last,
    q.vehicle_state_of_charge_last
   FROM ((public.assets a
     JOIN public.asset_quarter_hours q ON (((q.asset_id = a.key) AND (q.covered_seconds > (0)::double precision))))
     LEFT JOIN public.delivery_days d ON (((d.day = ((q.start AT TIME ZONE 'Europe/Berlin'::text))::date) AND (q.start >= d.starts_at) AND (q.start < d.ends_at) AND (q.start > (d.starts_at - '00:00:01'::interval)) AND (q.start <= d.ends_at) AND (d.day < (CURRENT_DATE + 3)))));

ALTER VIEW measured.quarter_hours OWNER TO voltstream_analyst_reader;

CREATE VIEW analytics.energy AS
 SELECT organization_id,
    asset,
    household,
    type,
    start,
    delivery_day,
    (start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(start) AS utc_offset_hours,
    consumed_kwh,
    fed_kwh,
    covered_seconds
   FROM measured.quarter_hours q;

ALTER VIEW analytics.energy OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy IS 'Energy of each asset per quarter hour. A power value holds until the next one (step rule), at most as long as values of the asset usually lie apart: the median distance of its last 100, 15 minutes at least and an hour at most. What was not covered counts as nothing: see covered_seconds. Never add up assets of one household: what the roof makes passes the inverter, the battery and household_net too; household_energy tells them apart.';

COMMENT ON COLUMN analytics.energy.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.energy.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.energy.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.energy.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.energy.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.energy.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.energy.consumed_kwh IS 'Energy into the asset in kWh: charging, consumption; of household_net the import.';

COMMENT ON COLUMN analytics.energy.fed_kwh IS 'Energy out of the asset in kWh, positive: generation, discharging; of household_net the export.';

COMMENT ON COLUMN analytics.energy.covered_seconds IS 'For how many of the 900 seconds a power value held.';

CREATE VIEW analytics.household_energy AS
 SELECT sums.organization_id,
    sums.household,
    sums.start,
    sums.delivery_day,
    (sums.start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(sums.start) AS utc_offset_hours,
    sums.grid_import_kwh,
    sums.grid_export_kwh,
        CASE
            WHEN silent.solar THEN NULL::double precision
            ELSE sums.solar_kwh
        END AS solar_kwh,
        CASE
            WHEN silent.battery THEN NULL::double precision
            ELSE sums.battery_charge_kwh
        END AS battery_charge_kwh,
        CASE
            WHEN silent.battery THEN NULL::double precision
            ELSE sums.battery_discharge_kwh
        END AS battery_discharge_kwh,
        CASE
            WHEN silent.wallbox THEN NULL::double precision
            ELSE sums.wallbox_kwh
        END AS wallbox_kwh,
        CASE
            WHEN silent.wallbox THEN NULL::double precision
            ELSE sums.wallbox_fed_kwh
        END AS wallbox_fed_kwh,
        CASE
            WHEN silent.heat_pump THEN NULL::double precision
            ELSE sums.heat_pump_kwh
        END AS heat_pump_kwh,
    used.kwh AS consumption_kwh,
    COALESCE(sums.measured_residual_kwh,
        CASE
            WHEN (silent.wallbox OR silent.heat_pump) THEN NULL::double precision
            ELSE (((used.kwh - COALESCE(sums.wallbox_kwh, (0)::double precision)) + COALESCE(sums.wallbox_fed_kwh, (0)::double precision)) - COALESCE(sums.heat_pump_kwh, (0)::double precision))
        END) AS residual_kwh,
    (sums.measured_residual_kwh IS NOT NULL) AS is_residual_measured,
    sums.grid_covered_seconds,
        CASE
            WHEN (silent.net OR silent.solar OR silent.battery OR silent.wallbox OR silent.heat_pump) THEN (0)::double precision
            ELSE LEAST((sums.least_covered_seconds / (900)::double precision), (1)::double precision)
        END AS covered_share
   FROM (((( SELECT q.organization_id,
            q.household,
            q.start,
            q.delivery_day,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'household_net'::text)) AS grid_import_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'household_net'::text)) AS grid_export_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'solar'::text)) AS solar_kwh,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'battery'::text)) AS battery_charge_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'battery'::text)) AS battery_discharge_kwh,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'wallbox'::text)) AS wallbox_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'wallbox'::text)) AS wallbox_fed_kwh,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'heat_pump'::text)) AS heat_pump_kwh,
            sum((q.consumed_kwh - q.fed_kwh)) FILTER (WHERE (q.type = 'household_residual'::text)) AS measured_residual_kwh,
            sum(q.covered_seconds) FILTER (WHERE (q.type = 'household_net'::text)) AS grid_covered_seconds,
            min(q.covered_seconds) FILTER (WHERE (q.type <> 'inverter'::text)) AS least_covered_seconds,
            count(*) FILTER (WHERE (q.type <> ALL (ARRAY['inverter'::text, 'household_residual'::text]))) AS devices,
            array_agg(q.asset_id) AS sent
           FROM measured.quarter_hours q
          GROUP BY q.organization_id, q.household, q.start, q.delivery_day) sums
     JOIN ( SELECT a.organization_id,
            a.household_id,
            count(*) AS devices,
            min(a.created_at) AS begun_at
           FROM public.assets a
          WHERE (a.type <> ALL (ARRAY['inverter'::text, 'household_residual'::text]))
          GROUP BY a.organization_id, a.household_id) owned ON (((owned.organization_id = sums.organization_id) AND (owned.household_id = sums.household))))
     CROSS JOIN LATERAL ( SELECT (sums.grid_import_kwh IS NULL) AS net,
            (count(*) FILTER (WHERE (a.type = 'solar'::text)) > 0) AS solar,
            (count(*) FILTER (WHERE (a.type = 'battery'::text)) > 0) AS battery,
            (count(*) FILTER (WHERE (a.type = 'wallbox'::text)) > 0) AS wallbox,
            (count(*) FILTER (WHERE (a.type = 'heat_pump'::text)) > 0) AS heat_pump
           FROM public.assets a
          WHERE ((sums.devices < owned.devices) AND (a.organization_id = sums.organization_id) AND (a.household_id = sums.household) AND ((a.created_at <= sums.start) OR (a.created_at < (owned.begun_at + '1 day'::interval))) AND ((a.decommissioned_at IS NULL) OR (a.decommissioned_at >= (sums.start + '00:15:00'::interval))) AND (NOT (EXISTS ( SELECT
                   FROM unnest(sums.sent) sent(key)
                  WHERE (sent.key = a.key)))))) silent)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (silent.solar OR silent.battery) THEN NULL::double precision
                    ELSE ((((sums.grid_import_kwh - sums.grid_export_kwh) + COALESCE(sums.solar_kwh, (0)::double precision)) + COALESCE(sums.battery_discharge_kwh, (0)::double precision)) - COALESCE(sums.battery_charge_kwh, (0)::double precision))
                END AS kwh) used);

ALTER VIEW analytics.household_energy OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.household_energy IS 'Energy of each household per quarter hour, by what it came from and went to, out of energy and by its step rule. Null: the household has no such asset, or one in use sent nothing. Take rows by covered_share: what is covered in part holds a part of the energy.';

COMMENT ON COLUMN analytics.household_energy.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.household_energy.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.household_energy.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.household_energy.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.household_energy.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.household_energy.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.household_energy.grid_import_kwh IS 'Taken from the grid in kWh (household_net).';

COMMENT ON COLUMN analytics.household_energy.grid_export_kwh IS 'Fed into the grid in kWh, positive (household_net).';

COMMENT ON COLUMN analytics.household_energy.solar_kwh IS 'Generated by solar arrays in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy.battery_charge_kwh IS 'Into batteries in kWh.';

COMMENT ON COLUMN analytics.household_energy.battery_discharge_kwh IS 'Out of batteries in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy.wallbox_kwh IS 'Into vehicles in kWh.';

COMMENT ON COLUMN analytics.household_energy.wallbox_fed_kwh IS 'Out of vehicles in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy.heat_pump_kwh IS 'Into heat pumps in kWh (electrical).';

COMMENT ON COLUMN analytics.household_energy.consumption_kwh IS 'Consumption of the household in kWh, vehicles and heat pump included: import - export + solar + discharge - charge; null: household_net, or a solar array or battery in use, sent nothing.';

COMMENT ON COLUMN analytics.household_energy.residual_kwh IS 'Energy that no device explains, in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';

COMMENT ON COLUMN analytics.household_energy.is_residual_measured IS 'Whether residual_kwh was sent and not computed.';

COMMENT ON COLUMN analytics.household_energy.grid_covered_seconds IS 'For how many of the 900 seconds a value of household_net held; null: it sent nothing.';

COMMENT ON COLUMN analytics.household_energy.covered_share IS 'Least share of the quarter hour, 0 to 1, in which a value held, over household_net and all devices in use but inverters; 0: one of them sent nothing.';

CREATE TABLE public.price_kind (
    only_row boolean DEFAULT true NOT NULL,
    kind text NOT NULL,
    CONSTRAINT price_kind_kind_check CHECK ((kind = ANY (ARRAY['market'::text, 'local'::text, 'synthetic'::text]))),
    CONSTRAINT price_kind_only_row_check CHECK (only_row)
);

ALTER TABLE public.price_kind OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_kind IS 'Which kind of prices this database holds; one row, written with the first of them.';

COMMENT ON COLUMN public.price_kind.only_row IS 'Always true: there is one row.';

COMMENT ON COLUMN public.price_kind.kind IS 'market, local (a feed on this machine under the name of a source), or synthetic.';

CREATE TABLE public.spot_prices (
    zone text NOT NULL,
    interval_start timestamp with time zone NOT NULL,
    minutes smallint NOT NULL,
    delivery_on date NOT NULL,
    amount numeric NOT NULL,
    source text NOT NULL,
    revision integer NOT NULL,
    CONSTRAINT spot_prices_minutes_check CHECK ((minutes = ANY (ARRAY[15, 60]))),
    CONSTRAINT spot_prices_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.spot_prices OWNER TO voltstream_owner;

COMMENT ON TABLE public.spot_prices IS 'Realized day-ahead prices as served: one source per delivery day.';

COMMENT ON COLUMN public.spot_prices.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.spot_prices.interval_start IS 'UTC start of the interval.';

COMMENT ON COLUMN public.spot_prices.minutes IS 'Width: 60 before delivery day 2025-10-01, 15 from then on.';

COMMENT ON COLUMN public.spot_prices.delivery_on IS 'Delivery day, Europe/Berlin.';

COMMENT ON COLUMN public.spot_prices.amount IS 'EUR/MWh.';

COMMENT ON COLUMN public.spot_prices.source IS 'Feed that gave the value.';

COMMENT ON COLUMN public.spot_prices.revision IS 'Which revision of that feed''s value.';

CREATE VIEW analytics.energy_cost AS
 SELECT e.organization_id,
    e.household,
    e.start,
    e.delivery_day,
    e.local_time,
    e.utc_offset_hours,
    e.grid_import_kwh,
    e.grid_export_kwh,
    p.ct_kwh,
    ((e.grid_import_kwh * p.ct_kwh) / (100)::double precision) AS import_cost_eur,
    ((e.grid_export_kwh * p.ct_kwh) / (100)::double precision) AS export_value_eur,
    p.is_synthetic,
    e.grid_covered_seconds
   FROM (((analytics.household_energy e
     LEFT JOIN public.spot_prices quarter ON (((quarter.zone = 'DE-LU'::text) AND (quarter.interval_start = e.start) AND (quarter.minutes = 15))))
     LEFT JOIN public.spot_prices hour ON (((hour.zone = 'DE-LU'::text) AND (hour.interval_start = date_trunc('hour'::text, e.start, 'UTC'::text)) AND (hour.minutes = 60))))
     CROSS JOIN LATERAL ( SELECT ((COALESCE(quarter.amount, hour.amount))::double precision / (10)::double precision) AS ct_kwh,
                CASE
                    WHEN (COALESCE(quarter.source, hour.source) IS NOT NULL) THEN ((COALESCE(quarter.source, hour.source) = 'synthetic'::text) OR (EXISTS ( SELECT
                       FROM public.price_kind
                      WHERE (price_kind.kind <> 'market'::text))))
                    ELSE NULL::boolean
                END AS is_synthetic) p)
  WHERE (e.grid_import_kwh IS NOT NULL);

ALTER VIEW analytics.energy_cost OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy_cost IS 'Price times energy of each household per quarter hour: market price only, without margin, fees and taxes, bidding zone DE-LU. Only where household_net sent values.';

COMMENT ON COLUMN analytics.energy_cost.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy_cost.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.energy_cost.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.energy_cost.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy_cost.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.energy_cost.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.energy_cost.grid_import_kwh IS 'Taken from the grid in kWh.';

COMMENT ON COLUMN analytics.energy_cost.grid_export_kwh IS 'Fed into the grid in kWh, positive.';

COMMENT ON COLUMN analytics.energy_cost.ct_kwh IS 'Day-ahead price in ct/kWh; null: not known.';

COMMENT ON COLUMN analytics.energy_cost.import_cost_eur IS 'Import times price in EUR: market price only, without margin, fees and taxes; null: no price.';

COMMENT ON COLUMN analytics.energy_cost.export_value_eur IS 'Export times price in EUR: market price only, without margin, fees and taxes; null: no price.';

COMMENT ON COLUMN analytics.energy_cost.is_synthetic IS 'Whether the price is none of the market, as in spot_prices; null: no price.';

COMMENT ON COLUMN analytics.energy_cost.grid_covered_seconds IS 'For how many of the 900 seconds a value of household_net held.';

CREATE VIEW analytics.energy_cost_days AS
 SELECT c.organization_id,
    c.household,
    c.delivery_day,
    sum(c.grid_import_kwh) AS grid_import_kwh,
    sum(c.grid_export_kwh) AS grid_export_kwh,
    sum(c.import_cost_eur) AS import_cost_eur,
    sum(c.export_value_eur) AS export_value_eur,
    ((sum(c.import_cost_eur) * (100)::double precision) / NULLIF(sum(c.grid_import_kwh) FILTER (WHERE (c.ct_kwh IS NOT NULL)), (0)::double precision)) AS paid_ct_kwh,
    (count(*))::integer AS quarter_hours,
    (count(c.ct_kwh))::integer AS priced_quarter_hours,
    (d.hours * 4) AS expected_quarter_hours,
    bool_or(c.is_synthetic) AS is_synthetic,
    (sum(c.grid_covered_seconds) / ((d.hours * 3600))::double precision) AS covered_share
   FROM (analytics.energy_cost c
     JOIN public.delivery_days d ON ((d.day = c.delivery_day)))
  GROUP BY c.organization_id, c.household, c.delivery_day, d.hours;

ALTER VIEW analytics.energy_cost_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy_cost_days IS 'energy_cost per household and day of Berlin: market price only, without margin, fees and taxes.';

COMMENT ON COLUMN analytics.energy_cost_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy_cost_days.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.energy_cost_days.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy_cost_days.grid_import_kwh IS 'Taken from the grid in kWh.';

COMMENT ON COLUMN analytics.energy_cost_days.grid_export_kwh IS 'Fed into the grid in kWh, positive.';

COMMENT ON COLUMN analytics.energy_cost_days.import_cost_eur IS 'Sum of import times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';

COMMENT ON COLUMN analytics.energy_cost_days.export_value_eur IS 'Sum of export times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';

COMMENT ON COLUMN analytics.energy_cost_days.paid_ct_kwh IS 'Mean price of the import in ct/kWh, by its energy; null: no import with a price.';

COMMENT ON COLUMN analytics.energy_cost_days.quarter_hours IS 'Quarter hours with energy.';

COMMENT ON COLUMN analytics.energy_cost_days.priced_quarter_hours IS 'Quarter hours of them that have a price.';

COMMENT ON COLUMN analytics.energy_cost_days.expected_quarter_hours IS 'Quarter hours of the day: 96; 92 and 100 when the clock is changed.';

COMMENT ON COLUMN analytics.energy_cost_days.is_synthetic IS 'Whether a price of it is none of the market; null: no price.';

COMMENT ON COLUMN analytics.energy_cost_days.covered_share IS 'Share of the day in which a value of household_net held, 0 to 1: below 1 energy and cost are those of a part. Of today the share of the whole day.';

CREATE VIEW analytics.energy_cost_months AS
 SELECT organization_id,
    household,
    (date_trunc('month'::text, (delivery_day)::timestamp without time zone))::date AS month,
    sum(grid_import_kwh) AS grid_import_kwh,
    sum(grid_export_kwh) AS grid_export_kwh,
    sum(import_cost_eur) AS import_cost_eur,
    sum(export_value_eur) AS export_value_eur,
    ((sum(import_cost_eur) * (100)::double precision) / NULLIF(sum(grid_import_kwh) FILTER (WHERE (ct_kwh IS NOT NULL)), (0)::double precision)) AS paid_ct_kwh,
    (count(DISTINCT delivery_day))::integer AS days,
    (count(*))::integer AS quarter_hours,
    (count(ct_kwh))::integer AS priced_quarter_hours,
    bool_or(is_synthetic) AS is_synthetic,
    (sum(grid_covered_seconds) / date_part('epoch'::text, (((date_trunc('month'::text, (delivery_day)::timestamp without time zone) + '1 mon'::interval) AT TIME ZONE 'Europe/Berlin'::text) - (date_trunc('month'::text, (delivery_day)::timestamp without time zone) AT TIME ZONE 'Europe/Berlin'::text)))) AS covered_share
   FROM analytics.energy_cost
  GROUP BY organization_id, household, (date_trunc('month'::text, (delivery_day)::timestamp without time zone));

ALTER VIEW analytics.energy_cost_months OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy_cost_months IS 'energy_cost per household and month of Berlin: market price only, without margin, fees and taxes.';

COMMENT ON COLUMN analytics.energy_cost_months.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy_cost_months.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.energy_cost_months.month IS 'First day of the month, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy_cost_months.grid_import_kwh IS 'Taken from the grid in kWh.';

COMMENT ON COLUMN analytics.energy_cost_months.grid_export_kwh IS 'Fed into the grid in kWh, positive.';

COMMENT ON COLUMN analytics.energy_cost_months.import_cost_eur IS 'Sum of import times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';

COMMENT ON COLUMN analytics.energy_cost_months.export_value_eur IS 'Sum of export times price in EUR: market price only, without margin, fees and taxes. Quarter hours without a price are left out.';

COMMENT ON COLUMN analytics.energy_cost_months.paid_ct_kwh IS 'Mean price of the import in ct/kWh, by its energy; null: no import with a price.';

COMMENT ON COLUMN analytics.energy_cost_months.days IS 'Days with energy.';

COMMENT ON COLUMN analytics.energy_cost_months.quarter_hours IS 'Quarter hours with energy.';

COMMENT ON COLUMN analytics.energy_cost_months.priced_quarter_hours IS 'Quarter hours of them that have a price.';

COMMENT ON COLUMN analytics.energy_cost_months.is_synthetic IS 'Whether a price of it is none of the market; null: no price.';

COMMENT ON COLUMN analytics.energy_cost_months.covered_share IS 'Share of the month in which a value of household_net held, 0 to 1: below 1 energy and cost are those of a part. Of this month the share of the whole month.';

CREATE TABLE public.asset_days (
    asset_id bigint NOT NULL,
    day date NOT NULL,
    month date GENERATED ALWAYS AS ((date_trunc('month'::text, (day)::timestamp without time zone))::date) STORED NOT NULL,
    quarter_hours smallint NOT NULL,
    samples integer NOT NULL,
    power_kw_min double precision,
    power_kw_max double precision,
    covered_seconds double precision NOT NULL,
    consumed_kwh double precision NOT NULL,
    fed_kwh double precision NOT NULL
);

ALTER TABLE public.asset_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.asset_days IS 'Sums of asset_quarter_hours: one row per asset and day of Berlin that has one, when the day is over: before quarter_hour_progress.days_summed_until. Kept by the job sum-quarter-hours.';

COMMENT ON COLUMN public.asset_days.asset_id IS 'Internal key of the asset: assets.key. Personal, shows when somebody was away; for analyses; to the end of the year in which QUARTER_HOUR_RETENTION_MONTHS, 3 years, are over.';

COMMENT ON COLUMN public.asset_days.day IS 'The day, Europe/Berlin.';

COMMENT ON COLUMN public.asset_days.month IS 'First day of its month.';

COMMENT ON COLUMN public.asset_days.quarter_hours IS 'Quarter hours in which a power value was sent.';

COMMENT ON COLUMN public.asset_days.samples IS 'Number of power values.';

COMMENT ON COLUMN public.asset_days.power_kw_min IS 'Least power value in kW; null: none.';

COMMENT ON COLUMN public.asset_days.power_kw_max IS 'Greatest power value in kW; null: none.';

COMMENT ON COLUMN public.asset_days.covered_seconds IS 'For how many seconds of the day a power value held.';

COMMENT ON COLUMN public.asset_days.consumed_kwh IS 'Energy into the asset while a value held, in kWh.';

COMMENT ON COLUMN public.asset_days.fed_kwh IS 'Energy out of the asset in kWh, positive.';

CREATE VIEW measured.days AS
 SELECT a.organization_id,
    a.id AS asset,
    s.asset_id,
    a.household_id AS household,
    a.type,
    s.day AS delivery_day,
    s.month,
    s.quarter_hours,
    s.samples,
    s.power_kw_min,
    s.power_kw_max,
    s.covered_seconds,
    s.consumed_kwh,
    s.fed_kwh
   FROM (public.assets a
     JOIN public.asset_days s ON (((s.asset_id = a.key) AND (s.covered_seconds > (0)::double precision))));

ALTER VIEW measured.days OWNER TO voltstream_analyst_reader;

CREATE VIEW analytics.energy_days AS
 SELECT q.organization_id,
    q.asset,
    q.household,
    q.type,
    q.delivery_day,
    q.month,
    q.consumed_kwh,
    q.fed_kwh,
    q.power_kw_min AS min_power_kw,
    q.power_kw_max AS max_power_kw,
    q.samples,
    q.quarter_hours,
    q.covered_seconds,
    (q.covered_seconds / ((d.hours * 3600))::double precision) AS covered_share
   FROM (measured.days q
     LEFT JOIN public.delivery_days d ON ((d.day = q.delivery_day)));

ALTER VIEW analytics.energy_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy_days IS 'energy per asset and day, kept when the day is over (energy_progress.days_until) and changed by late values. Ask for a year here. A day of which nothing is known has no row.';

COMMENT ON COLUMN analytics.energy_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy_days.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.energy_days.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.energy_days.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.energy_days.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy_days.month IS 'First day of its month, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy_days.consumed_kwh IS 'Energy into the asset in kWh: charging, consumption; of household_net the import.';

COMMENT ON COLUMN analytics.energy_days.fed_kwh IS 'Energy out of the asset in kWh, positive: generation, discharging; of household_net the export.';

COMMENT ON COLUMN analytics.energy_days.min_power_kw IS 'Least power value in kW; null: none was sent.';

COMMENT ON COLUMN analytics.energy_days.max_power_kw IS 'Greatest power value in kW; null: none was sent.';

COMMENT ON COLUMN analytics.energy_days.samples IS 'Number of power values.';

COMMENT ON COLUMN analytics.energy_days.quarter_hours IS 'Quarter hours in which a power value was sent.';

COMMENT ON COLUMN analytics.energy_days.covered_seconds IS 'For how many seconds of the day a power value held.';

COMMENT ON COLUMN analytics.energy_days.covered_share IS 'Share of the day in which a power value held, 0 to 1: below 1 the energy is that of a part.';

CREATE VIEW analytics.energy_months AS
 SELECT organization_id,
    asset,
    household,
    type,
    month,
    sum(consumed_kwh) AS consumed_kwh,
    sum(fed_kwh) AS fed_kwh,
    min(power_kw_min) AS min_power_kw,
    max(power_kw_max) AS max_power_kw,
    (count(*))::integer AS days,
    sum(covered_seconds) AS covered_seconds,
    (sum(covered_seconds) / date_part('epoch'::text, (((month + '1 mon'::interval) AT TIME ZONE 'Europe/Berlin'::text) - ((month)::timestamp without time zone AT TIME ZONE 'Europe/Berlin'::text)))) AS covered_share
   FROM measured.days q
  GROUP BY organization_id, asset, household, type, month;

ALTER VIEW analytics.energy_months OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy_months IS 'energy_days per asset and month. This month holds the days that are over.';

COMMENT ON COLUMN analytics.energy_months.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy_months.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.energy_months.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.energy_months.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.energy_months.month IS 'First day of the month, Europe/Berlin.';

COMMENT ON COLUMN analytics.energy_months.consumed_kwh IS 'Energy into the asset in kWh: charging, consumption; of household_net the import.';

COMMENT ON COLUMN analytics.energy_months.fed_kwh IS 'Energy out of the asset in kWh, positive: generation, discharging; of household_net the export.';

COMMENT ON COLUMN analytics.energy_months.min_power_kw IS 'Least power value in kW; null: none was sent.';

COMMENT ON COLUMN analytics.energy_months.max_power_kw IS 'Greatest power value in kW; null: none was sent.';

COMMENT ON COLUMN analytics.energy_months.days IS 'Days of which something is known.';

COMMENT ON COLUMN analytics.energy_months.covered_seconds IS 'For how many seconds of the month a power value held.';

COMMENT ON COLUMN analytics.energy_months.covered_share IS 'Share of the month in which a power value held, 0 to 1. Of this month the share of the whole month.';

CREATE TABLE public.late_quarter_hours (
    id bigint NOT NULL,
    asset_id bigint NOT NULL,
    start timestamp with time zone NOT NULL,
    quarter_hours smallint NOT NULL,
    queued_at timestamp with time zone DEFAULT now() NOT NULL,
    organization text DEFAULT ''::text NOT NULL,
    CONSTRAINT late_quarter_hours_quarter_hours_check CHECK (((quarter_hours >= 1) AND (quarter_hours <= 96)))
);

ALTER TABLE public.late_quarter_hours OWNER TO voltstream_owner;

COMMENT ON TABLE public.late_quarter_hours IS 'Quarter hours with late snapshots, which wait to be summed again. Entries go when that is done.';

COMMENT ON COLUMN public.late_quarter_hours.id IS 'Order of arrival.';

COMMENT ON COLUMN public.late_quarter_hours.asset_id IS 'Internal key of the asset: assets.key.';

COMMENT ON COLUMN public.late_quarter_hours.start IS 'Instant at which the first of the quarter hours begins.';

COMMENT ON COLUMN public.late_quarter_hours.quarter_hours IS 'How many follow each other, at most a day.';

COMMENT ON COLUMN public.late_quarter_hours.queued_at IS 'Instant of the late snapshots.';

COMMENT ON COLUMN public.late_quarter_hours.organization IS 'Whose asset it is; empty: there is no such asset, or the entry came in before the column did.';

CREATE TABLE public.quarter_hour_progress (
    only_row boolean DEFAULT true NOT NULL,
    summed_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    snapshots_dropped_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    summed_at timestamp with time zone,
    days_summed_until date DEFAULT '-infinity'::date NOT NULL,
    quarter_hours_dropped_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    days_dropped_until date DEFAULT '-infinity'::date NOT NULL,
    late_turn text DEFAULT ''::text NOT NULL,
    CONSTRAINT quarter_hour_progress_only_row_check CHECK (only_row)
);

ALTER TABLE public.quarter_hour_progress OWNER TO voltstream_owner;

COMMENT ON TABLE public.quarter_hour_progress IS 'How far the sums by quarter hour have come: one row.';

COMMENT ON COLUMN public.quarter_hour_progress.only_row IS 'Always true: there is one row.';

COMMENT ON COLUMN public.quarter_hour_progress.summed_until IS 'Quarter hours before this instant are final, but for late snapshots; -infinity: the job never ran.';

COMMENT ON COLUMN public.quarter_hour_progress.snapshots_dropped_until IS 'Snapshots before this instant were dropped by age: sums of that time are never made anew from what is left.';

COMMENT ON COLUMN public.quarter_hour_progress.summed_at IS 'Instant of the clock up to which the sums know what was sent, but for what waits in late_quarter_hours; null: the job never ran.';

COMMENT ON COLUMN public.quarter_hour_progress.days_summed_until IS 'Days before this one are in asset_days; -infinity: none is.';

COMMENT ON COLUMN public.quarter_hour_progress.quarter_hours_dropped_until IS 'Quarter hours before this instant were dropped by age: a day of that time is never summed again from what is left.';

COMMENT ON COLUMN public.quarter_hour_progress.days_dropped_until IS 'Days before this one were deleted by age; -infinity: none was.';

COMMENT ON COLUMN public.quarter_hour_progress.late_turn IS 'The organization whose late quarter hours had the last turn; empty: none had one.';

CREATE VIEW analytics.energy_progress AS
 SELECT o.id AS organization_id,
    NULLIF(p.summed_until, '-infinity'::timestamp with time zone) AS summed_until,
        CASE
            WHEN (p.summed_at IS NOT NULL) THEN LEAST(p.summed_at, ( SELECT min(late.queued_at) AS min
               FROM public.late_quarter_hours late
              WHERE (late.organization = o.id)), ( SELECT min(late.queued_at) AS min
               FROM public.late_quarter_hours late
              WHERE (late.organization = ''::text)))
            ELSE NULL::timestamp with time zone
        END AS summed_at,
    NULLIF(p.days_summed_until, '-infinity'::date) AS days_until,
    NULLIF(p.snapshots_dropped_until, '-infinity'::timestamp with time zone) AS snapshots_kept_since,
    NULLIF(p.quarter_hours_dropped_until, '-infinity'::timestamp with time zone) AS quarter_hours_kept_since,
    ((NULLIF(p.days_dropped_until, '-infinity'::date))::timestamp without time zone AT TIME ZONE 'Europe/Berlin'::text) AS days_kept_since
   FROM (public.quarter_hour_progress p
     CROSS JOIN public.organizations o);

ALTER VIEW analytics.energy_progress OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.energy_progress IS 'How far quarter_hours, energy and all that rests on them have come. One row.';

COMMENT ON COLUMN analytics.energy_progress.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.energy_progress.summed_until IS 'Quarter hours before this instant are final, but for snapshots that are still sent late; null: none is.';

COMMENT ON COLUMN analytics.energy_progress.summed_at IS 'Instant of the clock up to which the sums know what was sent, late values included; null: never summed.';

COMMENT ON COLUMN analytics.energy_progress.days_until IS 'Days before this one, Europe/Berlin, are in energy_days and what rests on it; null: none is.';

COMMENT ON COLUMN analytics.energy_progress.snapshots_kept_since IS 'Snapshots before this instant were removed because of their age; null: none was.';

COMMENT ON COLUMN analytics.energy_progress.quarter_hours_kept_since IS 'Quarter hours before this instant were removed because of their age; null: none was.';

COMMENT ON COLUMN analytics.energy_progress.days_kept_since IS 'Days that began before this instant were removed because of their age, by whole years; null: none was.';

CREATE TABLE public.events (
    organization_id text NOT NULL,
    id text NOT NULL,
    topic text NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    context jsonb NOT NULL,
    "position" bigint NOT NULL,
    sequence bigint,
    heard_by text[],
    CONSTRAINT events_context_check CHECK ((jsonb_typeof(context) = 'object'::text)),
    CONSTRAINT events_id_check CHECK ((id ~ '^evt_[0-9a-z]{24}$'::text)),
    CONSTRAINT events_topic_check CHECK ((topic ~ '^[a-z_]+\.[a-z_]+$'::text))
);

ALTER TABLE ONLY public.events FORCE ROW LEVEL SECURITY;

ALTER TABLE public.events OWNER TO voltstream_owner;

COMMENT ON TABLE public.events IS 'What happened to contracts, orders and invoices; never changed, and removed after 13 months.';

COMMENT ON COLUMN public.events.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.events.id IS 'evt_ and 24 random characters.';

COMMENT ON COLUMN public.events.topic IS 'Noun and what happened.';

COMMENT ON COLUMN public.events."timestamp" IS 'Instant of the change.';

COMMENT ON COLUMN public.events.context IS 'Ids only.';

COMMENT ON COLUMN public.events."position" IS 'Order of the events of one instant; never shown.';

COMMENT ON COLUMN public.events.sequence IS 'Place among the events of the organization, given after their commit; never shown. Null: not given yet, and not listed.';

COMMENT ON COLUMN public.events.heard_by IS 'The endpoints that were on and wanted its topic when it happened; null: written by a version before, which did not say it.';

CREATE VIEW analytics.events AS
 SELECT e.organization_id,
    e.id AS event,
    e.topic,
    e."timestamp",
    d.day AS delivery_day
   FROM (public.events e
     LEFT JOIN public.delivery_days d ON (((d.day = ((e."timestamp" AT TIME ZONE 'Europe/Berlin'::text))::date) AND (e."timestamp" >= d.starts_at) AND (e."timestamp" < d.ends_at) AND (e."timestamp" > (d.starts_at - '00:00:01'::interval)) AND (e."timestamp" <= d.ends_at))));

ALTER VIEW analytics.events OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.events IS 'Events of the organization, without what they say. Kept for 13 months.';

COMMENT ON COLUMN analytics.events.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.events.event IS 'Id of the event, evt_.';

COMMENT ON COLUMN analytics.events.topic IS 'What happened: subscription.created and so on.';

COMMENT ON COLUMN analytics.events."timestamp" IS 'Instant of it.';

COMMENT ON COLUMN analytics.events.delivery_day IS 'Its day, Europe/Berlin.';

CREATE TABLE public.grid_fees (
    operator text NOT NULL,
    base_eur_year_net numeric NOT NULL,
    working_ct_net numeric NOT NULL,
    module_1_eur_year_net numeric,
    module_2_ct_net numeric,
    provisional boolean NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT grid_fees_base_eur_year_net_check CHECK ((base_eur_year_net >= (0)::numeric)),
    CONSTRAINT grid_fees_check CHECK ((valid_to > valid_from)),
    CONSTRAINT grid_fees_module_1_eur_year_net_check CHECK ((module_1_eur_year_net >= (0)::numeric)),
    CONSTRAINT grid_fees_module_2_ct_net_check CHECK ((module_2_ct_net >= (0)::numeric)),
    CONSTRAINT grid_fees_source_check CHECK ((source <> ''::text)),
    CONSTRAINT grid_fees_working_ct_net_check CHECK ((working_ct_net >= (0)::numeric))
);

ALTER TABLE public.grid_fees OWNER TO voltstream_owner;

COMMENT ON TABLE public.grid_fees IS 'Grid fees in low voltage without load metering, net. Without a row an operator''s zips are not served.';

COMMENT ON COLUMN public.grid_fees.operator IS 'Code of the operator.';

COMMENT ON COLUMN public.grid_fees.base_eur_year_net IS 'Base price in EUR per year without VAT.';

COMMENT ON COLUMN public.grid_fees.working_ct_net IS 'Working price in ct/kWh without VAT.';

COMMENT ON COLUMN public.grid_fees.module_1_eur_year_net IS 'Published credit of module 1 of section 14a EnWG in EUR per year without VAT; null: the formula counts.';

COMMENT ON COLUMN public.grid_fees.module_2_ct_net IS 'Published working price of module 2 of section 14a EnWG in ct/kWh without VAT; null: the formula counts.';

COMMENT ON COLUMN public.grid_fees.provisional IS 'A stand-in or a provisional price sheet: to be replaced.';

COMMENT ON COLUMN public.grid_fees.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.grid_fees.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.grid_fees.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.grid_fees.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.grid_operators (
    operator text NOT NULL,
    name text NOT NULL,
    bdew_code text,
    mastr_number text,
    website text,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT grid_operators_bdew_code_check CHECK ((bdew_code ~ '^[0-9]{13}$'::text)),
    CONSTRAINT grid_operators_check CHECK ((valid_to > valid_from)),
    CONSTRAINT grid_operators_mastr_number_check CHECK ((mastr_number ~ '^[A-Z]{3}[0-9]{12}$'::text)),
    CONSTRAINT grid_operators_name_check CHECK ((name <> ''::text)),
    CONSTRAINT grid_operators_operator_check CHECK ((operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
    CONSTRAINT grid_operators_source_check CHECK ((source <> ''::text)),
    CONSTRAINT grid_operators_website_check CHECK ((website ~ '^https?://'::text))
);

ALTER TABLE public.grid_operators OWNER TO voltstream_owner;

COMMENT ON TABLE public.grid_operators IS 'Operators of low-voltage grids.';

COMMENT ON COLUMN public.grid_operators.operator IS 'Code by which the other tables name it.';

COMMENT ON COLUMN public.grid_operators.name IS 'Name of the company.';

COMMENT ON COLUMN public.grid_operators.bdew_code IS 'Market partner id, 13 digits; null: not known.';

COMMENT ON COLUMN public.grid_operators.mastr_number IS 'Number in the Marktstammdatenregister; null: not known.';

COMMENT ON COLUMN public.grid_operators.website IS 'Address of its site; null: not known.';

COMMENT ON COLUMN public.grid_operators.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.grid_operators.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.grid_operators.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.grid_operators.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW analytics.grid_fees AS
 SELECT f.operator AS grid_operator,
    o.name,
    f.valid_from,
    f.valid_to AS valid_until,
    f.base_eur_year_net AS base_net_eur_year,
    f.working_ct_net AS working_net_ct_kwh,
    f.module_1_eur_year_net AS module_1_net_eur_year,
    COALESCE(f.module_2_ct_net, round((0.4 * f.working_ct_net), 2)) AS module_2_net_ct_kwh,
    f.provisional AS is_provisional
   FROM (public.grid_fees f
     LEFT JOIN public.grid_operators o ON (((o.operator = f.operator) AND (o.valid_from <= f.valid_from) AND ((o.valid_to IS NULL) OR (o.valid_to > f.valid_from)))));

ALTER VIEW analytics.grid_fees OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.grid_fees IS 'Price sheets of grid operators. The same for all organizations.';

COMMENT ON COLUMN analytics.grid_fees.grid_operator IS 'Code of the grid operator.';

COMMENT ON COLUMN analytics.grid_fees.name IS 'Its name; null: not known.';

COMMENT ON COLUMN analytics.grid_fees.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN analytics.grid_fees.valid_until IS 'First day that is no longer part of it; null: open.';

COMMENT ON COLUMN analytics.grid_fees.base_net_eur_year IS 'Base price in EUR a year without VAT.';

COMMENT ON COLUMN analytics.grid_fees.working_net_ct_kwh IS 'Working price in ct/kWh without VAT.';

COMMENT ON COLUMN analytics.grid_fees.module_1_net_eur_year IS 'Published credit of module 1 in EUR a year without VAT; null: the formula counts.';

COMMENT ON COLUMN analytics.grid_fees.module_2_net_ct_kwh IS 'Working price of module 2 in ct/kWh without VAT: as published, else by the formula.';

COMMENT ON COLUMN analytics.grid_fees.is_provisional IS 'Whether the sheet is provisional.';

CREATE TABLE public.concession_fees (
    class text NOT NULL,
    ct_net numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT concession_fees_check CHECK ((valid_to > valid_from)),
    CONSTRAINT concession_fees_class_check CHECK ((class = ANY (ARRAY['T1'::text, 'T2'::text, 'T3'::text, 'T4'::text, 'LOW'::text, 'SPECIAL'::text]))),
    CONSTRAINT concession_fees_ct_net_check CHECK ((ct_net >= (0)::numeric)),
    CONSTRAINT concession_fees_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.concession_fees OWNER TO voltstream_owner;

COMMENT ON TABLE public.concession_fees IS 'What a municipality is paid for the use of its roads (section 2 KAV).';

COMMENT ON COLUMN public.concession_fees.class IS 'T1 to T4 by inhabitants; LOW off-peak; SPECIAL special contracts.';

COMMENT ON COLUMN public.concession_fees.ct_net IS 'ct/kWh without VAT.';

COMMENT ON COLUMN public.concession_fees.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.concession_fees.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.concession_fees.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.concession_fees.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.levies (
    code text NOT NULL,
    ct_net numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT levies_check CHECK ((valid_to > valid_from)),
    CONSTRAINT levies_code_check CHECK ((code = ANY (ARRAY['stromsteuer'::text, 'offshore'::text, 'besondere_netznutzung'::text, 'kwkg'::text]))),
    CONSTRAINT levies_ct_net_check CHECK ((ct_net >= (0)::numeric)),
    CONSTRAINT levies_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.levies OWNER TO voltstream_owner;

COMMENT ON TABLE public.levies IS 'Levies on each kWh, the same in the whole country.';

COMMENT ON COLUMN public.levies.code IS 'stromsteuer, offshore, besondere_netznutzung or kwkg.';

COMMENT ON COLUMN public.levies.ct_net IS 'ct/kWh without VAT.';

COMMENT ON COLUMN public.levies.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.levies.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.levies.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.levies.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.vat_rates (
    rate numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT vat_rates_check CHECK ((valid_to > valid_from)),
    CONSTRAINT vat_rates_rate_check CHECK (((rate >= (0)::numeric) AND (rate < (1)::numeric))),
    CONSTRAINT vat_rates_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.vat_rates OWNER TO voltstream_owner;

COMMENT ON TABLE public.vat_rates IS 'Value added tax.';

COMMENT ON COLUMN public.vat_rates.rate IS 'Share of the net amount: 0.19.';

COMMENT ON COLUMN public.vat_rates.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.vat_rates.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.vat_rates.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.vat_rates.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW analytics.fee_days AS
 SELECT d.day AS delivery_day,
    z.zip,
    z.operator AS grid_operator,
    f.base_net_eur_year AS grid_base_net_eur_year,
    f.working_net_ct_kwh AS grid_net_ct_kwh,
    f.module_2_net_ct_kwh AS grid_module_2_net_ct_kwh,
    c.ct_net AS concession_net_ct_kwh,
    l.ct_net AS levies_net_ct_kwh,
    v.rate AS vat_share
   FROM (((((public.delivery_days d
     JOIN public.zip_areas z ON (((z.valid_from <= d.day) AND ((z.valid_to IS NULL) OR (z.valid_to > d.day)) AND (NOT (EXISTS ( SELECT
           FROM public.zip_areas other
          WHERE ((other.zip = z.zip) AND (other.valid_from <= d.day) AND ((other.valid_to IS NULL) OR (other.valid_to > d.day)) AND ((other.share > z.share) OR ((other.share = z.share) AND (other.operator < z.operator))))))))))
     LEFT JOIN analytics.grid_fees f ON (((f.grid_operator = z.operator) AND (f.valid_from <= d.day) AND ((f.valid_until IS NULL) OR (f.valid_until > d.day)))))
     LEFT JOIN public.concession_fees c ON (((c.class = z.concession_class) AND (c.valid_from <= d.day) AND ((c.valid_to IS NULL) OR (c.valid_to > d.day)))))
     LEFT JOIN public.vat_rates v ON (((v.valid_from <= d.day) AND ((v.valid_to IS NULL) OR (v.valid_to > d.day)))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (count(*) = 4) THEN sum(w.ct_net)
                    ELSE NULL::numeric
                END AS ct_net
           FROM public.levies w
          WHERE ((w.valid_from <= d.day) AND ((w.valid_to IS NULL) OR (w.valid_to > d.day)))) l);

ALTER VIEW analytics.fee_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.fee_days IS 'What a kWh costs in a zip on a day beside the energy. Ask for a zip, and for a day or a span of days. The same for all organizations.';

COMMENT ON COLUMN analytics.fee_days.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.fee_days.zip IS 'Zip.';

COMMENT ON COLUMN analytics.fee_days.grid_operator IS 'Code of the grid operator that serves it.';

COMMENT ON COLUMN analytics.fee_days.grid_base_net_eur_year IS 'Base price of the grid in EUR a year without VAT.';

COMMENT ON COLUMN analytics.fee_days.grid_net_ct_kwh IS 'Working price of the grid in ct/kWh without VAT; null: no price sheet holds.';

COMMENT ON COLUMN analytics.fee_days.grid_module_2_net_ct_kwh IS 'The one of module 2 in ct/kWh without VAT.';

COMMENT ON COLUMN analytics.fee_days.concession_net_ct_kwh IS 'Concession fee in ct/kWh without VAT.';

COMMENT ON COLUMN analytics.fee_days.levies_net_ct_kwh IS 'Electricity tax and the three levies in ct/kWh without VAT; null: one of them is not known.';

COMMENT ON COLUMN analytics.fee_days.vat_share IS 'Rate of VAT, a share from 0 to 1: 0.19.';

CREATE TABLE public.grid_fee_schedules (
    operator text NOT NULL,
    low_ct_net numeric NOT NULL,
    standard_ct_net numeric NOT NULL,
    high_ct_net numeric NOT NULL,
    quarters text NOT NULL,
    low_windows text NOT NULL,
    high_windows text NOT NULL,
    weight_low numeric,
    weight_standard numeric,
    weight_high numeric,
    share_of_year numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT grid_fee_schedules_check CHECK ((valid_to > valid_from)),
    CONSTRAINT grid_fee_schedules_high_ct_net_check CHECK ((high_ct_net >= (0)::numeric)),
    CONSTRAINT grid_fee_schedules_high_windows_check CHECK ((high_windows ~ '^[0-9:;-]+$'::text)),
    CONSTRAINT grid_fee_schedules_low_ct_net_check CHECK ((low_ct_net >= (0)::numeric)),
    CONSTRAINT grid_fee_schedules_low_windows_check CHECK ((low_windows ~ '^[0-9:;-]+$'::text)),
    CONSTRAINT grid_fee_schedules_quarters_check CHECK ((quarters ~ '^[1-4](;[1-4])*$'::text)),
    CONSTRAINT grid_fee_schedules_share_of_year_check CHECK (((share_of_year > (0)::numeric) AND (share_of_year <= (1)::numeric))),
    CONSTRAINT grid_fee_schedules_source_check CHECK ((source <> ''::text)),
    CONSTRAINT grid_fee_schedules_standard_ct_net_check CHECK ((standard_ct_net >= (0)::numeric)),
    CONSTRAINT grid_fee_schedules_weight_high_check CHECK (((weight_high >= (0)::numeric) AND (weight_high <= (1)::numeric))),
    CONSTRAINT grid_fee_schedules_weight_low_check CHECK (((weight_low >= (0)::numeric) AND (weight_low <= (1)::numeric))),
    CONSTRAINT grid_fee_schedules_weight_standard_check CHECK (((weight_standard >= (0)::numeric) AND (weight_standard <= (1)::numeric))),
    CONSTRAINT grid_fee_schedules_weights CHECK (((num_nulls(weight_low, weight_standard, weight_high) = 3) OR ((num_nulls(weight_low, weight_standard, weight_high) = 0) AND (((weight_low + weight_standard) + weight_high) = (1)::numeric))))
);

ALTER TABLE public.grid_fee_schedules OWNER TO voltstream_owner;

COMMENT ON TABLE public.grid_fee_schedules IS 'Working prices of the grid by the clock, module 3 of section 14a EnWG. No row: the operator publishes none.';

COMMENT ON COLUMN public.grid_fee_schedules.operator IS 'Code of the operator.';

COMMENT ON COLUMN public.grid_fee_schedules.low_ct_net IS 'ct/kWh without VAT in the low windows.';

COMMENT ON COLUMN public.grid_fee_schedules.standard_ct_net IS 'ct/kWh without VAT where no window is.';

COMMENT ON COLUMN public.grid_fee_schedules.high_ct_net IS 'ct/kWh without VAT in the high windows.';

COMMENT ON COLUMN public.grid_fee_schedules.quarters IS 'Quarters of the year with windows: 1;4.';

COMMENT ON COLUMN public.grid_fee_schedules.low_windows IS 'Europe/Berlin wall time, quarter hours: 23:00-06:00;12:00-14:15.';

COMMENT ON COLUMN public.grid_fee_schedules.high_windows IS 'As low_windows.';

COMMENT ON COLUMN public.grid_fee_schedules.weight_low IS 'Part of the household profile''s energy of these quarters that lies in the low windows; null: hours of the day count.';

COMMENT ON COLUMN public.grid_fee_schedules.weight_standard IS 'The same outside of the windows.';

COMMENT ON COLUMN public.grid_fee_schedules.weight_high IS 'The same in the high windows.';

COMMENT ON COLUMN public.grid_fee_schedules.share_of_year IS 'Days of these quarters by days of the year, 4 decimals.';

COMMENT ON COLUMN public.grid_fee_schedules.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.grid_fee_schedules.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.grid_fee_schedules.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.grid_fee_schedules.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW analytics.grid_fee_bands AS
 SELECT s.operator AS grid_operator,
    s.valid_from,
    s.valid_to AS valid_until,
    quarter.number AS quarter,
    make_time((minute.number / 60), (minute.number % 60), (0)::double precision) AS local_time,
    band.name AS band,
        CASE band.name
            WHEN 'low'::text THEN s.low_ct_net
            WHEN 'high'::text THEN s.high_ct_net
            ELSE s.standard_ct_net
        END AS net_ct_kwh
   FROM ((((public.grid_fee_schedules s
     CROSS JOIN generate_series(1, 4) quarter(number))
     CROSS JOIN generate_series(0, 1425, 15) minute(number))
     CROSS JOIN LATERAL ( SELECT bool_or((w.kind = 'low'::text)) AS is_low,
            bool_or((w.kind = 'high'::text)) AS is_high
           FROM (( SELECT 'low'::text AS kind,
                    part.part
                   FROM regexp_split_to_table(s.low_windows, ';'::text) part(part)
                UNION ALL
                 SELECT 'high'::text,
                    part.part
                   FROM regexp_split_to_table(s.high_windows, ';'::text) part(part)) w
             CROSS JOIN LATERAL ( SELECT (split_part(w.part, '-'::text, 1))::time without time zone AS begins,
                    (split_part(w.part, '-'::text, 2))::time without time zone AS ends,
                    make_time((minute.number / 60), (minute.number % 60), (0)::double precision) AS clock) c)
          WHERE ((w.part <> ''::text) AND
                CASE
                    WHEN (c.begins < c.ends) THEN ((c.clock >= c.begins) AND (c.clock < c.ends))
                    ELSE ((c.clock >= c.begins) OR (c.clock < c.ends))
                END)) inside)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (NOT ((quarter.number)::text = ANY (string_to_array(s.quarters, ';'::text)))) THEN 'standard'::text
                    WHEN inside.is_low THEN 'low'::text
                    WHEN inside.is_high THEN 'high'::text
                    ELSE 'standard'::text
                END AS name) band);

ALTER VIEW analytics.grid_fee_bands OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.grid_fee_bands IS 'Prices of module 3 (section 14a EnWG) by the clock: one row for each quarter of the year and quarter hour of the day. The same for all organizations.';

COMMENT ON COLUMN analytics.grid_fee_bands.grid_operator IS 'Code of the grid operator.';

COMMENT ON COLUMN analytics.grid_fee_bands.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN analytics.grid_fee_bands.valid_until IS 'First day that is no longer part of it; null: open.';

COMMENT ON COLUMN analytics.grid_fee_bands.quarter IS 'Quarter of the year, 1 to 4.';

COMMENT ON COLUMN analytics.grid_fee_bands.local_time IS 'Clock time in Europe/Berlin at which the quarter hour begins.';

COMMENT ON COLUMN analytics.grid_fee_bands.band IS 'low, standard or high.';

COMMENT ON COLUMN analytics.grid_fee_bands.net_ct_kwh IS 'Working price of the grid in ct/kWh without VAT.';

CREATE TABLE public.grid_fee_reductions (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    own_until timestamp with time zone,
    CONSTRAINT grid_fee_reductions_id_check CHECK ((id ~ '^gfr_[0-9a-z]{24}$'::text)),
    CONSTRAINT grid_fee_reductions_status_check CHECK ((status = ANY (ARRAY['intended'::text, 'ordered'::text, 'activated'::text, 'rejected'::text, 'ended'::text]))),
    CONSTRAINT grid_fee_reductions_type_check CHECK ((type = ANY (ARRAY['enwg-14a-module-1'::text, 'enwg-14a-module-2'::text, 'enwg-14a-module-3'::text])))
);

ALTER TABLE ONLY public.grid_fee_reductions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.grid_fee_reductions OWNER TO voltstream_owner;

COMMENT ON TABLE public.grid_fee_reductions IS 'Reductions of grid fees under section 14a EnWG.';

COMMENT ON COLUMN public.grid_fee_reductions.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.grid_fee_reductions.id IS 'gfr_ and 24 random characters.';

COMMENT ON COLUMN public.grid_fee_reductions.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.grid_fee_reductions.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.grid_fee_reductions.type IS 'Module 1, 2 or 3.';

COMMENT ON COLUMN public.grid_fee_reductions.status IS 'intended, ordered, activated, rejected or ended.';

COMMENT ON COLUMN public.grid_fee_reductions.valid_from IS 'In effect since.';

COMMENT ON COLUMN public.grid_fee_reductions.valid_until IS 'In effect until, exclusive.';

COMMENT ON COLUMN public.grid_fee_reductions.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.grid_fee_reductions.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.grid_fee_reductions.own_until IS 'When it ended by itself, whatever the contract did; null: it has not, or ended with its contract.';

CREATE VIEW analytics.grid_fee_reductions AS
 SELECT organization_id,
    id AS grid_fee_reduction,
    subscription_id AS contract,
    customer_id AS customer,
    type,
    status,
    valid_from,
    valid_until,
    created_at
   FROM public.grid_fee_reductions;

ALTER VIEW analytics.grid_fee_reductions OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.grid_fee_reductions IS 'Reductions of grid fees (section 14a EnWG) that contracts asked for.';

COMMENT ON COLUMN analytics.grid_fee_reductions.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.grid_fee_reductions.grid_fee_reduction IS 'Id of the reduction, gfr_.';

COMMENT ON COLUMN analytics.grid_fee_reductions.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.grid_fee_reductions.customer IS 'Id of the customer, cus_.';

COMMENT ON COLUMN analytics.grid_fee_reductions.type IS 'Module: enwg-14a-module-1, enwg-14a-module-2 or enwg-14a-module-3.';

COMMENT ON COLUMN analytics.grid_fee_reductions.status IS 'intended, ordered, activated, rejected or ended.';

COMMENT ON COLUMN analytics.grid_fee_reductions.valid_from IS 'In force from this instant; null: not yet known.';

COMMENT ON COLUMN analytics.grid_fee_reductions.valid_until IS 'No longer in force from this instant; null: open.';

COMMENT ON COLUMN analytics.grid_fee_reductions.created_at IS 'Instant of creation.';

CREATE VIEW analytics.household_energy_days AS
 SELECT sums.organization_id,
    sums.household,
    sums.delivery_day,
    sums.month,
    sums.grid_import_kwh,
    sums.grid_export_kwh,
        CASE
            WHEN silent.solar THEN NULL::double precision
            ELSE sums.solar_kwh
        END AS solar_kwh,
        CASE
            WHEN silent.battery THEN NULL::double precision
            ELSE sums.battery_charge_kwh
        END AS battery_charge_kwh,
        CASE
            WHEN silent.battery THEN NULL::double precision
            ELSE sums.battery_discharge_kwh
        END AS battery_discharge_kwh,
        CASE
            WHEN silent.wallbox THEN NULL::double precision
            ELSE sums.wallbox_kwh
        END AS wallbox_kwh,
        CASE
            WHEN silent.wallbox THEN NULL::double precision
            ELSE sums.wallbox_fed_kwh
        END AS wallbox_fed_kwh,
        CASE
            WHEN silent.heat_pump THEN NULL::double precision
            ELSE sums.heat_pump_kwh
        END AS heat_pump_kwh,
    used.kwh AS consumption_kwh,
    COALESCE(sums.measured_residual_kwh,
        CASE
            WHEN (silent.wallbox OR silent.heat_pump) THEN NULL::double precision
            ELSE (((used.kwh - COALESCE(sums.wallbox_kwh, (0)::double precision)) + COALESCE(sums.wallbox_fed_kwh, (0)::double precision)) - COALESCE(sums.heat_pump_kwh, (0)::double precision))
        END) AS residual_kwh,
    (sums.measured_residual_kwh IS NOT NULL) AS is_residual_measured,
    sums.grid_covered_seconds,
        CASE
            WHEN (silent.net OR silent.solar OR silent.battery OR silent.wallbox OR silent.heat_pump) THEN (0)::double precision
            ELSE LEAST((sums.least_covered_seconds / (( SELECT (d.hours * 3600)
               FROM public.delivery_days d
              WHERE (d.day = sums.delivery_day)))::double precision), (1)::double precision)
        END AS covered_share
   FROM (((( SELECT q.organization_id,
            q.household,
            q.delivery_day,
            q.month,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'household_net'::text)) AS grid_import_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'household_net'::text)) AS grid_export_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'solar'::text)) AS solar_kwh,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'battery'::text)) AS battery_charge_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'battery'::text)) AS battery_discharge_kwh,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'wallbox'::text)) AS wallbox_kwh,
            sum(q.fed_kwh) FILTER (WHERE (q.type = 'wallbox'::text)) AS wallbox_fed_kwh,
            sum(q.consumed_kwh) FILTER (WHERE (q.type = 'heat_pump'::text)) AS heat_pump_kwh,
            sum((q.consumed_kwh - q.fed_kwh)) FILTER (WHERE (q.type = 'household_residual'::text)) AS measured_residual_kwh,
            sum(q.covered_seconds) FILTER (WHERE (q.type = 'household_net'::text)) AS grid_covered_seconds,
            min(q.covered_seconds) FILTER (WHERE (q.type <> 'inverter'::text)) AS least_covered_seconds,
            count(*) FILTER (WHERE (q.type <> ALL (ARRAY['inverter'::text, 'household_residual'::text]))) AS devices,
            array_agg(q.asset_id) AS sent
           FROM measured.days q
          GROUP BY q.organization_id, q.household, q.delivery_day, q.month) sums
     JOIN ( SELECT a.organization_id,
            a.household_id,
            count(*) AS devices,
            min(a.created_at) AS begun_at
           FROM public.assets a
          WHERE (a.type <> ALL (ARRAY['inverter'::text, 'household_residual'::text]))
          GROUP BY a.organization_id, a.household_id) owned ON (((owned.organization_id = sums.organization_id) AND (owned.household_id = sums.household))))
     CROSS JOIN LATERAL ( SELECT (sums.grid_import_kwh IS NULL) AS net,
            (count(*) FILTER (WHERE (a.type = 'solar'::text)) > 0) AS solar,
            (count(*) FILTER (WHERE (a.type = 'battery'::text)) > 0) AS battery,
            (count(*) FILTER (WHERE (a.type = 'wallbox'::text)) > 0) AS wallbox,
            (count(*) FILTER (WHERE (a.type = 'heat_pump'::text)) > 0) AS heat_pump
           FROM public.assets a
          WHERE ((sums.devices < owned.devices) AND (a.organization_id = sums.organization_id) AND (a.household_id = sums.household) AND ((a.created_at <= ((sums.delivery_day)::timestamp without time zone AT TIME ZONE 'Europe/Berlin'::text)) OR (a.created_at < (owned.begun_at + '1 day'::interval))) AND ((a.decommissioned_at IS NULL) OR (a.decommissioned_at >= (((sums.delivery_day + 1))::timestamp without time zone AT TIME ZONE 'Europe/Berlin'::text))) AND (NOT (EXISTS ( SELECT
                   FROM unnest(sums.sent) sent(key)
                  WHERE (sent.key = a.key)))))) silent)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (silent.solar OR silent.battery) THEN NULL::double precision
                    ELSE ((((sums.grid_import_kwh - sums.grid_export_kwh) + COALESCE(sums.solar_kwh, (0)::double precision)) + COALESCE(sums.battery_discharge_kwh, (0)::double precision)) - COALESCE(sums.battery_charge_kwh, (0)::double precision))
                END AS kwh) used);

ALTER VIEW analytics.household_energy_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.household_energy_days IS 'household_energy per household and day, out of energy_days: kept when the day is over. Null: the household has no such asset, or one in use sent nothing all day. Take rows by covered_share: what is covered in part holds a part of the energy, and consumption_kwh adds up such parts.';

COMMENT ON COLUMN analytics.household_energy_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.household_energy_days.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.household_energy_days.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.household_energy_days.month IS 'First day of its month, Europe/Berlin.';

COMMENT ON COLUMN analytics.household_energy_days.grid_import_kwh IS 'Taken from the grid in kWh (household_net).';

COMMENT ON COLUMN analytics.household_energy_days.grid_export_kwh IS 'Fed into the grid in kWh, positive (household_net).';

COMMENT ON COLUMN analytics.household_energy_days.solar_kwh IS 'Generated by solar arrays in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy_days.battery_charge_kwh IS 'Into batteries in kWh.';

COMMENT ON COLUMN analytics.household_energy_days.battery_discharge_kwh IS 'Out of batteries in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy_days.wallbox_kwh IS 'Into vehicles in kWh.';

COMMENT ON COLUMN analytics.household_energy_days.wallbox_fed_kwh IS 'Out of vehicles in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy_days.heat_pump_kwh IS 'Into heat pumps in kWh (electrical).';

COMMENT ON COLUMN analytics.household_energy_days.consumption_kwh IS 'Consumption of the household in kWh, vehicles and heat pump included: import - export + solar + discharge - charge; null: household_net, or a solar array or battery in use, sent nothing.';

COMMENT ON COLUMN analytics.household_energy_days.residual_kwh IS 'Energy that no device explains, in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';

COMMENT ON COLUMN analytics.household_energy_days.is_residual_measured IS 'Whether residual_kwh was sent and not computed.';

COMMENT ON COLUMN analytics.household_energy_days.grid_covered_seconds IS 'For how many seconds of the day a value of household_net held; null: it sent nothing.';

COMMENT ON COLUMN analytics.household_energy_days.covered_share IS 'Least share of the day, 0 to 1, in which a value held, over household_net and all devices in use but inverters; 0: one of them sent nothing.';

CREATE VIEW analytics.household_energy_months AS
 SELECT e.organization_id,
    e.household,
    e.month,
    sum(e.grid_import_kwh) AS grid_import_kwh,
    sum(e.grid_export_kwh) AS grid_export_kwh,
    sum(e.solar_kwh) AS solar_kwh,
    sum(e.battery_charge_kwh) AS battery_charge_kwh,
    sum(e.battery_discharge_kwh) AS battery_discharge_kwh,
    sum(e.wallbox_kwh) AS wallbox_kwh,
    sum(e.wallbox_fed_kwh) AS wallbox_fed_kwh,
    sum(e.heat_pump_kwh) AS heat_pump_kwh,
    sum(e.consumption_kwh) AS consumption_kwh,
    sum(e.residual_kwh) AS residual_kwh,
    (count(*))::integer AS days,
    (sum(((e.covered_share * (d.hours)::double precision) * (3600)::double precision)) / date_part('epoch'::text, (((e.month + '1 mon'::interval) AT TIME ZONE 'Europe/Berlin'::text) - ((e.month)::timestamp without time zone AT TIME ZONE 'Europe/Berlin'::text)))) AS covered_share
   FROM (analytics.household_energy_days e
     JOIN public.delivery_days d ON ((d.day = e.delivery_day)))
  GROUP BY e.organization_id, e.household, e.month;

ALTER VIEW analytics.household_energy_months OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.household_energy_months IS 'household_energy_days per household and month: sums of the days of which a figure is known. This month holds the days that are over.';

COMMENT ON COLUMN analytics.household_energy_months.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.household_energy_months.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.household_energy_months.month IS 'First day of the month, Europe/Berlin.';

COMMENT ON COLUMN analytics.household_energy_months.grid_import_kwh IS 'Taken from the grid in kWh (household_net).';

COMMENT ON COLUMN analytics.household_energy_months.grid_export_kwh IS 'Fed into the grid in kWh, positive (household_net).';

COMMENT ON COLUMN analytics.household_energy_months.solar_kwh IS 'Generated by solar arrays in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy_months.battery_charge_kwh IS 'Into batteries in kWh.';

COMMENT ON COLUMN analytics.household_energy_months.battery_discharge_kwh IS 'Out of batteries in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy_months.wallbox_kwh IS 'Into vehicles in kWh.';

COMMENT ON COLUMN analytics.household_energy_months.wallbox_fed_kwh IS 'Out of vehicles in kWh, positive.';

COMMENT ON COLUMN analytics.household_energy_months.heat_pump_kwh IS 'Into heat pumps in kWh (electrical).';

COMMENT ON COLUMN analytics.household_energy_months.consumption_kwh IS 'Consumption of the household in kWh, vehicles and heat pump included: import - export + solar + discharge - charge; null: household_net, or a solar array or battery in use, sent nothing.';

COMMENT ON COLUMN analytics.household_energy_months.residual_kwh IS 'Energy that no device explains, in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';

COMMENT ON COLUMN analytics.household_energy_months.days IS 'Days of which something is known.';

COMMENT ON COLUMN analytics.household_energy_months.covered_share IS 'Mean of the covered shares of its days, 0 to 1; a day of which nothing is known counts as 0, and days to come do.';

CREATE VIEW analytics.households AS
 SELECT h.organization_id,
    h.id AS household,
    h.customer_id AS customer,
    h.created_at,
    NULLIF(a.zip, '00000'::text) AS zip,
    ( SELECT z.operator
           FROM public.zip_areas z
          WHERE ((z.zip = a.zip) AND (z.valid_from <= CURRENT_DATE) AND ((z.valid_to IS NULL) OR (z.valid_to > CURRENT_DATE)))
          ORDER BY z.share DESC, z.operator
         LIMIT 1) AS grid_operator
   FROM (public.households h
     LEFT JOIN public.addresses a ON (((a.organization_id = h.organization_id) AND (a.id = h.address_id))));

ALTER VIEW analytics.households OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.households IS 'Places of delivery: what assets and contracts belong to.';

COMMENT ON COLUMN analytics.households.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.households.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.households.customer IS 'Id of the customer who lives there, cus_.';

COMMENT ON COLUMN analytics.households.created_at IS 'Instant of creation.';

COMMENT ON COLUMN analytics.households.zip IS 'Zip of the place; null: not known.';

COMMENT ON COLUMN analytics.households.grid_operator IS 'Code of the grid operator that serves the zip today, the one with the greatest share; null: not known.';

CREATE VIEW analytics.invoice_lines AS
 SELECT l.organization_id,
    l.invoice_id AS invoice,
    l."position",
    i.customer_id AS customer,
    i.subscription_id AS contract,
    i.type,
    i.status,
    l.kind,
    l.period_from AS first_day,
    l.period_until AS end_day,
    l.band,
    l.quantity,
    l.unit,
    l.unit_price AS unit_price_net_eur,
    l.net AS net_eur,
    l.vat_rate AS vat_share,
    i.created_at
   FROM (public.invoice_lines l
     JOIN public.invoices i ON (((i.organization_id = l.organization_id) AND (i.id = l.invoice_id))))
  WHERE ((i.restricted_at IS NULL) AND (l.restricted_at IS NULL));

ALTER VIEW analytics.invoice_lines OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.invoice_lines IS 'Lines of documents, each rounded to cents by itself. Lines of reversals have the other sign.';

COMMENT ON COLUMN analytics.invoice_lines.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.invoice_lines.invoice IS 'Id of the document, inv_.';

COMMENT ON COLUMN analytics.invoice_lines."position" IS 'Place in the document, from 1.';

COMMENT ON COLUMN analytics.invoice_lines.customer IS 'Id of the contract partner, cus_.';

COMMENT ON COLUMN analytics.invoice_lines.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.invoice_lines.type IS 'Of the document: usage, prepayment, void or exit_summary.';

COMMENT ON COLUMN analytics.invoice_lines.status IS 'Of the document: open, paid, voided or uncollectible.';

COMMENT ON COLUMN analytics.invoice_lines.kind IS 'What is charged: base_fee, energy, margin, grid_base, grid_energy, metering, electricity_tax, feed_in and so on.';

COMMENT ON COLUMN analytics.invoice_lines.first_day IS 'First day that the line is about, Europe/Berlin.';

COMMENT ON COLUMN analytics.invoice_lines.end_day IS 'First day that it is no longer about, Europe/Berlin.';

COMMENT ON COLUMN analytics.invoice_lines.band IS 'Price of the grid: low, standard or high of module 3, or module_2; null: the ordinary one, or another kind of line.';

COMMENT ON COLUMN analytics.invoice_lines.quantity IS 'How much, in `unit`; null: an amount without quantity.';

COMMENT ON COLUMN analytics.invoice_lines.unit IS 'kWh, day or month; null: an amount without quantity.';

COMMENT ON COLUMN analytics.invoice_lines.unit_price_net_eur IS 'Price in EUR for one unit without VAT; the mean where it varies.';

COMMENT ON COLUMN analytics.invoice_lines.net_eur IS 'Amount in EUR without VAT.';

COMMENT ON COLUMN analytics.invoice_lines.vat_share IS 'Rate of VAT, a share from 0 to 1: 0.19.';

COMMENT ON COLUMN analytics.invoice_lines.created_at IS 'Instant of creation of the document, by which an export takes its days.';

CREATE VIEW analytics.invoices AS
 SELECT i.organization_id,
    i.id AS invoice,
    i.customer_id AS customer,
    i.subscription_id AS contract,
    s.household_id AS household,
    i.type,
    i.status,
    i.ledger_number,
    i.period_number,
    i.period_start,
    ((i.period_start AT TIME ZONE 'Europe/Berlin'::text))::date AS period_start_on,
    i.period_end,
    ((i.period_end AT TIME ZONE 'Europe/Berlin'::text))::date AS period_end_on,
    i.is_estimated,
    i.is_final,
    i.usage_kwh,
    i.net AS net_eur,
    i.tax AS tax_eur,
    i.deducted AS deducted_eur,
    i.total AS total_eur,
    i.voids,
    i.due_on,
    i.issued_at,
    i.paid_at,
    i.run_id AS billing_run,
    i.created_at,
        CASE
            WHEN (i.status = 'open'::text) THEN ( SELECT
                    CASE
                        WHEN (i.total < (0)::numeric) THEN LEAST((i.total - COALESCE(sum(paid.signed), (0)::numeric)), (0)::numeric)
                        ELSE GREATEST((i.total - COALESCE(sum(paid.signed), (0)::numeric)), (0)::numeric)
                    END AS "greatest"
               FROM ( SELECT
                            CASE p.direction
                                WHEN 'in'::text THEN p.amount
                                ELSE (- p.amount)
                            END AS signed
                       FROM public.payments p
                      WHERE ((p.organization_id = i.organization_id) AND (p.invoice_id = i.id) AND (p.status = ANY (ARRAY['credited'::text, 'settled'::text])))) paid)
            ELSE (0)::numeric
        END AS missing_eur,
        CASE
            WHEN ((i.type = 'prepayment'::text) AND (i.status = 'uncollectible'::text)) THEN ( SELECT closing.id
               FROM public.invoices closing
              WHERE ((closing.organization_id = i.organization_id) AND (closing.subscription_id = i.subscription_id) AND (closing.type = 'usage'::text) AND (closing.status <> 'voided'::text) AND (closing.period_start <= i.period_start) AND (closing.period_end > i.period_start)))
            ELSE NULL::text
        END AS taken_over_by
   FROM (public.invoices i
     JOIN public.subscriptions s ON (((s.organization_id = i.organization_id) AND (s.id = i.subscription_id))))
  WHERE (i.restricted_at IS NULL);

ALTER VIEW analytics.invoices OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.invoices IS 'Documents of billing, each as it was issued: positive amounts are charged, negative ones are paid out. A reversed document and the one that reverses it add up to 0.';

COMMENT ON COLUMN analytics.invoices.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.invoices.invoice IS 'Id of the document, inv_.';

COMMENT ON COLUMN analytics.invoices.customer IS 'Id of the contract partner, cus_.';

COMMENT ON COLUMN analytics.invoices.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.invoices.household IS 'Id of the household, dom_.';

COMMENT ON COLUMN analytics.invoices.type IS 'usage: what was used or fed in; prepayment: a monthly advance; void: reverses another; exit_summary: closes the contract.';

COMMENT ON COLUMN analytics.invoices.status IS 'open, paid, voided or uncollectible; a prepayment that a bill took over is uncollectible, with taken_over_by.';

COMMENT ON COLUMN analytics.invoices.ledger_number IS 'Counts the documents of the organization without a gap.';

COMMENT ON COLUMN analytics.invoices.period_number IS 'Counts the periods of the contract; documents about one period share it.';

COMMENT ON COLUMN analytics.invoices.period_start IS 'Instant at which the period begins: midnight in Europe/Berlin.';

COMMENT ON COLUMN analytics.invoices.period_start_on IS 'First day of the period, Europe/Berlin.';

COMMENT ON COLUMN analytics.invoices.period_end IS 'Instant at which it ends: no longer part of it.';

COMMENT ON COLUMN analytics.invoices.period_end_on IS 'First day that is no longer part of the period, Europe/Berlin.';

COMMENT ON COLUMN analytics.invoices.is_estimated IS 'Whether a part of the usage was estimated.';

COMMENT ON COLUMN analytics.invoices.is_final IS 'Whether it covers the end of supply.';

COMMENT ON COLUMN analytics.invoices.usage_kwh IS 'Used or fed in, in kWh; null: the document is not about usage.';

COMMENT ON COLUMN analytics.invoices.net_eur IS 'Sum of the lines in EUR without VAT.';

COMMENT ON COLUMN analytics.invoices.tax_eur IS 'VAT of all rates in EUR.';

COMMENT ON COLUMN analytics.invoices.deducted_eur IS 'Paid prepayments in EUR with VAT, taken off.';

COMMENT ON COLUMN analytics.invoices.total_eur IS 'What is left to pay in EUR: net_eur + tax_eur - deducted_eur.';

COMMENT ON COLUMN analytics.invoices.voids IS 'Id of the document that this one reverses; null: it reverses none.';

COMMENT ON COLUMN analytics.invoices.due_on IS 'Day on which it is due, Europe/Berlin.';

COMMENT ON COLUMN analytics.invoices.issued_at IS 'Instant of issue.';

COMMENT ON COLUMN analytics.invoices.paid_at IS 'Instant of payment in full; null: not paid.';

COMMENT ON COLUMN analytics.invoices.billing_run IS 'Id of the run of billing that made it, brun_; null: made otherwise.';

COMMENT ON COLUMN analytics.invoices.created_at IS 'Instant of creation, by which an export takes its days.';

COMMENT ON COLUMN analytics.invoices.missing_eur IS 'EUR of an open document that are still to come in, below 0 to be paid out: part payments are taken off, with debits that may still come back; 0: nothing, or it is not open.';

COMMENT ON COLUMN analytics.invoices.taken_over_by IS 'Id of the bill that asks for what was not paid of this prepayment, inv_; null: none does. One that was paid before its debit came back stays paid and is not named.';

CREATE TABLE public.leads (
    organization_id text NOT NULL,
    id text NOT NULL,
    plan_id text NOT NULL,
    details jsonb NOT NULL,
    created_by text,
    metadata jsonb,
    subscription_id text,
    subscribed_at timestamp with time zone,
    last_visited_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT leads_check CHECK (((subscription_id IS NULL) = (subscribed_at IS NULL))),
    CONSTRAINT leads_details_check CHECK ((jsonb_typeof(details) = 'object'::text)),
    CONSTRAINT leads_id_check CHECK ((id ~ '^lead_[0-9a-z]{24}$'::text)),
    CONSTRAINT leads_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text))
);

ALTER TABLE ONLY public.leads FORCE ROW LEVEL SECURITY;

ALTER TABLE public.leads OWNER TO voltstream_owner;

COMMENT ON TABLE public.leads IS 'People who were offered a plan; removed after 6 months without a contract.';

COMMENT ON COLUMN public.leads.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.leads.id IS 'lead_ and 24 random characters.';

COMMENT ON COLUMN public.leads.plan_id IS 'The plan offered.';

COMMENT ON COLUMN public.leads.details IS 'Address, meter, customer, payment and dates as far as known. Personal; to prepare a contract; 6 months.';

COMMENT ON COLUMN public.leads.created_by IS 'E-mail address of the staff member. Personal; to answer questions; 6 months.';

COMMENT ON COLUMN public.leads.metadata IS 'The client''s own texts, at most 10 KB. Personal; for the client''s own records; 6 months.';

COMMENT ON COLUMN public.leads.subscription_id IS 'The contract it became.';

COMMENT ON COLUMN public.leads.subscribed_at IS 'Became a contract at.';

COMMENT ON COLUMN public.leads.last_visited_at IS 'Its link was opened last at.';

COMMENT ON COLUMN public.leads.created_at IS 'Instant of creation.';

CREATE VIEW analytics.leads AS
 SELECT l.organization_id,
    l.id AS lead,
    l.plan_id AS plan,
    l.created_at,
    l.last_visited_at,
    l.subscribed_at,
    l.subscription_id AS contract,
    s.customer_id AS customer,
    s.household_id AS household,
    s.status AS contract_status,
    s.start_at,
    s.end_at,
    s.termination_reason,
        CASE
            WHEN (l.subscription_id IS NULL) THEN 'open'::text
            WHEN (s.termination_reason = 'WITHDRAWAL'::text) THEN 'withdrawn'::text
            WHEN (s.end_at <= LEAST(s.start_at, now())) THEN 'refused'::text
            WHEN (s.start_at <= now()) THEN 'supplied'::text
            ELSE 'signed'::text
        END AS outcome
   FROM (public.leads l
     LEFT JOIN public.subscriptions s ON (((s.organization_id = l.organization_id) AND (s.id = l.subscription_id))));

ALTER VIEW analytics.leads OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.leads IS 'People who were offered a plan, by ids, and what became of it. Those without a contract go after 6 months.';

COMMENT ON COLUMN analytics.leads.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.leads.lead IS 'Id of the lead, lead_.';

COMMENT ON COLUMN analytics.leads.plan IS 'Id of the plan that was offered, pln_.';

COMMENT ON COLUMN analytics.leads.created_at IS 'Instant of creation.';

COMMENT ON COLUMN analytics.leads.last_visited_at IS 'Instant at which its link was opened last; null: never.';

COMMENT ON COLUMN analytics.leads.subscribed_at IS 'Instant at which it became a contract; null: it did not.';

COMMENT ON COLUMN analytics.leads.contract IS 'Id of the contract, sub_; null: none.';

COMMENT ON COLUMN analytics.leads.customer IS 'Id of the contract partner, cus_; null: no contract.';

COMMENT ON COLUMN analytics.leads.household IS 'Id of the household that is supplied, dom_; null: no contract.';

COMMENT ON COLUMN analytics.leads.contract_status IS 'pending, active or ended; null: no contract.';

COMMENT ON COLUMN analytics.leads.start_at IS 'Beginning of supply; null: not confirmed.';

COMMENT ON COLUMN analytics.leads.end_at IS 'End of supply, no longer part of it; null: open.';

COMMENT ON COLUMN analytics.leads.termination_reason IS 'ORDINARY, MOVE_OUT or WITHDRAWAL; null: none.';

COMMENT ON COLUMN analytics.leads.outcome IS 'open: no contract; signed: supply has not begun; supplied: it has; withdrawn: the customer withdrew; refused: the contract ended without supply for another reason.';

CREATE TABLE public.load_forecasts (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    delivery_on date NOT NULL,
    purchase text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    power_kw double precision[] NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT load_forecasts_check CHECK (((cardinality(power_kw) = ANY (ARRAY[92, 96, 100])) AND (ends_at = (starts_at + ((cardinality(power_kw))::double precision * '00:15:00'::interval))))),
    CONSTRAINT load_forecasts_purchase_check CHECK ((purchase = ANY (ARRAY['day_ahead'::text, 'intraday'::text])))
);

ALTER TABLE ONLY public.load_forecasts FORCE ROW LEVEL SECURITY;

ALTER TABLE public.load_forecasts OWNER TO voltstream_owner;

COMMENT ON TABLE public.load_forecasts IS 'Expected loads of contracts by day; removed one year after the day.';

COMMENT ON COLUMN public.load_forecasts.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.load_forecasts.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.load_forecasts.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.load_forecasts.delivery_on IS 'Day of delivery, Europe/Berlin.';

COMMENT ON COLUMN public.load_forecasts.purchase IS 'day_ahead: was there by 09:00 of the day before; intraday: came later. A day can have both.';

COMMENT ON COLUMN public.load_forecasts.starts_at IS 'Its midnight.';

COMMENT ON COLUMN public.load_forecasts.ends_at IS 'The next midnight: no longer part of it.';

COMMENT ON COLUMN public.load_forecasts.power_kw IS 'Mean power in kW by quarter hour. Personal, shows when somebody is expected at home; to buy electricity; one year.';

COMMENT ON COLUMN public.load_forecasts.received_at IS 'When it came last.';

CREATE VIEW analytics.load_forecasts AS
 SELECT f.organization_id,
    f.subscription_id AS contract,
    c.household_id AS household,
    f.delivery_on AS delivery_day,
    f.purchase,
    point.start,
    (point.start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(point.start) AS utc_offset_hours,
    point.power_kw,
    (point.power_kw / (4)::double precision) AS kwh,
    f.received_at
   FROM ((public.load_forecasts f
     JOIN public.subscriptions c ON (((c.organization_id = f.organization_id) AND (c.id = f.subscription_id))))
     CROSS JOIN LATERAL ( SELECT (f.starts_at + (((points.number - 1))::double precision * '00:15:00'::interval)) AS start,
            points.kw AS power_kw
           FROM unnest(f.power_kw) WITH ORDINALITY points(kw, number)) point);

ALTER VIEW analytics.load_forecasts OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.load_forecasts IS 'Expected loads of consumption contracts as clients sent them, one row per quarter hour and purchase. Ask by delivery_day or by contract.';

COMMENT ON COLUMN analytics.load_forecasts.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.load_forecasts.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.load_forecasts.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.load_forecasts.delivery_day IS 'Day of delivery, Europe/Berlin.';

COMMENT ON COLUMN analytics.load_forecasts.purchase IS 'day_ahead: was there by 09:00 of the day before; intraday: came later. A day can have both.';

COMMENT ON COLUMN analytics.load_forecasts.start IS 'Beginning of the quarter hour.';

COMMENT ON COLUMN analytics.load_forecasts.local_time IS 'Clock time in Europe/Berlin. In the repeated hour of October two quarter hours have the same one: utc_offset_hours tells them apart.';

COMMENT ON COLUMN analytics.load_forecasts.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.load_forecasts.power_kw IS 'Expected mean power in kW, positive: out of the grid.';

COMMENT ON COLUMN analytics.load_forecasts.kwh IS 'The same as energy in kWh.';

COMMENT ON COLUMN analytics.load_forecasts.received_at IS 'Instant at which the forecast came in last.';

CREATE TABLE public.meter_orders (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    product text NOT NULL,
    provider text NOT NULL,
    status text NOT NULL,
    unblocked_status text NOT NULL,
    details_received_at timestamp with time zone,
    appointment_at timestamp with time zone,
    installed_at timestamp with time zone,
    activated_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    cancelled_reason text,
    blocked_at timestamp with time zone,
    blocked_reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    public_status text GENERATED ALWAYS AS (
CASE
    CASE
        WHEN (status = ANY (ARRAY['blocked'::text, 'blocked_wim'::text])) THEN unblocked_status
        ELSE status
    END
    WHEN 'intended'::text THEN 'created'::text
    WHEN 'waiting'::text THEN 'created'::text
    WHEN 'ordered'::text THEN
    CASE
        WHEN (details_received_at IS NULL) THEN 'placed'::text
        ELSE 'check_submitted'::text
    END
    WHEN 'checked'::text THEN 'check_reviewed'::text
    WHEN 'installation_planning'::text THEN 'check_reviewed'::text
    WHEN 'installation_scheduled'::text THEN 'scheduled'::text
    WHEN 'installation_waiting'::text THEN 'scheduled'::text
    WHEN 'installation_finished'::text THEN 'installed'::text
    WHEN 'installed'::text THEN 'installed'::text
    WHEN 'activated'::text THEN 'activated'::text
    WHEN 'pre_installed'::text THEN 'cancelled'::text
    WHEN 'cancelled'::text THEN 'cancelled'::text
    ELSE NULL::text
END) STORED NOT NULL,
    entered_steps text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT meter_orders_blocked_reason_check CHECK ((blocked_reason = ANY (ARRAY['check_missing'::text, 'grid_operator_registration'::text]))),
    CONSTRAINT meter_orders_cancelled_reason_check CHECK ((cancelled_reason = ANY (ARRAY['pre_existing'::text, 'customer_request'::text]))),
    CONSTRAINT meter_orders_id_check CHECK ((id ~ '^prdo_[0-9a-z]{24}$'::text)),
    CONSTRAINT meter_orders_public_status_check CHECK ((public_status = ANY (ARRAY['created'::text, 'placed'::text, 'check_submitted'::text, 'check_reviewed'::text, 'scheduled'::text, 'installed'::text, 'activated'::text, 'cancelled'::text]))),
    CONSTRAINT meter_orders_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'ordered'::text, 'checked'::text, 'installation_planning'::text, 'installation_scheduled'::text, 'installation_waiting'::text, 'installation_finished'::text, 'activated'::text, 'installed'::text, 'pre_installed'::text, 'cancelled'::text, 'intended'::text, 'blocked'::text, 'blocked_wim'::text])))
);

ALTER TABLE ONLY public.meter_orders FORCE ROW LEVEL SECURITY;

ALTER TABLE public.meter_orders OWNER TO voltstream_owner;

COMMENT ON TABLE public.meter_orders IS 'Orders of smart meters.';

COMMENT ON COLUMN public.meter_orders.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.meter_orders.id IS 'prdo_ and 24 random characters.';

COMMENT ON COLUMN public.meter_orders.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.meter_orders.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.meter_orders.product IS 'Product of the plan.';

COMMENT ON COLUMN public.meter_orders.provider IS 'Metering operator that delivers it.';

COMMENT ON COLUMN public.meter_orders.status IS 'Internal state. What may follow which stands in src/contracts/meter-orders/moves.ts.';

COMMENT ON COLUMN public.meter_orders.unblocked_status IS 'Last state that was no block: to it a blocked order goes back.';

COMMENT ON COLUMN public.meter_orders.details_received_at IS 'When the customer''s details for the check came in.';

COMMENT ON COLUMN public.meter_orders.appointment_at IS 'Appointment of the installation.';

COMMENT ON COLUMN public.meter_orders.installed_at IS 'Mounted at.';

COMMENT ON COLUMN public.meter_orders.activated_at IS 'Delivers readings since.';

COMMENT ON COLUMN public.meter_orders.cancelled_at IS 'Cancelled at.';

COMMENT ON COLUMN public.meter_orders.cancelled_reason IS 'pre_existing or customer_request.';

COMMENT ON COLUMN public.meter_orders.blocked_at IS 'Blocked since; null when it is not.';

COMMENT ON COLUMN public.meter_orders.blocked_reason IS 'check_missing or grid_operator_registration; null when it is not blocked.';

COMMENT ON COLUMN public.meter_orders.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.meter_orders.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.meter_orders.public_status IS 'State as callers see it since 2026-05-27.curie.';

COMMENT ON COLUMN public.meter_orders.entered_steps IS 'Steps that it was at before this one, not those that were left out; what lies before this was kept is missing.';

CREATE VIEW analytics.meter_orders AS
 SELECT organization_id,
    id AS meter_order,
    subscription_id AS contract,
    customer_id AS customer,
    product,
    provider,
    status,
    details_received_at,
    appointment_at,
    installed_at,
    activated_at,
    cancelled_at,
    cancelled_reason,
    blocked_at,
    blocked_reason,
    created_at
   FROM public.meter_orders;

ALTER VIEW analytics.meter_orders OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.meter_orders IS 'Orders of smart meters and how far they are.';

COMMENT ON COLUMN analytics.meter_orders.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.meter_orders.meter_order IS 'Id of the order, prdo_.';

COMMENT ON COLUMN analytics.meter_orders.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.meter_orders.customer IS 'Id of the customer, cus_.';

COMMENT ON COLUMN analytics.meter_orders.product IS 'What was ordered.';

COMMENT ON COLUMN analytics.meter_orders.provider IS 'From whom.';

COMMENT ON COLUMN analytics.meter_orders.status IS 'How far it is: waiting, ordered, installed, cancelled and others.';

COMMENT ON COLUMN analytics.meter_orders.details_received_at IS 'When the details were there; null: not yet.';

COMMENT ON COLUMN analytics.meter_orders.appointment_at IS 'When the fitter comes; null: not known.';

COMMENT ON COLUMN analytics.meter_orders.installed_at IS 'When it was mounted; null: not yet.';

COMMENT ON COLUMN analytics.meter_orders.activated_at IS 'When it began to send; null: not yet.';

COMMENT ON COLUMN analytics.meter_orders.cancelled_at IS 'When it was cancelled; null: it was not.';

COMMENT ON COLUMN analytics.meter_orders.cancelled_reason IS 'pre_existing or customer_request; null: not cancelled.';

COMMENT ON COLUMN analytics.meter_orders.blocked_at IS 'When it was held up; null: it is not.';

COMMENT ON COLUMN analytics.meter_orders.blocked_reason IS 'check_missing or grid_operator_registration; null: not held up.';

COMMENT ON COLUMN analytics.meter_orders.created_at IS 'Instant of creation.';

CREATE TABLE public.meter_changes (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    meter_id text NOT NULL,
    valid_from date NOT NULL,
    number text,
    register integer,
    type text,
    metering_operator text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    device_entered_at timestamp with time zone,
    type_entered_at timestamp with time zone,
    CONSTRAINT meter_changes_check CHECK (((number IS NULL) = (register IS NULL))),
    CONSTRAINT meter_changes_check1 CHECK ((num_nonnulls(number, type, metering_operator) > 0)),
    CONSTRAINT meter_changes_metering_operator_check CHECK ((metering_operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
    CONSTRAINT meter_changes_number_check CHECK (((number = upper(number)) AND (number ~ '^\S+$'::text))),
    CONSTRAINT meter_changes_register_check CHECK ((register > 1)),
    CONSTRAINT meter_changes_type_check CHECK ((type = ANY (ARRAY['smart'::text, 'analog'::text]))),
    CONSTRAINT meter_changes_valid_from_check CHECK (isfinite(valid_from))
);

ALTER TABLE ONLY public.meter_changes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.meter_changes OWNER TO voltstream_owner;

COMMENT ON TABLE public.meter_changes IS 'What of a meter is different from a day on; null: stays as it was.';

COMMENT ON COLUMN public.meter_changes.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.meter_changes.customer_id IS 'Whose household it serves.';

COMMENT ON COLUMN public.meter_changes.meter_id IS 'The meter.';

COMMENT ON COLUMN public.meter_changes.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.meter_changes.number IS 'Number of the device that was mounted on this day. Upper-case, without blanks. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.meter_changes.register IS 'The counter of that device: the meter''s first one is 1.';

COMMENT ON COLUMN public.meter_changes.type IS 'smart or analog.';

COMMENT ON COLUMN public.meter_changes.metering_operator IS 'Who operates it, as the metering fees name it.';

COMMENT ON COLUMN public.meter_changes.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.meter_changes.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.meter_changes.device_entered_at IS 'When the device was entered; null: none was mounted on this day.';

COMMENT ON COLUMN public.meter_changes.type_entered_at IS 'When the type was entered last; null: none was, or before this was kept.';

CREATE TABLE public.meters (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    household_id text NOT NULL,
    number text NOT NULL,
    type text NOT NULL,
    melo text,
    malo text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    first_type_changed_at timestamp with time zone,
    type_entered_at timestamp with time zone,
    CONSTRAINT meters_id_check CHECK ((id ~ '^mtr_[0-9a-z]{24}$'::text)),
    CONSTRAINT meters_melo_check CHECK ((length(melo) = 33)),
    CONSTRAINT meters_number_check CHECK (((number = upper(number)) AND (number ~ '^\S+$'::text))),
    CONSTRAINT meters_type_check CHECK ((type = ANY (ARRAY['smart'::text, 'analog'::text])))
);

ALTER TABLE ONLY public.meters FORCE ROW LEVEL SECURITY;

ALTER TABLE public.meters OWNER TO voltstream_owner;

COMMENT ON TABLE public.meters IS 'Meters, one per household.';

COMMENT ON COLUMN public.meters.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.meters.id IS 'mtr_ and 24 random characters.';

COMMENT ON COLUMN public.meters.customer_id IS 'Whose household it serves.';

COMMENT ON COLUMN public.meters.household_id IS 'The household.';

COMMENT ON COLUMN public.meters.number IS 'The first one; a later one is in meter_changes. Upper-case, without blanks. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.meters.type IS 'The first one, smart or analog; a later one is in meter_states.';

COMMENT ON COLUMN public.meters.melo IS 'Identifier of the metering location, 33 characters. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.meters.malo IS 'Identifier of the market location, 11 digits. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.meters.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.meters.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.meters.first_type_changed_at IS 'When it was corrected last what the meter was at first; null: never. Bills of before are calculated anew.';

COMMENT ON COLUMN public.meters.type_entered_at IS 'When the first type was entered last; null: never, or before this was kept.';

CREATE VIEW analytics.meters AS
 SELECT s.organization_id,
    s.meter_id AS meter,
    m.household_id AS household,
    s.customer_id AS customer,
    NULLIF(s.valid_from, '-infinity'::date) AS valid_from,
    NULLIF(s.valid_until, 'infinity'::date) AS valid_until,
    s.register,
    s.type,
    s.metering_operator
   FROM (( WITH said AS (
                 SELECT meters.organization_id,
                    meters.customer_id,
                    meters.id AS meter_id,
                    '-infinity'::date AS valid_from,
                    meters.number,
                    1 AS register,
                    meters.type,
                    NULL::text AS signed_type,
                    NULL::text AS metering_operator
                   FROM public.meters
                UNION ALL
                 SELECT meter_changes.organization_id,
                    meter_changes.customer_id,
                    meter_changes.meter_id,
                    meter_changes.valid_from,
                    meter_changes.number,
                    meter_changes.register,
                    meter_changes.type,
                    NULL::text AS text,
                    meter_changes.metering_operator
                   FROM public.meter_changes
                UNION ALL
                 SELECT signed.organization_id,
                    signed.customer_id,
                    signed.meter_id,
                    ((signed.start_at AT TIME ZONE 'Europe/Berlin'::text))::date AS timezone,
                    NULL::text AS text,
                    NULL::integer AS int4,
                    NULL::text AS text,
                    signed.meter_type,
                    NULL::text AS text
                   FROM public.subscriptions signed
                  WHERE ((signed.meter_type = 'smart'::text) AND (signed.start_at IS NOT NULL) AND ((signed.end_at IS NULL) OR (signed.end_at > signed.start_at)) AND (NOT (EXISTS ( SELECT
                           FROM public.meters meter
                          WHERE ((meter.organization_id = signed.organization_id) AND (meter.id = signed.meter_id) AND (meter.type_entered_at >= signed.created_at))))) AND (NOT (EXISTS ( SELECT
                           FROM public.meter_changes change
                          WHERE ((change.organization_id = signed.organization_id) AND (change.meter_id = signed.meter_id) AND (change.type_entered_at >= signed.created_at) AND (change.valid_from <= ((signed.start_at AT TIME ZONE 'Europe/Berlin'::text))::date))))))
                ), days AS (
                 SELECT said.organization_id,
                    said.customer_id,
                    said.meter_id,
                    said.valid_from,
                    max(said.number) AS number,
                    max(said.register) AS register,
                    COALESCE(max(said.type), max(said.signed_type)) AS type,
                    max(said.metering_operator) AS metering_operator
                   FROM said
                  GROUP BY said.organization_id, said.customer_id, said.meter_id, said.valid_from
                ), counted AS (
                 SELECT days.organization_id,
                    days.customer_id,
                    days.meter_id,
                    days.valid_from,
                    days.number,
                    days.register,
                    days.type,
                    days.metering_operator,
                    count(days.number) OVER so_far AS numbers,
                    count(days.type) OVER so_far AS types,
                    count(days.metering_operator) OVER so_far AS operators
                   FROM days
                  WINDOW so_far AS (PARTITION BY days.organization_id, days.customer_id, days.meter_id ORDER BY days.valid_from)
                )
         SELECT counted.organization_id,
            counted.customer_id,
            counted.meter_id,
            counted.valid_from,
            lead(counted.valid_from, 1, 'infinity'::date) OVER (PARTITION BY counted.organization_id, counted.customer_id, counted.meter_id ORDER BY counted.valid_from) AS valid_until,
            max(counted.number) OVER (PARTITION BY counted.organization_id, counted.customer_id, counted.meter_id, counted.numbers) AS number,
            max(counted.register) OVER (PARTITION BY counted.organization_id, counted.customer_id, counted.meter_id, counted.numbers) AS register,
            max(counted.type) OVER (PARTITION BY counted.organization_id, counted.customer_id, counted.meter_id, counted.types) AS type,
            max(counted.metering_operator) OVER (PARTITION BY counted.organization_id, counted.customer_id, counted.meter_id, counted.operators) AS metering_operator
           FROM counted) s
     JOIN public.meters m ON (((m.organization_id = s.organization_id) AND (m.id = s.meter_id))));

ALTER VIEW analytics.meters OWNER TO voltstream_analyst_reader;

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

CREATE TABLE public.asset_snapshots (
    asset_id bigint NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    power_kw double precision,
    state_of_charge double precision,
    vehicle_state_of_charge double precision,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    connected boolean,
    CONSTRAINT asset_snapshots_power_kw_check CHECK (((power_kw > ('-1000000000'::numeric)::double precision) AND (power_kw < ('1000000000'::numeric)::double precision))),
    CONSTRAINT asset_snapshots_state_of_charge_check CHECK (((state_of_charge >= (0)::double precision) AND (state_of_charge <= (1)::double precision))),
    CONSTRAINT asset_snapshots_vehicle_state_of_charge_check CHECK (((vehicle_state_of_charge >= (0)::double precision) AND (vehicle_state_of_charge <= (1)::double precision)))
);

ALTER TABLE public.asset_snapshots OWNER TO voltstream_owner;

COMMENT ON TABLE public.asset_snapshots IS 'Measured values of assets: a hypertable in chunks of 7 days, unique by asset and instant.';

COMMENT ON COLUMN public.asset_snapshots.asset_id IS 'Internal key of the asset: assets.key.';

COMMENT ON COLUMN public.asset_snapshots."timestamp" IS 'Instant of the measurement, to the microsecond.';

COMMENT ON COLUMN public.asset_snapshots.power_kw IS 'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative. Personal, shows who is at home; for usage, bills and analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';

COMMENT ON COLUMN public.asset_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1. Personal; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';

COMMENT ON COLUMN public.asset_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1. Personal; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';

COMMENT ON COLUMN public.asset_snapshots.created_at IS 'Instant of storing.';

COMMENT ON COLUMN public.asset_snapshots.connected IS 'Whether a vehicle is connected to the wallbox. Personal, shows who is at home; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';

CREATE VIEW measured.stored_snapshots AS
 SELECT asset_id,
    "timestamp",
    power_kw,
    state_of_charge,
    connected,
    vehicle_state_of_charge,
    created_at
   FROM public.asset_snapshots;

ALTER VIEW measured.stored_snapshots OWNER TO voltstream_analyst_reader;

CREATE VIEW analytics.never_sent_assets AS
 SELECT a.organization_id,
    a.id AS asset,
    a.household_id AS household,
    a.type,
    a.created_at,
    (EXTRACT(epoch FROM (now() - a.created_at)))::double precision AS age_seconds
   FROM ((public.assets a
     LEFT JOIN LATERAL ( SELECT s."timestamp"
           FROM measured.stored_snapshots s
          WHERE (s.asset_id = a.key)
         LIMIT 1) sent ON (true))
     LEFT JOIN LATERAL ( SELECT s.delivery_day
           FROM measured.days s
          WHERE ((s.organization_id = a.organization_id) AND (s.asset = a.id))
         LIMIT 1) summed ON (true))
  WHERE ((a.decommissioned_at IS NULL) AND (sent."timestamp" IS NULL) AND (summed.delivery_day IS NULL));

ALTER VIEW analytics.never_sent_assets OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.never_sent_assets IS 'Assets in use of which no value and no sum is stored: they never sent one, or none for longer than sums by day are kept (energy_progress.days_kept_since). A gateway never sent where all assets of its household are here.';

COMMENT ON COLUMN analytics.never_sent_assets.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.never_sent_assets.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.never_sent_assets.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.never_sent_assets.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.never_sent_assets.created_at IS 'Instant of creation.';

COMMENT ON COLUMN analytics.never_sent_assets.age_seconds IS 'Time since its creation in seconds.';

CREATE VIEW analytics.newest_snapshots AS
 SELECT a.organization_id,
    a.id AS asset,
    a.household_id AS household,
    a.type,
    newest."timestamp",
    (newest."timestamp" AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    (EXTRACT(epoch FROM (now() - newest."timestamp")))::double precision AS age_seconds,
    newest.power_kw,
    newest.state_of_charge,
    newest.connected,
    newest.vehicle_state_of_charge,
    newest.created_at
   FROM (public.assets a
     CROSS JOIN LATERAL ( SELECT s."timestamp",
            s.power_kw,
            s.state_of_charge,
            s.connected,
            s.vehicle_state_of_charge,
            s.created_at
           FROM measured.stored_snapshots s
          WHERE (s.asset_id = a.key)
          ORDER BY s."timestamp" DESC
         LIMIT 1) newest);

ALTER VIEW analytics.newest_snapshots OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.newest_snapshots IS 'The newest measured value of each asset of which one is stored (energy_progress.snapshots_kept_since); one look into the index per asset. The last days of those that are silent for longer are in energy_days.';

COMMENT ON COLUMN analytics.newest_snapshots.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.newest_snapshots.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.newest_snapshots.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.newest_snapshots.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.newest_snapshots."timestamp" IS 'Instant of the measurement.';

COMMENT ON COLUMN analytics.newest_snapshots.local_time IS 'The same as clock time in Europe/Berlin.';

COMMENT ON COLUMN analytics.newest_snapshots.age_seconds IS 'Age of the measurement in seconds: for gateways that fell silent.';

COMMENT ON COLUMN analytics.newest_snapshots.power_kw IS 'Power in kW: positive into the asset, negative out of it, as in snapshots. Null: not sent.';

COMMENT ON COLUMN analytics.newest_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.newest_snapshots.connected IS 'Whether a vehicle is connected to the wallbox; null: not sent.';

COMMENT ON COLUMN analytics.newest_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.newest_snapshots.created_at IS 'Instant of storing.';

CREATE VIEW analytics.payments AS
 SELECT p.organization_id,
    p.id AS payment,
    p.invoice_id AS invoice,
    p.customer_id AS customer,
    i.subscription_id AS contract,
    p.direction,
    p.way,
    p.amount AS amount_eur,
    p.status,
    p.execute_on,
    p.booked_on,
    p.final_on,
    p.return_reason,
    p.created_at
   FROM (public.payments p
     JOIN public.invoices i ON (((i.organization_id = p.organization_id) AND (i.id = p.invoice_id))))
  WHERE (i.restricted_at IS NULL);

ALTER VIEW analytics.payments OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.payments IS 'Money that moved for documents, or was asked for. One document can have several: what came back is asked for again.';

COMMENT ON COLUMN analytics.payments.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.payments.payment IS 'Id of the payment, pay_.';

COMMENT ON COLUMN analytics.payments.invoice IS 'Id of the document, inv_.';

COMMENT ON COLUMN analytics.payments.customer IS 'Id of the contract partner, cus_.';

COMMENT ON COLUMN analytics.payments.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.payments.direction IS 'in: from the customer; out: to the customer.';

COMMENT ON COLUMN analytics.payments.way IS 'direct_debit, credit_transfer: by a file to the bank; bank_transfer: the customer paid by himself; entered: staff said so.';

COMMENT ON COLUMN analytics.payments.amount_eur IS 'Amount in EUR, always positive.';

COMMENT ON COLUMN analytics.payments.status IS 'requested: in a file; credited: booked, may still come back; settled: done; returned: came back, was money for another bill, or in a file that the bank never had.';

COMMENT ON COLUMN analytics.payments.execute_on IS 'Day on which the bank was to collect or pay, Europe/Berlin; null: by no file.';

COMMENT ON COLUMN analytics.payments.booked_on IS 'Day on which the bank booked it last, Europe/Berlin; null: not yet.';

COMMENT ON COLUMN analytics.payments.final_on IS 'Last day on which the bank of the payer returns a debit as unpaid, Europe/Berlin; null: no such day is known.';

COMMENT ON COLUMN analytics.payments.return_reason IS 'Why it came back: code of ISO 20022, NARR: staff said so; FILE: the bank never had the file; null: it did not.';

COMMENT ON COLUMN analytics.payments.created_at IS 'Instant of creation.';

CREATE TABLE public.plan_terms (
    organization_id text NOT NULL,
    plan_id text NOT NULL,
    valid_from date,
    valid_to date,
    base_fee_net numeric NOT NULL,
    margin_ct_net numeric DEFAULT 0 NOT NULL,
    optimization_rate numeric,
    sells_module_1 boolean DEFAULT false NOT NULL,
    sells_module_2 boolean DEFAULT false NOT NULL,
    sells_module_3 boolean DEFAULT false NOT NULL,
    cancellation_months smallint DEFAULT 1 NOT NULL,
    smart_meter_product text,
    discount_name text,
    discount_amount_off numeric,
    discount_duration text,
    discount_duration_in_months smallint,
    feed_in_kind text,
    feed_in_scope text,
    feed_in_up_to_kw smallint,
    feed_in_ct_net numeric,
    feed_in_margin_ct_net numeric,
    prices_changed_at timestamp with time zone,
    CONSTRAINT plan_terms_cancellation_months_check CHECK ((cancellation_months >= 0)),
    CONSTRAINT plan_terms_check CHECK ((valid_to > valid_from)),
    CONSTRAINT plan_terms_check1 CHECK (((NOT sells_module_3) OR sells_module_1)),
    CONSTRAINT plan_terms_discount_amount_off_check CHECK ((discount_amount_off > (0)::numeric)),
    CONSTRAINT plan_terms_discount_duration_check CHECK ((discount_duration = ANY (ARRAY['once'::text, 'recurring'::text]))),
    CONSTRAINT plan_terms_discount_duration_in_months_check CHECK ((discount_duration_in_months > 0)),
    CONSTRAINT plan_terms_feed_in_kind_check CHECK ((feed_in_kind = ANY (ARRAY['eeg'::text, 'direct'::text, 'fixed'::text]))),
    CONSTRAINT plan_terms_feed_in_scope_check CHECK ((feed_in_scope = ANY (ARRAY['partial'::text, 'full'::text]))),
    CONSTRAINT plan_terms_feed_in_up_to_kw_check CHECK ((feed_in_up_to_kw = ANY (ARRAY[10, 40, 100]))),
    CONSTRAINT plan_terms_optimization_rate_check CHECK (((optimization_rate >= (0)::numeric) AND (optimization_rate <= (1)::numeric))),
    CONSTRAINT plan_terms_smart_meter_product_check CHECK ((smart_meter_product = ANY (ARRAY['smart-meter-energy-metering'::text, 'smart-meter-partner-b'::text, 'smart-meter-partner-c'::text])))
);

ALTER TABLE ONLY public.plan_terms FORCE ROW LEVEL SECURITY;

ALTER TABLE public.plan_terms OWNER TO voltstream_owner;

COMMENT ON TABLE public.plan_terms IS 'Terms of plans by date; the row valid on the price date counts.';

COMMENT ON COLUMN public.plan_terms.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.plan_terms.plan_id IS 'The plan.';

COMMENT ON COLUMN public.plan_terms.valid_from IS 'First day, Europe/Berlin; null: always.';

COMMENT ON COLUMN public.plan_terms.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.plan_terms.base_fee_net IS 'EUR per month without VAT.';

COMMENT ON COLUMN public.plan_terms.margin_ct_net IS 'Procurement margin in ct/kWh without VAT.';

COMMENT ON COLUMN public.plan_terms.optimization_rate IS 'Share of the energy price saved by load shifting, 0 to 1; null: none.';

COMMENT ON COLUMN public.plan_terms.sells_module_1 IS 'Sells the flat grid fee reduction of section 14a EnWG.';

COMMENT ON COLUMN public.plan_terms.sells_module_2 IS 'Sells the reduction in percent of section 14a EnWG.';

COMMENT ON COLUMN public.plan_terms.sells_module_3 IS 'Sells the time-variable grid fee of section 14a EnWG.';

COMMENT ON COLUMN public.plan_terms.cancellation_months IS 'Period of notice in months.';

COMMENT ON COLUMN public.plan_terms.smart_meter_product IS 'Product with which a smart meter is ordered; null: none is sold.';

COMMENT ON COLUMN public.plan_terms.discount_name IS 'Name of the discount; null: none.';

COMMENT ON COLUMN public.plan_terms.discount_amount_off IS 'EUR with VAT.';

COMMENT ON COLUMN public.plan_terms.discount_duration IS 'once or recurring.';

COMMENT ON COLUMN public.plan_terms.discount_duration_in_months IS 'Months of a recurring discount.';

COMMENT ON COLUMN public.plan_terms.feed_in_kind IS 'eeg, direct or fixed; null on consumption plans.';

COMMENT ON COLUMN public.plan_terms.feed_in_scope IS 'partial or full feed-in.';

COMMENT ON COLUMN public.plan_terms.feed_in_up_to_kw IS 'Size class of the plant in kW.';

COMMENT ON COLUMN public.plan_terms.feed_in_ct_net IS 'Fixed rate in ct/kWh without VAT.';

COMMENT ON COLUMN public.plan_terms.feed_in_margin_ct_net IS 'Service margin of direct marketing in ct/kWh without VAT.';

COMMENT ON COLUMN public.plan_terms.prices_changed_at IS 'When the row came in, or its prices were replaced last; null: before this was kept.';

CREATE VIEW analytics.plan_terms AS
 SELECT organization_id,
    plan_id AS plan,
    valid_from,
    valid_to AS valid_until,
    base_fee_net AS base_fee_net_eur_month,
    margin_ct_net AS margin_net_ct_kwh,
    optimization_rate,
    cancellation_months,
    feed_in_kind,
    feed_in_scope,
    feed_in_up_to_kw,
    feed_in_ct_net AS feed_in_net_ct_kwh,
    feed_in_margin_ct_net AS feed_in_margin_net_ct_kwh
   FROM public.plan_terms;

ALTER VIEW analytics.plan_terms OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.plan_terms IS 'Terms of plans by date: what they cost without VAT from which day on.';

COMMENT ON COLUMN analytics.plan_terms.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.plan_terms.plan IS 'Id of the plan, pln_.';

COMMENT ON COLUMN analytics.plan_terms.valid_from IS 'First day, Europe/Berlin; null: always.';

COMMENT ON COLUMN analytics.plan_terms.valid_until IS 'First day that is no longer part of it; null: open.';

COMMENT ON COLUMN analytics.plan_terms.base_fee_net_eur_month IS 'Base fee in EUR a month without VAT.';

COMMENT ON COLUMN analytics.plan_terms.margin_net_ct_kwh IS 'Procurement margin in ct/kWh without VAT.';

COMMENT ON COLUMN analytics.plan_terms.optimization_rate IS 'Share of the energy price saved by load shifting, 0 to 1; null: none.';

COMMENT ON COLUMN analytics.plan_terms.cancellation_months IS 'Period of notice in months.';

COMMENT ON COLUMN analytics.plan_terms.feed_in_kind IS 'eeg, direct or fixed; null: a consumption plan.';

COMMENT ON COLUMN analytics.plan_terms.feed_in_scope IS 'partial or full feed-in; null: a consumption plan.';

COMMENT ON COLUMN analytics.plan_terms.feed_in_up_to_kw IS 'Size class of the plant in kW: 10, 40 or 100; null: none.';

COMMENT ON COLUMN analytics.plan_terms.feed_in_net_ct_kwh IS 'Fixed rate in ct/kWh without VAT; null: none.';

COMMENT ON COLUMN analytics.plan_terms.feed_in_margin_net_ct_kwh IS 'Service margin of direct marketing in ct/kWh without VAT; null: none.';

CREATE VIEW analytics.plans AS
 SELECT organization_id,
    id AS plan,
    slug,
    name,
    type,
    status,
    created_at
   FROM public.plans;

ALTER VIEW analytics.plans OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.plans IS 'Tariff plans of the organization.';

COMMENT ON COLUMN analytics.plans.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.plans.plan IS 'Id of the plan, pln_.';

COMMENT ON COLUMN analytics.plans.slug IS 'Its short name in links.';

COMMENT ON COLUMN analytics.plans.name IS 'Its name for customers.';

COMMENT ON COLUMN analytics.plans.type IS 'consumption, or feed_in: the customer is paid.';

COMMENT ON COLUMN analytics.plans.status IS 'active, or archived: no new contracts.';

COMMENT ON COLUMN analytics.plans.created_at IS 'Instant of creation.';

CREATE TABLE public.price_forecast_days (
    capture_id bigint NOT NULL,
    zone text NOT NULL,
    delivery_on date NOT NULL,
    source text NOT NULL,
    captured_at timestamp with time zone NOT NULL,
    complete boolean NOT NULL,
    CONSTRAINT price_forecast_days_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_forecast_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_forecast_days IS 'Delivery days that a run touches; append-only.';

COMMENT ON COLUMN public.price_forecast_days.capture_id IS 'The run.';

COMMENT ON COLUMN public.price_forecast_days.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_forecast_days.delivery_on IS 'Delivery day, Europe/Berlin.';

COMMENT ON COLUMN public.price_forecast_days.source IS 'As in the capture.';

COMMENT ON COLUMN public.price_forecast_days.captured_at IS 'As in the capture: decides what was there before the freeze.';

COMMENT ON COLUMN public.price_forecast_days.complete IS 'Covers every interval of the day in the day''s width.';

CREATE TABLE public.price_forecast_frozen (
    zone text NOT NULL,
    delivery_on date NOT NULL,
    capture_id bigint NOT NULL,
    frozen_at timestamp with time zone NOT NULL,
    late boolean DEFAULT false NOT NULL,
    CONSTRAINT price_forecast_frozen_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_forecast_frozen OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_forecast_frozen IS 'The curve of a day that is served for ever; inserted once.';

COMMENT ON COLUMN public.price_forecast_frozen.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_forecast_frozen.delivery_on IS 'Delivery day, Europe/Berlin.';

COMMENT ON COLUMN public.price_forecast_frozen.capture_id IS 'The run that counts.';

COMMENT ON COLUMN public.price_forecast_frozen.frozen_at IS 'Instant of writing this row.';

COMMENT ON COLUMN public.price_forecast_frozen.late IS 'Made after the freeze, because nothing was there before it.';

CREATE TABLE public.price_forecast_values (
    capture_id bigint NOT NULL,
    interval_start timestamp with time zone NOT NULL,
    minutes smallint NOT NULL,
    amount numeric NOT NULL,
    CONSTRAINT price_forecast_values_amount_check CHECK (((amount > '-Infinity'::numeric) AND (amount < 'Infinity'::numeric))),
    CONSTRAINT price_forecast_values_minutes_check CHECK ((minutes = ANY (ARRAY[15, 60])))
);

ALTER TABLE public.price_forecast_values OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_forecast_values IS 'Forecast prices; append-only.';

COMMENT ON COLUMN public.price_forecast_values.capture_id IS 'The run.';

COMMENT ON COLUMN public.price_forecast_values.interval_start IS 'UTC start of the interval.';

COMMENT ON COLUMN public.price_forecast_values.minutes IS 'Width of the interval.';

COMMENT ON COLUMN public.price_forecast_values.amount IS 'EUR/MWh.';

CREATE VIEW analytics.price_forecasts AS
 SELECT o.id AS organization_id,
    c.zone,
    c.delivery_on AS delivery_day,
    c.source,
    c.kind,
    v.interval_start AS start,
    v.minutes,
    (v.interval_start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(v.interval_start) AS utc_offset_hours,
    v.amount AS eur_mwh,
    came.eur_mwh AS came_eur_mwh,
    c.captured_at,
    c.is_late
   FROM ((((public.organizations o
     CROSS JOIN ( SELECT f.zone,
            f.delivery_on,
            d.source,
            'frozen'::text AS kind,
            f.capture_id,
            d.captured_at,
            f.late AS is_late
           FROM (public.price_forecast_frozen f
             JOIN public.price_forecast_days d ON (((d.capture_id = f.capture_id) AND (d.delivery_on = f.delivery_on))))
        UNION ALL
         SELECT d.zone,
            d.delivery_on,
            d.source,
            'newest'::text,
            d.capture_id,
            d.captured_at,
            NULL::boolean
           FROM public.price_forecast_days d
          WHERE (d.complete AND (NOT (EXISTS ( SELECT
                   FROM public.price_forecast_days newer
                  WHERE ((newer.zone = d.zone) AND (newer.delivery_on = d.delivery_on) AND newer.complete AND (newer.source = d.source) AND (ROW(newer.captured_at, newer.capture_id) > ROW(d.captured_at, d.capture_id)))))))) c)
     JOIN public.delivery_days b ON ((b.day = c.delivery_on)))
     JOIN public.price_forecast_values v ON (((v.capture_id = c.capture_id) AND (v.interval_start >= b.starts_at) AND (v.interval_start < b.ends_at))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((sum(p.minutes) = v.minutes) OR (max(p.minutes) >= v.minutes)) THEN avg(p.amount)
                    ELSE NULL::numeric
                END AS eur_mwh
           FROM public.spot_prices p
          WHERE ((p.zone = c.zone) AND (p.delivery_on = c.delivery_on) AND (p.interval_start < (v.interval_start + ((v.minutes)::double precision * '00:01:00'::interval))) AND ((p.interval_start + ((p.minutes)::double precision * '00:01:00'::interval)) > v.interval_start))) came)
  WHERE o.forecast_enabled;

ALTER VIEW analytics.price_forecasts OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.price_forecasts IS 'Forecasts of day-ahead prices against what came: of each day the frozen curve, and the newest one of each source. Ask for delivery_day. No rows where forecasts are not enabled for the organization, else the same for all.';

COMMENT ON COLUMN analytics.price_forecasts.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.price_forecasts.zone IS 'Bidding zone: DE-LU.';

COMMENT ON COLUMN analytics.price_forecasts.delivery_day IS 'Day of delivery, Europe/Berlin.';

COMMENT ON COLUMN analytics.price_forecasts.source IS 'Who made it: a feed, or model: and its name.';

COMMENT ON COLUMN analytics.price_forecasts.kind IS 'frozen: what was there at gate closure, 12:00 of the day before; newest: the last one, which may know the prices.';

COMMENT ON COLUMN analytics.price_forecasts.start IS 'Instant at which the interval begins.';

COMMENT ON COLUMN analytics.price_forecasts.minutes IS 'Length of the interval in minutes: 60 or 15.';

COMMENT ON COLUMN analytics.price_forecasts.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.price_forecasts.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.price_forecasts.eur_mwh IS 'Expected price in EUR/MWh.';

COMMENT ON COLUMN analytics.price_forecasts.came_eur_mwh IS 'Price that came in EUR/MWh, the mean of the interval; null: not published yet.';

COMMENT ON COLUMN analytics.price_forecasts.captured_at IS 'Instant at which the forecast was there.';

COMMENT ON COLUMN analytics.price_forecasts.is_late IS 'Whether a frozen one was made after gate closure; null: kind is newest.';

CREATE VIEW analytics.quarter_hours AS
 SELECT organization_id,
    asset,
    household,
    type,
    start,
    delivery_day,
    (start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(start) AS utc_offset_hours,
    samples,
    covered_seconds,
        CASE
            WHEN (covered_seconds > (0)::double precision) THEN (((consumed_kwh - fed_kwh) * (3600)::double precision) / covered_seconds)
            ELSE NULL::double precision
        END AS mean_power_kw,
    power_kw_min AS min_power_kw,
    power_kw_max AS max_power_kw,
    first_at,
    last_at,
    state_of_charge_first,
    state_of_charge_last,
    vehicle_state_of_charge_last,
    connected_samples
   FROM measured.quarter_hours q;

ALTER VIEW analytics.quarter_hours OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.quarter_hours IS 'Power of each asset per quarter hour: mean, least, greatest, number of values. Only quarter hours in which a value was sent or still held.';

COMMENT ON COLUMN analytics.quarter_hours.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.quarter_hours.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.quarter_hours.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.quarter_hours.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.quarter_hours.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.quarter_hours.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.quarter_hours.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.quarter_hours.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.quarter_hours.samples IS 'Number of power values; 0: none was sent, the last one of the quarter hour before still held.';

COMMENT ON COLUMN analytics.quarter_hours.covered_seconds IS 'For how many of the 900 seconds a power value held.';

COMMENT ON COLUMN analytics.quarter_hours.mean_power_kw IS 'Mean power in kW over the covered seconds, into the asset positive; null: none is covered.';

COMMENT ON COLUMN analytics.quarter_hours.min_power_kw IS 'Least power value in kW; null: none was sent.';

COMMENT ON COLUMN analytics.quarter_hours.max_power_kw IS 'Greatest power value in kW; null: none was sent.';

COMMENT ON COLUMN analytics.quarter_hours.first_at IS 'Instant of the first power value; null: none was sent.';

COMMENT ON COLUMN analytics.quarter_hours.last_at IS 'Instant of the last power value; null: none was sent.';

COMMENT ON COLUMN analytics.quarter_hours.state_of_charge_first IS 'First state of charge of a battery, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.quarter_hours.state_of_charge_last IS 'Last state of charge of a battery, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.quarter_hours.vehicle_state_of_charge_last IS 'Last state of charge of the vehicle at a wallbox, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.quarter_hours.connected_samples IS 'Number of values that say a vehicle is connected.';

CREATE VIEW analytics.quarter_hours_filled AS
 SELECT a.organization_id,
    a.id AS asset,
    a.household_id AS household,
    a.type,
    filled.start,
    d.day AS delivery_day,
    (filled.start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(filled.start) AS utc_offset_hours,
    filled.samples,
    filled.covered_seconds,
    filled.consumed_kwh,
    filled.fed_kwh
   FROM (((public.assets a
     CROSS JOIN LATERAL ( SELECT min(q.start) AS start
           FROM measured.stored_quarter_hours q
          WHERE (q.asset_id = a.key)) begun)
     JOIN public.delivery_days d ON (((d.ends_at > begun.start) AND (d.starts_at < LEAST(now(), a.decommissioned_at)))))
     CROSS JOIN LATERAL ( SELECT step.step AS start,
            COALESCE(q.samples, 0) AS samples,
            COALESCE(q.covered_seconds, (0)::double precision) AS covered_seconds,
            q.consumed_kwh,
            q.fed_kwh
           FROM (generate_series(GREATEST(d.starts_at, begun.start), (LEAST(d.ends_at, now(), a.decommissioned_at) - '00:00:00.000001'::interval), '00:15:00'::interval) step(step)
             LEFT JOIN ( SELECT inner_q.asset_id,
                    inner_q.start,
                    inner_q.samples,
                    inner_q.connected_samples,
                    inner_q.first_at,
                    inner_q.last_at,
                    inner_q.power_kw_min,
                    inner_q.power_kw_max,
                    inner_q.covered_seconds,
                    inner_q.consumed_kwh,
                    inner_q.fed_kwh,
                    inner_q.state_of_charge_first,
                    inner_q.state_of_charge_last,
                    inner_q.vehicle_state_of_charge_last
                   FROM measured.stored_quarter_hours inner_q
                  WHERE ((inner_q.asset_id = a.key) AND (inner_q.start >= d.starts_at) AND (inner_q.start < d.ends_at))) q ON ((q.start = step.step)))) filled);

ALTER VIEW analytics.quarter_hours_filled OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.quarter_hours_filled IS 'energy with a row for each quarter hour, also where nothing is known: from an asset''s first value to now. Ask for assets and for a span of delivery_day.';

COMMENT ON COLUMN analytics.quarter_hours_filled.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.quarter_hours_filled.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.quarter_hours_filled.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.quarter_hours_filled.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.quarter_hours_filled.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.quarter_hours_filled.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.quarter_hours_filled.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.quarter_hours_filled.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.quarter_hours_filled.samples IS 'Number of power values; 0: none was sent.';

COMMENT ON COLUMN analytics.quarter_hours_filled.covered_seconds IS 'For how many of the 900 seconds a power value held.';

COMMENT ON COLUMN analytics.quarter_hours_filled.consumed_kwh IS 'Energy into the asset in kWh; null: nothing is known.';

COMMENT ON COLUMN analytics.quarter_hours_filled.fed_kwh IS 'Energy out of the asset in kWh, positive; null: nothing is known.';

CREATE TABLE public.meter_readings (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    meter_id text NOT NULL,
    value numeric NOT NULL,
    read_on date NOT NULL,
    type text NOT NULL,
    message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    register integer DEFAULT 1 NOT NULL,
    withdrawn_at timestamp with time zone,
    CONSTRAINT meter_readings_id_check CHECK ((id ~ '^mr_[0-9a-z]{24}$'::text)),
    CONSTRAINT meter_readings_register_check CHECK ((register > 0)),
    CONSTRAINT meter_readings_type_check CHECK ((type = ANY (ARRAY['customer_report'::text, 'grid_reading'::text, 'grid_estimation'::text]))),
    CONSTRAINT meter_readings_value_check CHECK (((value >= (0)::numeric) AND (value <= ('10000000000'::bigint)::numeric)))
);

ALTER TABLE ONLY public.meter_readings FORCE ROW LEVEL SECURITY;

ALTER TABLE public.meter_readings OWNER TO voltstream_owner;

COMMENT ON TABLE public.meter_readings IS 'Readings of meters, cumulative; append-only but for a wrong one, which is marked.';

COMMENT ON COLUMN public.meter_readings.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.meter_readings.id IS 'mr_ and 24 random characters.';

COMMENT ON COLUMN public.meter_readings.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.meter_readings.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.meter_readings.meter_id IS 'The meter.';

COMMENT ON COLUMN public.meter_readings.value IS 'Cumulative kWh. Personal; for billing; 3 years.';

COMMENT ON COLUMN public.meter_readings.read_on IS 'Day of the reading, Europe/Berlin.';

COMMENT ON COLUMN public.meter_readings.type IS 'customer_report, grid_reading or grid_estimation.';

COMMENT ON COLUMN public.meter_readings.message IS 'Note of the sender, not shown again. Personal; for billing; 3 years.';

COMMENT ON COLUMN public.meter_readings.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.meter_readings.register IS 'The counter that was read: only readings of one counter are compared. 1: the meter''s first one.';

COMMENT ON COLUMN public.meter_readings.withdrawn_at IS 'When it was found to be wrong: from then on it counts no more; null: it counts.';

CREATE VIEW analytics.readings AS
 SELECT organization_id,
    id AS reading,
    subscription_id AS contract,
    customer_id AS customer,
    meter_id AS meter,
    register,
    read_on,
    value AS value_kwh,
    type,
    created_at
   FROM public.meter_readings
  WHERE (withdrawn_at IS NULL);

ALTER VIEW analytics.readings OWNER TO voltstream_analyst_reader;

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

CREATE TABLE public.benchmarks (
    base_fee_eur_year_gross numeric NOT NULL,
    energy_ct_net numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT benchmarks_base_fee_eur_year_gross_check CHECK ((base_fee_eur_year_gross >= (0)::numeric)),
    CONSTRAINT benchmarks_check CHECK ((valid_to > valid_from)),
    CONSTRAINT benchmarks_energy_ct_net_check CHECK ((energy_ct_net >= (0)::numeric)),
    CONSTRAINT benchmarks_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.benchmarks OWNER TO voltstream_owner;

COMMENT ON TABLE public.benchmarks IS 'The supplier''s part of a usual tariff, which savings are compared with.';

COMMENT ON COLUMN public.benchmarks.base_fee_eur_year_gross IS 'EUR per year with VAT.';

COMMENT ON COLUMN public.benchmarks.energy_ct_net IS 'ct/kWh without VAT.';

COMMENT ON COLUMN public.benchmarks.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.benchmarks.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.benchmarks.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.benchmarks.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW analytics.reference_tariffs AS
 SELECT valid_from,
    valid_to AS valid_until,
    base_fee_eur_year_gross AS base_gross_eur_year,
    energy_ct_net AS energy_net_ct_kwh
   FROM public.benchmarks;

ALTER VIEW analytics.reference_tariffs OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.reference_tariffs IS 'The tariff that savings are measured against. The same for all organizations.';

COMMENT ON COLUMN analytics.reference_tariffs.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN analytics.reference_tariffs.valid_until IS 'First day that is no longer part of it; null: open.';

COMMENT ON COLUMN analytics.reference_tariffs.base_gross_eur_year IS 'Base fee in EUR a year with VAT.';

COMMENT ON COLUMN analytics.reference_tariffs.energy_net_ct_kwh IS 'Energy price in ct/kWh without VAT, grid fees and levies.';

CREATE TABLE public.dunning_steps (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    invoice_id text NOT NULL,
    level smallint NOT NULL,
    amount numeric(14,2) NOT NULL,
    reminded_on date NOT NULL,
    mail text DEFAULT 'planned'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT dunning_steps_amount_check CHECK ((amount > (0)::numeric)),
    CONSTRAINT dunning_steps_level_check CHECK (((level >= 1) AND (level <= 2))),
    CONSTRAINT dunning_steps_mail_check CHECK ((mail = ANY (ARRAY['planned'::text, 'handed_over'::text, 'dropped'::text])))
);

ALTER TABLE ONLY public.dunning_steps FORCE ROW LEVEL SECURITY;

ALTER TABLE public.dunning_steps OWNER TO voltstream_owner;

COMMENT ON TABLE public.dunning_steps IS 'Reminders of bills that are overdue, one row for each; kept as long as the bill.';

COMMENT ON COLUMN public.dunning_steps.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.dunning_steps.customer_id IS 'Who was reminded.';

COMMENT ON COLUMN public.dunning_steps.invoice_id IS 'The bill.';

COMMENT ON COLUMN public.dunning_steps.level IS '1: first reminder; 2: second reminder.';

COMMENT ON COLUMN public.dunning_steps.amount IS 'EUR that were missing when the mail left; before that, when it was planned.';

COMMENT ON COLUMN public.dunning_steps.reminded_on IS 'Day on which the mail left; before that, on which it was planned. Europe/Berlin.';

COMMENT ON COLUMN public.dunning_steps.mail IS 'planned; handed_over: set before the mail leaves, so that a process that dies never sends it twice; dropped: nothing was missing, staff had stopped reminders, or the first one had not left. It is planned anew where something is missing again.';

COMMENT ON COLUMN public.dunning_steps.created_at IS 'Instant of creation.';

CREATE VIEW analytics.reminders AS
 SELECT d.organization_id,
    d.invoice_id AS invoice,
    d.level,
    d.customer_id AS customer,
    i.subscription_id AS contract,
    d.amount AS amount_eur,
    d.reminded_on
   FROM (public.dunning_steps d
     JOIN public.invoices i ON (((i.organization_id = d.organization_id) AND (i.id = d.invoice_id))))
  WHERE ((i.restricted_at IS NULL) AND (d.mail = 'handed_over'::text));

ALTER VIEW analytics.reminders OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.reminders IS 'Reminders of documents that were not paid, each from when its mail left.';

COMMENT ON COLUMN analytics.reminders.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.reminders.invoice IS 'Id of the document, inv_.';

COMMENT ON COLUMN analytics.reminders.level IS 'First or second reminder: 1 or 2.';

COMMENT ON COLUMN analytics.reminders.customer IS 'Id of the contract partner, cus_.';

COMMENT ON COLUMN analytics.reminders.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.reminders.amount_eur IS 'What was missing in EUR.';

COMMENT ON COLUMN analytics.reminders.reminded_on IS 'Day of the reminder, Europe/Berlin.';

CREATE VIEW measured.contracts AS
SELECT
    NULL::text AS organization_id,
    NULL::text AS id,
    NULL::text AS type,
    NULL::text AS plan_id,
    NULL::text AS household_id,
    NULL::text AS address_id,
    NULL::timestamp with time zone AS start_at,
    NULL::timestamp with time zone AS end_at,
    NULL::datemultirange AS smart_days;

ALTER VIEW measured.contracts OWNER TO voltstream_analyst_reader;

CREATE TABLE public.usage_quarter_hours (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    interval_start timestamp with time zone NOT NULL,
    kwh numeric(18,12) NOT NULL,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    source text NOT NULL,
    CONSTRAINT usage_quarter_hours_kwh_check CHECK (((kwh >= (0)::numeric) AND (kwh < (1000000)::numeric))),
    CONSTRAINT usage_quarter_hours_source_check CHECK ((source = ANY (ARRAY['own_measurement'::text, 'metering_operator'::text])))
);

ALTER TABLE ONLY public.usage_quarter_hours FORCE ROW LEVEL SECURITY;

ALTER TABLE public.usage_quarter_hours OWNER TO voltstream_owner;

COMMENT ON TABLE public.usage_quarter_hours IS 'Final energy per quarter hour of smart meters.';

COMMENT ON COLUMN public.usage_quarter_hours.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.usage_quarter_hours.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.usage_quarter_hours.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.usage_quarter_hours.interval_start IS 'UTC start of the quarter hour.';

COMMENT ON COLUMN public.usage_quarter_hours.kwh IS 'Energy in kWh, positive in both directions. Personal; for billing; 3 years.';

COMMENT ON COLUMN public.usage_quarter_hours.kept_at IS 'Instant at which this value came in or was frozen.';

COMMENT ON COLUMN public.usage_quarter_hours.source IS 'own_measurement: from snapshots, frozen when the month was settled; metering_operator: imported.';

CREATE VIEW analytics.retail_cost AS
 SELECT c.organization_id,
    c.id AS contract,
    c.household_id AS household,
    q.start,
    d.day AS delivery_day,
    (q.start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(q.start) AS utc_offset_hours,
    q.kwh,
    q.market_net_ct_kwh,
    t.margin_ct_net AS margin_net_ct_kwh,
    q.grid_net_ct_kwh,
    q.band,
    (f.concession_net_ct_kwh + f.levies_net_ct_kwh) AS levies_net_ct_kwh,
    f.vat_share,
    q.gross_ct_kwh,
    ((q.kwh * q.gross_ct_kwh) / (100)::numeric) AS gross_eur,
    q.is_synthetic
   FROM (((((((((measured.contracts c
     JOIN public.households h ON (((h.organization_id = c.organization_id) AND (h.id = c.household_id))))
     LEFT JOIN public.addresses a ON (((a.organization_id = c.organization_id) AND (a.id = COALESCE(c.address_id, h.address_id)))))
     CROSS JOIN LATERAL ( SELECT min(u.interval_start) AS first,
            max(u.interval_start) AS last
           FROM public.usage_quarter_hours u
          WHERE ((u.organization_id = c.organization_id) AND (u.subscription_id = c.id))) used)
     JOIN public.delivery_days d ON (((d.ends_at > used.first) AND (d.starts_at <= used.last) AND (c.smart_days @> d.day))))
     LEFT JOIN LATERAL ( SELECT of_plan.margin_ct_net
           FROM (public.plan_terms of_plan
             CROSS JOIN LATERAL ( SELECT COALESCE((of_plan.valid_from <= d.day), true) AS has_begun) has)
          WHERE ((of_plan.organization_id = c.organization_id) AND (of_plan.plan_id = c.plan_id))
          ORDER BY has.has_begun DESC,
                CASE
                    WHEN has.has_begun THEN of_plan.valid_from
                    ELSE NULL::date
                END DESC NULLS LAST, of_plan.valid_from
         LIMIT 1) t ON (true))
     LEFT JOIN LATERAL ( SELECT of_zip.delivery_day,
            of_zip.zip,
            of_zip.grid_operator,
            of_zip.grid_base_net_eur_year,
            of_zip.grid_net_ct_kwh,
            of_zip.grid_module_2_net_ct_kwh,
            of_zip.concession_net_ct_kwh,
            of_zip.levies_net_ct_kwh,
            of_zip.vat_share
           FROM analytics.fee_days of_zip
          WHERE ((of_zip.zip = a.zip) AND (of_zip.delivery_day = d.day))) f ON (true))
     CROSS JOIN LATERAL ( SELECT range_agg(tstzrange(r.valid_from, r.valid_until)) FILTER (WHERE (r.type = 'enwg-14a-module-2'::text)) AS two,
            range_agg(tstzrange(r.valid_from, r.valid_until)) FILTER (WHERE (r.type = 'enwg-14a-module-3'::text)) AS three
           FROM public.grid_fee_reductions r
          WHERE ((r.organization_id = c.organization_id) AND (r.subscription_id = c.id) AND (r.status = ANY (ARRAY['activated'::text, 'ended'::text])) AND (r.valid_from < d.ends_at) AND ((r.valid_until IS NULL) OR (r.valid_until > GREATEST(r.valid_from, d.starts_at))))) module)
     CROSS JOIN LATERAL ( SELECT array_agg(b.band ORDER BY b.local_time) AS names,
            array_agg(b.net_ct_kwh ORDER BY b.local_time) AS net_ct_kwh,
            (EXISTS ( SELECT
                   FROM public.grid_fee_schedules s
                  WHERE ((s.operator = f.grid_operator) AND (s.valid_from <= d.day)))) AS have_begun
           FROM analytics.grid_fee_bands b
          WHERE ((module.three IS NOT NULL) AND (b.grid_operator = f.grid_operator) AND (b.valid_from <= d.day) AND ((b.valid_until IS NULL) OR (b.valid_until > d.day)) AND (b.quarter = (EXTRACT(quarter FROM d.day))::integer))) bands)
     CROSS JOIN LATERAL ( SELECT u.interval_start AS start,
            u.kwh,
            (m.eur_mwh / (10)::numeric) AS market_net_ct_kwh,
            m.is_synthetic,
            g.net_ct_kwh AS grid_net_ct_kwh,
            g.band,
            ((((((m.eur_mwh / (10)::numeric) + t.margin_ct_net) + g.net_ct_kwh) + f.concession_net_ct_kwh) + f.levies_net_ct_kwh) * ((1)::numeric + f.vat_share)) AS gross_ct_kwh
           FROM (((((public.usage_quarter_hours u
             LEFT JOIN public.spot_prices quarter ON (((quarter.zone = 'DE-LU'::text) AND (quarter.delivery_on = d.day) AND (quarter.interval_start = u.interval_start) AND (quarter.minutes = 15))))
             LEFT JOIN public.spot_prices hour ON (((hour.zone = 'DE-LU'::text) AND (hour.delivery_on = d.day) AND (hour.interval_start = date_trunc('hour'::text, u.interval_start, 'UTC'::text)) AND (hour.minutes = 60))))
             CROSS JOIN LATERAL ( SELECT COALESCE(quarter.amount, hour.amount) AS eur_mwh,
                        CASE
                            WHEN (COALESCE(quarter.source, hour.source) IS NOT NULL) THEN ((COALESCE(quarter.source, hour.source) = 'synthetic'::text) OR (EXISTS ( SELECT
                               FROM public.price_kind
                              WHERE (price_kind.kind <> 'market'::text))))
                            ELSE NULL::boolean
                        END AS is_synthetic) m)
             CROSS JOIN LATERAL ( SELECT COALESCE((module.two @> u.interval_start), false) AS two,
                    COALESCE((module.three @> u.interval_start), false) AS three,
                    (((EXTRACT(epoch FROM ((u.interval_start AT TIME ZONE 'Europe/Berlin'::text))::time without time zone))::integer / 900) + 1) AS quarter_hour) holds)
             CROSS JOIN LATERAL ( SELECT
                        CASE
                            WHEN holds.two THEN f.grid_module_2_net_ct_kwh
                            WHEN (holds.three AND bands.have_begun) THEN bands.net_ct_kwh[holds.quarter_hour]
                            ELSE f.grid_net_ct_kwh
                        END AS net_ct_kwh,
                        CASE
                            WHEN holds.two THEN 'module_2'::text
                            WHEN holds.three THEN bands.names[holds.quarter_hour]
                            ELSE NULL::text
                        END AS band) g)
          WHERE ((u.organization_id = c.organization_id) AND (u.subscription_id = c.id) AND (u.interval_start >= d.starts_at) AND (u.interval_start < d.ends_at) AND (((u.interval_start < c.start_at) OR (u.interval_start >= c.end_at)) IS NOT TRUE))
         OFFSET 0) q)
  WHERE (c.type = 'consumption'::text);

ALTER VIEW analytics.retail_cost OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.retail_cost IS 'Full cost of each final quarter hour of supply contracts, as the customer pays for a kWh: market price, margin, grid fee, concession fee, levies and VAT; base fees and metering are not in it. Ask for a span of delivery_day: a condition on start alone reads all days.';

COMMENT ON COLUMN analytics.retail_cost.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.retail_cost.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.retail_cost.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.retail_cost.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.retail_cost.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.retail_cost.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.retail_cost.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.retail_cost.kwh IS 'Energy in kWh.';

COMMENT ON COLUMN analytics.retail_cost.market_net_ct_kwh IS 'Day-ahead price in ct/kWh without VAT; null: not known.';

COMMENT ON COLUMN analytics.retail_cost.margin_net_ct_kwh IS 'Margin of the plan in ct/kWh without VAT; null: the plan has no terms.';

COMMENT ON COLUMN analytics.retail_cost.grid_net_ct_kwh IS 'Working price of the grid in ct/kWh without VAT, with the contracts reduction; null: not known.';

COMMENT ON COLUMN analytics.retail_cost.band IS 'low, standard or high of module 3, or module_2; null: the ordinary price, or the bands of module 3 have ended and no price is known.';

COMMENT ON COLUMN analytics.retail_cost.levies_net_ct_kwh IS 'Concession fee, electricity tax and levies in ct/kWh without VAT; null: not known.';

COMMENT ON COLUMN analytics.retail_cost.vat_share IS 'Rate of VAT, a share from 0 to 1.';

COMMENT ON COLUMN analytics.retail_cost.gross_ct_kwh IS 'All of it in ct/kWh with VAT; null: a part is not known.';

COMMENT ON COLUMN analytics.retail_cost.gross_eur IS 'The same times kwh, in EUR with VAT.';

COMMENT ON COLUMN analytics.retail_cost.is_synthetic IS 'Whether the market price is none of the market, as in spot_prices; null: no price.';

CREATE VIEW analytics.retail_cost_days AS
 SELECT retail_cost.organization_id,
    retail_cost.contract,
    retail_cost.household,
    retail_cost.delivery_day,
    sum(priced.priced_kwh) AS kwh,
    sum(retail_cost.gross_eur) AS gross_eur,
    (sum(((priced.priced_kwh * retail_cost.market_net_ct_kwh) * ((1)::numeric + retail_cost.vat_share))) / (100)::numeric) AS market_gross_eur,
    (sum(((priced.priced_kwh * retail_cost.margin_net_ct_kwh) * ((1)::numeric + retail_cost.vat_share))) / (100)::numeric) AS margin_gross_eur,
    (sum(((priced.priced_kwh * retail_cost.grid_net_ct_kwh) * ((1)::numeric + retail_cost.vat_share))) / (100)::numeric) AS grid_gross_eur,
    (sum(((priced.priced_kwh * retail_cost.levies_net_ct_kwh) * ((1)::numeric + retail_cost.vat_share))) / (100)::numeric) AS levies_gross_eur,
    (count(*))::integer AS quarter_hours,
    (count(retail_cost.gross_ct_kwh))::integer AS priced_quarter_hours,
    bool_or(retail_cost.is_synthetic) AS is_synthetic
   FROM (analytics.retail_cost
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (retail_cost.gross_ct_kwh IS NOT NULL) THEN retail_cost.kwh
                    ELSE NULL::numeric
                END AS priced_kwh) priced)
  GROUP BY retail_cost.organization_id, retail_cost.contract, retail_cost.household, retail_cost.delivery_day;

ALTER VIEW analytics.retail_cost_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.retail_cost_days IS 'retail_cost per contract and day: what the parts of a price cost. Quarter hours of which a part is not known are left out of energy and cost. Ask for a span of delivery_day.';

COMMENT ON COLUMN analytics.retail_cost_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.retail_cost_days.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.retail_cost_days.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.retail_cost_days.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.retail_cost_days.kwh IS 'Energy in kWh of the quarter hours of which all parts are known; null: of none. That of all is in usage_days.';

COMMENT ON COLUMN analytics.retail_cost_days.gross_eur IS 'Full cost in EUR with VAT.';

COMMENT ON COLUMN analytics.retail_cost_days.market_gross_eur IS 'Part of the market price in EUR with VAT.';

COMMENT ON COLUMN analytics.retail_cost_days.margin_gross_eur IS 'Part of the margin in EUR with VAT.';

COMMENT ON COLUMN analytics.retail_cost_days.grid_gross_eur IS 'Part of the grid fee in EUR with VAT.';

COMMENT ON COLUMN analytics.retail_cost_days.levies_gross_eur IS 'Part of concession fee, electricity tax and levies in EUR with VAT.';

COMMENT ON COLUMN analytics.retail_cost_days.quarter_hours IS 'Quarter hours with energy.';

COMMENT ON COLUMN analytics.retail_cost_days.priced_quarter_hours IS 'Quarter hours of them of which all parts are known.';

COMMENT ON COLUMN analytics.retail_cost_days.is_synthetic IS 'Whether a market price of it is none of the market; null: no price.';

CREATE TABLE public.settled_usage_months (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    month date NOT NULL,
    settled_at timestamp with time zone NOT NULL,
    days datemultirange NOT NULL,
    changed_at timestamp with time zone,
    CONSTRAINT settled_usage_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);

ALTER TABLE ONLY public.settled_usage_months FORCE ROW LEVEL SECURITY;

ALTER TABLE public.settled_usage_months OWNER TO voltstream_owner;

COMMENT ON TABLE public.settled_usage_months IS 'Months of which the own measurements are frozen: snapshots that come later change nothing.';

COMMENT ON COLUMN public.settled_usage_months.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.settled_usage_months.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.settled_usage_months.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.settled_usage_months.month IS 'First day of the month, Europe/Berlin.';

COMMENT ON COLUMN public.settled_usage_months.settled_at IS 'Instant at which the values were written.';

COMMENT ON COLUMN public.settled_usage_months.days IS 'Days on which the contract was supplied by a smart meter, as known when they were frozen, Europe/Berlin. Personal; for billing; until erased.';

COMMENT ON COLUMN public.settled_usage_months.changed_at IS 'Instant of the last import, or of days that were frozen later, by which its values are others; null: as first frozen.';

CREATE VIEW analytics.settled_months AS
 SELECT organization_id,
    subscription_id AS contract,
    month,
    settled_at
   FROM public.settled_usage_months;

ALTER VIEW analytics.settled_months OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.settled_months IS 'Months whose usage is final: snapshots that come later change nothing.';

COMMENT ON COLUMN analytics.settled_months.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.settled_months.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.settled_months.month IS 'First day of the month, Europe/Berlin.';

COMMENT ON COLUMN analytics.settled_months.settled_at IS 'Instant at which the month was settled.';

CREATE VIEW measured.snapshots AS
 SELECT a.organization_id,
    a.id AS asset,
    a.household_id AS household,
    a.type,
    d.day AS delivery_day,
    s."timestamp",
    s.power_kw,
    s.state_of_charge,
    s.connected,
    s.vehicle_state_of_charge,
    s.created_at
   FROM ((public.assets a
     JOIN public.asset_snapshots s ON ((s.asset_id = a.key)))
     LEFT JOIN public.delivery_days d ON (((d.day = ((s."timestamp" AT TIME ZONE 'Europe/Berlin'::text))::date) AND (s."timestamp" >= d.starts_at) AND (s."timestamp" < d.ends_at) AND (s."timestamp" > (d.starts_at - '00:00:01'::interval)) AND (s."timestamp" <= d.ends_at) AND (d.day < (CURRENT_DATE + 3)))));

ALTER VIEW measured.snapshots OWNER TO voltstream_analyst_reader;

CREATE VIEW analytics.snapshots AS
 SELECT organization_id,
    asset,
    household,
    type,
    "timestamp",
    delivery_day,
    ("timestamp" AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours("timestamp") AS utc_offset_hours,
    power_kw,
    state_of_charge,
    connected,
    vehicle_state_of_charge,
    created_at
   FROM measured.snapshots s;

ALTER VIEW analytics.snapshots OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.snapshots IS 'Measured values as they were sent, one row per asset and instant. Ask for assets or for a span of timestamp or delivery_day.';

COMMENT ON COLUMN analytics.snapshots.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.snapshots.asset IS 'Id of the asset, ast_.';

COMMENT ON COLUMN analytics.snapshots.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.snapshots.type IS 'Type of the asset: see assets.';

COMMENT ON COLUMN analytics.snapshots."timestamp" IS 'Instant of the measurement, to the microsecond.';

COMMENT ON COLUMN analytics.snapshots.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.snapshots.local_time IS 'Clock time in Europe/Berlin. In the repeated hour of October two instants have the same one: utc_offset_hours tells them apart.';

COMMENT ON COLUMN analytics.snapshots.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.snapshots.power_kw IS 'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative; household_net: import positive, export negative. Null: not sent.';

COMMENT ON COLUMN analytics.snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.snapshots.connected IS 'Whether a vehicle is connected to the wallbox; null: not sent.';

COMMENT ON COLUMN analytics.snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1; null: not sent.';

COMMENT ON COLUMN analytics.snapshots.created_at IS 'Instant of storing: later than timestamp by the delay of the gateway.';

CREATE VIEW analytics.spot_price_quarter_hours AS
 SELECT p.zone,
    (p.interval_start + ((step.minutes)::double precision * '00:01:00'::interval)) AS start,
    p.delivery_on AS delivery_day,
    p.amount AS eur_mwh,
    (p.amount / (10)::numeric) AS ct_kwh,
    p.minutes AS priced_minutes,
    p.source,
    ((p.source = 'synthetic'::text) OR (EXISTS ( SELECT
           FROM public.price_kind
          WHERE (price_kind.kind <> 'market'::text)))) AS is_synthetic
   FROM (public.spot_prices p
     CROSS JOIN LATERAL generate_series(0, (p.minutes - 15), 15) step(minutes));

ALTER VIEW analytics.spot_price_quarter_hours OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.spot_price_quarter_hours IS 'The same prices for each quarter hour; a price of an hour stands for its four. Joins energy by start. The same for all organizations.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.zone IS 'Bidding zone: DE-LU, before October 2018 DE-AT-LU.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.delivery_day IS 'Day of delivery, Europe/Berlin.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.eur_mwh IS 'Price in EUR/MWh without taxes and fees; may be negative.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.ct_kwh IS 'The same in ct/kWh.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.priced_minutes IS 'Length in minutes of the interval that was priced: 60 or 15.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.source IS 'Feed that gave the value.';

COMMENT ON COLUMN analytics.spot_price_quarter_hours.is_synthetic IS 'Whether it is no price of the market: invented, or from a feed on the same machine under the name of a source.';

CREATE VIEW analytics.spot_prices AS
 SELECT zone,
    interval_start AS start,
    minutes,
    delivery_on AS delivery_day,
    (interval_start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(interval_start) AS utc_offset_hours,
    amount AS eur_mwh,
    (amount / (10)::numeric) AS ct_kwh,
    source,
    ((source = 'synthetic'::text) OR (EXISTS ( SELECT
           FROM public.price_kind
          WHERE (price_kind.kind <> 'market'::text)))) AS is_synthetic
   FROM public.spot_prices;

ALTER VIEW analytics.spot_prices OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.spot_prices IS 'Day-ahead prices as the market published them, one row per priced interval: hours until 2025-09-30, quarter hours from 2025-10-01. The same for all organizations.';

COMMENT ON COLUMN analytics.spot_prices.zone IS 'Bidding zone: DE-LU, before October 2018 DE-AT-LU.';

COMMENT ON COLUMN analytics.spot_prices.start IS 'Instant at which the interval begins.';

COMMENT ON COLUMN analytics.spot_prices.minutes IS 'Length of the interval in minutes: 60 or 15.';

COMMENT ON COLUMN analytics.spot_prices.delivery_day IS 'Day of delivery, Europe/Berlin.';

COMMENT ON COLUMN analytics.spot_prices.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.spot_prices.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.spot_prices.eur_mwh IS 'Price in EUR/MWh without taxes and fees; may be negative.';

COMMENT ON COLUMN analytics.spot_prices.ct_kwh IS 'The same in ct/kWh.';

COMMENT ON COLUMN analytics.spot_prices.source IS 'Feed that gave the value.';

COMMENT ON COLUMN analytics.spot_prices.is_synthetic IS 'Whether it is no price of the market: invented, or from a feed on the same machine under the name of a source.';

CREATE TABLE public.usage_days (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    day date NOT NULL,
    kwh numeric(20,12) NOT NULL,
    quarter_hours smallint NOT NULL,
    CONSTRAINT usage_days_quarter_hours_check CHECK (((quarter_hours >= 1) AND (quarter_hours <= 100)))
);

ALTER TABLE ONLY public.usage_days FORCE ROW LEVEL SECURITY;

ALTER TABLE public.usage_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.usage_days IS 'Sums of the final quarter hours of each day, written with them.';

COMMENT ON COLUMN public.usage_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.usage_days.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.usage_days.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.usage_days.day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN public.usage_days.kwh IS 'Energy in kWh of the quarter hours that are known. Personal; for billing; 3 years.';

COMMENT ON COLUMN public.usage_days.quarter_hours IS 'How many quarter hours are known.';

CREATE VIEW analytics.usage_days AS
 SELECT u.organization_id,
    u.subscription_id AS contract,
    c.household_id AS household,
    u.day AS delivery_day,
    u.kwh,
    u.quarter_hours
   FROM (public.usage_days u
     JOIN measured.contracts c ON (((c.organization_id = u.organization_id) AND (c.id = u.subscription_id))))
  WHERE ((((u.day < ((c.start_at AT TIME ZONE 'Europe/Berlin'::text))::date) OR (u.day >= ((c.end_at AT TIME ZONE 'Europe/Berlin'::text))::date)) IS NOT TRUE) AND (c.smart_days @> u.day));

ALTER VIEW analytics.usage_days OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.usage_days IS 'Sums of usage_quarter_hours per day.';

COMMENT ON COLUMN analytics.usage_days.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.usage_days.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.usage_days.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.usage_days.delivery_day IS 'Day, Europe/Berlin.';

COMMENT ON COLUMN analytics.usage_days.kwh IS 'Energy in kWh of the quarter hours that are known.';

COMMENT ON COLUMN analytics.usage_days.quarter_hours IS 'How many quarter hours are known; a whole day has 96, 92 or 100.';

CREATE VIEW analytics.usage_quarter_hours AS
 SELECT c.organization_id,
    c.id AS contract,
    c.household_id AS household,
    u.interval_start AS start,
    d.day AS delivery_day,
    (u.interval_start AT TIME ZONE 'Europe/Berlin'::text) AS local_time,
    analytics.utc_offset_hours(u.interval_start) AS utc_offset_hours,
    u.kwh,
    u.source,
    u.kept_at
   FROM ((measured.contracts c
     JOIN public.usage_quarter_hours u ON (((u.organization_id = c.organization_id) AND (u.subscription_id = c.id))))
     LEFT JOIN public.delivery_days d ON (((d.day = ((u.interval_start AT TIME ZONE 'Europe/Berlin'::text))::date) AND (u.interval_start >= d.starts_at) AND (u.interval_start < d.ends_at) AND (u.interval_start > (d.starts_at - '00:00:01'::interval)) AND (u.interval_start <= d.ends_at) AND (u.interval_start > (d.starts_at - '00:00:02'::interval)) AND (u.interval_start < (d.ends_at + '00:00:01'::interval)) AND (d.day < (CURRENT_DATE + 3)))))
  WHERE ((((u.interval_start < c.start_at) OR (u.interval_start >= c.end_at)) IS NOT TRUE) AND COALESCE((c.smart_days @> ((u.interval_start AT TIME ZONE 'Europe/Berlin'::text))::date), false));

ALTER VIEW analytics.usage_quarter_hours OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.usage_quarter_hours IS 'Final energy per quarter hour of contracts, of the days on which their meter was smart: what is billed. Not the same as energy, which follows from snapshots.';

COMMENT ON COLUMN analytics.usage_quarter_hours.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.usage_quarter_hours.contract IS 'Id of the contract, sub_.';

COMMENT ON COLUMN analytics.usage_quarter_hours.household IS 'Id of its household, dom_.';

COMMENT ON COLUMN analytics.usage_quarter_hours.start IS 'Instant at which the quarter hour begins.';

COMMENT ON COLUMN analytics.usage_quarter_hours.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON COLUMN analytics.usage_quarter_hours.local_time IS 'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';

COMMENT ON COLUMN analytics.usage_quarter_hours.utc_offset_hours IS 'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';

COMMENT ON COLUMN analytics.usage_quarter_hours.kwh IS 'Energy in kWh, positive: consumption of a supply contract, feed-in of a feed-in contract.';

COMMENT ON COLUMN analytics.usage_quarter_hours.source IS 'metering_operator: imported; own_measurement: from snapshots, frozen when the month was settled.';

COMMENT ON COLUMN analytics.usage_quarter_hours.kept_at IS 'Instant at which the value came in or was frozen.';

CREATE VIEW analytics.webhook_deliveries AS
 SELECT d.organization_id,
    d.event_id AS event,
    e.topic,
    d.endpoint_id AS endpoint,
    d.state,
    d.created_at,
    d.attempts_in_all AS attempts,
    d.last_attempt_at,
    d.delivered_at,
    (EXTRACT(epoch FROM (d.delivered_at - d.created_at)))::double precision AS took_seconds,
    d.last_status,
    d.next_at
   FROM (public.event_deliveries d
     CROSS JOIN LATERAL ( SELECT e_1.topic
           FROM public.events e_1
          WHERE ((e_1.organization_id = d.organization_id) AND (e_1.id = d.event_id))
         LIMIT 1) e);

ALTER VIEW analytics.webhook_deliveries OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.webhook_deliveries IS 'Deliveries of events to receivers, one row for each event and receiver. Kept for 30 days.';

COMMENT ON COLUMN analytics.webhook_deliveries.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.webhook_deliveries.event IS 'Id of the event, evt_.';

COMMENT ON COLUMN analytics.webhook_deliveries.topic IS 'What happened.';

COMMENT ON COLUMN analytics.webhook_deliveries.endpoint IS 'Id of the receiver, whe_.';

COMMENT ON COLUMN analytics.webhook_deliveries.state IS 'pending, delivered, failed: given up, or cancelled.';

COMMENT ON COLUMN analytics.webhook_deliveries.created_at IS 'Instant from which it was to be delivered.';

COMMENT ON COLUMN analytics.webhook_deliveries.attempts IS 'Number of attempts.';

COMMENT ON COLUMN analytics.webhook_deliveries.last_attempt_at IS 'Instant of the last attempt; null: none.';

COMMENT ON COLUMN analytics.webhook_deliveries.delivered_at IS 'Instant at which it was taken; null: it was not.';

COMMENT ON COLUMN analytics.webhook_deliveries.took_seconds IS 'From creation to delivery in seconds; null: not delivered.';

COMMENT ON COLUMN analytics.webhook_deliveries.last_status IS 'HTTP status of the last answer; null: no answer.';

COMMENT ON COLUMN analytics.webhook_deliveries.next_at IS 'Instant of the next attempt; null: none.';

CREATE VIEW analytics.webhook_endpoints AS
 SELECT organization_id,
    id AS endpoint,
    kind,
    topics,
    created_at,
    disabled_at,
    disabled_reason,
    deleted_at,
    failing_since,
    last_success_at,
    last_failure_at
   FROM public.webhook_endpoints;

ALTER VIEW analytics.webhook_endpoints OWNER TO voltstream_analyst_reader;

COMMENT ON VIEW analytics.webhook_endpoints IS 'Receivers of events, without their addresses.';

COMMENT ON COLUMN analytics.webhook_endpoints.organization_id IS 'The tenant.';

COMMENT ON COLUMN analytics.webhook_endpoints.endpoint IS 'Id of the receiver, whe_.';

COMMENT ON COLUMN analytics.webhook_endpoints.kind IS 'address: requests go to a URL; listener: a command line takes them.';

COMMENT ON COLUMN analytics.webhook_endpoints.topics IS 'What it wants to hear; null: everything.';

COMMENT ON COLUMN analytics.webhook_endpoints.created_at IS 'Instant of creation.';

COMMENT ON COLUMN analytics.webhook_endpoints.disabled_at IS 'Nothing is sent to it since; null: it is enabled.';

COMMENT ON COLUMN analytics.webhook_endpoints.disabled_reason IS 'operator, gone or long_failure; null: it is enabled.';

COMMENT ON COLUMN analytics.webhook_endpoints.deleted_at IS 'Deleted at; null: it is there.';

COMMENT ON COLUMN analytics.webhook_endpoints.failing_since IS 'First failed attempt since the last success; null: the last one was a success, or none was made for five days.';

COMMENT ON COLUMN analytics.webhook_endpoints.last_success_at IS 'Last attempt that was answered with 2xx; null: none.';

COMMENT ON COLUMN analytics.webhook_endpoints.last_failure_at IS 'Last attempt that was not; null: none.';

CREATE SEQUENCE public.asset_keys
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    MAXVALUE 137438953471
    CACHE 1;

ALTER SEQUENCE public.asset_keys OWNER TO voltstream_owner;

ALTER SEQUENCE public.asset_keys OWNED BY public.assets.key;

COMMENT ON SEQUENCE public.asset_keys IS 'Each number stands for 65,536 keys, of which one asset gets one.';

CREATE TABLE public.audit_chain (
    only_row boolean DEFAULT true NOT NULL,
    first_day date NOT NULL,
    CONSTRAINT audit_chain_only_row_check CHECK (only_row)
);

ALTER TABLE public.audit_chain OWNER TO voltstream_owner;

COMMENT ON TABLE public.audit_chain IS 'Where the chain of seals of the audit log begins: one row.';

COMMENT ON COLUMN public.audit_chain.only_row IS 'Always true: there is one row.';

COMMENT ON COLUMN public.audit_chain.first_day IS 'Oldest day that must have a seal, UTC.';

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    organization_id text,
    client_id text,
    grant_id text,
    staff text,
    act text NOT NULL,
    object_id text,
    route text,
    reason text,
    result text NOT NULL,
    request_id uuid,
    address text,
    before jsonb,
    after jsonb
);

ALTER TABLE ONLY public.audit_log FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log OWNER TO voltstream_owner;

COMMENT ON TABLE public.audit_log IS 'Writes, reads of personal data, tokens and acts of staff; ids only, kept for 24 months.';

COMMENT ON COLUMN public.audit_log.id IS 'Order of writing.';

COMMENT ON COLUMN public.audit_log.at IS 'Instant at which it was written; set by a trigger.';

COMMENT ON COLUMN public.audit_log.organization_id IS 'The tenant; null: none.';

COMMENT ON COLUMN public.audit_log.client_id IS 'The acting client.';

COMMENT ON COLUMN public.audit_log.grant_id IS 'The grant of its token.';

COMMENT ON COLUMN public.audit_log.staff IS 'The acting member of staff, on the command line.';

COMMENT ON COLUMN public.audit_log.act IS 'What was done: noun and verb.';

COMMENT ON COLUMN public.audit_log.object_id IS 'Id of what it was done to; of a page of a list that was read, whose its items are, with blanks between the ids.';

COMMENT ON COLUMN public.audit_log.route IS 'Method and path pattern, or the command.';

COMMENT ON COLUMN public.audit_log.reason IS 'The reason that staff gave.';

COMMENT ON COLUMN public.audit_log.result IS 'How it ended.';

COMMENT ON COLUMN public.audit_log.request_id IS 'Id of the request, as in the answer.';

COMMENT ON COLUMN public.audit_log.address IS 'Shortened network address of the caller.';

COMMENT ON COLUMN public.audit_log.before IS 'Security settings before the change.';

COMMENT ON COLUMN public.audit_log.after IS 'Security settings after the change.';

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.audit_seals (
    day date NOT NULL,
    rows bigint NOT NULL,
    hash bytea NOT NULL,
    previous_hash bytea,
    sealed_at timestamp with time zone DEFAULT now() NOT NULL,
    problem text,
    CONSTRAINT audit_seals_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT audit_seals_previous_hash_check CHECK ((octet_length(previous_hash) = 32))
);

ALTER TABLE public.audit_seals OWNER TO voltstream_owner;

COMMENT ON TABLE public.audit_seals IS 'Hash chain over the days of audit_log.';

COMMENT ON COLUMN public.audit_seals.day IS 'The day in UTC.';

COMMENT ON COLUMN public.audit_seals.rows IS 'Number of its rows.';

COMMENT ON COLUMN public.audit_seals.hash IS 'SHA-256 over the previous hash and the hashes of the rows.';

COMMENT ON COLUMN public.audit_seals.previous_hash IS 'Hash of the seal before; null on the first.';

COMMENT ON COLUMN public.audit_seals.sealed_at IS 'Instant of sealing.';

COMMENT ON COLUMN public.audit_seals.problem IS 'What did not fit when the rows were last compared with it; null: nothing.';

CREATE TABLE public.auth_clients (
    organization_id text NOT NULL,
    id text NOT NULL,
    display_name text NOT NULL,
    redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
    redirect_rule text DEFAULT 'origin'::text NOT NULL,
    role text DEFAULT 'organization'::text NOT NULL,
    customer_id text,
    scopes text[] NOT NULL,
    grants text[] NOT NULL,
    public boolean DEFAULT false NOT NULL,
    third_party boolean DEFAULT false NOT NULL,
    s256_only boolean DEFAULT false NOT NULL,
    version text NOT NULL,
    rate_per_second integer DEFAULT 50 NOT NULL,
    rate_burst integer DEFAULT 100 NOT NULL,
    disabled_at timestamp with time zone,
    last_used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_in xid8,
    CONSTRAINT auth_clients_check CHECK (((role = 'customer'::text) = (customer_id IS NOT NULL))),
    CONSTRAINT auth_clients_display_name_check CHECK ((display_name <> ''::text)),
    CONSTRAINT auth_clients_id_check CHECK ((id ~ '^oac_[0-9a-z]{24}$'::text)),
    CONSTRAINT auth_clients_rate_burst_check CHECK ((rate_burst > 0)),
    CONSTRAINT auth_clients_rate_per_second_check CHECK ((rate_per_second > 0)),
    CONSTRAINT auth_clients_redirect_rule_check CHECK ((redirect_rule = ANY (ARRAY['origin'::text, 'exact'::text]))),
    CONSTRAINT auth_clients_role_check CHECK ((role = ANY (ARRAY['organization'::text, 'customer'::text]))),
    CONSTRAINT auth_clients_scopes_check CHECK ((scopes <@ ARRAY['read:*'::text, 'write:*'::text])),
    CONSTRAINT auth_clients_scopes_check1 CHECK ((scopes <> '{}'::text[]))
);

ALTER TABLE ONLY public.auth_clients FORCE ROW LEVEL SECURITY;

ALTER TABLE public.auth_clients OWNER TO voltstream_owner;

COMMENT ON TABLE public.auth_clients IS 'OAuth clients: programs that may ask for tokens.';

COMMENT ON COLUMN public.auth_clients.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.auth_clients.id IS 'The client_id: oac_ and 24 random characters.';

COMMENT ON COLUMN public.auth_clients.display_name IS 'Shown to operators and on consent screens. Personal where it acts for one customer; to tell clients apart; until erased.';

COMMENT ON COLUMN public.auth_clients.redirect_uris IS 'Registered addresses for the authorization code flow.';

COMMENT ON COLUMN public.auth_clients.redirect_rule IS 'origin: any path below a registered origin; exact: the text itself.';

COMMENT ON COLUMN public.auth_clients.role IS 'organization, or customer: then it acts for one customer.';

COMMENT ON COLUMN public.auth_clients.customer_id IS 'The customer that a client of role customer acts for.';

COMMENT ON COLUMN public.auth_clients.scopes IS 'read:* and write:*: what its tokens may do.';

COMMENT ON COLUMN public.auth_clients.grants IS 'Grant types it may use.';

COMMENT ON COLUMN public.auth_clients.public IS 'Has no secret (an app on a device).';

COMMENT ON COLUMN public.auth_clients.third_party IS 'Belongs to somebody else: the customer is asked for consent.';

COMMENT ON COLUMN public.auth_clients.s256_only IS 'Demands PKCE with the method S256.';

COMMENT ON COLUMN public.auth_clients.version IS 'Dated version of the interface that its tokens are pinned to.';

COMMENT ON COLUMN public.auth_clients.rate_per_second IS 'Requests per second that the bucket refills by.';

COMMENT ON COLUMN public.auth_clients.rate_burst IS 'Requests that the full bucket holds.';

COMMENT ON COLUMN public.auth_clients.disabled_at IS 'Switched off since; its tokens die within 5 seconds.';

COMMENT ON COLUMN public.auth_clients.last_used_at IS 'Last token or call, exact to about a minute.';

COMMENT ON COLUMN public.auth_clients.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.auth_clients.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.auth_clients.changed_in IS 'The transaction that last switched it off or on, or changed its rate; never shown. Processes that believe its tokens ask by it.';

CREATE TABLE public.bank_entries (
    organization_id text NOT NULL,
    id text NOT NULL,
    identity text NOT NULL,
    provider text NOT NULL,
    booked_on date NOT NULL,
    amount numeric(14,2) NOT NULL,
    end_to_end_id text,
    block_id text,
    return_reason text,
    name text,
    iban text,
    text text,
    state text DEFAULT 'new'::text NOT NULL,
    note text,
    imported_at timestamp with time zone NOT NULL,
    restricted_at timestamp with time zone,
    perhaps_known boolean DEFAULT false NOT NULL,
    CONSTRAINT bank_entries_amount_check CHECK ((amount <> (0)::numeric)),
    CONSTRAINT bank_entries_check CHECK (((state = 'unmatched'::text) = (note IS NOT NULL))),
    CONSTRAINT bank_entries_id_check CHECK ((id ~ '^bke_[0-9a-z]{24}$'::text)),
    CONSTRAINT bank_entries_provider_check CHECK ((provider = ANY (ARRAY['bank_files'::text, 'simulated_bank'::text]))),
    CONSTRAINT bank_entries_state_check CHECK ((state = ANY (ARRAY['new'::text, 'booked'::text, 'unmatched'::text, 'set_aside'::text])))
);

ALTER TABLE ONLY public.bank_entries FORCE ROW LEVEL SECURITY;

ALTER TABLE public.bank_entries OWNER TO voltstream_owner;

COMMENT ON TABLE public.bank_entries IS 'Movements on the account as the bank reported them, each once. A booking voucher: 8 years from the end of the year.';

COMMENT ON COLUMN public.bank_entries.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.bank_entries.id IS 'bke_ and 24 random characters.';

COMMENT ON COLUMN public.bank_entries.identity IS 'Hash of what makes it the same movement in another statement.';

COMMENT ON COLUMN public.bank_entries.provider IS 'bank_files: a statement of the bank; simulated_bank: invented, no money moved.';

COMMENT ON COLUMN public.bank_entries.booked_on IS 'Day on which the bank booked it.';

COMMENT ON COLUMN public.bank_entries.amount IS 'EUR; what came in is positive, what went out negative.';

COMMENT ON COLUMN public.bank_entries.end_to_end_id IS 'Of the payment that it is about.';

COMMENT ON COLUMN public.bank_entries.block_id IS 'Of a block of payments, where the bank reports it as one movement.';

COMMENT ON COLUMN public.bank_entries.return_reason IS 'A payment came back: why, code of ISO 20022.';

COMMENT ON COLUMN public.bank_entries.name IS 'Other side. Personal; for matching payments; 8 years from the end of the year.';

COMMENT ON COLUMN public.bank_entries.iban IS 'Account of the other side. Personal; for matching payments; 8 years from the end of the year.';

COMMENT ON COLUMN public.bank_entries.text IS 'What the payer wrote. Personal; for matching payments; 8 years from the end of the year.';

COMMENT ON COLUMN public.bank_entries.state IS 'new: not looked at yet; booked: on bills; unmatched: staff decide; set_aside: staff said that it is for no bill.';

COMMENT ON COLUMN public.bank_entries.note IS 'Why it is unmatched.';

COMMENT ON COLUMN public.bank_entries.imported_at IS 'Instant of the import.';

COMMENT ON COLUMN public.bank_entries.restricted_at IS 'When the person was erased whom all bills are of that it paid: from then on only the finance role sees it.';

COMMENT ON COLUMN public.bank_entries.perhaps_known IS 'Says the same as a movement of another report, without a reference of the bank: nothing is booked by it.';

CREATE TABLE public.billed_reference_rows (
    reference_table text NOT NULL,
    key text NOT NULL,
    valid_from date NOT NULL
);

ALTER TABLE public.billed_reference_rows OWNER TO voltstream_owner;

COMMENT ON TABLE public.billed_reference_rows IS 'Rows of reference data that stand in the lines of bills of any organization; append-only.';

COMMENT ON COLUMN public.billed_reference_rows.reference_table IS 'Table of the row.';

COMMENT ON COLUMN public.billed_reference_rows.key IS 'Its key as people read it: the columns of the key with a blank between them; empty where the table is one series.';

COMMENT ON COLUMN public.billed_reference_rows.valid_from IS 'Its first day, Europe/Berlin.';

CREATE TABLE public.billing_portions (
    organization_id text NOT NULL,
    run_id text NOT NULL,
    first_subscription text NOT NULL,
    last_subscription text NOT NULL,
    done_at timestamp with time zone,
    contracts integer,
    issued jsonb,
    refused integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT billing_portions_check CHECK ((last_subscription >= first_subscription)),
    CONSTRAINT billing_portions_contracts_check CHECK ((contracts >= 0)),
    CONSTRAINT billing_portions_issued_check CHECK ((jsonb_typeof(issued) = 'object'::text)),
    CONSTRAINT billing_portions_refused_check CHECK ((refused >= 0))
);

ALTER TABLE ONLY public.billing_portions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.billing_portions OWNER TO voltstream_owner;

COMMENT ON TABLE public.billing_portions IS 'Contracts that a run looks at together, by their ids; kept for two years.';

COMMENT ON COLUMN public.billing_portions.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.billing_portions.run_id IS 'The run.';

COMMENT ON COLUMN public.billing_portions.first_subscription IS 'First contract by id.';

COMMENT ON COLUMN public.billing_portions.last_subscription IS 'Last contract by id.';

COMMENT ON COLUMN public.billing_portions.done_at IS 'When all of them had been looked at; null: not yet.';

COMMENT ON COLUMN public.billing_portions.contracts IS 'How many contracts there were.';

COMMENT ON COLUMN public.billing_portions.issued IS 'Documents of this run by type.';

COMMENT ON COLUMN public.billing_portions.refused IS 'Documents that could not be made.';

COMMENT ON COLUMN public.billing_portions.created_at IS 'When the run wrote it.';

CREATE TABLE public.billing_runs (
    organization_id text NOT NULL,
    id text NOT NULL,
    due_at timestamp with time zone,
    month date,
    estimate_gaps boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT billing_runs_id_check CHECK ((id ~ '^brun_[0-9a-z]{24}$'::text))
);

ALTER TABLE ONLY public.billing_runs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.billing_runs OWNER TO voltstream_owner;

COMMENT ON TABLE public.billing_runs IS 'Runs of billing, one for each organization and tick or command; kept for two years.';

COMMENT ON COLUMN public.billing_runs.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.billing_runs.id IS 'Random, brun_…';

COMMENT ON COLUMN public.billing_runs.due_at IS 'The tick of the schedule; null: a command asked for it.';

COMMENT ON COLUMN public.billing_runs.month IS 'Only periods that end in this month or on the first of the next; null: all.';

COMMENT ON COLUMN public.billing_runs.estimate_gaps IS 'Missing quarter hours were estimated, because a deadline was near.';

COMMENT ON COLUMN public.billing_runs.created_at IS 'When it began.';

CREATE TABLE public.client_secrets (
    organization_id text NOT NULL,
    id bigint NOT NULL,
    client_id text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT client_secrets_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);

ALTER TABLE ONLY public.client_secrets FORCE ROW LEVEL SECURITY;

ALTER TABLE public.client_secrets OWNER TO voltstream_owner;

COMMENT ON TABLE public.client_secrets IS 'Secrets of clients, hashed; several may be valid at once.';

COMMENT ON COLUMN public.client_secrets.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.client_secrets.id IS 'Names the secret towards operators.';

COMMENT ON COLUMN public.client_secrets.client_id IS 'Whose secret it is.';

COMMENT ON COLUMN public.client_secrets.secret_hash IS 'HMAC-SHA-256 of the secret under the pepper, 32 bytes.';

COMMENT ON COLUMN public.client_secrets.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.client_secrets.expires_at IS 'End of the overlap after an exchange; null: no end.';

COMMENT ON COLUMN public.client_secrets.revoked_at IS 'Refused since.';

ALTER TABLE public.client_secrets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.client_secrets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.console_forms (
    organization_id text NOT NULL,
    id uuid NOT NULL,
    user_id text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.console_forms FORCE ROW LEVEL SECURITY;

ALTER TABLE public.console_forms OWNER TO voltstream_owner;

COMMENT ON TABLE public.console_forms IS 'Forms of the console that were sent; kept for a day.';

COMMENT ON COLUMN public.console_forms.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.console_forms.id IS 'Id that the page gave the form.';

COMMENT ON COLUMN public.console_forms.user_id IS 'Who sent it.';

COMMENT ON COLUMN public.console_forms.created_at IS 'Instant at which it came in.';

CREATE TABLE public.day_ahead_means (
    price_date date NOT NULL,
    window_start timestamp with time zone NOT NULL,
    window_end timestamp with time zone NOT NULL,
    quarter_hours integer NOT NULL,
    priced_quarter_hours integer NOT NULL,
    mean_ct_net numeric,
    price_changes bigint NOT NULL,
    price_kind text,
    sources text[] NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    CONSTRAINT day_ahead_means_check CHECK ((window_end > window_start)),
    CONSTRAINT day_ahead_means_check1 CHECK (((priced_quarter_hours >= 0) AND (priced_quarter_hours <= quarter_hours))),
    CONSTRAINT day_ahead_means_check2 CHECK (((mean_ct_net IS NULL) = (priced_quarter_hours = 0))),
    CONSTRAINT day_ahead_means_price_kind_check CHECK ((price_kind = ANY (ARRAY['market'::text, 'local'::text, 'synthetic'::text]))),
    CONSTRAINT day_ahead_means_quarter_hours_check CHECK ((quarter_hours > 0))
);

ALTER TABLE public.day_ahead_means OWNER TO voltstream_owner;

COMMENT ON TABLE public.day_ahead_means IS 'Mean of the realized day-ahead prices of the twelve months before a price date.';

COMMENT ON COLUMN public.day_ahead_means.price_date IS 'Day of the quote, Europe/Berlin.';

COMMENT ON COLUMN public.day_ahead_means.window_start IS 'Berlin midnight one year before, inclusive.';

COMMENT ON COLUMN public.day_ahead_means.window_end IS 'Berlin midnight that begins the price date, exclusive.';

COMMENT ON COLUMN public.day_ahead_means.quarter_hours IS 'Quarter hours of the window.';

COMMENT ON COLUMN public.day_ahead_means.priced_quarter_hours IS 'Those with a price. Below 90 % the mean is not used.';

COMMENT ON COLUMN public.day_ahead_means.mean_ct_net IS 'ct/kWh net, 4 decimals; null: no price at all.';

COMMENT ON COLUMN public.day_ahead_means.price_changes IS 'Sum of the versions of the window''s days: one more with each change of a price in it.';

COMMENT ON COLUMN public.day_ahead_means.price_kind IS 'As in price_kind: synthetic means invented prices; null: prices came as files only, or none.';

COMMENT ON COLUMN public.day_ahead_means.sources IS 'Feeds whose prices it was made of.';

COMMENT ON COLUMN public.day_ahead_means.computed_at IS 'Instant of the computation, by the clock of the database.';

CREATE TABLE public.delivery_attempts (
    organization_id text NOT NULL,
    event_id text NOT NULL,
    endpoint_id text NOT NULL,
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    status smallint,
    error text,
    answer text DEFAULT ''::text NOT NULL,
    milliseconds integer NOT NULL,
    CONSTRAINT delivery_attempts_answer_check CHECK ((length(answer) <= 1024)),
    CONSTRAINT delivery_attempts_check CHECK (((status IS NULL) = (error IS NOT NULL))),
    CONSTRAINT delivery_attempts_error_check CHECK ((error = ANY (ARRAY['connection'::text, 'tls'::text, 'time_out'::text, 'address'::text]))),
    CONSTRAINT delivery_attempts_milliseconds_check CHECK ((milliseconds >= 0)),
    CONSTRAINT delivery_attempts_number_check CHECK ((number > 0))
);

ALTER TABLE ONLY public.delivery_attempts FORCE ROW LEVEL SECURITY;

ALTER TABLE public.delivery_attempts OWNER TO voltstream_owner;

COMMENT ON TABLE public.delivery_attempts IS 'Every request that was sent to an endpoint, and what came back; goes with its delivery.';

COMMENT ON COLUMN public.delivery_attempts.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.delivery_attempts.event_id IS 'The event.';

COMMENT ON COLUMN public.delivery_attempts.endpoint_id IS 'The receiver.';

COMMENT ON COLUMN public.delivery_attempts.number IS 'First, second, … of its delivery.';

COMMENT ON COLUMN public.delivery_attempts.at IS 'Sent at.';

COMMENT ON COLUMN public.delivery_attempts.status IS 'HTTP status of the answer; null: none came.';

COMMENT ON COLUMN public.delivery_attempts.error IS 'Why no answer came.';

COMMENT ON COLUMN public.delivery_attempts.answer IS 'The beginning of the answer as text; empty where none came. Personal where the receiver names somebody; to find out why it fails; with its delivery.';

COMMENT ON COLUMN public.delivery_attempts.milliseconds IS 'From the dialling to the end of the answer.';

CREATE TABLE public.dunning_holds (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    invoice_id text NOT NULL,
    cause text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT dunning_holds_cause_check CHECK ((cause = ANY (ARRAY['disputed'::text, 'instalments'::text, 'other'::text])))
);

ALTER TABLE ONLY public.dunning_holds FORCE ROW LEVEL SECURITY;

ALTER TABLE public.dunning_holds OWNER TO voltstream_owner;

COMMENT ON TABLE public.dunning_holds IS 'Bills that nobody is reminded of and that no debit collects until staff resume it.';

COMMENT ON COLUMN public.dunning_holds.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.dunning_holds.customer_id IS 'Whose bill it is.';

COMMENT ON COLUMN public.dunning_holds.invoice_id IS 'The bill.';

COMMENT ON COLUMN public.dunning_holds.cause IS 'disputed: the customer objects; instalments: he pays in parts; other: see the audit log.';

COMMENT ON COLUMN public.dunning_holds.created_at IS 'Since when.';

CREATE TABLE public.eeg_rates (
    kind text NOT NULL,
    up_to_kw smallint NOT NULL,
    value_ct_net numeric NOT NULL,
    tariff_ct_net numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT eeg_rates_check CHECK ((valid_to > valid_from)),
    CONSTRAINT eeg_rates_kind_check CHECK ((kind = ANY (ARRAY['partial'::text, 'full'::text]))),
    CONSTRAINT eeg_rates_source_check CHECK ((source <> ''::text)),
    CONSTRAINT eeg_rates_tariff_ct_net_check CHECK ((tariff_ct_net >= (0)::numeric)),
    CONSTRAINT eeg_rates_up_to_kw_check CHECK ((up_to_kw = ANY (ARRAY[10, 40, 100]))),
    CONSTRAINT eeg_rates_value_ct_net_check CHECK ((value_ct_net >= (0)::numeric))
);

ALTER TABLE public.eeg_rates OWNER TO voltstream_owner;

COMMENT ON TABLE public.eeg_rates IS 'Rates of the EEG for PV on buildings. Valid: the days on which a plant was commissioned.';

COMMENT ON COLUMN public.eeg_rates.kind IS 'partial: the surplus is fed in; full: everything.';

COMMENT ON COLUMN public.eeg_rates.up_to_kw IS 'Class of the plant: up to 10, 40 or 100 kW.';

COMMENT ON COLUMN public.eeg_rates.value_ct_net IS 'Value to be reached with direct marketing, ct/kWh without VAT.';

COMMENT ON COLUMN public.eeg_rates.tariff_ct_net IS 'What the grid operator pays, ct/kWh without VAT.';

COMMENT ON COLUMN public.eeg_rates.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.eeg_rates.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.eeg_rates.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.eeg_rates.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.energy_mixes (
    supplier text NOT NULL,
    year integer NOT NULL,
    nuclear numeric NOT NULL,
    coal numeric NOT NULL,
    gas numeric NOT NULL,
    other_fossil numeric NOT NULL,
    renewable_funded numeric NOT NULL,
    renewable_other numeric NOT NULL,
    co2_g_kwh numeric NOT NULL,
    radioactive_waste_g_kwh numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT energy_mixes_check CHECK ((valid_to > valid_from)),
    CONSTRAINT energy_mixes_co2_g_kwh_check CHECK ((co2_g_kwh >= (0)::numeric)),
    CONSTRAINT energy_mixes_coal_check CHECK (((coal >= (0)::numeric) AND (coal <= (1)::numeric))),
    CONSTRAINT energy_mixes_gas_check CHECK (((gas >= (0)::numeric) AND (gas <= (1)::numeric))),
    CONSTRAINT energy_mixes_nuclear_check CHECK (((nuclear >= (0)::numeric) AND (nuclear <= (1)::numeric))),
    CONSTRAINT energy_mixes_other_fossil_check CHECK (((other_fossil >= (0)::numeric) AND (other_fossil <= (1)::numeric))),
    CONSTRAINT energy_mixes_radioactive_waste_g_kwh_check CHECK ((radioactive_waste_g_kwh >= (0)::numeric)),
    CONSTRAINT energy_mixes_renewable_funded_check CHECK (((renewable_funded >= (0)::numeric) AND (renewable_funded <= (1)::numeric))),
    CONSTRAINT energy_mixes_renewable_other_check CHECK (((renewable_other >= (0)::numeric) AND (renewable_other <= (1)::numeric))),
    CONSTRAINT energy_mixes_source_check CHECK ((source <> ''::text)),
    CONSTRAINT energy_mixes_supplier_check CHECK ((supplier ~ '^(\d{13}|germany)$'::text)),
    CONSTRAINT energy_mixes_year_check CHECK (((year >= 2000) AND (year <= 2100)))
);

ALTER TABLE public.energy_mixes OWNER TO voltstream_owner;

COMMENT ON TABLE public.energy_mixes IS 'What the electricity of a supplier, and of the country, was made of in a year (section 42 EnWG). Bills print it; nothing is calculated with it.';

COMMENT ON COLUMN public.energy_mixes.supplier IS 'BDEW code of the supplier, 13 digits; germany: the mean of the country.';

COMMENT ON COLUMN public.energy_mixes.year IS 'Calendar year of the figures.';

COMMENT ON COLUMN public.energy_mixes.nuclear IS 'Share from 0 to 1.';

COMMENT ON COLUMN public.energy_mixes.coal IS 'Share from 0 to 1.';

COMMENT ON COLUMN public.energy_mixes.gas IS 'Natural gas. Share from 0 to 1.';

COMMENT ON COLUMN public.energy_mixes.other_fossil IS 'Share from 0 to 1.';

COMMENT ON COLUMN public.energy_mixes.renewable_funded IS 'Renewable, funded by the EEG. Share from 0 to 1.';

COMMENT ON COLUMN public.energy_mixes.renewable_other IS 'Renewable with guarantees of origin, not funded by the EEG. Share from 0 to 1.';

COMMENT ON COLUMN public.energy_mixes.co2_g_kwh IS 'Grams of CO2 for each kWh.';

COMMENT ON COLUMN public.energy_mixes.radioactive_waste_g_kwh IS 'Grams of radioactive waste for each kWh.';

COMMENT ON COLUMN public.energy_mixes.valid_from IS 'First day on which bills print it, Europe/Berlin.';

COMMENT ON COLUMN public.energy_mixes.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.energy_mixes.source IS 'Who published it, and when.';

COMMENT ON COLUMN public.energy_mixes.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

ALTER TABLE public.events ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idempotency_keys (
    organization_id text NOT NULL,
    client_id text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL,
    status integer NOT NULL,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    customer_id text,
    CONSTRAINT idempotency_keys_body_hash_check CHECK ((octet_length(body_hash) = 32)),
    CONSTRAINT idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys OWNER TO voltstream_owner;

COMMENT ON TABLE public.idempotency_keys IS 'First answers of creating calls, repeated for 24 hours.';

COMMENT ON COLUMN public.idempotency_keys.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.idempotency_keys.client_id IS 'The client that sent the key.';

COMMENT ON COLUMN public.idempotency_keys.route IS 'Method and path, and the customer whom the token acted for.';

COMMENT ON COLUMN public.idempotency_keys.key IS 'The header as sent.';

COMMENT ON COLUMN public.idempotency_keys.body_hash IS 'SHA-256 of the body: the same key with another body is a conflict.';

COMMENT ON COLUMN public.idempotency_keys.status IS 'HTTP status of the first answer.';

COMMENT ON COLUMN public.idempotency_keys.response IS 'Body of the first answer; json keeps its text as it was. Personal; to be given again; 24 hours.';

COMMENT ON COLUMN public.idempotency_keys.created_at IS 'Instant of the first call; kept for 24 hours.';

COMMENT ON COLUMN public.idempotency_keys.customer_id IS 'Whom the token acted for; null: for the organization.';

CREATE TABLE public.invoice_files (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    invoice_id text NOT NULL,
    kind text NOT NULL,
    content bytea NOT NULL,
    sha256 bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    restricted_at timestamp with time zone,
    CONSTRAINT invoice_files_check CHECK ((sha256 = sha256(content))),
    CONSTRAINT invoice_files_content_check CHECK (((octet_length(content) >= 1) AND (octet_length(content) <= 10000000))),
    CONSTRAINT invoice_files_kind_check CHECK ((kind = ANY (ARRAY['pdf'::text, 'xrechnung'::text])))
);
ALTER TABLE ONLY public.invoice_files ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.invoice_files FORCE ROW LEVEL SECURITY;

ALTER TABLE public.invoice_files OWNER TO voltstream_owner;

COMMENT ON TABLE public.invoice_files IS 'Documents as customers read them; made once, kept as long as the document.';

COMMENT ON COLUMN public.invoice_files.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.invoice_files.customer_id IS 'Whose document it is.';

COMMENT ON COLUMN public.invoice_files.invoice_id IS 'The document.';

COMMENT ON COLUMN public.invoice_files.kind IS 'pdf, for companies with the e-invoice inside; xrechnung: the e-invoice alone.';

COMMENT ON COLUMN public.invoice_files.content IS 'The bytes. Personal: name, address, usage; for billing; 8 years from the end of the year of issue.';

COMMENT ON COLUMN public.invoice_files.sha256 IS 'Their hash: whoever got the file can prove that it is this one.';

COMMENT ON COLUMN public.invoice_files.made_at IS 'Instant at which it was made.';

COMMENT ON COLUMN public.invoice_files.restricted_at IS 'As that of the document.';

CREATE TABLE public.issuers (
    organization_id text NOT NULL,
    name text NOT NULL,
    street text NOT NULL,
    house_number text NOT NULL,
    zip text NOT NULL,
    city text NOT NULL,
    country text DEFAULT 'DE'::text NOT NULL,
    register_court text,
    register_number text,
    represented_by text,
    contact_name text NOT NULL,
    email text NOT NULL,
    phone text NOT NULL,
    website text,
    vat_id text,
    tax_number text,
    supplier_code text NOT NULL,
    iban text NOT NULL,
    bic text,
    account_holder text NOT NULL,
    creditor_id text NOT NULL,
    due_days smallint DEFAULT 14 NOT NULL,
    first_reminder_days smallint DEFAULT 7 NOT NULL,
    second_reminder_days smallint DEFAULT 21 NOT NULL,
    uncollectible_days smallint DEFAULT 49 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    language text DEFAULT 'de'::text NOT NULL,
    bills_from date NOT NULL,
    earlier_ibans text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT issuers_bic_check CHECK ((bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'::text)),
    CONSTRAINT issuers_bills_from_check CHECK ((EXTRACT(day FROM bills_from) = (1)::numeric)),
    CONSTRAINT issuers_check CHECK (((vat_id IS NOT NULL) OR (tax_number IS NOT NULL))),
    CONSTRAINT issuers_check1 CHECK (((first_reminder_days < second_reminder_days) AND (second_reminder_days < uncollectible_days) AND (uncollectible_days <= 365))),
    CONSTRAINT issuers_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT issuers_creditor_id_check CHECK ((creditor_id ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9]{1,28}$'::text)),
    CONSTRAINT issuers_due_days_check CHECK (((due_days >= 14) AND (due_days <= 90))),
    CONSTRAINT issuers_first_reminder_days_check CHECK ((first_reminder_days >= 1)),
    CONSTRAINT issuers_iban_check CHECK ((iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$'::text)),
    CONSTRAINT issuers_language_check CHECK ((language = ANY (ARRAY['de'::text, 'en'::text]))),
    CONSTRAINT issuers_supplier_code_check CHECK ((supplier_code ~ '^[0-9]{13}$'::text))
);

ALTER TABLE ONLY public.issuers FORCE ROW LEVEL SECURITY;

ALTER TABLE public.issuers OWNER TO voltstream_owner;

COMMENT ON TABLE public.issuers IS 'Who bills: identity, tax ids and bank account of an organization. Documents keep a copy.';

COMMENT ON COLUMN public.issuers.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.issuers.name IS 'Name of the company with its legal form.';

COMMENT ON COLUMN public.issuers.street IS 'Its street without number.';

COMMENT ON COLUMN public.issuers.house_number IS 'Its house number.';

COMMENT ON COLUMN public.issuers.zip IS 'Its postal code.';

COMMENT ON COLUMN public.issuers.city IS 'Its town.';

COMMENT ON COLUMN public.issuers.country IS 'Its country, two letters.';

COMMENT ON COLUMN public.issuers.register_court IS 'Court whose register it stands in; null: in none.';

COMMENT ON COLUMN public.issuers.register_number IS 'Its number there: HRB 12345.';

COMMENT ON COLUMN public.issuers.represented_by IS 'Who manages it, as a letter must say (section 35a GmbHG). Personal; for letters; until replaced.';

COMMENT ON COLUMN public.issuers.contact_name IS 'Who answers questions: the name of the customer service.';

COMMENT ON COLUMN public.issuers.email IS 'Address of the customer service.';

COMMENT ON COLUMN public.issuers.phone IS 'Number of the customer service.';

COMMENT ON COLUMN public.issuers.website IS 'Its page.';

COMMENT ON COLUMN public.issuers.vat_id IS 'VAT id (DE123456788); it or the tax number stands on each document.';

COMMENT ON COLUMN public.issuers.tax_number IS 'Number that its tax office gave.';

COMMENT ON COLUMN public.issuers.supplier_code IS 'BDEW code as a supplier, 13 digits.';

COMMENT ON COLUMN public.issuers.iban IS 'Account to which customers pay and from which they are paid.';

COMMENT ON COLUMN public.issuers.bic IS 'Bank of the account; null: known by the IBAN.';

COMMENT ON COLUMN public.issuers.account_holder IS 'Holder of the account.';

COMMENT ON COLUMN public.issuers.creditor_id IS 'SEPA creditor identifier, by which direct debits are collected.';

COMMENT ON COLUMN public.issuers.due_days IS 'Days from the issue of a document until it is due; at least 14 (section 40c(1) EnWG).';

COMMENT ON COLUMN public.issuers.first_reminder_days IS 'Days after the due day until the first reminder.';

COMMENT ON COLUMN public.issuers.second_reminder_days IS 'Days after the due day until the second reminder.';

COMMENT ON COLUMN public.issuers.uncollectible_days IS 'Days after the due day until no payment is expected any more.';

COMMENT ON COLUMN public.issuers.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.issuers.language IS 'Language of its documents: de or en.';

COMMENT ON COLUMN public.issuers.bills_from IS 'First day that is billed, Europe/Berlin, the first of a month: what was supplied before it is billed elsewhere. Stays once there are documents.';

COMMENT ON COLUMN public.issuers.earlier_ibans IS 'Accounts that it had before iban: statements of them are still read.';

ALTER TABLE public.job_runs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.job_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.late_quarter_hours ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.late_quarter_hours_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.load_profiles (
    profile text NOT NULL,
    month smallint NOT NULL,
    day_type text NOT NULL,
    quarter_hour smallint NOT NULL,
    kwh numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT load_profiles_check CHECK ((valid_to > valid_from)),
    CONSTRAINT load_profiles_day_type_check CHECK ((day_type = ANY (ARRAY['WT'::text, 'SA'::text, 'FT'::text]))),
    CONSTRAINT load_profiles_kwh_check CHECK ((kwh >= (0)::numeric)),
    CONSTRAINT load_profiles_month_check CHECK (((month >= 1) AND (month <= 12))),
    CONSTRAINT load_profiles_profile_check CHECK ((profile ~ '^[a-z0-9]+$'::text)),
    CONSTRAINT load_profiles_quarter_hour_check CHECK (((quarter_hour >= 0) AND (quarter_hour <= 95))),
    CONSTRAINT load_profiles_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.load_profiles OWNER TO voltstream_owner;

COMMENT ON TABLE public.load_profiles IS 'Standard load profiles: energy of each quarter hour by month and kind of day.';

COMMENT ON COLUMN public.load_profiles.profile IS 'Code of the profile: h25 for households.';

COMMENT ON COLUMN public.load_profiles.month IS '1 to 12.';

COMMENT ON COLUMN public.load_profiles.day_type IS 'WT working day, SA Saturday, FT Sunday or public holiday.';

COMMENT ON COLUMN public.load_profiles.quarter_hour IS 'Quarter hour of the day in Europe/Berlin wall time, 0 to 95.';

COMMENT ON COLUMN public.load_profiles.kwh IS 'Energy in kWh at 1,000,000 kWh a year.';

COMMENT ON COLUMN public.load_profiles.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.load_profiles.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.load_profiles.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.load_profiles.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.market_partners (
    id text NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    country text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    name_search text GENERATED ALWAYS AS (lower(NORMALIZE(name, NFC))) STORED NOT NULL,
    CONSTRAINT market_partners_code_check CHECK ((code ~ '^[0-9]{13}$'::text)),
    CONSTRAINT market_partners_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT market_partners_id_check CHECK ((id ~ '^mp_[0-9a-z]{24}$'::text)),
    CONSTRAINT market_partners_name_check CHECK ((name <> ''::text))
);

ALTER TABLE public.market_partners OWNER TO voltstream_owner;

COMMENT ON TABLE public.market_partners IS 'Suppliers that a customer may come from.';

COMMENT ON COLUMN public.market_partners.id IS 'mp_ and 24 random characters.';

COMMENT ON COLUMN public.market_partners.code IS 'BDEW code, 13 digits.';

COMMENT ON COLUMN public.market_partners.name IS 'Name of the company.';

COMMENT ON COLUMN public.market_partners.country IS 'ISO 3166-1, two letters.';

COMMENT ON COLUMN public.market_partners.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.market_partners.updated_at IS 'Instant of the last change.';

COMMENT ON COLUMN public.market_partners.name_search IS 'The name in lower case and Unicode form NFC: what a search looks at.';

CREATE TABLE public.market_values (
    code text NOT NULL,
    ct_net numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT market_values_check CHECK ((valid_to > valid_from)),
    CONSTRAINT market_values_code_check CHECK ((code = ANY (ARRAY['day_ahead_mean'::text, 'solar_market_value'::text]))),
    CONSTRAINT market_values_ct_net_check CHECK ((ct_net >= (0)::numeric)),
    CONSTRAINT market_values_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.market_values OWNER TO voltstream_owner;

COMMENT ON TABLE public.market_values IS 'Figures of the power market.';

COMMENT ON COLUMN public.market_values.code IS 'day_ahead_mean or solar_market_value.';

COMMENT ON COLUMN public.market_values.ct_net IS 'ct/kWh without VAT.';

COMMENT ON COLUMN public.market_values.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.market_values.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.market_values.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.market_values.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW public.meter_states WITH (security_invoker='true') AS
 WITH said AS (
         SELECT meters.organization_id,
            meters.customer_id,
            meters.id AS meter_id,
            '-infinity'::date AS valid_from,
            meters.number,
            1 AS register,
            meters.type,
            NULL::text AS signed_type,
            NULL::text AS metering_operator
           FROM public.meters
        UNION ALL
         SELECT meter_changes.organization_id,
            meter_changes.customer_id,
            meter_changes.meter_id,
            meter_changes.valid_from,
            meter_changes.number,
            meter_changes.register,
            meter_changes.type,
            NULL::text,
            meter_changes.metering_operator
           FROM public.meter_changes
        UNION ALL
         SELECT signed.organization_id,
            signed.customer_id,
            signed.meter_id,
            ((signed.start_at AT TIME ZONE 'Europe/Berlin'::text))::date AS timezone,
            NULL::text,
            NULL::integer,
            NULL::text,
            signed.meter_type,
            NULL::text
           FROM public.subscriptions signed
          WHERE ((signed.meter_type = 'smart'::text) AND (signed.start_at IS NOT NULL) AND ((signed.end_at IS NULL) OR (signed.end_at > signed.start_at)) AND (NOT (EXISTS ( SELECT
                   FROM public.meters meter
                  WHERE ((meter.organization_id = signed.organization_id) AND (meter.id = signed.meter_id) AND (meter.type_entered_at >= signed.created_at))))) AND (NOT (EXISTS ( SELECT
                   FROM public.meter_changes change
                  WHERE ((change.organization_id = signed.organization_id) AND (change.meter_id = signed.meter_id) AND (change.type_entered_at >= signed.created_at) AND (change.valid_from <= ((signed.start_at AT TIME ZONE 'Europe/Berlin'::text))::date))))))
        ), days AS (
         SELECT said.organization_id,
            said.customer_id,
            said.meter_id,
            said.valid_from,
            max(said.number) AS number,
            max(said.register) AS register,
            COALESCE(max(said.type), max(said.signed_type)) AS type,
            max(said.metering_operator) AS metering_operator
           FROM said
          GROUP BY said.organization_id, said.customer_id, said.meter_id, said.valid_from
        ), counted AS (
         SELECT days.organization_id,
            days.customer_id,
            days.meter_id,
            days.valid_from,
            days.number,
            days.register,
            days.type,
            days.metering_operator,
            count(days.number) OVER so_far AS numbers,
            count(days.type) OVER so_far AS types,
            count(days.metering_operator) OVER so_far AS operators
           FROM days
          WINDOW so_far AS (PARTITION BY days.organization_id, days.customer_id, days.meter_id ORDER BY days.valid_from)
        )
 SELECT organization_id,
    customer_id,
    meter_id,
    valid_from,
    lead(valid_from, 1, 'infinity'::date) OVER (PARTITION BY organization_id, customer_id, meter_id ORDER BY valid_from) AS valid_until,
    max(number) OVER (PARTITION BY organization_id, customer_id, meter_id, numbers) AS number,
    max(register) OVER (PARTITION BY organization_id, customer_id, meter_id, numbers) AS register,
    max(type) OVER (PARTITION BY organization_id, customer_id, meter_id, types) AS type,
    max(metering_operator) OVER (PARTITION BY organization_id, customer_id, meter_id, operators) AS metering_operator
   FROM counted;

ALTER VIEW public.meter_states OWNER TO voltstream_owner;

COMMENT ON VIEW public.meter_states IS 'What each meter was from which day on.';

COMMENT ON COLUMN public.meter_states.organization_id IS 'The tenant. Never null.';

COMMENT ON COLUMN public.meter_states.customer_id IS 'Whose household it serves. Never null.';

COMMENT ON COLUMN public.meter_states.meter_id IS 'The meter. Never null.';

COMMENT ON COLUMN public.meter_states.valid_from IS 'First day, Europe/Berlin; -infinity: from the beginning. Never null.';

COMMENT ON COLUMN public.meter_states.valid_until IS 'First day of the next state; infinity: none. Never null.';

COMMENT ON COLUMN public.meter_states.number IS 'Number of the device. Never null.';

COMMENT ON COLUMN public.meter_states.register IS 'Its counter, to which readings belong. Never null.';

COMMENT ON COLUMN public.meter_states.type IS 'smart or analog. Never null.';

COMMENT ON COLUMN public.meter_states.metering_operator IS 'Who operates it; null: the grid operator.';

CREATE TABLE public.metering_fees (
    metering_operator text,
    "case" text NOT NULL,
    meter text NOT NULL,
    over_kwh numeric,
    up_to_kwh numeric,
    over_pv_kw numeric,
    up_to_pv_kw numeric,
    needs_14a_module boolean NOT NULL,
    eur_year_gross numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT metering_fees_case_check CHECK (("case" ~ '^[a-z0-9_]+$'::text)),
    CONSTRAINT metering_fees_check CHECK ((valid_to > valid_from)),
    CONSTRAINT metering_fees_check1 CHECK ((over_kwh < up_to_kwh)),
    CONSTRAINT metering_fees_check2 CHECK ((over_pv_kw < up_to_pv_kw)),
    CONSTRAINT metering_fees_eur_year_gross_check CHECK ((eur_year_gross >= (0)::numeric)),
    CONSTRAINT metering_fees_meter_check CHECK ((meter = ANY (ARRAY['analog'::text, 'smart'::text, 'other'::text]))),
    CONSTRAINT metering_fees_metering_operator_check CHECK ((metering_operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
    CONSTRAINT metering_fees_over_kwh_check CHECK ((over_kwh >= (0)::numeric)),
    CONSTRAINT metering_fees_over_pv_kw_check CHECK ((over_pv_kw >= (0)::numeric)),
    CONSTRAINT metering_fees_source_check CHECK ((source <> ''::text)),
    CONSTRAINT metering_fees_up_to_kwh_check CHECK ((up_to_kwh >= (0)::numeric)),
    CONSTRAINT metering_fees_up_to_pv_kw_check CHECK ((up_to_pv_kw >= (0)::numeric))
);

ALTER TABLE public.metering_fees OWNER TO voltstream_owner;

COMMENT ON TABLE public.metering_fees IS 'What the operation of a meter costs its user. Of several cases that fit the highest counts.';

COMMENT ON COLUMN public.metering_fees.metering_operator IS 'Code of the metering operator; null: the cap of the law.';

COMMENT ON COLUMN public.metering_fees."case" IS 'Code of the case.';

COMMENT ON COLUMN public.metering_fees.meter IS 'analog, smart, or other where it is no yearly fee of a meter.';

COMMENT ON COLUMN public.metering_fees.over_kwh IS 'Usage above this many kWh a year; null: no bound.';

COMMENT ON COLUMN public.metering_fees.up_to_kwh IS 'Usage up to this many kWh a year, inclusive; null: no bound.';

COMMENT ON COLUMN public.metering_fees.over_pv_kw IS 'PV above this many kW; null: no bound.';

COMMENT ON COLUMN public.metering_fees.up_to_pv_kw IS 'PV up to this many kW, inclusive; null: no bound.';

COMMENT ON COLUMN public.metering_fees.needs_14a_module IS 'Only with a controllable device of section 14a EnWG.';

COMMENT ON COLUMN public.metering_fees.eur_year_gross IS 'EUR per year with VAT.';

COMMENT ON COLUMN public.metering_fees.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.metering_fees.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.metering_fees.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.metering_fees.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.one_time_codes (
    organization_id text NOT NULL,
    id bigint NOT NULL,
    request_id text NOT NULL,
    address_hash bytea NOT NULL,
    code_hash bytea NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    client_id text,
    network_hash bytea,
    signs_up boolean DEFAULT false NOT NULL,
    is_long boolean DEFAULT false NOT NULL,
    CONSTRAINT one_time_codes_address_hash_check CHECK ((octet_length(address_hash) = 32)),
    CONSTRAINT one_time_codes_code_hash_check CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT one_time_codes_network_hash_check CHECK ((octet_length(network_hash) = 32))
);

ALTER TABLE ONLY public.one_time_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.one_time_codes OWNER TO voltstream_owner;

COMMENT ON TABLE public.one_time_codes IS 'Codes sent by e-mail, hashed: six digits, or ten letters and digits; 10 minutes, 5 attempts; for 2 hours.';

COMMENT ON COLUMN public.one_time_codes.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.one_time_codes.id IS 'Order of making: only the newest of a request counts.';

COMMENT ON COLUMN public.one_time_codes.request_id IS 'The sign-in it belongs to: an authorization request (atx_), or one to portal or console (psi_), which is not stored.';

COMMENT ON COLUMN public.one_time_codes.address_hash IS 'HMAC-SHA-256 of the address, to count codes by address.';

COMMENT ON COLUMN public.one_time_codes.code_hash IS 'HMAC-SHA-256 of request and code under the pepper.';

COMMENT ON COLUMN public.one_time_codes.attempts IS 'Guesses so far, by the browser that asked for it.';

COMMENT ON COLUMN public.one_time_codes.created_at IS 'Instant of making. Personal, shows when somebody signed in; to count codes; 2 hours.';

COMMENT ON COLUMN public.one_time_codes.expires_at IS '10 minutes later.';

COMMENT ON COLUMN public.one_time_codes.used_at IS 'Typed in correctly at.';

COMMENT ON COLUMN public.one_time_codes.client_id IS 'The client of its authorization request; null: for portal or console.';

COMMENT ON COLUMN public.one_time_codes.network_hash IS 'HMAC-SHA-256 of the network of the browser that asked for it.';

COMMENT ON COLUMN public.one_time_codes.signs_up IS 'Asked for by somebody who signs up: mailed to any address.';

COMMENT ON COLUMN public.one_time_codes.is_long IS 'Has ten letters and digits in place of six digits.';

ALTER TABLE public.one_time_codes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.one_time_codes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.organization_brands (
    organization_id text NOT NULL,
    name text NOT NULL,
    color text,
    logo bytea,
    logo_width smallint,
    logo_height smallint,
    version text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organization_brands_check CHECK ((((logo IS NULL) = (logo_width IS NULL)) AND ((logo IS NULL) = (logo_height IS NULL)))),
    CONSTRAINT organization_brands_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT organization_brands_logo_check CHECK (((octet_length(logo) >= 1) AND (octet_length(logo) <= 49152))),
    CONSTRAINT organization_brands_logo_height_check CHECK (((logo_height >= 1) AND (logo_height <= 400))),
    CONSTRAINT organization_brands_logo_width_check CHECK (((logo_width >= 1) AND (logo_width <= 1000))),
    CONSTRAINT organization_brands_name_check CHECK (((name <> ''::text) AND (length(name) <= 100))),
    CONSTRAINT organization_brands_version_check CHECK ((version ~ '^[0-9a-f]{16}$'::text))
);

ALTER TABLE ONLY public.organization_brands FORCE ROW LEVEL SECURITY;

ALTER TABLE public.organization_brands OWNER TO voltstream_owner;

COMMENT ON TABLE public.organization_brands IS 'What customers see an organization as; none has the look of the service.';

COMMENT ON COLUMN public.organization_brands.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.organization_brands.name IS 'Name that its customers know.';

COMMENT ON COLUMN public.organization_brands.color IS 'Of links and buttons, six digits; null: the colour of the service.';

COMMENT ON COLUMN public.organization_brands.logo IS 'PNG of at most 48 kB, written anew from what was given; null: none.';

COMMENT ON COLUMN public.organization_brands.logo_width IS 'Pixels.';

COMMENT ON COLUMN public.organization_brands.logo_height IS 'Pixels.';

COMMENT ON COLUMN public.organization_brands.version IS 'Another one for every other colour and logo: part of the names of its files.';

COMMENT ON COLUMN public.organization_brands.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.organization_brands.updated_at IS 'Instant of the last change.';

CREATE TABLE public.payment_files (
    organization_id text NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    provider text NOT NULL,
    format text NOT NULL,
    message_id text NOT NULL,
    execute_on date NOT NULL,
    payments integer NOT NULL,
    sum numeric(14,2) NOT NULL,
    content bytea NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    restricted_at timestamp with time zone,
    CONSTRAINT payment_files_check CHECK ((sha256 = sha256(content))),
    CONSTRAINT payment_files_format_check CHECK ((format = ANY (ARRAY['pain.008.001.08'::text, 'pain.001.001.09'::text]))),
    CONSTRAINT payment_files_id_check CHECK ((id ~ '^pfl_[0-9a-z]{24}$'::text)),
    CONSTRAINT payment_files_kind_check CHECK ((kind = ANY (ARRAY['debits'::text, 'refunds'::text]))),
    CONSTRAINT payment_files_message_id_check CHECK ((message_id ~ '^[A-Z0-9-]{1,30}$'::text)),
    CONSTRAINT payment_files_payments_check CHECK ((payments >= 1)),
    CONSTRAINT payment_files_provider_check CHECK ((provider = ANY (ARRAY['bank_files'::text, 'simulated_bank'::text]))),
    CONSTRAINT payment_files_sum_check CHECK ((sum > (0)::numeric))
);

ALTER TABLE ONLY public.payment_files FORCE ROW LEVEL SECURITY;

ALTER TABLE public.payment_files OWNER TO voltstream_owner;

COMMENT ON TABLE public.payment_files IS 'Files that ask the bank to collect or to pay, as they were made: the same bytes can be written out again. A booking voucher: 8 years from the end of the year.';

COMMENT ON COLUMN public.payment_files.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.payment_files.id IS 'pfl_ and 24 random characters.';

COMMENT ON COLUMN public.payment_files.kind IS 'debits: collected from customers; refunds: paid to them.';

COMMENT ON COLUMN public.payment_files.provider IS 'bank_files: handed to the bank; simulated_bank: invented, no money moves.';

COMMENT ON COLUMN public.payment_files.format IS 'ISO 20022 message and version.';

COMMENT ON COLUMN public.payment_files.message_id IS 'Names the file to the bank.';

COMMENT ON COLUMN public.payment_files.execute_on IS 'Day on which the bank collects or pays.';

COMMENT ON COLUMN public.payment_files.payments IS 'How many are in it.';

COMMENT ON COLUMN public.payment_files.sum IS 'EUR, of all of them.';

COMMENT ON COLUMN public.payment_files.content IS 'The bytes. Personal: names, accounts, mandates; for payments; 8 years from the end of the year.';

COMMENT ON COLUMN public.payment_files.sha256 IS 'Their hash.';

COMMENT ON COLUMN public.payment_files.created_at IS 'Instant at which it was made.';

COMMENT ON COLUMN public.payment_files.restricted_at IS 'When the first person was erased who is in it: from then on only the finance role sees it.';

CREATE TABLE public.payment_methods (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    type text NOT NULL,
    iban text NOT NULL,
    account_holder text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    mandate_reference text DEFAULT upper(replace((gen_random_uuid())::text, '-'::text, ''::text)) NOT NULL,
    mandate_signed_on date DEFAULT ((now() AT TIME ZONE 'Europe/Berlin'::text))::date NOT NULL,
    CONSTRAINT payment_methods_id_check CHECK ((id ~ '^pm_[0-9a-z]{24}$'::text)),
    CONSTRAINT payment_methods_mandate_reference_check CHECK ((mandate_reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$'::text)),
    CONSTRAINT payment_methods_type_check CHECK ((type = 'sepa_debit'::text))
);

ALTER TABLE ONLY public.payment_methods FORCE ROW LEVEL SECURITY;

ALTER TABLE public.payment_methods OWNER TO voltstream_owner;

COMMENT ON TABLE public.payment_methods IS 'Ways of payment; a change makes a new row.';

COMMENT ON COLUMN public.payment_methods.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.payment_methods.id IS 'pm_ and 24 random characters.';

COMMENT ON COLUMN public.payment_methods.customer_id IS 'Who pays.';

COMMENT ON COLUMN public.payment_methods.type IS 'sepa_debit.';

COMMENT ON COLUMN public.payment_methods.iban IS 'Account. Personal; for direct debits; until erased. Shown masked.';

COMMENT ON COLUMN public.payment_methods.account_holder IS 'Holder of the account. Personal; for direct debits; until erased.';

COMMENT ON COLUMN public.payment_methods.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.payment_methods.mandate_reference IS 'Names the SEPA mandate in each direct debit, at most 35 characters. Personal; for direct debits; until erased.';

COMMENT ON COLUMN public.payment_methods.mandate_signed_on IS 'Day on which the mandate was given, Europe/Berlin.';

CREATE TABLE public.plan_terms_history (
    organization_id text NOT NULL,
    id bigint NOT NULL,
    plan_id text NOT NULL,
    valid_from date,
    old_terms jsonb NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    CONSTRAINT plan_terms_history_old_terms_check CHECK ((jsonb_typeof(old_terms) = 'object'::text))
);

ALTER TABLE ONLY public.plan_terms_history FORCE ROW LEVEL SECURITY;

ALTER TABLE public.plan_terms_history OWNER TO voltstream_owner;

COMMENT ON TABLE public.plan_terms_history IS 'Terms of plans as they were before an import replaced them; append-only.';

COMMENT ON COLUMN public.plan_terms_history.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.plan_terms_history.id IS 'Order of the changes.';

COMMENT ON COLUMN public.plan_terms_history.plan_id IS 'The plan.';

COMMENT ON COLUMN public.plan_terms_history.valid_from IS 'First day of the terms, Europe/Berlin; null: always.';

COMMENT ON COLUMN public.plan_terms_history.old_terms IS 'The row of plan_terms as it was.';

COMMENT ON COLUMN public.plan_terms_history.replaced_at IS 'Instant of the import.';

ALTER TABLE public.plan_terms_history ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.plan_terms_history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.price_alarms (
    id bigint NOT NULL,
    zone text NOT NULL,
    kind text NOT NULL,
    source text DEFAULT ''::text NOT NULL,
    delivery_on date,
    detail text NOT NULL,
    fetch_id bigint,
    raised_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone
);

ALTER TABLE public.price_alarms OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_alarms IS 'What needs a person: late prices, contradicting sources, refused access.';

COMMENT ON COLUMN public.price_alarms.id IS 'Names the alarm.';

COMMENT ON COLUMN public.price_alarms.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_alarms.kind IS 'late, disagreement, clock_change, denied, rejected, unusable, suspect, surcharge.';

COMMENT ON COLUMN public.price_alarms.source IS 'Feed, two of them with a slash between, or empty where it is about none.';

COMMENT ON COLUMN public.price_alarms.delivery_on IS 'Delivery day; null where it is about none.';

COMMENT ON COLUMN public.price_alarms.detail IS 'The sentence shown to operators.';

COMMENT ON COLUMN public.price_alarms.fetch_id IS 'The attempt behind it: its body is kept.';

COMMENT ON COLUMN public.price_alarms.raised_at IS 'Instant of the first sight.';

COMMENT ON COLUMN public.price_alarms.last_seen_at IS 'Instant of the last sight.';

COMMENT ON COLUMN public.price_alarms.resolved_at IS 'Over since; null: it stands.';

ALTER TABLE public.price_alarms ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.price_alarms_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.price_day_changes (
    id bigint NOT NULL,
    zone text NOT NULL,
    delivery_on date NOT NULL,
    version integer NOT NULL,
    served_source text NOT NULL,
    changed_at timestamp with time zone NOT NULL
);

ALTER TABLE public.price_day_changes OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_day_changes IS 'Changes of served days, for what depends on prices; append-only.';

COMMENT ON COLUMN public.price_day_changes.id IS 'Order of the changes.';

COMMENT ON COLUMN public.price_day_changes.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_day_changes.delivery_on IS 'Delivery day that changed.';

COMMENT ON COLUMN public.price_day_changes.version IS 'Its version from then on.';

COMMENT ON COLUMN public.price_day_changes.served_source IS 'Feed served from then on.';

COMMENT ON COLUMN public.price_day_changes.changed_at IS 'Instant of the change.';

CREATE TABLE public.reference_changes (
    id bigint NOT NULL,
    reference_table text NOT NULL,
    key text NOT NULL,
    first_day date NOT NULL,
    end_day date,
    changed_at timestamp with time zone NOT NULL
);

ALTER TABLE public.reference_changes OWNER TO voltstream_owner;

COMMENT ON TABLE public.reference_changes IS 'Days on which reference data is another since an import; bills of these days are calculated anew. Append-only.';

COMMENT ON COLUMN public.reference_changes.id IS 'Order of the changes.';

COMMENT ON COLUMN public.reference_changes.reference_table IS 'Table of the rows.';

COMMENT ON COLUMN public.reference_changes.key IS 'Whom it concerns: grid operator, ZIP, class of municipality, metering operator; empty: everybody.';

COMMENT ON COLUMN public.reference_changes.first_day IS 'First day that has other figures, Europe/Berlin.';

COMMENT ON COLUMN public.reference_changes.end_day IS 'First day behind them; null: all that follow.';

COMMENT ON COLUMN public.reference_changes.changed_at IS 'Instant of the import.';

CREATE VIEW public.price_changes WITH (security_invoker='true') AS
 SELECT terms.organization_id,
    NULL::text AS contract_type,
    terms.plan_id,
    NULL::text AS zip,
    NULL::text AS metering_operator,
    NULL::date AS commissioned_from,
    NULL::date AS commissioned_until,
        CASE
            WHEN (EXISTS ( SELECT
               FROM public.plan_terms before
              WHERE ((before.organization_id = terms.organization_id) AND (before.plan_id = terms.plan_id) AND (COALESCE(before.valid_from, '-infinity'::date) < terms.valid_from)))) THEN terms.valid_from
            ELSE '-infinity'::date
        END AS first_day,
    COALESCE(( SELECT min(next.valid_from) AS min
           FROM public.plan_terms next
          WHERE ((next.organization_id = terms.organization_id) AND (next.plan_id = terms.plan_id) AND (next.valid_from > COALESCE(terms.valid_from, '-infinity'::date)))), 'infinity'::date) AS end_day,
    terms.prices_changed_at AS changed_at,
    terms.plan_id AS key,
    false AS moves_energy
   FROM public.plan_terms terms
  WHERE (terms.prices_changed_at IS NOT NULL)
UNION ALL
 SELECT NULL::text AS organization_id,
        CASE reference_changes.reference_table
            WHEN 'vat_rates'::text THEN NULL::text
            WHEN 'eeg_rates'::text THEN 'feed_in'::text
            WHEN 'market_values'::text THEN 'feed_in'::text
            ELSE 'consumption'::text
        END AS contract_type,
    NULL::text AS plan_id,
    NULL::text AS zip,
        CASE
            WHEN (reference_changes.reference_table = 'metering_fees'::text) THEN NULLIF(reference_changes.key, ''::text)
            ELSE NULL::text
        END AS metering_operator,
        CASE
            WHEN (reference_changes.reference_table = 'eeg_rates'::text) THEN reference_changes.first_day
            ELSE NULL::date
        END AS commissioned_from,
        CASE
            WHEN (reference_changes.reference_table = 'eeg_rates'::text) THEN COALESCE(reference_changes.end_day, 'infinity'::date)
            ELSE NULL::date
        END AS commissioned_until,
        CASE
            WHEN (reference_changes.reference_table = 'eeg_rates'::text) THEN '-infinity'::date
            ELSE reference_changes.first_day
        END AS first_day,
        CASE
            WHEN (reference_changes.reference_table = 'eeg_rates'::text) THEN 'infinity'::date
            ELSE COALESCE(reference_changes.end_day, 'infinity'::date)
        END AS end_day,
    reference_changes.changed_at,
        CASE
            WHEN (reference_changes.reference_table = 'metering_fees'::text) THEN reference_changes.key
            ELSE ''::text
        END AS key,
    (reference_changes.reference_table = 'load_profiles'::text) AS moves_energy
   FROM public.reference_changes
  WHERE (reference_changes.reference_table = ANY (ARRAY['vat_rates'::text, 'levies'::text, 'metering_fees'::text, 'eeg_rates'::text, 'market_values'::text, 'load_profiles'::text]))
UNION ALL
 SELECT NULL::text AS organization_id,
    'consumption'::text AS contract_type,
    NULL::text AS plan_id,
    change.key AS zip,
    NULL::text AS metering_operator,
    NULL::date AS commissioned_from,
    NULL::date AS commissioned_until,
    change.first_day,
    COALESCE(change.end_day, 'infinity'::date) AS end_day,
    change.changed_at,
    change.key,
    false AS moves_energy
   FROM public.reference_changes change
  WHERE (change.reference_table = 'zip_areas'::text)
UNION ALL
 SELECT NULL::text AS organization_id,
    'consumption'::text AS contract_type,
    NULL::text AS plan_id,
    area.zip,
    NULL::text AS metering_operator,
    NULL::date AS commissioned_from,
    NULL::date AS commissioned_until,
    change.first_day,
    COALESCE(change.end_day, 'infinity'::date) AS end_day,
    change.changed_at,
    area.zip AS key,
    false AS moves_energy
   FROM (public.reference_changes change
     JOIN public.zip_areas area ON ((area.concession_class = change.key)))
  WHERE (change.reference_table = 'concession_fees'::text)
UNION ALL
 SELECT NULL::text AS organization_id,
    'consumption'::text AS contract_type,
    NULL::text AS plan_id,
    area.zip,
    NULL::text AS metering_operator,
    NULL::date AS commissioned_from,
    NULL::date AS commissioned_until,
    change.first_day,
    COALESCE(change.end_day, 'infinity'::date) AS end_day,
    change.changed_at,
    area.zip AS key,
    false AS moves_energy
   FROM (public.reference_changes change
     JOIN public.zip_areas area ON (((area.operator || ''::text) = change.key)))
  WHERE (change.reference_table = ANY (ARRAY['grid_fees'::text, 'grid_fee_schedules'::text]))
UNION ALL
 SELECT NULL::text AS organization_id,
    NULL::text AS contract_type,
    NULL::text AS plan_id,
    NULL::text AS zip,
    NULL::text AS metering_operator,
    NULL::date AS commissioned_from,
    NULL::date AS commissioned_until,
    price_day_changes.delivery_on AS first_day,
    (price_day_changes.delivery_on + 1) AS end_day,
    price_day_changes.changed_at,
    ''::text AS key,
    false AS moves_energy
   FROM public.price_day_changes
  WHERE ((price_day_changes.zone = 'DE-LU'::text) AND (price_day_changes.version > 1));

ALTER VIEW public.price_changes OWNER TO voltstream_owner;

COMMENT ON VIEW public.price_changes IS 'Prices that were entered late or corrected: whom, which days, and when.';

COMMENT ON COLUMN public.price_changes.organization_id IS 'Whose plan it is; null: every organization.';

COMMENT ON COLUMN public.price_changes.contract_type IS 'consumption or feed_in; null: both.';

COMMENT ON COLUMN public.price_changes.plan_id IS 'Contracts of this plan; null: of all.';

COMMENT ON COLUMN public.price_changes.zip IS 'Contracts supplied there; null: everywhere.';

COMMENT ON COLUMN public.price_changes.metering_operator IS 'Meters of this operator; null: all.';

COMMENT ON COLUMN public.price_changes.commissioned_from IS 'Plants that began on this day or later; null: whenever.';

COMMENT ON COLUMN public.price_changes.commissioned_until IS 'Plants that began before this day; set with commissioned_from.';

COMMENT ON COLUMN public.price_changes.first_day IS 'First day that has other prices, Europe/Berlin; -infinity: from the beginning. Never null.';

COMMENT ON COLUMN public.price_changes.end_day IS 'First day behind them; infinity: none. Never null.';

COMMENT ON COLUMN public.price_changes.changed_at IS 'When it was entered. Never null.';

COMMENT ON COLUMN public.price_changes.key IS 'The plan, zip or metering operator that is concerned; empty: everybody. Never null.';

COMMENT ON COLUMN public.price_changes.moves_energy IS 'Whether energy between two readings is spread otherwise: other days between them are concerned, too. Never null.';

ALTER TABLE public.price_day_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.price_day_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.price_day_sums (
    zone text NOT NULL,
    delivery_on date NOT NULL,
    version integer NOT NULL,
    minutes smallint,
    quarter_hours integer NOT NULL,
    amount_sum numeric NOT NULL,
    CONSTRAINT price_day_sums_minutes_check CHECK ((minutes = ANY (ARRAY[15, 60]))),
    CONSTRAINT price_day_sums_quarter_hours_check CHECK (((quarter_hours >= 0) AND (quarter_hours <= 100))),
    CONSTRAINT price_day_sums_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_day_sums OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_day_sums IS 'Sums of the served prices of delivery days; made again when the version of the day is another one.';

COMMENT ON COLUMN public.price_day_sums.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_day_sums.delivery_on IS 'Delivery day, Europe/Berlin.';

COMMENT ON COLUMN public.price_day_sums.version IS 'Version of the day in price_days that the sum is of.';

COMMENT ON COLUMN public.price_day_sums.minutes IS 'Width of its intervals; null: none has a price.';

COMMENT ON COLUMN public.price_day_sums.quarter_hours IS 'Quarter hours with a price; an hour counts as four.';

COMMENT ON COLUMN public.price_day_sums.amount_sum IS 'Sum of EUR/MWh over these quarter hours.';

CREATE TABLE public.price_days (
    zone text NOT NULL,
    delivery_on date NOT NULL,
    served_source text,
    preferred_source text,
    state text NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    last_incomplete_at timestamp with time zone,
    first_complete_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT price_days_state_check CHECK ((state = ANY (ARRAY['complete'::text, 'partial'::text, 'suspect'::text]))),
    CONSTRAINT price_days_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_days IS 'State of each delivery day.';

COMMENT ON COLUMN public.price_days.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_days.delivery_on IS 'Delivery day, Europe/Berlin.';

COMMENT ON COLUMN public.price_days.served_source IS 'Feed whose values are served; null: none.';

COMMENT ON COLUMN public.price_days.preferred_source IS 'The operator''s choice; null: by the rule.';

COMMENT ON COLUMN public.price_days.state IS 'complete, partial, or suspect: stored, not served.';

COMMENT ON COLUMN public.price_days.version IS 'One more with each change of what is served.';

COMMENT ON COLUMN public.price_days.last_incomplete_at IS 'Last time it was seen incomplete: publication came later.';

COMMENT ON COLUMN public.price_days.first_complete_at IS 'First time it was seen complete: publication came earlier.';

COMMENT ON COLUMN public.price_days.updated_at IS 'Instant of the last change of this row.';

CREATE TABLE public.price_fetches (
    id bigint NOT NULL,
    source text NOT NULL,
    zone text NOT NULL,
    delivery_from date NOT NULL,
    delivery_to date NOT NULL,
    url text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    captured_at timestamp with time zone NOT NULL,
    http_status smallint,
    content_type text,
    body_bytes integer,
    payload_hash bytea,
    outcome text NOT NULL,
    detail text,
    licence_text text,
    source_stamp text,
    interval_count integer DEFAULT 0 NOT NULL,
    CONSTRAINT price_fetches_check CHECK ((delivery_to >= delivery_from)),
    CONSTRAINT price_fetches_outcome_check CHECK ((outcome = ANY (ARRAY['published'::text, 'partial'::text, 'not_published'::text, 'transient_failure'::text, 'throttled'::text, 'denied'::text, 'rejected'::text]))),
    CONSTRAINT price_fetches_payload_hash_check CHECK ((octet_length(payload_hash) = 32)),
    CONSTRAINT price_fetches_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_fetches OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_fetches IS 'Every attempt to read prices from a source; append-only.';

COMMENT ON COLUMN public.price_fetches.id IS 'Names the attempt.';

COMMENT ON COLUMN public.price_fetches.source IS 'The feed that was asked, or that an imported file came from; synthetic: invented.';

COMMENT ON COLUMN public.price_fetches.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_fetches.delivery_from IS 'First delivery day asked for.';

COMMENT ON COLUMN public.price_fetches.delivery_to IS 'Last delivery day asked for, inclusive.';

COMMENT ON COLUMN public.price_fetches.url IS 'Address with the token masked, or the name of the imported file.';

COMMENT ON COLUMN public.price_fetches.requested_at IS 'Instant of sending the request.';

COMMENT ON COLUMN public.price_fetches.captured_at IS 'Our clock when the last byte was there: the only proof of time.';

COMMENT ON COLUMN public.price_fetches.http_status IS 'Status of the answer; null without one.';

COMMENT ON COLUMN public.price_fetches.content_type IS 'Content type as it was sent.';

COMMENT ON COLUMN public.price_fetches.body_bytes IS 'Size of the body after inflating.';

COMMENT ON COLUMN public.price_fetches.payload_hash IS 'SHA-256 of the content without what changes on every request.';

COMMENT ON COLUMN public.price_fetches.outcome IS 'What became of it.';

COMMENT ON COLUMN public.price_fetches.detail IS 'Why, in a sentence; never with a token.';

COMMENT ON COLUMN public.price_fetches.licence_text IS 'Licence of the source at that moment.';

COMMENT ON COLUMN public.price_fetches.source_stamp IS 'What the source says about the time of making: information only.';

COMMENT ON COLUMN public.price_fetches.interval_count IS 'Intervals that were accepted.';

ALTER TABLE public.price_fetches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.price_fetches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.price_forecast_captures (
    id bigint NOT NULL,
    fetch_id bigint,
    source text NOT NULL,
    zone text NOT NULL,
    issued_at timestamp with time zone,
    captured_at timestamp with time zone NOT NULL,
    payload_hash bytea NOT NULL,
    inputs jsonb,
    CONSTRAINT price_forecast_captures_payload_hash_check CHECK ((octet_length(payload_hash) = 32)),
    CONSTRAINT price_forecast_captures_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_forecast_captures OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_forecast_captures IS 'Forecast runs as they were captured or calculated; append-only.';

COMMENT ON COLUMN public.price_forecast_captures.id IS 'Names the capture.';

COMMENT ON COLUMN public.price_forecast_captures.fetch_id IS 'The attempt that brought it; null for the own model.';

COMMENT ON COLUMN public.price_forecast_captures.source IS 'energyforecast, or model:<name>@<version>.';

COMMENT ON COLUMN public.price_forecast_captures.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_forecast_captures.issued_at IS 'When the source says it made the run; null when it does not.';

COMMENT ON COLUMN public.price_forecast_captures.captured_at IS 'Our clock at the last byte, or at the end of the calculation.';

COMMENT ON COLUMN public.price_forecast_captures.payload_hash IS 'SHA-256 of the content; an equal one is no new capture.';

COMMENT ON COLUMN public.price_forecast_captures.inputs IS 'Model: name, version, newest known day, training window.';

ALTER TABLE public.price_forecast_captures ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.price_forecast_captures_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.price_payloads (
    payload_hash bytea NOT NULL,
    body bytea NOT NULL,
    first_captured_at timestamp with time zone NOT NULL,
    is_kept boolean DEFAULT false NOT NULL,
    CONSTRAINT price_payloads_payload_hash_check CHECK ((octet_length(payload_hash) = 32))
);

ALTER TABLE public.price_payloads OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_payloads IS 'Bodies of answers, compressed; 90 days, longer behind a rejection, alarm or revision.';

COMMENT ON COLUMN public.price_payloads.payload_hash IS 'As in price_fetches.';

COMMENT ON COLUMN public.price_payloads.body IS 'The body, compressed with zstd.';

COMMENT ON COLUMN public.price_payloads.first_captured_at IS 'First seen at.';

COMMENT ON COLUMN public.price_payloads.is_kept IS 'Judged after 90 days, and to stay.';

CREATE TABLE public.price_revisions (
    source text NOT NULL,
    zone text NOT NULL,
    interval_start timestamp with time zone NOT NULL,
    minutes smallint NOT NULL,
    revision integer NOT NULL,
    amount numeric NOT NULL,
    fetch_id bigint NOT NULL,
    captured_at timestamp with time zone NOT NULL,
    CONSTRAINT price_revisions_amount_check CHECK (((amount > '-Infinity'::numeric) AND (amount < 'Infinity'::numeric))),
    CONSTRAINT price_revisions_minutes_check CHECK ((minutes = ANY (ARRAY[15, 60]))),
    CONSTRAINT price_revisions_revision_check CHECK ((revision >= 1)),
    CONSTRAINT price_revisions_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_revisions OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_revisions IS 'Every value a source gave for an interval, oldest revision 1; append-only.';

COMMENT ON COLUMN public.price_revisions.source IS 'Feed that gave the value.';

COMMENT ON COLUMN public.price_revisions.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_revisions.interval_start IS 'UTC start of the interval.';

COMMENT ON COLUMN public.price_revisions.minutes IS 'Width of the interval.';

COMMENT ON COLUMN public.price_revisions.revision IS '1 is the first value.';

COMMENT ON COLUMN public.price_revisions.amount IS 'EUR/MWh, in the source''s precision.';

COMMENT ON COLUMN public.price_revisions.fetch_id IS 'The attempt that brought it.';

COMMENT ON COLUMN public.price_revisions.captured_at IS 'Instant of capture.';

CREATE TABLE public.price_source_days (
    zone text NOT NULL,
    delivery_on date NOT NULL,
    source text NOT NULL,
    interval_count integer NOT NULL,
    state text NOT NULL,
    first_captured_at timestamp with time zone NOT NULL,
    last_captured_at timestamp with time zone NOT NULL,
    released_at timestamp with time zone,
    CONSTRAINT price_source_days_state_check CHECK ((state = ANY (ARRAY['complete'::text, 'partial'::text, 'suspect'::text]))),
    CONSTRAINT price_source_days_zone_check CHECK ((zone = ANY (ARRAY['DE-LU'::text, 'DE-AT-LU'::text])))
);

ALTER TABLE public.price_source_days OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_source_days IS 'What each feed has for a delivery day.';

COMMENT ON COLUMN public.price_source_days.zone IS 'Bidding zone.';

COMMENT ON COLUMN public.price_source_days.delivery_on IS 'Delivery day, Europe/Berlin.';

COMMENT ON COLUMN public.price_source_days.source IS 'Feed.';

COMMENT ON COLUMN public.price_source_days.interval_count IS 'Intervals it has given so far.';

COMMENT ON COLUMN public.price_source_days.state IS 'complete, partial, or suspect.';

COMMENT ON COLUMN public.price_source_days.first_captured_at IS 'First value at.';

COMMENT ON COLUMN public.price_source_days.last_captured_at IS 'Last answer with values at.';

COMMENT ON COLUMN public.price_source_days.released_at IS 'Suspicion lifted at.';

CREATE TABLE public.price_sources (
    source text NOT NULL,
    failed_jobs integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    paused_until timestamp with time zone,
    pause_reason text,
    configuration_hash bytea,
    last_success_at timestamp with time zone,
    last_failure_at timestamp with time zone
);

ALTER TABLE public.price_sources OWNER TO voltstream_owner;

COMMENT ON TABLE public.price_sources IS 'Whether a feed may be asked now, and how it did.';

COMMENT ON COLUMN public.price_sources.source IS 'Feed.';

COMMENT ON COLUMN public.price_sources.failed_jobs IS 'Failed jobs in a row; any success sets it to 0.';

COMMENT ON COLUMN public.price_sources.failing_since IS 'First failure after the last good answer; null: it answers.';

COMMENT ON COLUMN public.price_sources.paused_until IS 'Not asked before.';

COMMENT ON COLUMN public.price_sources.pause_reason IS 'Why it is paused.';

COMMENT ON COLUMN public.price_sources.configuration_hash IS 'Address and token at the time of a refusal: another one ends the pause.';

COMMENT ON COLUMN public.price_sources.last_success_at IS 'Last good answer at.';

COMMENT ON COLUMN public.price_sources.last_failure_at IS 'Last failure at.';

ALTER TABLE public.reference_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.reference_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.reference_history (
    id bigint NOT NULL,
    reference_table text NOT NULL,
    change text NOT NULL,
    old_row jsonb NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT reference_history_change_check CHECK ((change = ANY (ARRAY['changed'::text, 'removed'::text])))
);

ALTER TABLE public.reference_history OWNER TO voltstream_owner;

COMMENT ON TABLE public.reference_history IS 'Rows of reference data as they were before an import changed or removed them; append-only.';

COMMENT ON COLUMN public.reference_history.id IS 'Order of the changes.';

COMMENT ON COLUMN public.reference_history.reference_table IS 'Table of the row.';

COMMENT ON COLUMN public.reference_history.change IS 'changed, or removed by --prune.';

COMMENT ON COLUMN public.reference_history.old_row IS 'The row as it was.';

COMMENT ON COLUMN public.reference_history.changed_at IS 'Instant of the import.';

ALTER TABLE public.reference_history ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.reference_history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.reference_revision (
    one_row boolean DEFAULT true NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT reference_revision_one_row_check CHECK (one_row)
);

ALTER TABLE public.reference_revision OWNER TO voltstream_owner;

COMMENT ON TABLE public.reference_revision IS 'How often reference data has changed: one row.';

COMMENT ON COLUMN public.reference_revision.one_row IS 'Always true: there is one row.';

COMMENT ON COLUMN public.reference_revision.revision IS 'Grows with every statement that writes into a table of reference data.';

CREATE TABLE public.refresh_tokens (
    hash bytea NOT NULL,
    organization_id text NOT NULL,
    grant_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT refresh_tokens_hash_check CHECK ((octet_length(hash) = 32))
);

ALTER TABLE ONLY public.refresh_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE public.refresh_tokens OWNER TO voltstream_owner;

COMMENT ON TABLE public.refresh_tokens IS 'Refresh tokens, hashed; each use ends one and makes the next.';

COMMENT ON COLUMN public.refresh_tokens.hash IS 'HMAC-SHA-256 of the token under the pepper, 32 bytes.';

COMMENT ON COLUMN public.refresh_tokens.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.refresh_tokens.grant_id IS 'Its family. Personal; for the access of a program; 30 days after its end.';

COMMENT ON COLUMN public.refresh_tokens.created_at IS 'Instant of issue.';

COMMENT ON COLUMN public.refresh_tokens.expires_at IS '30 days after issue, 180 days after the beginning of the grant at the latest.';

COMMENT ON COLUMN public.refresh_tokens.used_at IS 'Rotated at; using it again kills the family.';

CREATE TABLE public.replaced_usage (
    organization_id text NOT NULL,
    customer_id text NOT NULL,
    subscription_id text NOT NULL,
    id bigint NOT NULL,
    interval_start timestamp with time zone NOT NULL,
    kwh numeric(18,12) NOT NULL,
    source text NOT NULL,
    kept_at timestamp with time zone NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    CONSTRAINT replaced_usage_source_check CHECK ((source = ANY (ARRAY['own_measurement'::text, 'metering_operator'::text])))
);

ALTER TABLE ONLY public.replaced_usage FORCE ROW LEVEL SECURITY;

ALTER TABLE public.replaced_usage OWNER TO voltstream_owner;

COMMENT ON TABLE public.replaced_usage IS 'Final values that an import of the metering operator replaced; append-only.';

COMMENT ON COLUMN public.replaced_usage.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.replaced_usage.customer_id IS 'Whose contract it is.';

COMMENT ON COLUMN public.replaced_usage.subscription_id IS 'The contract.';

COMMENT ON COLUMN public.replaced_usage.id IS 'Counts the replaced values.';

COMMENT ON COLUMN public.replaced_usage.interval_start IS 'UTC start of the quarter hour.';

COMMENT ON COLUMN public.replaced_usage.kwh IS 'The old value in kWh. Personal; for billing; 3 years.';

COMMENT ON COLUMN public.replaced_usage.source IS 'Where the old value was from: own_measurement or metering_operator.';

COMMENT ON COLUMN public.replaced_usage.kept_at IS 'Instant at which the old value came in or was frozen.';

COMMENT ON COLUMN public.replaced_usage.replaced_at IS 'Instant of the import that replaced it.';

ALTER TABLE public.replaced_usage ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.replaced_usage_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.request_log (
    organization_id text NOT NULL,
    id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    request_id text NOT NULL,
    client_id text NOT NULL,
    route text NOT NULL,
    version text NOT NULL,
    status smallint NOT NULL,
    rows_stored integer,
    milliseconds integer NOT NULL,
    problems jsonb
);

ALTER TABLE ONLY public.request_log FORCE ROW LEVEL SECURITY;

ALTER TABLE public.request_log OWNER TO voltstream_owner;

COMMENT ON TABLE public.request_log IS 'Requests of an organization''s clients, for its console. Written behind the answers, in groups.';

COMMENT ON COLUMN public.request_log.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.request_log.id IS 'Tells requests of the same instant apart.';

COMMENT ON COLUMN public.request_log.created_at IS 'Instant of the answer, or at which the caller left.';

COMMENT ON COLUMN public.request_log.request_id IS 'The requestId of the answer.';

COMMENT ON COLUMN public.request_log.client_id IS 'The client whose token it was, oac_.';

COMMENT ON COLUMN public.request_log.route IS 'The pattern of the route, without the ids of its path.';

COMMENT ON COLUMN public.request_log.version IS 'The version of the interface that was spoken.';

COMMENT ON COLUMN public.request_log.status IS 'HTTP status of the answer; 499: the caller left before it had the whole answer.';

COMMENT ON COLUMN public.request_log.rows_stored IS 'Number of rows that were newly stored before its end; null: none by then, or the route stores none.';

COMMENT ON COLUMN public.request_log.milliseconds IS 'Time to answer, in milliseconds.';

COMMENT ON COLUMN public.request_log.problems IS 'The first problems of a refusal, at most three: code and field, no value; null: none.';

ALTER TABLE public.request_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.request_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.restricted_ids WITH (security_barrier='true') AS
 SELECT c.organization_id,
    c.id
   FROM public.customers c
  WHERE (c.restricted_at IS NOT NULL)
UNION ALL
 SELECT h.organization_id,
    h.id
   FROM (public.customers c
     JOIN public.households h ON (((h.organization_id = c.organization_id) AND (h.customer_id = c.id))))
  WHERE (c.restricted_at IS NOT NULL)
UNION ALL
 SELECT s.organization_id,
    s.id
   FROM (public.customers c
     JOIN public.subscriptions s ON (((s.organization_id = c.organization_id) AND (s.customer_id = c.id))))
  WHERE (c.restricted_at IS NOT NULL)
UNION ALL
 SELECT l.organization_id,
    l.id
   FROM (public.customers c
     JOIN public.leads l ON (((l.organization_id = c.organization_id) AND (lower((l.details #>> '{customer,email}'::text[])) = c.email_lower))))
  WHERE ((c.restricted_at IS NOT NULL) AND (l.subscription_id IS NULL) AND (l.created_at < c.restricted_at));

ALTER VIEW public.restricted_ids OWNER TO voltstream_owner;

COMMENT ON VIEW public.restricted_ids IS 'Ids of restricted customers, of their households and contracts, and of leads without a contract that had their e-mail address before.';

COMMENT ON COLUMN public.restricted_ids.organization_id IS 'The tenant. Never null.';

COMMENT ON COLUMN public.restricted_ids.id IS 'Id of the customer, cus_, a household, dom_, a contract, sub_, or a lead, lead_. Never null.';

CREATE TABLE public.revoked_tokens (
    organization_id text NOT NULL,
    jti text NOT NULL,
    client_id text NOT NULL,
    revoked_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    changed_in xid8,
    CONSTRAINT revoked_tokens_jti_check CHECK (((char_length(jti) >= 1) AND (char_length(jti) <= 255)))
);

ALTER TABLE ONLY public.revoked_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE public.revoked_tokens OWNER TO voltstream_owner;

COMMENT ON TABLE public.revoked_tokens IS 'Access tokens that were revoked one by one, until they would have expired.';

COMMENT ON COLUMN public.revoked_tokens.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.revoked_tokens.jti IS 'The id that the token carries.';

COMMENT ON COLUMN public.revoked_tokens.client_id IS 'The client it was issued to, which revoked it.';

COMMENT ON COLUMN public.revoked_tokens.revoked_at IS 'Refused since, within 5 seconds.';

COMMENT ON COLUMN public.revoked_tokens.expires_at IS 'End of the token; the row may go after it.';

COMMENT ON COLUMN public.revoked_tokens.changed_in IS 'The transaction that revoked it; never shown. Processes that believe it ask by this.';

CREATE TABLE public.savings_parameters (
    code text NOT NULL,
    value numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT savings_parameters_check CHECK ((valid_to > valid_from)),
    CONSTRAINT savings_parameters_code_check CHECK ((code ~ '^[a-z0-9_]+$'::text)),
    CONSTRAINT savings_parameters_source_check CHECK ((source <> ''::text)),
    CONSTRAINT savings_parameters_value_check CHECK ((value >= (0)::numeric))
);

ALTER TABLE public.savings_parameters OWNER TO voltstream_owner;

COMMENT ON TABLE public.savings_parameters IS 'Assumptions about households, from which savings are estimated.';

COMMENT ON COLUMN public.savings_parameters.code IS 'Name of the assumption; the unit stands in it.';

COMMENT ON COLUMN public.savings_parameters.value IS 'Its figure.';

COMMENT ON COLUMN public.savings_parameters.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.savings_parameters.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.savings_parameters.source IS 'Law and paragraph, or the official price sheet and its year.';

COMMENT ON COLUMN public.savings_parameters.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE TABLE public.schedules (
    id text NOT NULL,
    cron text NOT NULL,
    time_zone text NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    catch_up text NOT NULL,
    max_age_seconds integer,
    enabled boolean DEFAULT true NOT NULL,
    last_due_at timestamp with time zone DEFAULT now() NOT NULL,
    job text NOT NULL,
    CONSTRAINT schedules_catch_up_check CHECK ((catch_up = ANY (ARRAY['all'::text, 'last'::text, 'skip'::text]))),
    CONSTRAINT schedules_max_age_seconds_check CHECK ((max_age_seconds > 0))
);

ALTER TABLE public.schedules OWNER TO voltstream_owner;

COMMENT ON TABLE public.schedules IS 'Repeating work: one row per line of workers/schedules.ts.';

COMMENT ON COLUMN public.schedules.id IS 'Name of the schedule.';

COMMENT ON COLUMN public.schedules.cron IS 'Pattern with seconds, in the schedule''s time zone.';

COMMENT ON COLUMN public.schedules.time_zone IS 'IANA name of the time zone.';

COMMENT ON COLUMN public.schedules.payload IS 'Handed to the job; ids and dates only.';

COMMENT ON COLUMN public.schedules.catch_up IS 'Missed ticks after a stop: all, last, or skip.';

COMMENT ON COLUMN public.schedules.max_age_seconds IS 'Older missed ticks are left out, in seconds; null: none is too old.';

COMMENT ON COLUMN public.schedules.enabled IS 'Whether ticks fall due.';

COMMENT ON COLUMN public.schedules.last_due_at IS 'Ticks up to here have been listed.';

COMMENT ON COLUMN public.schedules.job IS 'The job that its ticks run.';

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    earlier text[] DEFAULT '{}'::text[] NOT NULL
);

ALTER TABLE public.schema_migrations OWNER TO voltstream_owner;

COMMENT ON TABLE public.schema_migrations IS 'Files of sql/ that ran in this database.';

COMMENT ON COLUMN public.schema_migrations.name IS 'Folder and file.';

COMMENT ON COLUMN public.schema_migrations.sha256 IS 'Hash of the text that ran.';

COMMENT ON COLUMN public.schema_migrations.applied_at IS 'Instant of the run.';

COMMENT ON COLUMN public.schema_migrations.earlier IS 'Hashes of the texts that ran before: a version that has one of them is older.';

CREATE TABLE public.signing_keys (
    kid text NOT NULL,
    public_jwk jsonb NOT NULL,
    private_key_encrypted bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    signs_from timestamp with time zone NOT NULL,
    signs_until timestamp with time zone,
    removed_at timestamp with time zone,
    CONSTRAINT signing_keys_check CHECK ((signs_until > signs_from))
);

ALTER TABLE public.signing_keys OWNER TO voltstream_owner;

COMMENT ON TABLE public.signing_keys IS 'Key pairs that sign access tokens.';

COMMENT ON COLUMN public.signing_keys.kid IS 'Thumbprint of the public key (RFC 7638).';

COMMENT ON COLUMN public.signing_keys.public_jwk IS 'The public key as published.';

COMMENT ON COLUMN public.signing_keys.private_key_encrypted IS 'The private key under the key of the configuration.';

COMMENT ON COLUMN public.signing_keys.created_at IS 'Instant of creation; published from here on.';

COMMENT ON COLUMN public.signing_keys.signs_from IS 'Signs from here on; later than creation, so that clients have fetched it.';

COMMENT ON COLUMN public.signing_keys.signs_until IS 'Signs until here; null: not yet replaced.';

COMMENT ON COLUMN public.signing_keys.removed_at IS 'No longer published since.';

CREATE TABLE public.usage_groups (
    code text NOT NULL,
    kwh_year numeric NOT NULL,
    valid_from date NOT NULL,
    valid_to date,
    source text NOT NULL,
    checked_on date,
    CONSTRAINT usage_groups_check CHECK ((valid_to > valid_from)),
    CONSTRAINT usage_groups_code_check CHECK ((code ~ '^[a-z0-9_]+$'::text)),
    CONSTRAINT usage_groups_kwh_year_check CHECK ((kwh_year >= (0)::numeric)),
    CONSTRAINT usage_groups_source_check CHECK ((source <> ''::text))
);

ALTER TABLE public.usage_groups OWNER TO voltstream_owner;

COMMENT ON TABLE public.usage_groups IS 'What households of a size use in a year: bills compare with it.';

COMMENT ON COLUMN public.usage_groups.code IS 'one_person, two_persons, three_persons or house.';

COMMENT ON COLUMN public.usage_groups.kwh_year IS 'kWh a year.';

COMMENT ON COLUMN public.usage_groups.valid_from IS 'First day, Europe/Berlin.';

COMMENT ON COLUMN public.usage_groups.valid_to IS 'First day no longer valid; null: open.';

COMMENT ON COLUMN public.usage_groups.source IS 'Survey and its year.';

COMMENT ON COLUMN public.usage_groups.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';

CREATE VIEW public.visible_snapshots WITH (security_barrier='true') AS
 SELECT s.asset_id,
    s."timestamp",
    s.power_kw,
    s.state_of_charge,
    s.connected,
    s.vehicle_state_of_charge,
    s.created_at,
    a.id AS asset,
    a.household_id AS household
   FROM (public.asset_snapshots s
     JOIN public.assets a ON ((a.key = s.asset_id)));

ALTER VIEW public.visible_snapshots OWNER TO voltstream_snapshot_reader;

COMMENT ON VIEW public.visible_snapshots IS 'Snapshots of the assets that the set organization, or customer, may see.';

COMMENT ON COLUMN public.visible_snapshots.asset_id IS 'Internal key of the asset: assets.key. Never null.';

COMMENT ON COLUMN public.visible_snapshots."timestamp" IS 'Instant of the measurement, to the microsecond. Never null.';

COMMENT ON COLUMN public.visible_snapshots.power_kw IS 'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative.';

COMMENT ON COLUMN public.visible_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1.';

COMMENT ON COLUMN public.visible_snapshots.connected IS 'Whether a vehicle is connected to the wallbox.';

COMMENT ON COLUMN public.visible_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1.';

COMMENT ON COLUMN public.visible_snapshots.created_at IS 'Instant of storing. Never null.';

COMMENT ON COLUMN public.visible_snapshots.asset IS 'Id of the asset, ast_. Never null.';

COMMENT ON COLUMN public.visible_snapshots.household IS 'Id of the household, dom_. Never null.';

CREATE TABLE public.wrong_one_time_codes (
    organization_id text NOT NULL,
    id bigint NOT NULL,
    address_hash bytea NOT NULL,
    lengthens boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT wrong_one_time_codes_address_hash_check CHECK ((octet_length(address_hash) = 32))
);

ALTER TABLE ONLY public.wrong_one_time_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.wrong_one_time_codes OWNER TO voltstream_owner;

COMMENT ON TABLE public.wrong_one_time_codes IS 'Wrong one-time codes that were typed in, one row each; for 24 hours.';

COMMENT ON COLUMN public.wrong_one_time_codes.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.wrong_one_time_codes.id IS 'Order of typing.';

COMMENT ON COLUMN public.wrong_one_time_codes.address_hash IS 'HMAC-SHA-256 of the address, as in one_time_codes.';

COMMENT ON COLUMN public.wrong_one_time_codes.lengthens IS 'The tenth within 24 hours, or one after it: further codes are long for 24 hours.';

COMMENT ON COLUMN public.wrong_one_time_codes.created_at IS 'Instant of typing.';

ALTER TABLE public.wrong_one_time_codes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.wrong_one_time_codes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_organization_id_customer_id_id_key UNIQUE (organization_id, customer_id, id);

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.analysts
    ADD CONSTRAINT analysts_name_key UNIQUE (name);

ALTER TABLE ONLY public.analysts
    ADD CONSTRAINT analysts_pkey PRIMARY KEY (organization_id, name);

ALTER TABLE ONLY public.asset_days
    ADD CONSTRAINT asset_days_pkey PRIMARY KEY (asset_id, day);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_key_key UNIQUE (key);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_external_id_key UNIQUE (organization_id, external_id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_household_id_id_key UNIQUE (organization_id, household_id, id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_seals
    ADD CONSTRAINT audit_seals_pkey PRIMARY KEY (day);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_id_key UNIQUE (id);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.authorization_codes
    ADD CONSTRAINT authorization_codes_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.authorization_requests
    ADD CONSTRAINT authorization_requests_id_key UNIQUE (id);

ALTER TABLE ONLY public.authorization_requests
    ADD CONSTRAINT authorization_requests_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.bank_entries
    ADD CONSTRAINT bank_entries_organization_id_identity_key UNIQUE (organization_id, identity);

ALTER TABLE ONLY public.bank_entries
    ADD CONSTRAINT bank_entries_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.benchmarks
    ADD CONSTRAINT benchmarks_one_at_a_time EXCLUDE USING gist (daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.benchmarks
    ADD CONSTRAINT benchmarks_pkey PRIMARY KEY (valid_from);

ALTER TABLE ONLY public.billed_reference_rows
    ADD CONSTRAINT billed_reference_rows_pkey PRIMARY KEY (reference_table, key, valid_from);

ALTER TABLE ONLY public.billing_portions
    ADD CONSTRAINT billing_portions_pkey PRIMARY KEY (organization_id, run_id, first_subscription);

ALTER TABLE ONLY public.billing_refusals
    ADD CONSTRAINT billing_refusals_pkey PRIMARY KEY (organization_id, subscription_id, type, period_start);

ALTER TABLE ONLY public.billing_runs
    ADD CONSTRAINT billing_runs_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.billing_terms
    ADD CONSTRAINT billing_terms_pkey PRIMARY KEY (organization_id, subscription_id, valid_from);

ALTER TABLE ONLY public.client_secrets
    ADD CONSTRAINT client_secrets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.concession_fees
    ADD CONSTRAINT concession_fees_one_at_a_time EXCLUDE USING gist (class WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.concession_fees
    ADD CONSTRAINT concession_fees_pkey PRIMARY KEY (class, valid_from);

ALTER TABLE ONLY public.console_forms
    ADD CONSTRAINT console_forms_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.console_users
    ADD CONSTRAINT console_users_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.day_ahead_means
    ADD CONSTRAINT day_ahead_means_pkey PRIMARY KEY (price_date);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (organization_id, event_id, endpoint_id, number);

ALTER TABLE ONLY public.delivery_days
    ADD CONSTRAINT delivery_days_pkey PRIMARY KEY (day);

ALTER TABLE ONLY public.dunning_holds
    ADD CONSTRAINT dunning_holds_pkey PRIMARY KEY (organization_id, invoice_id);

ALTER TABLE ONLY public.dunning_steps
    ADD CONSTRAINT dunning_steps_pkey PRIMARY KEY (organization_id, invoice_id, level);

ALTER TABLE ONLY public.eeg_rates
    ADD CONSTRAINT eeg_rates_one_at_a_time EXCLUDE USING gist (kind WITH =, up_to_kw WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.eeg_rates
    ADD CONSTRAINT eeg_rates_pkey PRIMARY KEY (kind, up_to_kw, valid_from);

ALTER TABLE ONLY public.energy_mixes
    ADD CONSTRAINT energy_mixes_one_at_a_time EXCLUDE USING gist (supplier WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.energy_mixes
    ADD CONSTRAINT energy_mixes_pkey PRIMARY KEY (supplier, valid_from);

ALTER TABLE ONLY public.event_deliveries
    ADD CONSTRAINT event_deliveries_pkey PRIMARY KEY (organization_id, event_id, endpoint_id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_id_key UNIQUE (id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.grid_fee_reductions
    ADD CONSTRAINT grid_fee_reductions_periods EXCLUDE USING gist (organization_id WITH =, subscription_id WITH =, (
CASE type
    WHEN 'enwg-14a-module-1'::text THEN int4range(1, 2)
    WHEN 'enwg-14a-module-3'::text THEN int4range(2, 3)
    ELSE int4range(1, 3)
END) WITH &&, tstzrange(valid_from, valid_until, '[)'::text) WITH &&) WHERE (((valid_from IS NOT NULL) AND ((valid_until IS NULL) OR (valid_until > valid_from))));

ALTER TABLE ONLY public.grid_fee_reductions
    ADD CONSTRAINT grid_fee_reductions_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.grid_fee_schedules
    ADD CONSTRAINT grid_fee_schedules_one_at_a_time EXCLUDE USING gist (operator WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.grid_fee_schedules
    ADD CONSTRAINT grid_fee_schedules_pkey PRIMARY KEY (operator, valid_from);

ALTER TABLE ONLY public.grid_fees
    ADD CONSTRAINT grid_fees_one_at_a_time EXCLUDE USING gist (operator WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.grid_fees
    ADD CONSTRAINT grid_fees_pkey PRIMARY KEY (operator, valid_from);

ALTER TABLE ONLY public.grid_operators
    ADD CONSTRAINT grid_operators_one_at_a_time EXCLUDE USING gist (operator WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.grid_operators
    ADD CONSTRAINT grid_operators_pkey PRIMARY KEY (operator, valid_from);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_organization_id_id_customer_id_key UNIQUE (organization_id, id, customer_id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, client_id, route, key);

ALTER TABLE ONLY public.invoice_files
    ADD CONSTRAINT invoice_files_pkey PRIMARY KEY (organization_id, invoice_id, kind);

ALTER TABLE ONLY public.invoice_ledgers
    ADD CONSTRAINT invoice_ledgers_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.invoice_lines
    ADD CONSTRAINT invoice_lines_pkey PRIMARY KEY (organization_id, invoice_id, "position");

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_customer_id_id_key UNIQUE (organization_id, customer_id, id);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_invoice_number_key UNIQUE (organization_id, invoice_number);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_ledger_number_key UNIQUE (organization_id, ledger_number);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_subscription_id_running_number_key UNIQUE (organization_id, subscription_id, running_number);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_voids_key UNIQUE (organization_id, voids);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_usage_once EXCLUDE USING gist (organization_id WITH =, subscription_id WITH =, tstzrange(period_start, period_end) WITH &&) WHERE (((type = 'usage'::text) AND (status <> 'voided'::text)));

ALTER TABLE ONLY public.issuers
    ADD CONSTRAINT issuers_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.late_quarter_hours
    ADD CONSTRAINT late_quarter_hours_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.levies
    ADD CONSTRAINT levies_one_at_a_time EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.levies
    ADD CONSTRAINT levies_pkey PRIMARY KEY (code, valid_from);

ALTER TABLE ONLY public.load_forecasts
    ADD CONSTRAINT load_forecasts_pkey PRIMARY KEY (organization_id, subscription_id, delivery_on, purchase);

ALTER TABLE ONLY public.load_profiles
    ADD CONSTRAINT load_profiles_one_at_a_time EXCLUDE USING gist (profile WITH =, month WITH =, day_type WITH =, quarter_hour WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.load_profiles
    ADD CONSTRAINT load_profiles_pkey PRIMARY KEY (profile, month, day_type, quarter_hour, valid_from);

ALTER TABLE ONLY public.magic_links
    ADD CONSTRAINT magic_links_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.market_partners
    ADD CONSTRAINT market_partners_code_key UNIQUE (code);

ALTER TABLE ONLY public.market_partners
    ADD CONSTRAINT market_partners_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.market_values
    ADD CONSTRAINT market_values_one_at_a_time EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.market_values
    ADD CONSTRAINT market_values_pkey PRIMARY KEY (code, valid_from);

ALTER TABLE ONLY public.meter_changes
    ADD CONSTRAINT meter_changes_organization_id_meter_id_register_key UNIQUE (organization_id, meter_id, register);

ALTER TABLE ONLY public.meter_changes
    ADD CONSTRAINT meter_changes_pkey PRIMARY KEY (organization_id, meter_id, valid_from);

ALTER TABLE ONLY public.meter_orders
    ADD CONSTRAINT meter_orders_organization_id_subscription_id_key UNIQUE (organization_id, subscription_id);

ALTER TABLE ONLY public.meter_orders
    ADD CONSTRAINT meter_orders_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.meter_readings
    ADD CONSTRAINT meter_readings_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.metering_fees
    ADD CONSTRAINT metering_fees_once UNIQUE NULLS NOT DISTINCT (metering_operator, "case", valid_from);

ALTER TABLE ONLY public.metering_fees
    ADD CONSTRAINT metering_fees_one_at_a_time EXCLUDE USING gist (COALESCE(metering_operator, ''::text) WITH =, "case" WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.meters
    ADD CONSTRAINT meters_organization_id_customer_id_id_key UNIQUE (organization_id, customer_id, id);

ALTER TABLE ONLY public.meters
    ADD CONSTRAINT meters_organization_id_household_id_key UNIQUE (organization_id, household_id);

ALTER TABLE ONLY public.meters
    ADD CONSTRAINT meters_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.one_time_codes
    ADD CONSTRAINT one_time_codes_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.organization_brands
    ADD CONSTRAINT organization_brands_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.payment_files
    ADD CONSTRAINT payment_files_organization_id_message_id_key UNIQUE (organization_id, message_id);

ALTER TABLE ONLY public.payment_files
    ADD CONSTRAINT payment_files_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.payment_methods
    ADD CONSTRAINT payment_methods_organization_id_customer_id_id_key UNIQUE (organization_id, customer_id, id);

ALTER TABLE ONLY public.payment_methods
    ADD CONSTRAINT payment_methods_organization_id_mandate_reference_key UNIQUE (organization_id, mandate_reference);

ALTER TABLE ONLY public.payment_methods
    ADD CONSTRAINT payment_methods_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_organization_id_end_to_end_id_key UNIQUE (organization_id, end_to_end_id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.plan_terms_history
    ADD CONSTRAINT plan_terms_history_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.plan_terms
    ADD CONSTRAINT plan_terms_organization_id_plan_id_valid_from_key UNIQUE NULLS NOT DISTINCT (organization_id, plan_id, valid_from);

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_organization_id_id_type_key UNIQUE (organization_id, id, type);

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_organization_id_slug_key UNIQUE (organization_id, slug);

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.portal_sessions
    ADD CONSTRAINT portal_sessions_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.price_alarms
    ADD CONSTRAINT price_alarms_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.price_day_changes
    ADD CONSTRAINT price_day_changes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.price_day_changes
    ADD CONSTRAINT price_day_changes_zone_delivery_on_version_key UNIQUE (zone, delivery_on, version);

ALTER TABLE ONLY public.price_day_sums
    ADD CONSTRAINT price_day_sums_pkey PRIMARY KEY (zone, delivery_on);

ALTER TABLE ONLY public.price_days
    ADD CONSTRAINT price_days_pkey PRIMARY KEY (zone, delivery_on);

ALTER TABLE ONLY public.price_fetches
    ADD CONSTRAINT price_fetches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.price_forecast_captures
    ADD CONSTRAINT price_forecast_captures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.price_forecast_days
    ADD CONSTRAINT price_forecast_days_pkey PRIMARY KEY (capture_id, delivery_on);

ALTER TABLE ONLY public.price_forecast_frozen
    ADD CONSTRAINT price_forecast_frozen_pkey PRIMARY KEY (zone, delivery_on);

ALTER TABLE ONLY public.price_forecast_values
    ADD CONSTRAINT price_forecast_values_pkey PRIMARY KEY (capture_id, interval_start);

ALTER TABLE ONLY public.price_kind
    ADD CONSTRAINT price_kind_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.price_payloads
    ADD CONSTRAINT price_payloads_pkey PRIMARY KEY (payload_hash);

ALTER TABLE ONLY public.price_revisions
    ADD CONSTRAINT price_revisions_pkey PRIMARY KEY (zone, source, interval_start, minutes, revision);

ALTER TABLE ONLY public.price_source_days
    ADD CONSTRAINT price_source_days_pkey PRIMARY KEY (zone, delivery_on, source);

ALTER TABLE ONLY public.price_sources
    ADD CONSTRAINT price_sources_pkey PRIMARY KEY (source);

ALTER TABLE ONLY public.quarter_hour_progress
    ADD CONSTRAINT quarter_hour_progress_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.reference_changes
    ADD CONSTRAINT reference_changes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.reference_history
    ADD CONSTRAINT reference_history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.reference_revision
    ADD CONSTRAINT reference_revision_pkey PRIMARY KEY (one_row);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.replaced_usage
    ADD CONSTRAINT replaced_usage_pkey PRIMARY KEY (organization_id, subscription_id, interval_start, id);

ALTER TABLE ONLY public.request_days
    ADD CONSTRAINT request_days_pkey PRIMARY KEY (organization_id, day);

ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_pkey PRIMARY KEY (organization_id, created_at, id);

ALTER TABLE ONLY public.request_minutes
    ADD CONSTRAINT request_minutes_pkey PRIMARY KEY (organization_id, minute);

ALTER TABLE ONLY public.revoked_tokens
    ADD CONSTRAINT revoked_tokens_pkey PRIMARY KEY (organization_id, jti);

ALTER TABLE ONLY public.savings_parameters
    ADD CONSTRAINT savings_parameters_one_at_a_time EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.savings_parameters
    ADD CONSTRAINT savings_parameters_pkey PRIMARY KEY (code, valid_from);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.settled_usage_months
    ADD CONSTRAINT settled_usage_months_pkey PRIMARY KEY (organization_id, subscription_id, month);

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);

ALTER TABLE ONLY public.spot_prices
    ADD CONSTRAINT spot_prices_pkey PRIMARY KEY (zone, interval_start);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_one_supply EXCLUDE USING gist (organization_id WITH =, household_id WITH =, tstzrange(start_at, end_at, '[)'::text) WITH &&) WHERE (((type = 'consumption'::text) AND (start_at IS NOT NULL) AND ((end_at IS NULL) OR (end_at > start_at))));

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_customer_id_id_key UNIQUE (organization_id, customer_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_number_key UNIQUE (organization_id, number);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_pkey PRIMARY KEY (organization_id, subscription_id, day);

ALTER TABLE ONLY public.usage_groups
    ADD CONSTRAINT usage_groups_one_at_a_time EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.usage_groups
    ADD CONSTRAINT usage_groups_pkey PRIMARY KEY (code, valid_from);

ALTER TABLE ONLY public.usage_quarter_hours
    ADD CONSTRAINT usage_quarter_hours_pkey PRIMARY KEY (organization_id, subscription_id, interval_start);

ALTER TABLE ONLY public.vat_rates
    ADD CONSTRAINT vat_rates_one_at_a_time EXCLUDE USING gist (daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.vat_rates
    ADD CONSTRAINT vat_rates_pkey PRIMARY KEY (valid_from);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.wrong_one_time_codes
    ADD CONSTRAINT wrong_one_time_codes_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.zip_areas
    ADD CONSTRAINT zip_areas_one_at_a_time EXCLUDE USING gist (zip WITH =, operator WITH =, daterange(valid_from, valid_to, '[)'::text) WITH &&);

ALTER TABLE ONLY public.zip_areas
    ADD CONSTRAINT zip_areas_pkey PRIMARY KEY (zip, operator, valid_from);

CREATE INDEX asset_days_asset_id_month ON public.asset_days USING btree (asset_id, month);

CREATE INDEX asset_days_day ON public.asset_days USING btree (day);

CREATE UNIQUE INDEX asset_quarter_hours_asset_id_start_key ON public.asset_quarter_hours USING btree (asset_id, start);

CREATE UNIQUE INDEX asset_snapshots_asset_id_timestamp_key ON public.asset_snapshots USING btree (asset_id, "timestamp");

CREATE INDEX assets_changed ON public.assets USING btree (changed_in) WHERE (changed_in IS NOT NULL);

CREATE INDEX assets_newest_first ON public.assets USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX assets_of_customer ON public.assets USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX assets_of_household ON public.assets USING btree (organization_id, household_id, created_at DESC, id DESC);

CREATE INDEX assets_of_parent ON public.assets USING btree (organization_id, parent_inverter, created_at DESC, id DESC) WHERE (parent_inverter IS NOT NULL);

CREATE UNIQUE INDEX assets_one_of_each_household_asset ON public.assets USING btree (organization_id, household_id, type) WHERE (type = ANY (ARRAY['household_net'::text, 'household_residual'::text]));

CREATE INDEX audit_log_by_time ON public.audit_log USING btree (at);

CREATE INDEX audit_log_of_organization ON public.audit_log USING btree (organization_id, at);

CREATE INDEX auth_clients_changed ON public.auth_clients USING btree (changed_in) WHERE (changed_in IS NOT NULL);

CREATE INDEX authorization_codes_by_expiry ON public.authorization_codes USING btree (organization_id, expires_at);

CREATE INDEX authorization_codes_of_grant ON public.authorization_codes USING btree (organization_id, grant_id);

CREATE UNIQUE INDEX authorization_codes_of_request ON public.authorization_codes USING btree (organization_id, request_id);

CREATE INDEX authorization_requests_by_age ON public.authorization_requests USING btree (organization_id, created_at);

CREATE INDEX authorization_requests_of_challenge ON public.authorization_requests USING btree (organization_id, client_id, code_challenge) WHERE (code_challenge IS NOT NULL);

CREATE INDEX bank_entries_alike ON public.bank_entries USING btree (organization_id, booked_on, amount, md5(((((((((COALESCE(iban, ''::text) || ' '::text) || COALESCE(end_to_end_id, ''::text)) || ' '::text) || COALESCE(block_id, ''::text)) || ' '::text) || COALESCE(return_reason, ''::text)) || ' '::text) || COALESCE(text, ''::text))));

CREATE INDEX bank_entries_of_state ON public.bank_entries USING btree (organization_id, state, booked_on, id);

CREATE INDEX bank_entries_to_remove ON public.bank_entries USING btree (booked_on);

CREATE INDEX billing_portions_created ON public.billing_portions USING btree (organization_id, created_at, run_id, first_subscription);

CREATE INDEX billing_refusals_deadline ON public.billing_refusals USING btree (deadline, organization_id) WHERE (deadline IS NOT NULL);

CREATE INDEX billing_refusals_defect ON public.billing_refusals USING btree (organization_id) WHERE ((code = 'defect'::text) AND (deadline IS NULL));

CREATE INDEX billing_refusals_of_code ON public.billing_refusals USING btree (organization_id, code, subscription_id);

CREATE INDEX billing_refusals_to_act ON public.billing_refusals USING btree (organization_id, (
CASE
    WHEN (deadline IS NULL) THEN 'infinity'::date
    ELSE deadline
END), subscription_id, type, period_start) WHERE (code <> ALL (ARRAY['not_settled'::text, 'too_early'::text, 'payment_under_way'::text, 'earlier_refused'::text]));

CREATE INDEX billing_runs_created ON public.billing_runs USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX billing_runs_of_tick ON public.billing_runs USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX client_secrets_of_client ON public.client_secrets USING btree (organization_id, client_id);

CREATE INDEX console_forms_by_age ON public.console_forms USING btree (organization_id, created_at);

CREATE INDEX console_forms_of_user ON public.console_forms USING btree (organization_id, user_id);

CREATE INDEX console_sessions_by_expiry ON public.console_sessions USING btree (organization_id, expires_at);

CREATE INDEX console_sessions_of_user ON public.console_sessions USING btree (organization_id, user_id);

CREATE UNIQUE INDEX console_users_email_lower_key ON public.console_users USING btree (email_lower);

CREATE INDEX customers_named ON public.customers USING gin (organization_id, name_lower extensions.gin_trgm_ops);

CREATE INDEX customers_newest_first ON public.customers USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX customers_of_name ON public.customers USING btree (organization_id, name_lower);

CREATE INDEX customers_of_type ON public.customers USING btree (organization_id, type, created_at DESC, id DESC);

CREATE UNIQUE INDEX customers_organization_id_email_key ON public.customers USING btree (organization_id, email_lower);

CREATE INDEX customers_restricted ON public.customers USING btree (organization_id, id) WHERE (restricted_at IS NOT NULL);

CREATE INDEX customers_searched ON public.customers USING gin (organization_id, email_search extensions.gin_trgm_ops);

CREATE INDEX dunning_steps_of_day ON public.dunning_steps USING btree (organization_id, reminded_on);

CREATE INDEX dunning_steps_planned ON public.dunning_steps USING btree (organization_id, invoice_id, level) WHERE (mail = 'planned'::text);

CREATE INDEX event_deliveries_age ON public.event_deliveries USING btree (organization_id, created_at);

CREATE INDEX event_deliveries_ended ON public.event_deliveries USING btree (organization_id, kept_from) WHERE (state <> 'pending'::text);

CREATE INDEX event_deliveries_newest_first ON public.event_deliveries USING btree (organization_id, endpoint_id, state, created_at DESC);

CREATE INDEX event_deliveries_pending ON public.event_deliveries USING btree (organization_id, endpoint_id, next_at) WHERE (state = 'pending'::text);

CREATE UNIQUE INDEX events_in_sequence ON public.events USING btree (organization_id, sequence);

CREATE INDEX events_newest_first ON public.events USING btree (organization_id, "timestamp" DESC, "position" DESC);

CREATE INDEX events_of_contract ON public.events USING btree (organization_id, ((context ->> 'subscription'::text)));

CREATE INDEX events_of_topic ON public.events USING btree (organization_id, topic, "timestamp", "position");

CREATE INDEX events_of_topic_in_sequence ON public.events USING btree (organization_id, topic, sequence);

CREATE INDEX events_without_sequence ON public.events USING btree (organization_id, "position") WHERE (sequence IS NULL);

CREATE INDEX grants_by_age ON public.grants USING btree (organization_id, created_at);

CREATE INDEX grants_changed ON public.grants USING btree (changed_in) WHERE (changed_in IS NOT NULL);

CREATE INDEX grants_of_client_newest ON public.grants USING btree (organization_id, client_id, created_at DESC, id DESC);

CREATE INDEX grants_of_customer ON public.grants USING btree (organization_id, customer_id, created_at DESC, id DESC) WHERE (customer_id IS NOT NULL);

CREATE INDEX grid_fee_reductions_newest_first ON public.grid_fee_reductions USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX grid_fee_reductions_of_customer ON public.grid_fee_reductions USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX grid_fee_reductions_of_status ON public.grid_fee_reductions USING btree (organization_id, status, created_at DESC, id DESC);

CREATE INDEX grid_fee_reductions_of_subscription ON public.grid_fee_reductions USING btree (organization_id, subscription_id, created_at, id);

CREATE UNIQUE INDEX grid_fee_reductions_open ON public.grid_fee_reductions USING btree (organization_id, subscription_id, type) WHERE (status <> ALL (ARRAY['rejected'::text, 'ended'::text]));

CREATE INDEX grid_fee_reductions_searched ON public.grid_fee_reductions USING gin (organization_id, customer_id extensions.gin_trgm_ops, subscription_id extensions.gin_trgm_ops);

CREATE INDEX grid_fee_reductions_updated ON public.grid_fee_reductions USING btree (organization_id, updated_at);

CREATE INDEX households_newest_first ON public.households USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX households_of_customer ON public.households USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX households_searched ON public.households USING gin (organization_id, customer_id extensions.gin_trgm_ops);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (organization_id, created_at);

CREATE INDEX invoices_due ON public.invoices USING btree (organization_id, due_on, id) WHERE (status = 'open'::text);

CREATE INDEX invoices_ended ON public.invoices USING btree (organization_id, period_end) WHERE (restricted_at IS NULL);

CREATE INDEX invoices_newest_first ON public.invoices USING btree (organization_id, created_at DESC, id DESC) WHERE (restricted_at IS NULL);

CREATE INDEX invoices_of_customer ON public.invoices USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX invoices_of_run ON public.invoices USING btree (organization_id, run_id) WHERE (run_id IS NOT NULL);

CREATE INDEX invoices_of_status ON public.invoices USING btree (organization_id, status, created_at DESC, id DESC) WHERE (restricted_at IS NULL);

CREATE INDEX invoices_of_subscription ON public.invoices USING btree (organization_id, subscription_id, created_at DESC, id DESC);

CREATE INDEX invoices_of_type ON public.invoices USING btree (organization_id, type, created_at DESC, id DESC) WHERE (restricted_at IS NULL);

CREATE UNIQUE INDEX invoices_one_exit_summary ON public.invoices USING btree (organization_id, subscription_id) WHERE ((type = 'exit_summary'::text) AND (status <> 'voided'::text));

CREATE UNIQUE INDEX invoices_one_of_period ON public.invoices USING btree (organization_id, subscription_id, period_number) WHERE ((type = ANY (ARRAY['usage'::text, 'exit_summary'::text])) AND (status <> 'voided'::text));

CREATE UNIQUE INDEX invoices_one_prepayment ON public.invoices USING btree (organization_id, subscription_id, period_start) WHERE ((type = 'prepayment'::text) AND (status <> 'voided'::text));

CREATE INDEX invoices_open_of_total ON public.invoices USING btree (organization_id, total, due_on, id) WHERE (status = 'open'::text);

CREATE INDEX invoices_searched ON public.invoices USING gin (organization_id, subscription_id extensions.gin_trgm_ops);

CREATE INDEX invoices_started ON public.invoices USING btree (organization_id, period_start) WHERE (restricted_at IS NULL);

CREATE INDEX invoices_to_remove ON public.invoices USING btree (retain_until);

CREATE INDEX invoices_without_exit_summaries ON public.invoices USING btree (organization_id, created_at DESC, id DESC) WHERE ((restricted_at IS NULL) AND (type <> 'exit_summary'::text));

CREATE INDEX job_runs_failed ON public.job_runs USING btree (finished_at DESC, id DESC) WHERE (state = 'failed'::text);

CREATE INDEX job_runs_finished ON public.job_runs USING btree (finished_at) WHERE (state = ANY (ARRAY['done'::text, 'failed'::text]));

CREATE UNIQUE INDEX job_runs_once ON public.job_runs USING btree (organization_id, job, key) NULLS NOT DISTINCT WHERE (key IS NOT NULL);

CREATE INDEX job_runs_running ON public.job_runs USING btree (heartbeat_at) WHERE (state = 'running'::text);

CREATE INDEX job_runs_set_by_engine ON public.job_runs USING btree (next_at) WHERE ((state = 'queued'::text) AND ((schedule IS NOT NULL) OR (next_at > due_at)));

CREATE INDEX job_runs_turns ON public.job_runs USING btree (lane, started_at) WHERE (started_at IS NOT NULL);

CREATE INDEX job_runs_waiting ON public.job_runs USING btree (lane, next_at, id) WHERE (state = 'queued'::text);

CREATE INDEX late_quarter_hours_equal ON public.late_quarter_hours USING btree (asset_id, start, quarter_hours);

CREATE INDEX late_quarter_hours_in_turn ON public.late_quarter_hours USING btree (organization, id);

CREATE INDEX late_quarter_hours_oldest ON public.late_quarter_hours USING btree (organization, queued_at);

CREATE INDEX leads_newest_first ON public.leads USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX leads_of_email ON public.leads USING btree (organization_id, lower((details #>> '{customer,email}'::text[]))) WHERE (subscription_id IS NULL);

CREATE INDEX leads_without_contract ON public.leads USING btree (organization_id, created_at) WHERE (subscription_id IS NULL);

CREATE INDEX load_forecasts_ended ON public.load_forecasts USING btree (organization_id, ends_at);

CREATE INDEX load_forecasts_of_day ON public.load_forecasts USING btree (organization_id, delivery_on, subscription_id, purchase DESC);

CREATE INDEX magic_links_by_expiry ON public.magic_links USING btree (organization_id, expires_at);

CREATE INDEX market_partners_newest_first ON public.market_partners USING btree (created_at DESC, id DESC);

CREATE INDEX market_partners_of_name ON public.market_partners USING btree (name, created_at DESC, id DESC);

CREATE INDEX market_partners_searched ON public.market_partners USING gin (name_search extensions.gin_trgm_ops, code extensions.gin_trgm_ops);

CREATE INDEX meter_changes_of_customer ON public.meter_changes USING btree (organization_id, customer_id, number) WHERE (number IS NOT NULL);

CREATE INDEX meter_changes_of_number ON public.meter_changes USING btree (organization_id, number) WHERE (number IS NOT NULL);

CREATE INDEX meter_changes_updated ON public.meter_changes USING btree (organization_id, updated_at);

CREATE INDEX meter_orders_newest_first ON public.meter_orders USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX meter_orders_of_customer ON public.meter_orders USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX meter_orders_of_product ON public.meter_orders USING btree (organization_id, product, created_at DESC, id DESC);

CREATE INDEX meter_orders_of_public_status ON public.meter_orders USING btree (organization_id, public_status, created_at DESC, id DESC);

CREATE INDEX meter_orders_of_status ON public.meter_orders USING btree (organization_id, status, created_at DESC, id DESC);

CREATE INDEX meter_orders_searched ON public.meter_orders USING gin (organization_id, customer_id extensions.gin_trgm_ops, subscription_id extensions.gin_trgm_ops);

CREATE INDEX meter_orders_to_act ON public.meter_orders USING btree (organization_id, (
CASE
    WHEN (status = ANY (ARRAY['installation_scheduled'::text, 'installation_waiting'::text])) THEN COALESCE(appointment_at, updated_at)
    ELSE updated_at
END), id) WHERE (status = ANY (ARRAY['waiting'::text, 'blocked'::text, 'blocked_wim'::text, 'installation_scheduled'::text, 'installation_waiting'::text]));

CREATE INDEX meter_orders_updated ON public.meter_orders USING btree (organization_id, updated_at);

CREATE INDEX meter_readings_newest_first ON public.meter_readings USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX meter_readings_of_customer ON public.meter_readings USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX meter_readings_of_meter ON public.meter_readings USING btree (organization_id, meter_id, read_on);

CREATE INDEX meter_readings_of_subscription ON public.meter_readings USING btree (organization_id, subscription_id, created_at DESC, id DESC);

CREATE INDEX meter_readings_of_type ON public.meter_readings USING btree (organization_id, type, created_at DESC, id DESC);

CREATE INDEX meter_readings_oldest ON public.meter_readings USING btree (read_on);

CREATE UNIQUE INDEX meter_readings_one_a_day ON public.meter_readings USING btree (organization_id, meter_id, register, read_on) WHERE ((type <> 'grid_estimation'::text) AND (withdrawn_at IS NULL));

CREATE INDEX meter_readings_searched ON public.meter_readings USING gin (organization_id, subscription_id extensions.gin_trgm_ops);

CREATE INDEX meter_readings_withdrawn ON public.meter_readings USING btree (organization_id, withdrawn_at) WHERE (withdrawn_at IS NOT NULL);

CREATE INDEX meters_first_type_changed ON public.meters USING btree (organization_id, first_type_changed_at) WHERE (first_type_changed_at IS NOT NULL);

CREATE INDEX meters_of_customer ON public.meters USING btree (organization_id, customer_id, number);

CREATE INDEX meters_of_market_location ON public.meters USING btree (organization_id, malo) WHERE (malo IS NOT NULL);

CREATE INDEX meters_of_metering_location ON public.meters USING btree (organization_id, melo) WHERE (melo IS NOT NULL);

CREATE INDEX meters_of_number ON public.meters USING btree (organization_id, number);

CREATE INDEX one_time_codes_by_age ON public.one_time_codes USING btree (organization_id, created_at);

CREATE INDEX one_time_codes_of_address ON public.one_time_codes USING btree (organization_id, address_hash, created_at);

CREATE INDEX one_time_codes_of_client ON public.one_time_codes USING btree (organization_id, client_id, created_at) WHERE signs_up;

CREATE INDEX one_time_codes_of_network ON public.one_time_codes USING btree (organization_id, network_hash, created_at) WHERE signs_up;

CREATE INDEX one_time_codes_of_request ON public.one_time_codes USING btree (organization_id, request_id, id);

CREATE INDEX organizations_changed ON public.organizations USING btree (changed_in) WHERE (changed_in IS NOT NULL);

CREATE INDEX payment_files_newest_first ON public.payment_files USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX payment_files_to_remove ON public.payment_files USING btree (created_at);

CREATE INDEX payment_methods_of_account ON public.payment_methods USING btree (organization_id, iban);

CREATE INDEX payments_newest_first ON public.payments USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX payments_not_final ON public.payments USING btree (organization_id, final_on) WHERE (status = 'credited'::text);

CREATE INDEX payments_of_block ON public.payments USING btree (organization_id, block_id) WHERE (block_id IS NOT NULL);

CREATE INDEX payments_of_customer ON public.payments USING btree (organization_id, customer_id);

CREATE INDEX payments_of_entry ON public.payments USING btree (organization_id, bank_entry_id) WHERE (bank_entry_id IS NOT NULL);

CREATE INDEX payments_of_file ON public.payments USING btree (organization_id, file_id) WHERE (file_id IS NOT NULL);

CREATE INDEX payments_of_invoice ON public.payments USING btree (organization_id, invoice_id);

CREATE INDEX payments_of_mandate ON public.payments USING btree (organization_id, payment_method_id) WHERE (payment_method_id IS NOT NULL);

CREATE UNIQUE INDEX payments_one_under_way ON public.payments USING btree (organization_id, invoice_id) WHERE (status = 'requested'::text);

CREATE INDEX plan_terms_history_of_plan ON public.plan_terms_history USING btree (organization_id, plan_id, id);

CREATE INDEX plan_terms_prices_changed ON public.plan_terms USING btree (organization_id, prices_changed_at) WHERE (prices_changed_at IS NOT NULL);

CREATE INDEX plans_newest_first ON public.plans USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX plans_of_status ON public.plans USING btree (organization_id, status, created_at DESC, id DESC);

CREATE INDEX portal_sessions_by_expiry ON public.portal_sessions USING btree (organization_id, expires_at);

CREATE INDEX price_alarms_of_day ON public.price_alarms USING btree (zone, delivery_on, raised_at DESC, id DESC);

CREATE INDEX price_alarms_of_fetch ON public.price_alarms USING btree (fetch_id);

CREATE UNIQUE INDEX price_alarms_open ON public.price_alarms USING btree (zone, kind, source, delivery_on) NULLS NOT DISTINCT WHERE (resolved_at IS NULL);

CREATE INDEX price_day_changes_changed ON public.price_day_changes USING btree (changed_at);

CREATE INDEX price_fetches_covering ON public.price_fetches USING gist (zone, daterange(delivery_from, delivery_to, '[]'::text));

CREATE INDEX price_fetches_licensed ON public.price_fetches USING btree (source, captured_at DESC, id DESC) WHERE ((interval_count > 0) AND (licence_text IS NOT NULL));

CREATE INDEX price_fetches_newest ON public.price_fetches USING btree (source, captured_at DESC);

CREATE INDEX price_fetches_of_days ON public.price_fetches USING btree (zone, delivery_from, delivery_to);

CREATE INDEX price_fetches_of_payload ON public.price_fetches USING btree (payload_hash);

CREATE INDEX price_forecast_captures_newest ON public.price_forecast_captures USING btree (zone, source, captured_at DESC);

CREATE INDEX price_forecast_days_choice ON public.price_forecast_days USING btree (zone, delivery_on, captured_at DESC, capture_id DESC) WHERE complete;

CREATE INDEX price_payloads_unjudged ON public.price_payloads USING btree (first_captured_at) WHERE (NOT is_kept);

CREATE INDEX price_revisions_of_fetch ON public.price_revisions USING btree (fetch_id);

CREATE INDEX reference_changes_changed ON public.reference_changes USING btree (changed_at);

CREATE INDEX reference_history_of_table ON public.reference_history USING btree (reference_table, changed_at);

CREATE INDEX refresh_tokens_by_expiry ON public.refresh_tokens USING btree (organization_id, expires_at);

CREATE INDEX refresh_tokens_of_grant ON public.refresh_tokens USING btree (organization_id, grant_id);

CREATE INDEX request_days_by_day ON public.request_days USING btree (day);

CREATE INDEX request_log_of_request ON public.request_log USING btree (organization_id, request_id);

CREATE INDEX request_log_refused ON public.request_log USING btree (organization_id, created_at, id) WHERE (status >= 400);

CREATE INDEX request_minutes_by_minute ON public.request_minutes USING btree (minute);

CREATE INDEX revoked_tokens_by_expiry ON public.revoked_tokens USING btree (organization_id, expires_at);

CREATE INDEX revoked_tokens_changed ON public.revoked_tokens USING btree (changed_in) WHERE (changed_in IS NOT NULL);

CREATE INDEX settled_usage_months_changed ON public.settled_usage_months USING btree (organization_id, changed_at) WHERE (changed_at IS NOT NULL);

CREATE INDEX spot_prices_of_day ON public.spot_prices USING btree (zone, delivery_on);

CREATE INDEX subscriptions_bills_changed ON public.subscriptions USING btree (organization_id, bills_changed_at) WHERE (bills_changed_at IS NOT NULL);

CREATE INDEX subscriptions_newest_first ON public.subscriptions USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX subscriptions_of_customer ON public.subscriptions USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX subscriptions_of_household ON public.subscriptions USING btree (organization_id, household_id, created_at DESC, id DESC);

CREATE INDEX subscriptions_of_meter ON public.subscriptions USING btree (organization_id, meter_id);

CREATE INDEX subscriptions_of_plan ON public.subscriptions USING btree (organization_id, plan_id, created_at DESC, id DESC);

CREATE INDEX subscriptions_of_status ON public.subscriptions USING btree (organization_id, status, created_at DESC, id DESC);

CREATE INDEX subscriptions_of_type ON public.subscriptions USING btree (organization_id, type, created_at DESC, id DESC);

CREATE INDEX subscriptions_searched ON public.subscriptions USING gin (organization_id, customer_id extensions.gin_trgm_ops, household_id extensions.gin_trgm_ops, plan_id extensions.gin_trgm_ops);

CREATE INDEX subscriptions_to_begin ON public.subscriptions USING btree (organization_id, start_at) WHERE (status = 'pending'::text);

CREATE INDEX subscriptions_to_end ON public.subscriptions USING btree (organization_id, end_at) WHERE (status <> 'ended'::text);

CREATE INDEX subscriptions_unconfirmed ON public.subscriptions USING btree (organization_id, created_at, id) WHERE ((status = 'pending'::text) AND (start_at IS NULL));

CREATE INDEX subscriptions_updated ON public.subscriptions USING btree (organization_id, updated_at);

CREATE INDEX subscriptions_with_smart_meter ON public.subscriptions USING btree (organization_id, meter_id) WHERE (meter_type = 'smart'::text);

CREATE INDEX usage_days_oldest ON public.usage_days USING btree (day);

CREATE INDEX wrong_one_time_codes_by_age ON public.wrong_one_time_codes USING btree (organization_id, created_at);

CREATE INDEX wrong_one_time_codes_lengthening ON public.wrong_one_time_codes USING btree (organization_id, address_hash, created_at) WHERE lengthens;

CREATE INDEX wrong_one_time_codes_of_address ON public.wrong_one_time_codes USING btree (organization_id, address_hash, created_at);

CREATE OR REPLACE VIEW measured.contracts AS
 SELECT c.organization_id,
    c.id,
    c.type,
    c.plan_id,
    c.household_id,
    c.address_id,
    c.start_at,
    c.end_at,
    smart.days AS smart_days
   FROM (public.subscriptions c
     CROSS JOIN LATERAL ( SELECT range_agg(daterange(m.valid_from, m.valid_until)) AS days
           FROM analytics.meters m
          WHERE ((m.organization_id = c.organization_id) AND (m.meter = c.meter_id) AND (m.type = 'smart'::text))) smart)
  GROUP BY c.organization_id, c.id, smart.days;

CREATE CONSTRAINT TRIGGER check_invoice_status AFTER UPDATE OF status ON public.invoices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.status IS DISTINCT FROM old.status)) EXECUTE FUNCTION public.check_invoice_status();

CREATE CONSTRAINT TRIGGER check_invoice_status_of_new AFTER INSERT ON public.invoices DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.status <> 'open'::text)) EXECUTE FUNCTION public.check_invoice_status();

CREATE CONSTRAINT TRIGGER check_issued AFTER INSERT OR UPDATE OF last_number ON public.invoice_ledgers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.check_issued();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.benchmarks FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.concession_fees FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.eeg_rates FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.energy_mixes FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.grid_fee_schedules FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.grid_fees FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.grid_operators FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.levies FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.load_profiles FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.market_values FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.metering_fees FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.savings_parameters FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.usage_groups FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.vat_rates FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER counted_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.zip_areas FOR EACH STATEMENT EXECUTE FUNCTION public.count_reference_change();

CREATE TRIGGER give_asset_key BEFORE INSERT ON public.assets FOR EACH ROW WHEN ((new.key = 0)) EXECUTE FUNCTION public.give_asset_key();

CREATE TRIGGER keep_invoice BEFORE DELETE OR UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION public.keep_invoice();

CREATE TRIGGER keep_invoice_part BEFORE DELETE OR UPDATE ON public.invoice_files FOR EACH ROW EXECUTE FUNCTION public.keep_invoice_part();

CREATE TRIGGER keep_invoice_part BEFORE DELETE OR UPDATE ON public.invoice_lines FOR EACH ROW EXECUTE FUNCTION public.keep_invoice_part();

CREATE TRIGGER kept_for_good BEFORE DELETE OR UPDATE OR TRUNCATE ON public.price_forecast_captures FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER kept_for_good BEFORE DELETE OR UPDATE OR TRUNCATE ON public.price_forecast_days FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER kept_for_good BEFORE DELETE OR UPDATE OR TRUNCATE ON public.price_forecast_frozen FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER kept_for_good BEFORE DELETE OR UPDATE OR TRUNCATE ON public.price_forecast_values FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

CREATE TRIGGER move_invoice_ledger BEFORE INSERT OR UPDATE ON public.invoice_ledgers FOR EACH ROW EXECUTE FUNCTION public.move_invoice_ledger();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.assets FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.auth_clients FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.customers FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.grid_fee_reductions FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.households FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.issuers FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.market_partners FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.meter_changes FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.meter_orders FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.meters FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.organization_brands FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.organizations FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.payments FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.plans FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON public.subscriptions FOR EACH ROW EXECUTE FUNCTION public.move_updated_at();

CREATE TRIGGER name_organization BEFORE INSERT ON public.late_quarter_hours FOR EACH ROW EXECUTE FUNCTION public.name_late_organization();

CREATE TRIGGER note_changed_reduction AFTER INSERT OR UPDATE OF valid_from, valid_until ON public.grid_fee_reductions FOR EACH ROW EXECUTE FUNCTION public.note_changed_reduction();

CREATE TRIGGER note_transaction BEFORE INSERT OR UPDATE ON public.assets FOR EACH ROW EXECUTE FUNCTION public.note_transaction();

CREATE TRIGGER note_transaction BEFORE UPDATE OF disabled_at, rate_per_second, rate_burst ON public.auth_clients FOR EACH ROW EXECUTE FUNCTION public.note_transaction();

CREATE TRIGGER note_transaction BEFORE UPDATE OF revoked_at ON public.grants FOR EACH ROW EXECUTE FUNCTION public.note_transaction();

CREATE TRIGGER note_transaction BEFORE UPDATE OF standing ON public.organizations FOR EACH ROW EXECUTE FUNCTION public.note_transaction();

CREATE TRIGGER note_transaction BEFORE INSERT ON public.revoked_tokens FOR EACH ROW EXECUTE FUNCTION public.note_transaction();

CREATE TRIGGER one_kind BEFORE INSERT ON public.price_fetches FOR EACH ROW WHEN ((new.interval_count > 0)) EXECUTE FUNCTION public.keep_price_kind();

CREATE TRIGGER refuse_later_lines AFTER INSERT ON public.invoice_lines REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_later_lines();

CREATE TRIGGER refuse_other_numbers AFTER INSERT ON public.invoices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_other_numbers();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.invoice_files FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.invoice_lines FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.invoices FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

CREATE TRIGGER restrict_assets AFTER UPDATE OF restricted_at ON public.customers FOR EACH ROW WHEN (((old.restricted_at IS NULL) <> (new.restricted_at IS NULL))) EXECUTE FUNCTION public.restrict_assets();

CREATE TRIGGER restrict_new_asset BEFORE INSERT ON public.assets FOR EACH ROW EXECUTE FUNCTION public.restrict_new_asset();

CREATE TRIGGER set_audit_instant BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.set_audit_instant();

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.analysts
    ADD CONSTRAINT analysts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_household_id_customer_id_fkey FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES public.households(organization_id, id, customer_id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_household_id_parent_inverter_fkey FOREIGN KEY (organization_id, household_id, parent_inverter) REFERENCES public.assets(organization_id, household_id, id);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.authorization_codes
    ADD CONSTRAINT authorization_codes_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.authorization_codes
    ADD CONSTRAINT authorization_codes_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.authorization_codes
    ADD CONSTRAINT authorization_codes_organization_id_grant_id_fkey FOREIGN KEY (organization_id, grant_id) REFERENCES public.grants(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.authorization_requests
    ADD CONSTRAINT authorization_requests_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.authorization_requests
    ADD CONSTRAINT authorization_requests_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.bank_entries
    ADD CONSTRAINT bank_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.billing_portions
    ADD CONSTRAINT billing_portions_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES public.billing_runs(organization_id, id);

ALTER TABLE ONLY public.billing_refusals
    ADD CONSTRAINT billing_refusals_organization_id_customer_id_subscription__fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.billing_runs
    ADD CONSTRAINT billing_runs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.billing_terms
    ADD CONSTRAINT billing_terms_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.client_secrets
    ADD CONSTRAINT client_secrets_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.console_forms
    ADD CONSTRAINT console_forms_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.console_users(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.console_users(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.console_users
    ADD CONSTRAINT console_users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_organization_id_event_id_endpoint_id_fkey FOREIGN KEY (organization_id, event_id, endpoint_id) REFERENCES public.event_deliveries(organization_id, event_id, endpoint_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dunning_holds
    ADD CONSTRAINT dunning_holds_organization_id_customer_id_invoice_id_fkey FOREIGN KEY (organization_id, customer_id, invoice_id) REFERENCES public.invoices(organization_id, customer_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dunning_steps
    ADD CONSTRAINT dunning_steps_organization_id_customer_id_invoice_id_fkey FOREIGN KEY (organization_id, customer_id, invoice_id) REFERENCES public.invoices(organization_id, customer_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_deliveries
    ADD CONSTRAINT event_deliveries_organization_id_endpoint_id_fkey FOREIGN KEY (organization_id, endpoint_id) REFERENCES public.webhook_endpoints(organization_id, id);

ALTER TABLE ONLY public.event_deliveries
    ADD CONSTRAINT event_deliveries_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.grid_fee_reductions
    ADD CONSTRAINT grid_fee_reductions_organization_id_customer_id_subscripti_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_organization_id_customer_id_address_id_fkey FOREIGN KEY (organization_id, customer_id, address_id) REFERENCES public.addresses(organization_id, customer_id, id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.invoice_files
    ADD CONSTRAINT invoice_files_organization_id_customer_id_invoice_id_fkey FOREIGN KEY (organization_id, customer_id, invoice_id) REFERENCES public.invoices(organization_id, customer_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invoice_ledgers
    ADD CONSTRAINT invoice_ledgers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.invoice_lines
    ADD CONSTRAINT invoice_lines_organization_id_customer_id_invoice_id_fkey FOREIGN KEY (organization_id, customer_id, invoice_id) REFERENCES public.invoices(organization_id, customer_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_organization_id_customer_id_voids_fkey FOREIGN KEY (organization_id, customer_id, voids) REFERENCES public.invoices(organization_id, customer_id, id);

ALTER TABLE ONLY public.issuers
    ADD CONSTRAINT issuers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_organization_id_plan_id_fkey FOREIGN KEY (organization_id, plan_id) REFERENCES public.plans(organization_id, id);

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES public.subscriptions(organization_id, id);

ALTER TABLE ONLY public.load_forecasts
    ADD CONSTRAINT load_forecasts_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.magic_links
    ADD CONSTRAINT magic_links_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.meter_changes
    ADD CONSTRAINT meter_changes_organization_id_customer_id_meter_id_fkey FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES public.meters(organization_id, customer_id, id);

ALTER TABLE ONLY public.meter_orders
    ADD CONSTRAINT meter_orders_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.meter_readings
    ADD CONSTRAINT meter_readings_organization_id_customer_id_meter_id_fkey FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES public.meters(organization_id, customer_id, id);

ALTER TABLE ONLY public.meter_readings
    ADD CONSTRAINT meter_readings_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.meters
    ADD CONSTRAINT meters_organization_id_household_id_customer_id_fkey FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES public.households(organization_id, id, customer_id);

ALTER TABLE ONLY public.one_time_codes
    ADD CONSTRAINT one_time_codes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.organization_brands
    ADD CONSTRAINT organization_brands_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.payment_files
    ADD CONSTRAINT payment_files_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.payment_methods
    ADD CONSTRAINT payment_methods_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_organization_id_bank_entry_id_fkey FOREIGN KEY (organization_id, bank_entry_id) REFERENCES public.bank_entries(organization_id, id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_organization_id_customer_id_invoice_id_fkey FOREIGN KEY (organization_id, customer_id, invoice_id) REFERENCES public.invoices(organization_id, customer_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_organization_id_customer_id_payment_method_id_fkey FOREIGN KEY (organization_id, customer_id, payment_method_id) REFERENCES public.payment_methods(organization_id, customer_id, id);

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_organization_id_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES public.payment_files(organization_id, id);

ALTER TABLE ONLY public.plan_terms_history
    ADD CONSTRAINT plan_terms_history_organization_id_plan_id_fkey FOREIGN KEY (organization_id, plan_id) REFERENCES public.plans(organization_id, id);

ALTER TABLE ONLY public.plan_terms
    ADD CONSTRAINT plan_terms_organization_id_plan_id_fkey FOREIGN KEY (organization_id, plan_id) REFERENCES public.plans(organization_id, id);

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.portal_sessions
    ADD CONSTRAINT portal_sessions_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.price_alarms
    ADD CONSTRAINT price_alarms_fetch_id_fkey FOREIGN KEY (fetch_id) REFERENCES public.price_fetches(id);

ALTER TABLE ONLY public.price_day_changes
    ADD CONSTRAINT price_day_changes_zone_delivery_on_fkey FOREIGN KEY (zone, delivery_on) REFERENCES public.price_days(zone, delivery_on);

ALTER TABLE ONLY public.price_day_sums
    ADD CONSTRAINT price_day_sums_zone_delivery_on_fkey FOREIGN KEY (zone, delivery_on) REFERENCES public.price_days(zone, delivery_on) ON DELETE CASCADE;

ALTER TABLE ONLY public.price_forecast_captures
    ADD CONSTRAINT price_forecast_captures_fetch_id_fkey FOREIGN KEY (fetch_id) REFERENCES public.price_fetches(id);

ALTER TABLE ONLY public.price_forecast_days
    ADD CONSTRAINT price_forecast_days_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.price_forecast_captures(id);

ALTER TABLE ONLY public.price_forecast_frozen
    ADD CONSTRAINT price_forecast_frozen_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.price_forecast_captures(id);

ALTER TABLE ONLY public.price_forecast_values
    ADD CONSTRAINT price_forecast_values_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.price_forecast_captures(id);

ALTER TABLE ONLY public.price_revisions
    ADD CONSTRAINT price_revisions_fetch_id_fkey FOREIGN KEY (fetch_id) REFERENCES public.price_fetches(id);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_organization_id_grant_id_fkey FOREIGN KEY (organization_id, grant_id) REFERENCES public.grants(organization_id, id);

ALTER TABLE ONLY public.replaced_usage
    ADD CONSTRAINT replaced_usage_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.request_days
    ADD CONSTRAINT request_days_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.request_minutes
    ADD CONSTRAINT request_minutes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.revoked_tokens
    ADD CONSTRAINT revoked_tokens_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.settled_usage_months
    ADD CONSTRAINT settled_usage_months_organization_id_customer_id_subscript_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.spot_prices
    ADD CONSTRAINT spot_prices_zone_source_interval_start_minutes_revision_fkey FOREIGN KEY (zone, source, interval_start, minutes, revision) REFERENCES public.price_revisions(zone, source, interval_start, minutes, revision);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_customer_id_address_id_fkey FOREIGN KEY (organization_id, customer_id, address_id) REFERENCES public.addresses(organization_id, customer_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_customer_id_billing_address__fkey FOREIGN KEY (organization_id, customer_id, billing_address_id) REFERENCES public.addresses(organization_id, customer_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_customer_id_meter_id_fkey FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES public.meters(organization_id, customer_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_customer_id_payment_method_i_fkey FOREIGN KEY (organization_id, customer_id, payment_method_id) REFERENCES public.payment_methods(organization_id, customer_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_household_id_customer_id_fkey FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES public.households(organization_id, id, customer_id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_organization_id_plan_id_type_fkey FOREIGN KEY (organization_id, plan_id, type) REFERENCES public.plans(organization_id, id, type);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_supplier_id_fkey FOREIGN KEY (supplier_id) REFERENCES public.market_partners(id);

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_organization_id_customer_id_subscription_id_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.usage_quarter_hours
    ADD CONSTRAINT usage_quarter_hours_organization_id_customer_id_subscripti_fkey FOREIGN KEY (organization_id, customer_id, subscription_id) REFERENCES public.subscriptions(organization_id, customer_id, id);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.wrong_one_time_codes
    ADD CONSTRAINT wrong_one_time_codes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

CREATE POLICY across_organizations ON public.assets FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.audit_log FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.auth_clients FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.authorization_codes FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.authorization_requests FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.billing_refusals FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.console_sessions FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.console_users FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.event_deliveries FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.grants FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.invoice_ledgers FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.invoice_lines FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.invoices FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.job_runs TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.magic_links FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.organizations FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.payments FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.portal_sessions FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.request_days FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.request_minutes FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.revoked_tokens FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.webhook_endpoints FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE public.addresses ENABLE ROW LEVEL SECURITY;

CREATE POLICY analysts ON public.addresses FOR SELECT TO voltstream_analyst_reader USING (true);

ALTER TABLE public.analysts ENABLE ROW LEVEL SECURITY;

CREATE POLICY analysts ON public.assets FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.billing_refusals FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.billing_terms FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.customers FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.dunning_steps FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.event_deliveries FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.events FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.grid_fee_reductions FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.households FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.invoice_lines FOR SELECT TO voltstream_analyst_reader USING ((restricted_at IS NULL));

CREATE POLICY analysts ON public.invoices FOR SELECT TO voltstream_analyst_reader USING ((restricted_at IS NULL));

CREATE POLICY analysts ON public.leads FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.load_forecasts FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.meter_changes FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.meter_orders FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.meter_readings FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.meters FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.organizations FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.payments FOR SELECT TO voltstream_analyst_reader USING ((restricted_at IS NULL));

CREATE POLICY analysts ON public.plan_terms FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.plans FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.settled_usage_months FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.subscriptions FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.usage_days FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.usage_quarter_hours FOR SELECT TO voltstream_analyst_reader USING (true);

CREATE POLICY analysts ON public.webhook_endpoints FOR SELECT TO voltstream_analyst_reader USING (true);

ALTER TABLE public.assets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.auth_clients ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.authorization_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.authorization_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.bank_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.billing_portions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.billing_refusals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.billing_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.billing_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.client_secrets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.console_forms ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.console_sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.console_users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.delivery_attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dunning_holds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dunning_steps ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

CREATE POLICY finance ON public.bank_entries FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.invoice_files FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.invoice_ledgers FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.invoice_lines FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.invoices FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.issuers FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.payment_files FOR SELECT TO voltstream_finance USING (true);

CREATE POLICY finance ON public.payments FOR SELECT TO voltstream_finance USING (true);

ALTER TABLE public.grants ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.grid_fee_reductions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.households ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invoice_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invoice_ledgers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invoice_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invoices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.issuers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.leads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.load_forecasts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.magic_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.meter_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.meter_orders ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.meter_readings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.meters ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.one_time_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organization_brands ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organizations ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_organization ON public.organizations USING ((id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")));

CREATE POLICY own_rows ON public.addresses USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.analysts USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.assets USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.audit_log USING ((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif"))) WITH CHECK ((NOT (organization_id IS DISTINCT FROM ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif"))));

CREATE POLICY own_rows ON public.auth_clients USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.authorization_codes USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.authorization_requests USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.bank_entries USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) AND (restricted_at IS NULL)));

CREATE POLICY own_rows ON public.billing_portions USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.billing_refusals USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.billing_runs USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.billing_terms USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.client_secrets USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.console_forms USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.console_sessions USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.console_users USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.customers USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.delivery_attempts USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.dunning_holds USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.dunning_steps USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.event_deliveries USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.events USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ( SELECT (NULLIF(current_setting('app.customer'::text, true), ''::text) IS NULL))));

CREATE POLICY own_rows ON public.grants USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.grid_fee_reductions USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.households USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.idempotency_keys USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.invoice_files USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif"))) AND (restricted_at IS NULL)));

CREATE POLICY own_rows ON public.invoice_ledgers USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.invoice_lines USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif"))) AND (restricted_at IS NULL)));

CREATE POLICY own_rows ON public.invoices USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif"))) AND (restricted_at IS NULL)));

CREATE POLICY own_rows ON public.issuers USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.job_runs USING ((((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) OR ((organization_id IS NULL) AND (( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif") IS NULL))) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL))) WITH CHECK ((NOT (organization_id IS DISTINCT FROM ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif"))));

CREATE POLICY own_rows ON public.leads USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.load_forecasts USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.magic_links USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.meter_changes USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.meter_orders USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.meter_readings USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.meters USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.one_time_codes USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.organization_brands USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.payment_files USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) AND (restricted_at IS NULL)));

CREATE POLICY own_rows ON public.payment_methods USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.payments USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif"))) AND (restricted_at IS NULL)));

CREATE POLICY own_rows ON public.plan_terms USING ((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")));

CREATE POLICY own_rows ON public.plan_terms_history USING ((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")));

CREATE POLICY own_rows ON public.plans USING ((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")));

CREATE POLICY own_rows ON public.portal_sessions USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.refresh_tokens USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.replaced_usage USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.request_days USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.request_log USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.request_minutes USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.revoked_tokens USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.settled_usage_months USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.subscriptions USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.usage_days USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.usage_quarter_hours USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.webhook_endpoints USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.wrong_one_time_codes USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

ALTER TABLE public.payment_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payment_methods ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.plan_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.plan_terms_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.plans ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.portal_sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refresh_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.replaced_usage ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.request_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.request_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.request_minutes ENABLE ROW LEVEL SECURITY;

CREATE POLICY restriction_for_analysts ON public.addresses AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.assets AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING ((NOT is_restricted));

CREATE POLICY restriction_for_analysts ON public.authorization_codes AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.billing_refusals AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.billing_terms AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.customers AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? id))));

CREATE POLICY restriction_for_analysts ON public.dunning_holds AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.dunning_steps AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.events AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? COALESCE((context ->> 'subscription'::text), ''::text)))));

CREATE POLICY restriction_for_analysts ON public.grid_fee_reductions AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.households AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.invoice_files AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.invoice_lines AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.invoices AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.leads AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? COALESCE(subscription_id, id)))));

CREATE POLICY restriction_for_analysts ON public.load_forecasts AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.magic_links AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.meter_changes AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.meter_orders AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.meter_readings AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.meters AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.payment_methods AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.payments AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.portal_sessions AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.replaced_usage AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.settled_usage_months AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.subscriptions AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_analysts ON public.usage_days AS RESTRICTIVE FOR SELECT TO voltstream_analyst_reader USING (((NOT (EXISTS ( SELECT
   FROM public.restricted_ids))) OR (NOT (( SELECT jsonb_object_agg(r.id, true) AS jsonb_object_agg
   FROM public.restricted_ids r) ? customer_id))));

CREATE POLICY restriction_for_app ON public.addresses AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.assets AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.authorization_codes AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.billing_refusals AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.billing_terms AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.customers AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? id))));

CREATE POLICY restriction_for_app ON public.dunning_holds AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.dunning_steps AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.events AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? COALESCE((context ->> 'subscription'::text), ''::text)))));

CREATE POLICY restriction_for_app ON public.grid_fee_reductions AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.households AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.invoice_files AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.invoice_lines AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.invoices AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.leads AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? COALESCE(subscription_id, id)))));

CREATE POLICY restriction_for_app ON public.load_forecasts AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.magic_links AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.meter_changes AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.meter_orders AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.meter_readings AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.meters AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.payment_methods AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.payments AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.portal_sessions AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.replaced_usage AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.settled_usage_months AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.subscriptions AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.usage_days AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_app ON public.usage_quarter_hours AS RESTRICTIVE FOR SELECT TO voltstream_app USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

CREATE POLICY restriction_for_snapshot_reader ON public.assets AS RESTRICTIVE FOR SELECT TO voltstream_snapshot_reader USING ((( SELECT (COALESCE(current_setting('app.hidden'::text, true), ''::text) = ''::text)) OR (NOT (( SELECT jsonb_object(string_to_array(current_setting('app.hidden'::text, true), ','::text), string_to_array(current_setting('app.hidden'::text, true), ','::text)) AS jsonb_object) ? customer_id))));

ALTER TABLE public.revoked_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.settled_usage_months ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.subscriptions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_quarter_hours ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_endpoints ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.wrong_one_time_codes ENABLE ROW LEVEL SECURITY;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO voltstream_app;
GRANT USAGE ON SCHEMA public TO voltstream_maintenance;
GRANT USAGE ON SCHEMA public TO voltstream_snapshot_reader;
GRANT USAGE ON SCHEMA public TO voltstream_system_reader;
GRANT USAGE ON SCHEMA public TO voltstream_analyst_reader;
GRANT USAGE ON SCHEMA public TO voltstream_finance;

REVOKE ALL ON FUNCTION pg_catalog.plpgsql_call_handler() FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_owner;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_app;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_maintenance;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_snapshot_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_system_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_analyst_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_call_handler() TO voltstream_finance;

REVOKE ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_owner;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_app;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_maintenance;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_snapshot_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_system_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_analyst_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_inline_handler(internal) TO voltstream_finance;

REVOKE ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) FROM PUBLIC;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_owner;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_app;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_maintenance;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_snapshot_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_system_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_analyst_reader;
GRANT ALL ON FUNCTION pg_catalog.plpgsql_validator(oid) TO voltstream_finance;

REVOKE ALL ON LANGUAGE plpgsql FROM PUBLIC;
GRANT ALL ON LANGUAGE plpgsql TO voltstream_owner;
GRANT ALL ON LANGUAGE plpgsql TO voltstream_app;

REVOKE ALL ON FUNCTION analytics.charging_sessions(begins timestamp with time zone, ends timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION analytics.household_energy_filled(begins timestamp with time zone, ends timestamp with time zone, step text, least_covered double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.advance_days(until date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance_days(until date) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.advance_quarter_hours(until timestamp with time zone, known_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance_quarter_hours(until timestamp with time zone, known_at timestamp with time zone) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_seal_problems() FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_seal_problems() TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job_runs TO voltstream_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.job_runs TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.bring_job_runs_to_now(now_at timestamp with time zone, sign_at timestamp with time zone, retry_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.bring_job_runs_to_now(now_at timestamp with time zone, sign_at timestamp with time zone, retry_at timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.check_invoice_status() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.check_issued() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.check_meter_values_age(older_than date) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.claim_job_run(now_at timestamp with time zone, unknown_before timestamp with time zone, names text[], totals integer[], owns integer[], elsewhere text[], runs_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_job_run(now_at timestamp with time zone, unknown_before timestamp with time zone, names text[], totals integer[], owns integer[], elsewhere text[], runs_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.compare_audit_seals(first_day date, last_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.compare_audit_seals(first_day date, last_day date) TO voltstream_app;

REVOKE ALL ON FUNCTION public.compressed_until(hypertable text) FROM PUBLIC;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organizations TO voltstream_app;
GRANT SELECT ON TABLE public.organizations TO voltstream_system_reader;

GRANT SELECT(id) ON TABLE public.organizations TO voltstream_analyst_reader;

GRANT SELECT(forecast_enabled) ON TABLE public.organizations TO voltstream_analyst_reader;

REVOKE ALL ON FUNCTION public.count_job_runs(now_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_job_runs(now_at timestamp with time zone) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.billing_refusals TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.billing_refusals TO voltstream_system_reader;
GRANT SELECT(organization_id) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(period_start) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(period_end) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(code) ON TABLE public.billing_refusals TO voltstream_system_reader;
GRANT SELECT(code) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(deadline) ON TABLE public.billing_refusals TO voltstream_system_reader;
GRANT SELECT(deadline) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(run_id) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(first_at) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

GRANT SELECT(last_at) ON TABLE public.billing_refusals TO voltstream_analyst_reader;

REVOKE ALL ON FUNCTION public.count_missing_documents(today date, near_until date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_missing_documents(today date, near_until date) TO voltstream_app;

REVOKE ALL ON FUNCTION public.count_reference_change() FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_deliveries TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.event_deliveries TO voltstream_system_reader;
GRANT SELECT(organization_id) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(event_id) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(endpoint_id) ON TABLE public.event_deliveries TO voltstream_system_reader;
GRANT SELECT(endpoint_id) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(state) ON TABLE public.event_deliveries TO voltstream_system_reader;
GRANT SELECT(state) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(attempts_in_all) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(next_at) ON TABLE public.event_deliveries TO voltstream_system_reader;
GRANT SELECT(next_at) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(last_attempt_at) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(delivered_at) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT(last_status) ON TABLE public.event_deliveries TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_endpoints TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(organization_id) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(id) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(topics) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(disabled_at) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(disabled_at) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(created_at) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(kind) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(kind) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(disabled_reason) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(deleted_at) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(deleted_at) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(failing_since) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(failing_since) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(last_success_at) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(last_failure_at) ON TABLE public.webhook_endpoints TO voltstream_system_reader;
GRANT SELECT(last_failure_at) ON TABLE public.webhook_endpoints TO voltstream_analyst_reader;

GRANT SELECT(first_mail_at) ON TABLE public.webhook_endpoints TO voltstream_system_reader;

GRANT SELECT(wait_until) ON TABLE public.webhook_endpoints TO voltstream_system_reader;

GRANT SELECT(served_at) ON TABLE public.webhook_endpoints TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.count_webhook_deliveries(now_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_webhook_deliveries(now_at timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.delete_finished_job_runs(older_than timestamp with time zone, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_finished_job_runs(older_than timestamp with time zone, rows_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.delete_old_days(older_than date, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_days(older_than date, rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.delete_old_invoices(rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_invoices(rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.delete_old_meter_readings(older_than date, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_meter_readings(older_than date, rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.delete_old_usage_days(older_than date, days_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_usage_days(older_than date, days_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.delete_old_vouchers(rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_vouchers(rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.drop_old_quarter_hour_chunks(older_than timestamp with time zone, chunks_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_old_quarter_hour_chunks(older_than timestamp with time zone, chunks_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone, chunks_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone, chunks_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.drop_oldest_chunks(hypertable text, older_than timestamp with time zone, chunks_max integer, OUT dropped bigint, OUT dropped_until timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.end_long_analyst_sessions(statement_limit interval, transaction_limit interval, OUT cancelled integer, OUT ended integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.end_long_analyst_sessions(statement_limit interval, transaction_limit interval, OUT cancelled integer, OUT ended integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.erase_asset_snapshots(asset_key bigint, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_asset_snapshots(asset_key bigint, rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.find_access(grant_id text, client_id text, token_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_access(grant_id text, client_id text, token_id text) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.authorization_codes TO voltstream_app;

GRANT SELECT(hash) ON TABLE public.authorization_codes TO voltstream_system_reader;

GRANT SELECT(organization_id) ON TABLE public.authorization_codes TO voltstream_system_reader;

GRANT SELECT(used_at) ON TABLE public.authorization_codes TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_authorization_code(code_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_authorization_code(code_hash bytea) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.authorization_requests TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.authorization_requests TO voltstream_system_reader;

GRANT SELECT(id) ON TABLE public.authorization_requests TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_authorization_request(request_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_authorization_request(request_id text) TO voltstream_app;

REVOKE ALL ON FUNCTION public.find_changes(seen pg_snapshot, changes_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_changes(seen pg_snapshot, changes_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.find_client(client_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_client(client_id text) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.console_users TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.console_users TO voltstream_system_reader;

GRANT SELECT(id) ON TABLE public.console_users TO voltstream_system_reader;

GRANT SELECT(email) ON TABLE public.console_users TO voltstream_system_reader;

GRANT SELECT(email_lower) ON TABLE public.console_users TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_console_organization(address text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_console_organization(address text) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.console_sessions TO voltstream_app;

GRANT SELECT(hash) ON TABLE public.console_sessions TO voltstream_system_reader;

GRANT SELECT(organization_id) ON TABLE public.console_sessions TO voltstream_system_reader;

GRANT SELECT(user_id) ON TABLE public.console_sessions TO voltstream_system_reader;

GRANT SELECT(expires_at) ON TABLE public.console_sessions TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_console_session(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_console_session(session_hash bytea) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.grants TO voltstream_app;
GRANT SELECT ON TABLE public.grants TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_grant(grant_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_grant(grant_id text) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.magic_links TO voltstream_app;

GRANT SELECT(hash) ON TABLE public.magic_links TO voltstream_system_reader;

GRANT SELECT(organization_id) ON TABLE public.magic_links TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_magic_link(link_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_magic_link(link_hash bytea) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.portal_sessions TO voltstream_app;

GRANT SELECT(hash) ON TABLE public.portal_sessions TO voltstream_system_reader;

GRANT SELECT(organization_id) ON TABLE public.portal_sessions TO voltstream_system_reader;

GRANT SELECT(customer_id) ON TABLE public.portal_sessions TO voltstream_system_reader;

GRANT SELECT(expires_at) ON TABLE public.portal_sessions TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_portal_session(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_portal_session(session_hash bytea) TO voltstream_app;

REVOKE ALL ON FUNCTION public.find_quarter_hour_progress(entries_counted_max integer, OUT summed_until timestamp with time zone, OUT summed_at timestamp with time zone, OUT late_entries bigint, OUT oldest_late_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_quarter_hour_progress(entries_counted_max integer, OUT summed_until timestamp with time zone, OUT summed_at timestamp with time zone, OUT late_entries bigint, OUT oldest_late_at timestamp with time zone) TO voltstream_maintenance;
GRANT ALL ON FUNCTION public.find_quarter_hour_progress(entries_counted_max integer, OUT summed_until timestamp with time zone, OUT summed_at timestamp with time zone, OUT late_entries bigint, OUT oldest_late_at timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.find_snapshot_weeks_ahead(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_snapshot_weeks_ahead(at timestamp with time zone) TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.request_days TO voltstream_app;

GRANT SELECT(day) ON TABLE public.request_days TO voltstream_system_reader;

GRANT SELECT(rows_stored) ON TABLE public.request_days TO voltstream_system_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.request_minutes TO voltstream_app;

GRANT SELECT(minute) ON TABLE public.request_minutes TO voltstream_system_reader;

GRANT SELECT(rows_stored) ON TABLE public.request_minutes TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_stored_rows(first_day date, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_stored_rows(first_day date, since timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.find_usual_distances(keys bigint[], before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_usual_distances(keys bigint[], before timestamp with time zone) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.give_asset_key() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.held_power(asset_key bigint, begun timestamp with time zone, ended timestamp with time zone, stored_before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.held_power(asset_key bigint, begun timestamp with time zone, ended timestamp with time zone, stored_before timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.hidden_ids(organization text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.hidden_ids(organization text) TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.payments TO voltstream_app;
GRANT SELECT ON TABLE public.payments TO voltstream_finance;

GRANT SELECT(organization_id) ON TABLE public.payments TO voltstream_analyst_reader;
GRANT SELECT(organization_id) ON TABLE public.payments TO voltstream_system_reader;

GRANT SELECT(customer_id) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT SELECT(invoice_id) ON TABLE public.payments TO voltstream_analyst_reader;
GRANT SELECT(invoice_id) ON TABLE public.payments TO voltstream_system_reader;
GRANT UPDATE(invoice_id) ON TABLE public.payments TO voltstream_app;

GRANT SELECT(direction) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT SELECT(way) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT SELECT(amount) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(status) ON TABLE public.payments TO voltstream_app;
GRANT SELECT(status) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT SELECT(execute_on) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(booked_on) ON TABLE public.payments TO voltstream_app;
GRANT SELECT(booked_on) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(final_on) ON TABLE public.payments TO voltstream_app;
GRANT SELECT(final_on) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(return_reason) ON TABLE public.payments TO voltstream_app;
GRANT SELECT(return_reason) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(bank_entry_id) ON TABLE public.payments TO voltstream_app;

GRANT SELECT(created_at) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(updated_at) ON TABLE public.payments TO voltstream_app;

GRANT SELECT(restricted_at) ON TABLE public.payments TO voltstream_analyst_reader;

GRANT UPDATE(meant_for) ON TABLE public.payments TO voltstream_app;

GRANT UPDATE(failure_told_at) ON TABLE public.payments TO voltstream_app;

REVOKE ALL ON FUNCTION public.is_file_reported(file text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_file_reported(file text) TO voltstream_app;

REVOKE ALL ON FUNCTION public.is_needed_by_bill(organization text, contract text, first date, until date) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_invoice() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_invoice_part() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_price_kind() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.last_days_of_assets(asset_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.last_days_of_assets(asset_ids text[]) TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.invoice_ledgers TO voltstream_app;
GRANT SELECT ON TABLE public.invoice_ledgers TO voltstream_finance;

GRANT SELECT(organization_id) ON TABLE public.invoice_ledgers TO voltstream_system_reader;

GRANT SELECT(last_number) ON TABLE public.invoice_ledgers TO voltstream_system_reader;

GRANT SELECT(removed_number) ON TABLE public.invoice_ledgers TO voltstream_system_reader;

GRANT SELECT,INSERT ON TABLE public.invoice_lines TO voltstream_app;
GRANT SELECT ON TABLE public.invoice_lines TO voltstream_finance;

GRANT SELECT(organization_id) ON TABLE public.invoice_lines TO voltstream_analyst_reader;
GRANT SELECT(organization_id) ON TABLE public.invoice_lines TO voltstream_system_reader;

GRANT SELECT(customer_id) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(invoice_id) ON TABLE public.invoice_lines TO voltstream_analyst_reader;
GRANT SELECT(invoice_id) ON TABLE public.invoice_lines TO voltstream_system_reader;

GRANT SELECT("position") ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(kind) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(period_from) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(period_until) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(band) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(quantity) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(unit) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(unit_price) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(net) ON TABLE public.invoice_lines TO voltstream_analyst_reader;
GRANT SELECT(net) ON TABLE public.invoice_lines TO voltstream_system_reader;

GRANT SELECT(vat_rate) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT(restricted_at) ON TABLE public.invoice_lines TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.invoices TO voltstream_app;
GRANT SELECT ON TABLE public.invoices TO voltstream_finance;

GRANT SELECT(organization_id) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(organization_id) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(customer_id) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(subscription_id) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(id) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(id) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(type) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(running_number) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(ledger_number) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(ledger_number) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(period_start) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(period_end) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(period_number) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT UPDATE(status) ON TABLE public.invoices TO voltstream_app;
GRANT SELECT(status) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(status) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(is_estimated) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(is_final) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(usage_kwh) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(net) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(net) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(tax) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(tax) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(deducted) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(deducted) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(total) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(total) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(voids) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(voids) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(due_on) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(due_on) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(created_at) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(issued_at) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(issued_at) ON TABLE public.invoices TO voltstream_system_reader;

GRANT UPDATE(paid_at) ON TABLE public.invoices TO voltstream_app;
GRANT SELECT(paid_at) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(paid_at) ON TABLE public.invoices TO voltstream_system_reader;

GRANT SELECT(run_id) ON TABLE public.invoices TO voltstream_analyst_reader;

GRANT SELECT(restricted_at) ON TABLE public.invoices TO voltstream_analyst_reader;
GRANT SELECT(restricted_at) ON TABLE public.invoices TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.list_document_problems(rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_document_problems(rows_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_failed_job_runs(rows_max integer, run_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_failed_job_runs(rows_max integer, run_id bigint) TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_hypertables() FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_hypertables() TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_issued_periods(first_contract text, last_contract text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_issued_periods(first_contract text, last_contract text) TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_open_bills_of_total(wanted numeric, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_open_bills_of_total(wanted numeric, rows_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_organizations() FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_organizations() TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_webhook_endpoints_to_sweep(now_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_webhook_endpoints_to_sweep(now_at timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.make_analyst_schema(organization text) FROM PUBLIC;

GRANT SELECT ON TABLE public.analysts TO voltstream_app;

REVOKE ALL ON FUNCTION public.missing_analyst_schemas() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.move_invoice_ledger() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.move_updated_at() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.name_late_organization() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer, stored_until timestamp with time zone, seen pg_snapshot) FROM PUBLIC;
GRANT ALL ON FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer, stored_until timestamp with time zone, seen pg_snapshot) TO voltstream_app;

REVOKE ALL ON FUNCTION public.next_assets_to_sum(after_asset bigint, assets_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.next_assets_to_sum(after_asset bigint, assets_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.next_days_to_sum(days_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.next_days_to_sum(days_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.next_stored(hypertable text, since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.next_stored_snapshots(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.next_stored_snapshots(since timestamp with time zone) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.note_changed_reduction() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_transaction() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.number_events(rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.number_events(rows_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.prepare_snapshot_partitions(since timestamp with time zone, weeks integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prepare_snapshot_partitions(since timestamp with time zone, weeks integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.quarter_hours_of_assets(asset_ids text[], begun timestamp with time zone, ended timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.quarter_hours_of_assets(asset_ids text[], begun timestamp with time zone, ended timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.read_values_to_sum(keys bigint[], begun timestamp with time zone, ended timestamp with time zone, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.read_values_to_sum(keys bigint[], begun timestamp with time zone, ended timestamp with time zone, rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.refuse_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.refuse_later_lines() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.refuse_other_numbers() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.refuse_truncate() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.requeue_silent_job_runs(now_at timestamp with time zone, silent_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.requeue_silent_job_runs(now_at timestamp with time zone, silent_since timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.restrict_assets() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.restrict_invoices(customer text, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.restrict_invoices(customer text, since timestamp with time zone) TO voltstream_app;

REVOKE ALL ON FUNCTION public.restrict_new_asset() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.seal_audit_days(days_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.seal_audit_days(days_max integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.set_analyst_access(organization text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.set_analyst_access(organization text) TO voltstream_app;

REVOKE ALL ON FUNCTION public.set_audit_instant() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.split_late_quarter_hours() FROM PUBLIC;
GRANT ALL ON FUNCTION public.split_late_quarter_hours() TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.stored_snapshots(asset_keys bigint[], ends integer[], instants timestamp with time zone[], since timestamp with time zone, until timestamp with time zone, organizations text[], organization_ends integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.stored_snapshots(asset_keys bigint[], ends integer[], instants timestamp with time zone[], since timestamp with time zone, until timestamp with time zone, organizations text[], organization_ends integer[]) TO voltstream_app;

REVOKE ALL ON FUNCTION public.take_late_quarter_hours(entries_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_late_quarter_hours(entries_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.write_days_of_quarter_hours(keys bigint[], begun timestamp with time zone, ended timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.write_days_of_quarter_hours(keys bigint[], begun timestamp with time zone, ended timestamp with time zone) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.write_quarter_hours(asset_ids bigint[], starts bigint[], samples integer[], connected_samples integer[], first_at double precision[], last_at double precision[], power_kw_min double precision[], power_kw_max double precision[], covered_seconds double precision[], consumed_kwh double precision[], fed_kwh double precision[], state_of_charge_first double precision[], state_of_charge_last double precision[], vehicle_state_of_charge_last double precision[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.write_quarter_hours(asset_ids bigint[], starts bigint[], samples integer[], connected_samples integer[], first_at double precision[], last_at double precision[], power_kw_min double precision[], power_kw_max double precision[], covered_seconds double precision[], consumed_kwh double precision[], fed_kwh double precision[], state_of_charge_first double precision[], state_of_charge_last double precision[], vehicle_state_of_charge_last double precision[]) TO voltstream_maintenance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.assets TO voltstream_app;
GRANT SELECT ON TABLE public.assets TO voltstream_snapshot_reader;

GRANT SELECT(organization_id) ON TABLE public.assets TO voltstream_analyst_reader;
GRANT SELECT(organization_id) ON TABLE public.assets TO voltstream_system_reader;

GRANT SELECT(id) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(key) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(household_id) ON TABLE public.assets TO voltstream_analyst_reader;
GRANT SELECT(household_id) ON TABLE public.assets TO voltstream_system_reader;

GRANT SELECT(customer_id) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(external_id) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(manufacturer) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(model) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(parent_inverter) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(max_power_kw) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(hybrid) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(peak_power_kw) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(azimuth) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(tilt) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(capacity_kwh) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(max_charge_power_kw) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(max_discharge_power_kw) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(phases) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(bidirectional) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(thermal_power_kw) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(decommissioned_at) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.assets TO voltstream_analyst_reader;

GRANT SELECT(changed_in) ON TABLE public.assets TO voltstream_system_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.billing_terms TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT(mode) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT(instalment) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT(basis) ON TABLE public.billing_terms TO voltstream_analyst_reader;

GRANT SELECT ON TABLE public.delivery_days TO voltstream_analyst_reader;

GRANT SELECT ON TABLE public.asset_quarter_hours TO voltstream_analyst_reader;
GRANT SELECT ON TABLE public.asset_quarter_hours TO voltstream_snapshot_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.addresses TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.addresses TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.addresses TO voltstream_analyst_reader;

GRANT SELECT(zip) ON TABLE public.addresses TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.households TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.households TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.households TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.households TO voltstream_analyst_reader;

GRANT SELECT(address_id) ON TABLE public.households TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.households TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.plans TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT(slug) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT(name) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT(status) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.plans TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.subscriptions TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(plan_id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(household_id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(address_id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(meter_id) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(status) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(estimated_usage) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(intended_start_on) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(confirmed_at) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(start_at) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(terminated_at) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(termination_reason) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(end_at) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(meter_type) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(is_tax_exempt) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(plant_commissioned_on) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT(plant_size_kw) ON TABLE public.subscriptions TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.zip_areas TO voltstream_app;

GRANT SELECT(zip) ON TABLE public.zip_areas TO voltstream_analyst_reader;

GRANT SELECT(operator) ON TABLE public.zip_areas TO voltstream_analyst_reader;

GRANT SELECT(concession_class) ON TABLE public.zip_areas TO voltstream_analyst_reader;

GRANT SELECT(share) ON TABLE public.zip_areas TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.zip_areas TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.zip_areas TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.customers TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.customers TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.customers TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.customers TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.customers TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.price_kind TO voltstream_app;

GRANT SELECT(kind) ON TABLE public.price_kind TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.spot_prices TO voltstream_app;

GRANT SELECT(zone) ON TABLE public.spot_prices TO voltstream_analyst_reader;

GRANT SELECT(interval_start) ON TABLE public.spot_prices TO voltstream_analyst_reader;

GRANT SELECT(minutes) ON TABLE public.spot_prices TO voltstream_analyst_reader;

GRANT SELECT(delivery_on) ON TABLE public.spot_prices TO voltstream_analyst_reader;

GRANT SELECT(amount) ON TABLE public.spot_prices TO voltstream_analyst_reader;

GRANT SELECT(source) ON TABLE public.spot_prices TO voltstream_analyst_reader;

GRANT SELECT ON TABLE public.asset_days TO voltstream_analyst_reader;
GRANT SELECT ON TABLE public.asset_days TO voltstream_snapshot_reader;

GRANT INSERT(asset_id) ON TABLE public.late_quarter_hours TO voltstream_app;

GRANT INSERT(start) ON TABLE public.late_quarter_hours TO voltstream_app;

GRANT INSERT(quarter_hours) ON TABLE public.late_quarter_hours TO voltstream_app;

GRANT SELECT(queued_at) ON TABLE public.late_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(organization) ON TABLE public.late_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT ON TABLE public.quarter_hour_progress TO voltstream_analyst_reader;
GRANT SELECT ON TABLE public.quarter_hour_progress TO voltstream_snapshot_reader;

GRANT SELECT,INSERT,DELETE ON TABLE public.events TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.events TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.events TO voltstream_analyst_reader;

GRANT SELECT(topic) ON TABLE public.events TO voltstream_analyst_reader;

GRANT SELECT("timestamp") ON TABLE public.events TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.grid_fees TO voltstream_app;

GRANT SELECT(operator) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(base_eur_year_net) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(working_ct_net) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(module_1_eur_year_net) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(module_2_ct_net) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(provisional) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.grid_fees TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.grid_operators TO voltstream_app;

GRANT SELECT(operator) ON TABLE public.grid_operators TO voltstream_analyst_reader;

GRANT SELECT(name) ON TABLE public.grid_operators TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.grid_operators TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.grid_operators TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.concession_fees TO voltstream_app;

GRANT SELECT(class) ON TABLE public.concession_fees TO voltstream_analyst_reader;

GRANT SELECT(ct_net) ON TABLE public.concession_fees TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.concession_fees TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.concession_fees TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.levies TO voltstream_app;

GRANT SELECT(code) ON TABLE public.levies TO voltstream_analyst_reader;

GRANT SELECT(ct_net) ON TABLE public.levies TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.levies TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.levies TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.vat_rates TO voltstream_app;

GRANT SELECT(rate) ON TABLE public.vat_rates TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.vat_rates TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.vat_rates TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.grid_fee_schedules TO voltstream_app;

GRANT SELECT(operator) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(low_ct_net) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(standard_ct_net) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(high_ct_net) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(quarters) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(low_windows) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(high_windows) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.grid_fee_schedules TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.grid_fee_reductions TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(status) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(valid_until) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.grid_fee_reductions TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.leads TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT(plan_id) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT(subscribed_at) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT(last_visited_at) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.leads TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.load_forecasts TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(delivery_on) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(purchase) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(starts_at) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(ends_at) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(power_kw) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT(received_at) ON TABLE public.load_forecasts TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.meter_orders TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(product) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(provider) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(status) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(details_received_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(appointment_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(installed_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(activated_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(cancelled_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(cancelled_reason) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(blocked_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(blocked_reason) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.meter_orders TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.meter_changes TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(meter_id) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(number) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(register) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(metering_operator) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT(type_entered_at) ON TABLE public.meter_changes TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.meters TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(household_id) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(number) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT SELECT(type_entered_at) ON TABLE public.meters TO voltstream_analyst_reader;

GRANT INSERT ON TABLE public.asset_snapshots TO voltstream_app;
GRANT SELECT ON TABLE public.asset_snapshots TO voltstream_snapshot_reader;
GRANT SELECT ON TABLE public.asset_snapshots TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.plan_terms TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(plan_id) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(base_fee_net) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(margin_ct_net) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(optimization_rate) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(cancellation_months) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(feed_in_kind) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(feed_in_scope) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(feed_in_up_to_kw) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(feed_in_ct_net) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT(feed_in_margin_ct_net) ON TABLE public.plan_terms TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.price_forecast_days TO voltstream_app;

GRANT SELECT(capture_id) ON TABLE public.price_forecast_days TO voltstream_analyst_reader;

GRANT SELECT(zone) ON TABLE public.price_forecast_days TO voltstream_analyst_reader;

GRANT SELECT(delivery_on) ON TABLE public.price_forecast_days TO voltstream_analyst_reader;

GRANT SELECT(source) ON TABLE public.price_forecast_days TO voltstream_analyst_reader;

GRANT SELECT(captured_at) ON TABLE public.price_forecast_days TO voltstream_analyst_reader;

GRANT SELECT(complete) ON TABLE public.price_forecast_days TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.price_forecast_frozen TO voltstream_app;

GRANT SELECT(zone) ON TABLE public.price_forecast_frozen TO voltstream_analyst_reader;

GRANT SELECT(delivery_on) ON TABLE public.price_forecast_frozen TO voltstream_analyst_reader;

GRANT SELECT(capture_id) ON TABLE public.price_forecast_frozen TO voltstream_analyst_reader;

GRANT SELECT(frozen_at) ON TABLE public.price_forecast_frozen TO voltstream_analyst_reader;

GRANT SELECT(late) ON TABLE public.price_forecast_frozen TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.price_forecast_values TO voltstream_app;

GRANT SELECT(capture_id) ON TABLE public.price_forecast_values TO voltstream_analyst_reader;

GRANT SELECT(interval_start) ON TABLE public.price_forecast_values TO voltstream_analyst_reader;

GRANT SELECT(minutes) ON TABLE public.price_forecast_values TO voltstream_analyst_reader;

GRANT SELECT(amount) ON TABLE public.price_forecast_values TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.meter_readings TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(id) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(meter_id) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(value) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(read_on) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(type) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(created_at) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT(register) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT UPDATE(withdrawn_at) ON TABLE public.meter_readings TO voltstream_app;
GRANT SELECT(withdrawn_at) ON TABLE public.meter_readings TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.benchmarks TO voltstream_app;

GRANT SELECT(base_fee_eur_year_gross) ON TABLE public.benchmarks TO voltstream_analyst_reader;

GRANT SELECT(energy_ct_net) ON TABLE public.benchmarks TO voltstream_analyst_reader;

GRANT SELECT(valid_from) ON TABLE public.benchmarks TO voltstream_analyst_reader;

GRANT SELECT(valid_to) ON TABLE public.benchmarks TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.dunning_steps TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.dunning_steps TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.dunning_steps TO voltstream_analyst_reader;

GRANT SELECT(invoice_id) ON TABLE public.dunning_steps TO voltstream_analyst_reader;

GRANT SELECT(level) ON TABLE public.dunning_steps TO voltstream_analyst_reader;

GRANT SELECT(amount) ON TABLE public.dunning_steps TO voltstream_analyst_reader;
GRANT UPDATE(amount) ON TABLE public.dunning_steps TO voltstream_app;

GRANT SELECT(reminded_on) ON TABLE public.dunning_steps TO voltstream_analyst_reader;
GRANT UPDATE(reminded_on) ON TABLE public.dunning_steps TO voltstream_app;

GRANT UPDATE(mail) ON TABLE public.dunning_steps TO voltstream_app;
GRANT SELECT(mail) ON TABLE public.dunning_steps TO voltstream_analyst_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.usage_quarter_hours TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(interval_start) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(kwh) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(kept_at) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT(source) ON TABLE public.usage_quarter_hours TO voltstream_analyst_reader;

GRANT SELECT,INSERT ON TABLE public.settled_usage_months TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.settled_usage_months TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.settled_usage_months TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.settled_usage_months TO voltstream_analyst_reader;

GRANT SELECT(month) ON TABLE public.settled_usage_months TO voltstream_analyst_reader;

GRANT SELECT(settled_at) ON TABLE public.settled_usage_months TO voltstream_analyst_reader;

GRANT UPDATE(days) ON TABLE public.settled_usage_months TO voltstream_app;

GRANT UPDATE(changed_at) ON TABLE public.settled_usage_months TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.usage_days TO voltstream_app;

GRANT SELECT(organization_id) ON TABLE public.usage_days TO voltstream_analyst_reader;

GRANT SELECT(customer_id) ON TABLE public.usage_days TO voltstream_analyst_reader;

GRANT SELECT(subscription_id) ON TABLE public.usage_days TO voltstream_analyst_reader;

GRANT SELECT(day) ON TABLE public.usage_days TO voltstream_analyst_reader;

GRANT SELECT(kwh) ON TABLE public.usage_days TO voltstream_analyst_reader;

GRANT SELECT(quarter_hours) ON TABLE public.usage_days TO voltstream_analyst_reader;

GRANT USAGE ON SEQUENCE public.asset_keys TO voltstream_app;

GRANT SELECT ON TABLE public.audit_chain TO voltstream_app;
GRANT SELECT ON TABLE public.audit_chain TO voltstream_system_reader;

GRANT INSERT ON TABLE public.audit_log TO voltstream_app;
GRANT SELECT ON TABLE public.audit_log TO voltstream_system_reader;

GRANT SELECT ON TABLE public.audit_seals TO voltstream_app;
GRANT SELECT,INSERT ON TABLE public.audit_seals TO voltstream_system_reader;

GRANT UPDATE(problem) ON TABLE public.audit_seals TO voltstream_system_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.auth_clients TO voltstream_app;
GRANT SELECT ON TABLE public.auth_clients TO voltstream_system_reader;

GRANT SELECT,INSERT ON TABLE public.bank_entries TO voltstream_app;
GRANT SELECT ON TABLE public.bank_entries TO voltstream_finance;

GRANT UPDATE(state) ON TABLE public.bank_entries TO voltstream_app;

GRANT UPDATE(note) ON TABLE public.bank_entries TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.billed_reference_rows TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.billing_portions TO voltstream_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.billing_runs TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.client_secrets TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.console_forms TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.day_ahead_means TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.delivery_attempts TO voltstream_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.dunning_holds TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.eeg_rates TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.energy_mixes TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.invoice_files TO voltstream_app;
GRANT SELECT ON TABLE public.invoice_files TO voltstream_finance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.issuers TO voltstream_app;
GRANT SELECT ON TABLE public.issuers TO voltstream_finance;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.load_profiles TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.market_partners TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.market_values TO voltstream_app;

GRANT SELECT ON TABLE public.meter_states TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.metering_fees TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.one_time_codes TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.organization_brands TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.payment_files TO voltstream_app;
GRANT SELECT ON TABLE public.payment_files TO voltstream_finance;

GRANT SELECT,INSERT ON TABLE public.payment_methods TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.plan_terms_history TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.price_alarms TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.price_day_changes TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.reference_changes TO voltstream_app;

GRANT SELECT ON TABLE public.price_changes TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.price_day_sums TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.price_days TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.price_fetches TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.price_forecast_captures TO voltstream_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.price_payloads TO voltstream_app;

GRANT UPDATE(is_kept) ON TABLE public.price_payloads TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.price_revisions TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.price_source_days TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.price_sources TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.reference_history TO voltstream_app;

GRANT SELECT ON TABLE public.reference_revision TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.refresh_tokens TO voltstream_app;

GRANT SELECT,INSERT ON TABLE public.replaced_usage TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.request_log TO voltstream_app;

GRANT SELECT ON TABLE public.restricted_ids TO voltstream_analyst_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.revoked_tokens TO voltstream_app;
GRANT SELECT ON TABLE public.revoked_tokens TO voltstream_system_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.savings_parameters TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.schedules TO voltstream_app;

GRANT SELECT ON TABLE public.schema_migrations TO voltstream_app;
GRANT SELECT ON TABLE public.schema_migrations TO voltstream_maintenance;

GRANT SELECT,INSERT ON TABLE public.signing_keys TO voltstream_app;

GRANT UPDATE(private_key_encrypted) ON TABLE public.signing_keys TO voltstream_app;

GRANT UPDATE(signs_until) ON TABLE public.signing_keys TO voltstream_app;

GRANT UPDATE(removed_at) ON TABLE public.signing_keys TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_groups TO voltstream_app;

GRANT SELECT ON TABLE public.visible_snapshots TO voltstream_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.wrong_one_time_codes TO voltstream_app;
