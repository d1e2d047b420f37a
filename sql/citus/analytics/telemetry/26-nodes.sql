-- On Citus a statement runs on other nodes with the rights of whoever sent it, and the barrier of a view is lost on the way:
-- an analyst would need rights on the measured values of all organizations. So analysts read foreign tables of this same
-- database instead. Behind them the owner of the views signs in and asks the nodes. The organization and conditions with
-- leakproof operators (=, <, >= on numbers, texts, days and instants) come before the barrier and go along. Everything else
-- is done here, with rows of the own organization.
DO $$
DECLARE
  name text;
  columns text;
BEGIN
  FOREACH name IN ARRAY ARRAY['stored_snapshots', 'stored_quarter_hours', 'snapshots', 'quarter_hours', 'days'] LOOP
    SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum) INTO columns
      FROM pg_attribute AS a WHERE a.attrelid = format('measured.%I', name)::regclass AND a.attnum > 0;
    EXECUTE format('ALTER VIEW measured.%I RENAME TO %I', name, name || '_of_nodes');
    EXECUTE format('CREATE FOREIGN TABLE measured.%I (%s) SERVER voltstream_nodes OPTIONS (schema_name %L, table_name %L)',
                   name, columns, 'measured', name || '_of_nodes');
    EXECUTE format('ALTER FOREIGN TABLE measured.%I OWNER TO voltstream_analyst_reader', name);
    EXECUTE format('REVOKE ALL ON measured.%I FROM PUBLIC', name);
  END LOOP;
END
$$;
