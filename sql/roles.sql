-- Only a superuser may do this: the roles, their rights in this database and on the extension's own functions. Run by
-- `npm run db -- init` inside the service's database, again after every update of the extension; running it twice changes
-- nothing. Passwords are set elsewhere and never stand in a file.

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

-- The owner makes the accounts of analysts, and renews, shuts and ends them. A restore makes those of its copy as a superuser.
DO $$
DECLARE
  analyst name;
BEGIN
  FOR analyst IN
    SELECT r.rolname FROM pg_roles AS r
     WHERE starts_with(r.rolname, 'voltstream_analyst_') AND r.rolname <> 'voltstream_analyst_reader'
       AND NOT EXISTS (SELECT FROM pg_auth_members AS m
                        WHERE m.roleid = r.oid AND m.member = 'voltstream_owner'::regrole AND m.admin_option)
  LOOP
    EXECUTE format('GRANT %I TO voltstream_owner WITH ADMIN TRUE, INHERIT TRUE, SET FALSE', analyst);
  END LOOP;
END
$$;

DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I OWNER TO voltstream_owner', current_database());
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  -- Once it staged snapshots in temporary tables.
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM voltstream_app', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO voltstream_app, voltstream_maintenance', current_database());
END
$$;

-- Every database lets everybody in, and lets him fill the disk with temporary tables and large objects: so these two, which
-- every server has, let in who is named. The owner, because he removes what an account of an analyst left there. What other
-- databases a server has is closed by whoever made them (docs/deployment.md).
DO $$
DECLARE
  other name;
BEGIN
  FOR other IN
    SELECT datname FROM pg_database WHERE datname IN ('postgres', 'template1') AND datname <> current_database()
  LOOP
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', other);
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO voltstream_owner', other);
  END LOOP;
END
$$;

-- What everybody may call, analysts among them, who only read. Functions that look and compute are free. Those that may do
-- something are volatile, and of these only the ones listed here are free: they wait, guess, set what holds in one's own
-- session, end one's own sessions, or look at the server. All others, also those of versions to come, are for the roles of
-- the service: among them are some that fill the disk (large objects, exported snapshots, notes in the queue, records in the
-- write-ahead log) or hold a lock by name that the service waits for. The two at the end are said to be stable, but take a
-- number of a transaction each time. Functions that were never open to everybody stay closed, and those of Citus are in
-- sql/citus/roles.sql.
DO $$
DECLARE
  free constant text[] := ARRAY[
    'array_sample', 'array_shuffle', 'clock_timestamp', 'current_query', 'gen_random_uuid', 'pg_blocking_pids',
    'pg_cancel_backend', 'pg_collation_actual_version', 'pg_current_wal_flush_lsn', 'pg_current_wal_insert_lsn',
    'pg_current_wal_lsn', 'pg_database_collation_actual_version', 'pg_database_size', 'pg_get_wait_events',
    'pg_get_wal_replay_pause_state', 'pg_indexes_size', 'pg_is_in_recovery', 'pg_is_wal_replay_paused', 'pg_jit_available',
    'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_last_xact_replay_timestamp', 'pg_lock_status',
    'pg_notification_queue_usage', 'pg_partition_ancestors', 'pg_partition_tree', 'pg_prepared_xact', 'pg_relation_size',
    'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_stat_clear_snapshot', 'pg_stat_get_io', 'pg_table_size',
    'pg_tablespace_size', 'pg_terminate_backend', 'pg_total_relation_size', 'random', 'random_normal', 'set_config',
    'setseed', 'timeofday'
  ];
  bound constant text[] := ARRAY['pg_current_xact_id', 'txid_current'];
  -- Before 2.29.1 these functions of TimescaleDB ask nobody who he is: on 2.19.3 a role without any right dropped a chunk
  -- with the first. They are for nobody.
  unsafe constant text[] := ARRAY[
    'drop_chunk', 'drop_osm_chunk', 'create_compressed_chunk', 'freeze_chunk', 'unfreeze_chunk',
    'hypertable_osm_range_update', 'lock_osm_chunk_dimension_slice'
  ];
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure AS signature,
           p.proname = ANY (unsafe) AND n.nspname LIKE '\_timescaledb\_%' AS is_unsafe
      FROM pg_proc AS p
      JOIN pg_namespace AS n ON n.oid = p.pronamespace
      LEFT JOIN pg_init_privs AS given ON given.objoid = p.oid AND given.classoid = 'pg_proc'::regclass
     WHERE n.nspname NOT IN ('public', 'extensions')
       AND (p.provolatile = 'v' AND p.proname <> ALL (free) OR p.proname = ANY (bound))
       AND EXISTS (SELECT FROM aclexplode(coalesce(given.initprivs, acldefault('f', p.proowner))) AS right_of
                    WHERE right_of.grantee = 0)
       AND NOT EXISTS (SELECT FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname LIKE 'citus%'
                        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                          AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', found.signature);
    IF NOT found.is_unsafe THEN
      EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO voltstream_owner, voltstream_app, voltstream_maintenance,
                      voltstream_snapshot_reader, voltstream_system_reader, voltstream_analyst_reader,
                      voltstream_finance', found.signature);
    END IF;
  END LOOP;
END
$$;
-- Its RAISE LOG writes into the log of the server as much as one likes.
REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
GRANT USAGE ON LANGUAGE plpgsql TO voltstream_owner, voltstream_app;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public
  TO voltstream_app, voltstream_maintenance, voltstream_snapshot_reader, voltstream_system_reader,
     voltstream_analyst_reader, voltstream_finance;
-- A function that a migration forgets to close is closed.
ALTER DEFAULT PRIVILEGES FOR ROLE voltstream_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- USAGE on _timescaledb_internal, where the chunks live, stays with PUBLIC: the extension looks its own tables up by name
-- there, so that without it every query of a fresh session fails, on 2.29.2 too, also on tables that are no hypertables.
-- (A session that had planned something before a SET ROLE goes on working, which hides this.) The chunks' own rights,
-- copied from their table, are the barrier.

-- Under row-level security PostgreSQL uses neither an index nor its statistics for a condition whose function might tell
-- about rows before their policy is asked. LIKE tells nothing: its only error is about a pattern that ends with its escape
-- character, which no filter of ours does, and no message names a row. Without this a search read 1,000,000 rows for
-- nothing. It is for speed alone: a database restored without it answers the same.
ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF;
