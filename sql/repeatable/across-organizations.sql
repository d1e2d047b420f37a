-- The few questions that must be asked before an organization is known, or of all of them. Each answers one question
-- with ids, state and organization; the work after it happens inside that organization.
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
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT c.id, c.organization_id, o.standing, c.role, c.customer_id, c.scopes, c.grants, c.public, c.third_party,
         c.version, c.disabled_at
    FROM public.auth_clients c JOIN public.organizations o ON o.id = c.organization_id
   WHERE c.id = client_id;
END;
COMMENT ON FUNCTION find_client IS 'An auth client with the standing of its organization.';

CREATE OR REPLACE FUNCTION find_access(grant_id text, client_id text) RETURNS TABLE (
  organization_id text,
  standing text,
  revoked_at timestamptz,
  disabled_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT o.id, o.standing, g.revoked_at, c.disabled_at
    FROM public.grants g
    JOIN public.auth_clients c ON (c.organization_id, c.id) = (g.organization_id, g.client_id)
    JOIN public.organizations o ON o.id = g.organization_id
   WHERE g.id = grant_id AND g.client_id = find_access.client_id;
END;
COMMENT ON FUNCTION find_access IS 'Whether the grant of an access token, its client and its organization are alive.';

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

ALTER FUNCTION find_client OWNER TO voltstream_system_reader;
ALTER FUNCTION find_access OWNER TO voltstream_system_reader;
ALTER FUNCTION list_organizations OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION find_client, find_access, list_organizations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_client, find_access, list_organizations TO voltstream_app;
