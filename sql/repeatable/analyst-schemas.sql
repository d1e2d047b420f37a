-- Each organization has a schema of its own for its analysts: analytics_<organization>, with one view for each view of
-- `analytics`. It shows the rows of that organization, whose id stands in it as a constant: whoever types SQL could change
-- a setting. A barrier, so that no condition of his is tried on the rows of others; conditions with leakproof operators
-- (=, <, >= on numbers, texts, days and instants) still reach the index. Prices and days belong to no organization.

-- Made with the first analyst or the first export, and after an update that changed them for each organization that has
-- analysts. By the owner of the database, because making a schema is his right alone.
CREATE OR REPLACE FUNCTION make_analyst_schema(organization text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET check_function_bodies = off
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
COMMENT ON FUNCTION make_analyst_schema IS 'Makes the views of one organization''s analysts, with their rights, if they are not there.';

DROP FUNCTION IF EXISTS drop_analyst_schema(text);

-- Analysts read while their organization is served, also when it is late with a payment; else they are shut out, and their
-- sessions with them. Roles belong to the server: after a restore elsewhere they may be missing until they are rotated.
CREATE OR REPLACE FUNCTION set_analyst_access(organization text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
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
COMMENT ON FUNCTION set_analyst_access IS
  'Gives the analysts of an organization the right to read its views, or takes it, as the organization''s standing wants.';

CREATE OR REPLACE FUNCTION missing_analyst_schemas() RETURNS TABLE (organization text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT DISTINCT a.organization_id FROM public.analysts a
   WHERE NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'analytics_' || a.organization_id);
END;
COMMENT ON FUNCTION missing_analyst_schemas IS 'Organizations whose analysts have no views: after an update, until they are made.';

REVOKE ALL ON FUNCTION make_analyst_schema, set_analyst_access, missing_analyst_schemas FROM PUBLIC, voltstream_app;
GRANT EXECUTE ON FUNCTION set_analyst_access TO voltstream_app;
