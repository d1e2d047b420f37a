-- Ends what analysts let run too long: a statement is cancelled after 60 seconds and its session ended half a minute later,
-- a transaction ends after 5 minutes and one that waits for its analyst after 60 seconds. The same limits stand at the role
-- (src/governance/analysts/service.ts), but every analyst may lift his own. Sessions end too that should not be there: of a role that
-- may no longer sign in, and in another database of this server, where nobody bounds them. One that names the role among
-- those it lets in is a copy of the store (cli analysts rotate), which bounds them as this one does.
-- Only roles of the table `analysts`: the owner of the database made them, and may end the sessions of no others.
CREATE OR REPLACE FUNCTION end_long_analyst_sessions(
  statement_limit interval DEFAULT '60 seconds',
  transaction_limit interval DEFAULT '5 minutes',
  OUT cancelled integer,
  OUT ended integer
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
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
REVOKE ALL ON FUNCTION end_long_analyst_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_long_analyst_sessions TO voltstream_app;
COMMENT ON FUNCTION end_long_analyst_sessions IS
  'Cancels statements and ends sessions of analysts that outlive their limits; returns how many.';
