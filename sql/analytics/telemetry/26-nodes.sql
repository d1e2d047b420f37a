-- Nothing: all measured values are in this database. On Citus they are on other nodes (sql/citus/analytics/telemetry/26-nodes.sql).
SELECT;
