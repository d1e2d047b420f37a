-- What Citus needs beside sql/roles.sql, behind it and on every node: the nodes sign in to each other as the role whose
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

-- Functions of the extension that everybody may call by default. With the first one any role ends the server, and with it
-- every node that it reaches: an empty list is a segmentation fault (14.0.1). With the others an analyst, who may only read,
-- could hold a lock that writers of measured values wait for; nodes call them in the name of whoever writes.
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure AS signature, p.proname <> 'worker_split_copy' AS is_of_service
      FROM pg_proc p
     WHERE p.pronamespace = 'pg_catalog'::regnamespace
       AND p.proname IN ('worker_split_copy', 'lock_shard_metadata', 'lock_shard_resources', 'lock_relation_if_exists')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', found.signature);
    IF found.is_of_service THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO voltstream_owner, voltstream_app, voltstream_maintenance,
                      voltstream_snapshot_reader, voltstream_analyst_reader', found.signature);
    END IF;
  END LOOP;
END
$$;
