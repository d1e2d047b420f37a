-- Rows of asset_snapshots can be spread over several servers by asset_id. A batch is of one household: where all its rows lie
-- on one server, one commit there stores it. Citus 14 gives each shard an equal part of hashint8(asset_id), and numbers of
-- shards are powers of two. So the assets of a household get keys whose hashes share their first ten bits: one of 1,024
-- buckets, which never lies on two shards. It follows from the two ids alone: no look at the other assets, no lock, and the
-- same for processes that add assets at one moment.
--
-- Keys are for ever, so they are given like this from now on wherever the service runs. Those that are there stay. Nothing
-- is wrong with a key of another bucket: its rows need a commit on two servers.
--
-- The number n of the sequence stands for the 65,536 keys from n << 16 on; the first one in the bucket is taken. On average
-- 1,024 are tried, which takes 0.08 ms of processor time; none of them fits once in 10^27 times: then it is the first of all.
-- They lie behind the keys that are there, and stay below 2^53, which a JavaScript number holds. sha256 and not md5, which a
-- server with FIPS refuses.
CREATE SEQUENCE asset_keys AS bigint MAXVALUE 137438953471;
SELECT setval('asset_keys', greatest(1, max(key)), max(key) IS NOT NULL) FROM assets;
ALTER TABLE assets ALTER COLUMN key DROP IDENTITY;
-- A key that is given stays: rows that are copied from another database keep theirs, and the snapshots theirs.
ALTER TABLE assets ALTER COLUMN key SET DEFAULT 0;
ALTER SEQUENCE asset_keys OWNED BY assets.key;
GRANT USAGE ON SEQUENCE asset_keys TO voltstream_app;

CREATE FUNCTION give_asset_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  digest bytea := sha256(convert_to(NEW.organization_id || ' ' || NEW.household_id, 'UTF8'));
  bucket integer := ((get_byte(digest, 0) << 2) | (get_byte(digest, 1) >> 6)) - 512;
  first_key bigint := nextval('public.asset_keys') << 16;
BEGIN
  NEW.key := coalesce(
    (SELECT tried.key FROM (SELECT generate_series(first_key, first_key + 65535) AS key) tried
      WHERE hashint8(tried.key) >> 22 = bucket LIMIT 1),
    first_key);
  RETURN NEW;
END
$$;
CREATE TRIGGER give_asset_key BEFORE INSERT ON assets FOR EACH ROW WHEN (NEW.key = 0) EXECUTE FUNCTION give_asset_key();

COMMENT ON SEQUENCE asset_keys IS 'Each number stands for 65,536 keys, of which one asset gets one.';
COMMENT ON COLUMN assets.key IS
  'Internal key in asset_snapshots; never shown, never used again. 0 asks for one: keys of a household share a bucket, hashint8(key) >> 22. Older keys need not.';
COMMENT ON FUNCTION give_asset_key() IS 'Gives an asset a key in the bucket of its household.';
