-- The views belong to the role that may read what they show, and to nobody else.
DO $$
DECLARE
  house_view regclass;
BEGIN
  FOR house_view IN SELECT oid FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relkind = 'v' LOOP
    EXECUTE format('ALTER VIEW %s OWNER TO voltstream_analyst_reader', house_view);
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', house_view);
  END LOOP;
END
$$;
