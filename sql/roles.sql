-- What only a superuser may do: the roles, their rights in this database and on the extension's own functions.
-- Run by `npm run db -- init` inside the service's database, again after every update of the extension; running
-- it twice changes nothing. Passwords are set elsewhere and never stand in a file.

DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY[
    'voltstream_owner', 'voltstream_app', 'voltstream_snapshot_reader', 'voltstream_system_reader',
    'voltstream_analyst_reader', 'voltstream_maintenance', 'voltstream_finance'
  ] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      EXECUTE format('CREATE ROLE %I', role_name);
    END IF;
  END LOOP;
END
$$;

-- Migrations only. BYPASSRLS, because a table with forced row-level security shows a migration 0 rows, and it would
-- "succeed"; CREATEROLE and the file limit for the analysts' logins.
ALTER ROLE voltstream_owner NOSUPERUSER LOGIN BYPASSRLS CREATEROLE NOCREATEDB NOREPLICATION;
GRANT SET ON PARAMETER temp_file_limit TO voltstream_owner;

-- The service. It owns nothing and sees the rows of one organization at a time.
ALTER ROLE voltstream_app NOSUPERUSER LOGIN NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;
-- Retention and erasure: two or three functions and no table.
ALTER ROLE voltstream_maintenance NOSUPERUSER LOGIN NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;

-- Nobody signs in as these: they own views and functions that look where the service may not.
ALTER ROLE voltstream_snapshot_reader NOSUPERUSER NOLOGIN NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;
ALTER ROLE voltstream_system_reader NOSUPERUSER NOLOGIN NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;
ALTER ROLE voltstream_analyst_reader NOSUPERUSER NOLOGIN NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;
-- Who keeps the books: the accounts of such people are made members of it. It reads bills, also those of persons who were
-- erased, in all organizations.
ALTER ROLE voltstream_finance NOSUPERUSER NOLOGIN NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;
GRANT voltstream_snapshot_reader, voltstream_system_reader, voltstream_analyst_reader, voltstream_finance
  TO voltstream_owner WITH INHERIT TRUE, SET TRUE;

DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I OWNER TO voltstream_owner', current_database());
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  -- TEMPORARY: the staging table of conflicting snapshot batches.
  EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO voltstream_app', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO voltstream_maintenance', current_database());
END
$$;

-- Functions that everybody may call by default, and by which an analyst, who may only read, could fill the disk (large
-- objects, records in the write-ahead log) or hold a lock by name that the service waits for.
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure AS signature, p.proname LIKE 'pg\_%advisory%' AS is_of_service
      FROM pg_proc p
     WHERE p.pronamespace = 'pg_catalog'::regnamespace
       AND (p.proname ~ '^lo(_|read$|write$)' OR p.proname ~ '^pg_(try_)?advisory_' OR p.proname = 'pg_logical_emit_message')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', found.signature);
    IF found.is_of_service THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO voltstream_owner, voltstream_app, voltstream_maintenance,
                      voltstream_snapshot_reader, voltstream_system_reader', found.signature);
    END IF;
  END LOOP;
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public
  TO voltstream_app, voltstream_maintenance, voltstream_snapshot_reader, voltstream_system_reader,
     voltstream_analyst_reader, voltstream_finance;
-- A function that a migration forgets to close is closed.
ALTER DEFAULT PRIVILEGES FOR ROLE voltstream_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- Before 2.29.1 these functions of the extension ask nobody who they are: on 2.19.3 a role without any right dropped
-- a chunk with the first. They belong to the superuser; the owner's REVOKE would only warn.
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure AS signature, p.prokind
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname IN ('_timescaledb_functions', '_timescaledb_internal')
       AND p.proname IN (
         'drop_chunk', 'drop_osm_chunk', 'create_compressed_chunk', 'freeze_chunk', 'unfreeze_chunk',
         'hypertable_osm_range_update', 'lock_osm_chunk_dimension_slice'
       )
  LOOP
    EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', found.signature);
  END LOOP;
END
$$;

-- USAGE on _timescaledb_internal, where the chunks live, stays with PUBLIC: the extension looks its own tables up by name
-- there, so that without it every query of a fresh session fails, on 2.29.2 too, also on tables that are no hypertables.
-- (A session that had planned something before a SET ROLE goes on working, which hides this.) The chunks' own rights,
-- copied from their table, are the barrier.

-- Under row-level security PostgreSQL uses neither an index nor its statistics for a condition whose function might tell
-- about rows before their policy is asked. LIKE tells nothing: its only error is about a pattern that ends with its escape
-- character, which no filter of ours does, and no message names a row. Without this a search read 1,000,000 rows for
-- nothing. It is for speed alone: a database restored without it answers the same.
ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF;
