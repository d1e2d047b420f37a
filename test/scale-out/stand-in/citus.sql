-- The functions and tables of Citus that the SQL of this project names, for one server that has all shards: tables stay as
-- they are, and each row belongs to one of four shards that are numbers alone. Written for tests where Citus is not installed;
-- it shares nothing with Citus but names and meanings.
SET LOCAL allow_system_table_mods = on;

CREATE TABLE pg_catalog.pg_dist_authinfo (
  nodeid integer NOT NULL, rolename name NOT NULL, authinfo text NOT NULL, UNIQUE (rolename, nodeid)
);
REVOKE ALL ON pg_catalog.pg_dist_authinfo FROM PUBLIC;

CREATE TABLE pg_catalog.pg_dist_node (nodeid serial PRIMARY KEY, nodename text NOT NULL, nodeport integer NOT NULL);
GRANT SELECT ON pg_catalog.pg_dist_node TO PUBLIC;

CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, colocationid serial);
GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC;

CREATE FUNCTION pg_catalog.create_distributed_table(
  table_name regclass, distribution_column text, colocate_with text DEFAULT 'default'
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF distribution_column <> 'asset_id' OR current_setting('citus.enable_ddl_propagation') <> 'on' THEN
    RAISE EXCEPTION 'Only by asset, and only where it reaches every node';
  END IF;
  IF colocate_with = 'default' THEN
    INSERT INTO pg_dist_partition (logicalrelid) VALUES (table_name);
  ELSE
    INSERT INTO pg_dist_partition
    SELECT table_name, colocationid FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass;
  END IF;
END
$$;

CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(table_name regclass, distribution_value bigint)
RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 102008 + (hashint8(distribution_value) & 3)::bigint';

CREATE FUNCTION pg_catalog.run_command_on_all_nodes(command text, OUT nodeid integer, OUT success boolean, OUT result text)
RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
  nodeid := 1;
  success := true;
  EXECUTE command INTO result;
  RETURN NEXT;
END
$$;

-- Nobody but the extension could tell who may set them.
GRANT SET ON PARAMETER citus.enable_ddl_propagation, citus.multi_shard_modify_mode TO PUBLIC;
