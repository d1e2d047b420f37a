-- As in sql/migrations/0041-days-for-console.sql: on Citus the right is needed on every node.
SET LOCAL citus.enable_ddl_propagation = on;
GRANT SELECT ON asset_days TO voltstream_snapshot_reader;
