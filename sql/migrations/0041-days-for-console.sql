-- The console says on which day an asset that is silent was last heard of (sql/repeatable/asset-sums.sql).
GRANT SELECT ON asset_days TO voltstream_snapshot_reader;
