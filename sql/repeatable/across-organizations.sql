-- The few questions that must be asked before an organization is known, or of all of them. Each answers one question
-- with ids, state and organization; the work after it happens inside that organization.
--
-- Functions that many requests call are PL/pgSQL, which keeps its plan: a function in SQL is planned anew by every call, and
-- that took most of its time. Such a plan may be from a time when a table was nearly empty, so reading all of it is
-- forbidden.
GRANT CREATE ON SCHEMA public TO voltstream_system_reader;

CREATE OR REPLACE FUNCTION find_client(client_id text) RETURNS TABLE (
  id text,
  organization_id text,
  standing text,
  role text,
  customer_id text,
  scopes text[],
  grants text[],
  public boolean,
  third_party boolean,
  version text,
  disabled_at timestamptz
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
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
COMMENT ON FUNCTION find_client IS 'An auth client with the standing of its organization.';

-- Its earlier forms knew no token, and not whose a client is.
DROP FUNCTION IF EXISTS find_access(text, text), find_access(text, text, text);
CREATE OR REPLACE FUNCTION find_access(grant_id text, client_id text, token_id text DEFAULT NULL) RETURNS TABLE (
  organization_id text,
  standing text,
  revoked_at timestamptz,
  disabled_at timestamptz,
  token_revoked boolean,
  rate_per_second integer,
  rate_burst integer,
  is_of_one_customer boolean
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
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
COMMENT ON FUNCTION find_access IS
  'Whether an access token, its grant, its client and its organization are alive, and how often the client may call.';

CREATE OR REPLACE FUNCTION list_organizations() RETURNS TABLE (
  id text,
  name text,
  standing text,
  forecast_enabled boolean,
  created_at timestamptz,
  updated_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT o.id, o.name, o.standing, o.forecast_enabled, o.created_at, o.updated_at
    FROM public.organizations o ORDER BY o.created_at DESC, o.id DESC;
END;
COMMENT ON FUNCTION list_organizations IS 'All organizations: for jobs that go through them one by one, and for operators.';

CREATE OR REPLACE FUNCTION find_grant(grant_id text) RETURNS TABLE (organization_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT g.organization_id FROM public.grants g WHERE g.id = grant_id;
END;
COMMENT ON FUNCTION find_grant IS 'Whose grant it is.';

CREATE OR REPLACE FUNCTION find_authorization_request(request_id text) RETURNS TABLE (organization_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT r.organization_id FROM public.authorization_requests r WHERE r.id = request_id;
END;
COMMENT ON FUNCTION find_authorization_request IS 'Whose authorization request it is: a screen knows the id only.';

-- Its earlier form used the code up and knew nothing of what had been issued for it.
DROP FUNCTION IF EXISTS burn_authorization_code(bytea, timestamptz);
CREATE OR REPLACE FUNCTION find_authorization_code(code_hash bytea) RETURNS TABLE (organization_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT c.organization_id FROM public.authorization_codes c WHERE c.hash = code_hash;
END;
COMMENT ON FUNCTION find_authorization_code IS
  'Whose code it is: a client of another organization presented it, so it has leaked.';

CREATE OR REPLACE FUNCTION find_magic_link(link_hash bytea) RETURNS TABLE (organization_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT l.organization_id FROM public.magic_links l WHERE l.hash = link_hash;
END;
COMMENT ON FUNCTION find_magic_link IS 'Whose link into the portal it is, also while the organization is switched off.';

CREATE OR REPLACE FUNCTION find_portal_session(session_hash bytea)
RETURNS TABLE (organization_id text, customer_id text, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT s.organization_id, s.customer_id, s.expires_at
    FROM public.portal_sessions s JOIN public.organizations o ON o.id = s.organization_id
   WHERE s.hash = session_hash AND o.standing IN ('in_order', 'past_due');
END;
COMMENT ON FUNCTION find_portal_session IS
  'The account that is signed in in the portal, and until when; none while the organization is switched off.';

-- A stranger's address leads to the oldest organization: his sign-in is counted and answered there as that of a user is.
CREATE OR REPLACE FUNCTION find_console_organization(address text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT o.id
    FROM public.organizations o
    LEFT JOIN public.console_users u ON u.organization_id = o.id AND u.email_lower = lower(address)
   WHERE o.standing IN ('in_order', 'past_due')
   ORDER BY u.id IS NULL, o.created_at, o.id LIMIT 1;
END;
COMMENT ON FUNCTION find_console_organization IS 'Where somebody with this address signs in to the console.';

CREATE OR REPLACE FUNCTION find_console_session(session_hash bytea)
RETURNS TABLE (organization_id text, user_id text, email text, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT s.organization_id, s.user_id, u.email, s.expires_at
    FROM public.console_sessions s
    JOIN public.console_users u ON u.organization_id = s.organization_id AND u.id = s.user_id
    JOIN public.organizations o ON o.id = s.organization_id
   WHERE s.hash = session_hash AND o.standing IN ('in_order', 'past_due');
END;
COMMENT ON FUNCTION find_console_session IS
  'The user who is signed in to the console, and until when; none while the organization is switched off.';

-- Its earlier form told of households only.
DROP FUNCTION IF EXISTS find_changed_households(pg_snapshot, integer);
-- A snapshot has not seen writes of transactions in progress since, nor of later ones: however long others stay open, no row
-- is read twice. Each table has at most twice so many rows read, and more than so many are not told one by one. If one
-- transaction wrote most assets, the planner expects that many in any other. Reading all of them seems to cost it little
-- more than the index, and is forbidden for safety. Who asks shares a connection with readiness and waits for no migration.
CREATE OR REPLACE FUNCTION find_changes(seen pg_snapshot, changes_max integer) RETURNS TABLE (
  server_started_at timestamptz,
  seen_now pg_snapshot,
  is_complete boolean,
  organizations text[],
  objects text[]
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET lock_timeout = '200ms'
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
COMMENT ON FUNCTION find_changes IS
  'Households whose assets, and grants, clients, organizations and tokens that a snapshot did not see as they are now, and the snapshot to ask with next time.';

-- For the first page, which everybody may open: each sum reads one row for each organization and day, or minute, that is asked for.
CREATE OR REPLACE FUNCTION find_stored_rows(first_day date, since timestamptz)
RETURNS TABLE (rows_of_days bigint, rows_of_minutes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT (SELECT coalesce(sum(d.rows_stored), 0)::bigint FROM public.request_days d WHERE d.day >= first_day),
         (SELECT coalesce(sum(m.rows_stored), 0)::bigint FROM public.request_minutes m WHERE m.minute >= since);
END;
COMMENT ON FUNCTION find_stored_rows IS 'Rows that all organizations stored since a day, and since a minute.';

ALTER FUNCTION find_client OWNER TO voltstream_system_reader;
ALTER FUNCTION find_access OWNER TO voltstream_system_reader;
ALTER FUNCTION list_organizations OWNER TO voltstream_system_reader;
ALTER FUNCTION find_grant OWNER TO voltstream_system_reader;
ALTER FUNCTION find_authorization_request OWNER TO voltstream_system_reader;
ALTER FUNCTION find_authorization_code OWNER TO voltstream_system_reader;
ALTER FUNCTION find_magic_link OWNER TO voltstream_system_reader;
ALTER FUNCTION find_portal_session OWNER TO voltstream_system_reader;
ALTER FUNCTION find_console_organization OWNER TO voltstream_system_reader;
ALTER FUNCTION find_console_session OWNER TO voltstream_system_reader;
ALTER FUNCTION find_changes OWNER TO voltstream_system_reader;
ALTER FUNCTION find_stored_rows OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION find_client, find_access, list_organizations, find_grant, find_authorization_request,
  find_authorization_code, find_magic_link, find_portal_session,
  find_console_organization, find_console_session, find_changes, find_stored_rows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_client, find_access, list_organizations, find_grant, find_authorization_request,
  find_authorization_code, find_magic_link, find_portal_session,
  find_console_organization, find_console_session, find_changes, find_stored_rows TO voltstream_app;
