-- The sweep of webhooks and its metrics look across organizations. What they find is decided about inside each of them.
GRANT CREATE ON SCHEMA public TO voltstream_system_reader;

-- Few rows: endpoints number a handful in each organization, and of their deliveries the first and the last pending one are
-- looked up by the index. The periods are those of src/events/deliveries. A run gives a sign of life every 31 seconds, and
-- has lost a delivery that is two minutes overdue. No wait is longer than 32 hours. A listener's command speaks twice a
-- second.
CREATE OR REPLACE FUNCTION list_webhook_endpoints_to_sweep(now_at timestamptz)
RETURNS TABLE (organization_id text, id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT e.organization_id, e.id
    FROM public.webhook_endpoints e
    JOIN public.organizations o ON o.id = e.organization_id AND o.standing IN ('in_order', 'past_due')
    LEFT JOIN LATERAL (
      SELECT d.next_at FROM public.event_deliveries d
       WHERE d.organization_id = e.organization_id AND d.endpoint_id = e.id AND d.state = 'pending'
       ORDER BY d.next_at LIMIT 1) AS first ON true
    LEFT JOIN LATERAL (
      SELECT d.next_at FROM public.event_deliveries d
       WHERE d.organization_id = e.organization_id AND d.endpoint_id = e.id AND d.state = 'pending'
       ORDER BY d.next_at DESC LIMIT 1) AS last ON true
   WHERE (first.next_at IS NOT NULL
          AND (e.served_at IS NULL OR e.served_at <= now_at - interval '90 seconds' OR e.served_at > now_at + interval '1 minute')
          AND (e.disabled_at IS NOT NULL OR e.deleted_at IS NOT NULL
               OR e.kind = 'address' AND greatest(first.next_at, e.wait_until) <= now_at - interval '2 minutes'))
      OR last.next_at > now_at + interval '32 hours 1 minute'
      OR e.wait_until > now_at + interval '24 hours 1 minute'
      OR e.failing_since > now_at + interval '1 minute'
      OR e.last_failure_at > now_at + interval '1 minute'
      OR (e.disabled_at IS NULL AND e.deleted_at IS NULL
          AND (e.failing_since <= now_at - interval '1 day' AND e.first_mail_at IS NULL
               OR first.next_at IS NULL AND e.failing_since IS NOT NULL AND e.last_failure_at <= now_at - interval '5 days'))
      OR (e.kind = 'listener' AND e.deleted_at IS NULL
          AND coalesce(e.served_at, e.created_at) <= now_at - interval '5 minutes');
END;
COMMENT ON FUNCTION list_webhook_endpoints_to_sweep IS 'Endpoints that need something that no run of theirs does.';

CREATE OR REPLACE FUNCTION count_webhook_deliveries(now_at timestamptz)
RETURNS TABLE (lane text, endpoints bigint, waiting bigint, oldest_due_seconds double precision, long_failing bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT CASE WHEN e.failing_since IS NULL THEN 'healthy' ELSE 'failing' END,
         count(*) FILTER (WHERE due.waiting > 0), sum(due.waiting)::bigint,
         coalesce(extract(epoch FROM now_at - min(due.oldest)), 0)::double precision,
         count(*) FILTER (WHERE e.failing_since <= now_at - interval '1 day')
    FROM public.webhook_endpoints e
    JOIN public.organizations o ON o.id = e.organization_id AND o.standing IN ('in_order', 'past_due')
   CROSS JOIN LATERAL (
     SELECT count(*) AS waiting, min(counted.next_at) AS oldest
       FROM (SELECT d.next_at FROM public.event_deliveries d
              WHERE d.organization_id = e.organization_id AND d.endpoint_id = e.id AND d.state = 'pending'
                AND greatest(d.next_at, e.wait_until) <= now_at
              ORDER BY d.next_at LIMIT 1000) AS counted) AS due
   WHERE e.disabled_at IS NULL AND e.deleted_at IS NULL
   GROUP BY 1;
END;
COMMENT ON FUNCTION count_webhook_deliveries IS 'How much is due at endpoints that work and at those that fail: for metrics.';

ALTER FUNCTION list_webhook_endpoints_to_sweep OWNER TO voltstream_system_reader;
ALTER FUNCTION count_webhook_deliveries OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION list_webhook_endpoints_to_sweep, count_webhook_deliveries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_webhook_endpoints_to_sweep, count_webhook_deliveries TO voltstream_app;
