-- Runs of jobs belong to organizations, and the engine that starts them looks across all. These are its statements; the
-- work of a run, and what is written about it afterwards, happens inside its organization. The instants come from the
-- service's clock.
GRANT CREATE ON SCHEMA public TO voltstream_system_reader;

-- One claim at a time, in all workers: the limits are counted here, and two claims at once would both find room. The
-- lock comes in a statement before, because a statement sees what was there when it began.
--
-- Runs of one job for one organization stand in a lane. The lanes are found by jumping through the index from one to
-- the next, so the cost grows with the lanes that wait and not with the runs in them. Of each lane the run that waits
-- longest is looked at. First comes the organization with the fewest runs under way, then the lane whose last turn is
-- the longest ago: a thousand runs of one organization delay another one by one turn.
--
-- A job that this worker does not know waits for a worker that does, as there is in the minutes of an update; after
-- `unknown_before` it is taken all the same, so that it fails and is seen. `elsewhere`: jobs of another pool of this
-- worker; they are known and not taken. Turns of organizations count the runs of the pool that asks: who has many
-- requests under way does not wait with everything else.
--
-- Runs of an organization that is switched off wait, but for erasures: a person's right does not end with the organization's.
--
-- A run that another transaction holds is passed over: it is being taken along or moved, and a claim that waited for it
-- would keep all workers waiting.
--
-- Several runs may be started by one claim, for a pool with many slots: with few lanes several of each, so that the cost
-- grows with the lanes or with what was asked for, whichever is more. The turns are those of single claims.
--
-- In PL/pgSQL, which keeps its plan: in SQL each claim was planned anew, 11 of 12 ms. The plan may be
-- from a time when the table was nearly empty, so reading all of it is forbidden. The runs that fit come to the last look as an
-- array: the planner takes them for many more, and would read all runs beside them.
DROP FUNCTION IF EXISTS claim_job_run(timestamptz, timestamptz, text[], integer[], integer[]);
DROP FUNCTION IF EXISTS claim_job_run(timestamptz, timestamptz, text[], integer[], integer[], text[]);
CREATE OR REPLACE FUNCTION claim_job_run(
  now_at timestamptz, unknown_before timestamptz, names text[], totals integer[], owns integer[],
  elsewhere text[] DEFAULT '{}', runs_max integer DEFAULT 1
) RETURNS TABLE (
  id bigint, fence integer, attempts integer, job text, organization_id text, schedule text, due_at timestamptz, payload jsonb
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
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
COMMENT ON FUNCTION claim_job_run IS 'Starts the next runs, by turns of organizations and within the limits of their jobs.';

-- Here and below, runs that another transaction holds are passed over: whoever changes several runs waits for none, so two
-- that take them in different orders cannot block each other.
CREATE OR REPLACE FUNCTION requeue_silent_job_runs(now_at timestamptz, silent_since timestamptz) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  WITH silent AS (
    UPDATE public.job_runs SET state = 'queued', next_at = now_at
     WHERE id IN (SELECT r.id FROM public.job_runs r
                   WHERE r.state = 'running' AND r.heartbeat_at < silent_since
                     FOR UPDATE SKIP LOCKED)
    RETURNING id)
  SELECT count(*) FROM silent;
END;
COMMENT ON FUNCTION requeue_silent_job_runs IS 'Gives back the runs whose worker shows no sign of life any more.';

-- What was asked for at a later instant waits for it. Only a tick, and a run that is tried again, may not lie far ahead. Nobody
-- asks for later to tell of an event. Lanes of events that wait are found as in a claim: organizations without any cost nothing.
CREATE OR REPLACE FUNCTION bring_job_runs_to_now(now_at timestamptz, sign_at timestamptz, retry_at timestamptz)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  WITH queued AS (
    UPDATE public.job_runs SET next_at = now_at
     WHERE id IN (SELECT r.id FROM public.job_runs r
                   WHERE r.state = 'queued' AND (r.schedule IS NOT NULL OR r.next_at > r.due_at) AND r.next_at > retry_at
                     FOR UPDATE SKIP LOCKED)
    RETURNING id
  ), telling AS (
    UPDATE public.job_runs SET next_at = now_at
     WHERE id IN (WITH RECURSIVE lanes AS (
                    SELECT 'fan-out-event ' AS lane
                    UNION ALL
                    SELECT (SELECT next.lane FROM public.job_runs next
                             WHERE next.state = 'queued' AND next.lane > lanes.lane AND next.lane < 'fan-out-event!'
                             ORDER BY next.lane LIMIT 1)
                      FROM lanes WHERE lanes.lane IS NOT NULL)
                  SELECT r.id FROM lanes JOIN public.job_runs r ON r.lane = lanes.lane
                   WHERE r.state = 'queued' AND r.next_at = r.due_at AND r.next_at > sign_at
                     FOR UPDATE OF r SKIP LOCKED)
    RETURNING id
  ), running AS (
    UPDATE public.job_runs SET heartbeat_at = now_at
     WHERE id IN (SELECT r.id FROM public.job_runs r
                   WHERE r.state = 'running' AND r.heartbeat_at > sign_at
                     FOR UPDATE SKIP LOCKED)
    RETURNING id)
  SELECT (SELECT count(*) FROM queued) + (SELECT count(*) FROM telling) + (SELECT count(*) FROM running);
END;
COMMENT ON FUNCTION bring_job_runs_to_now IS 'Undoes what a clock that ran ahead has written into runs.';

CREATE OR REPLACE FUNCTION list_failed_job_runs(rows_max integer, run_id bigint DEFAULT NULL) RETURNS TABLE (
  id bigint, job text, organization_id text, key text, attempts integer, finished_at timestamptz, error text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT r.id, r.job, r.organization_id, r.key, r.attempts, r.finished_at, r.error
    FROM public.job_runs r
   WHERE r.state = 'failed' AND (run_id IS NULL OR r.id = run_id)
   ORDER BY r.finished_at DESC, r.id DESC LIMIT rows_max;
END;
COMMENT ON FUNCTION list_failed_job_runs IS 'Runs that were given up, newest first: for operators.';

-- As a claim sees them: what waits for an organization that is switched off is not late, and waits for as long as that lasts.
CREATE OR REPLACE FUNCTION count_job_runs(now_at timestamptz) RETURNS TABLE (job text, waiting bigint, failed bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT counted.job, sum(counted.waiting)::bigint, sum(counted.failed)::bigint
    FROM (SELECT r.job, 1 AS waiting, 0 AS failed FROM public.job_runs r
            LEFT JOIN public.organizations o ON o.id = r.organization_id
           WHERE r.state = 'queued' AND r.next_at <= now_at
             AND (r.organization_id IS NULL OR o.standing IN ('in_order', 'past_due')
                  OR r.job = 'erase-late-snapshots')
          UNION ALL
          SELECT r.job, 0, 1 FROM public.job_runs r WHERE r.state = 'failed') AS counted
   GROUP BY counted.job;
END;
COMMENT ON FUNCTION count_job_runs IS 'How many runs of each job are due and how many were given up: for metrics.';

-- Those of settle-usage stay: snapshots of a month wait for what became of them (drop_old_snapshot_chunks).
CREATE OR REPLACE FUNCTION delete_finished_job_runs(older_than timestamptz, rows_max integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  WITH gone AS (
    DELETE FROM public.job_runs
     WHERE id IN (SELECT r.id FROM public.job_runs r
                   WHERE r.finished_at < older_than AND r.state IN ('done', 'failed')
                     AND NOT (r.organization_id IS NULL AND r.job = 'settle-usage')
                   ORDER BY r.finished_at LIMIT rows_max FOR UPDATE SKIP LOCKED)
    RETURNING id)
  SELECT count(*) FROM gone;
END;
COMMENT ON FUNCTION delete_finished_job_runs IS 'Removes some runs that ended before an instant.';

ALTER FUNCTION claim_job_run OWNER TO voltstream_system_reader;
ALTER FUNCTION requeue_silent_job_runs OWNER TO voltstream_system_reader;
ALTER FUNCTION bring_job_runs_to_now OWNER TO voltstream_system_reader;
ALTER FUNCTION list_failed_job_runs OWNER TO voltstream_system_reader;
ALTER FUNCTION count_job_runs OWNER TO voltstream_system_reader;
ALTER FUNCTION delete_finished_job_runs OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION claim_job_run, requeue_silent_job_runs, bring_job_runs_to_now, list_failed_job_runs,
  count_job_runs, delete_finished_job_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_job_run, requeue_silent_job_runs, bring_job_runs_to_now, list_failed_job_runs,
  count_job_runs, delete_finished_job_runs TO voltstream_app;
