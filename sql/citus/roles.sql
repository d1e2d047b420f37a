-- Citus needs this beside sql/roles.sql, behind it and on every node: the nodes sign in to each other as the role whose
-- statement it is. Their passwords are the same everywhere; those of nobody but nodes are in pg_dist_authinfo alone.

-- The functions that read measured values run as the first, also on other nodes; as the second the views of analysts ask for
-- them. Neither signs in otherwise.
ALTER ROLE voltstream_snapshot_reader LOGIN;
ALTER ROLE voltstream_analyst_reader LOGIN;

DO $$
BEGIN
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO voltstream_snapshot_reader, voltstream_analyst_reader', current_database());
END
$$;

-- All that is not a measured value stays on the coordinator: schemas and roles of analysts must not be made on every node, or
-- wait for one that is away. Functions and migrations that make something everywhere say so.
ALTER ROLE voltstream_owner SET citus.enable_ddl_propagation = off;
ALTER ROLE voltstream_app SET citus.enable_ddl_propagation = off;
-- COPY is prepared on each connection to a node. With the default of 16 a group of many households stored 14,000 rows a second,
-- with one 136,000.
ALTER ROLE voltstream_app SET citus.max_adaptive_executor_pool_size = 1;
-- The limit that the service sets for itself holds on the coordinator; rows are locked on the nodes.
ALTER ROLE voltstream_app SET lock_timeout = '3s';

-- An analyst's session has limits of its own; these are for the session that asks for him.
ALTER ROLE voltstream_analyst_reader SET default_transaction_read_only = on;
ALTER ROLE voltstream_analyst_reader SET statement_timeout = '60s';
ALTER ROLE voltstream_analyst_reader SET temp_file_limit = '1GB';

-- Everybody may call most functions of the extension by default. By some of them a role that may only read could hold locks that
-- writers wait for, and two end the server with a segmentation fault (14.0.1: an empty list, a table that is none). So none is
-- left to everybody but the two that Citus itself puts into questions to the catalog, to hide its shards. Nodes call the others in
-- the name of whoever reads or writes: the roles of the service keep all but those that end the server.
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure AS signature,
           p.proname IN ('worker_split_copy', 'worker_copy_table_to_node') AS ends_server
      FROM pg_depend AS d
      JOIN pg_extension AS e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass AND e.extname = 'citus'
      JOIN pg_proc AS p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
     WHERE d.deptype = 'e' AND has_function_privilege('public', p.oid, 'EXECUTE')
       AND p.proname NOT IN ('relation_is_a_known_shard', 'citus_table_is_visible')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', found.signature);
    IF NOT found.ends_server THEN
      EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO voltstream_owner, voltstream_app, voltstream_maintenance,
                      voltstream_snapshot_reader, voltstream_system_reader, voltstream_analyst_reader', found.signature);
    END IF;
  END LOOP;
END
$$;
