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
