-- Invented prices have a source of their own name, `synthetic`, and a database holds one kind of prices for good. Until now
-- a feed on this machine was stored under the names of the sources that it imitates, so its numbers passed for the market's.

-- 'market': answers of sources. 'local': a feed on this machine under a source's name, for tests of the parsers.
-- 'synthetic': invented prices under their own name.
CREATE TABLE price_kind (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  kind text NOT NULL CHECK (kind IN ('market', 'local', 'synthetic'))
);

-- What was stored from a feed on this machine alone goes: the feed gives it again, under its own name. A database with
-- answers of real sources loses nothing.
DO $$
DECLARE
  loopback constant text := '^https?://(127\.|localhost[:/]|\[::1\])';
BEGIN
  IF EXISTS (SELECT FROM price_fetches WHERE interval_count > 0 AND url LIKE 'https:%' AND url !~ loopback) THEN
    INSERT INTO price_kind (kind) VALUES ('market');
  ELSIF EXISTS (SELECT FROM price_fetches WHERE interval_count > 0 AND url ~ loopback) THEN
    ALTER TABLE price_forecast_captures DISABLE TRIGGER kept_for_good;
    ALTER TABLE price_forecast_values DISABLE TRIGGER kept_for_good;
    ALTER TABLE price_forecast_days DISABLE TRIGGER kept_for_good;
    ALTER TABLE price_forecast_frozen DISABLE TRIGGER kept_for_good;
    TRUNCATE price_forecast_frozen, price_forecast_days, price_forecast_values, price_forecast_captures;
    TRUNCATE spot_prices, price_day_changes, price_days, price_source_days, price_revisions, price_alarms,
             price_sources, price_payloads;
    /* Not truncated: the captures, empty now, refer to it. */
    DELETE FROM price_fetches;
    ALTER TABLE price_forecast_captures ENABLE TRIGGER kept_for_good;
    ALTER TABLE price_forecast_values ENABLE TRIGGER kept_for_good;
    ALTER TABLE price_forecast_days ENABLE TRIGGER kept_for_good;
    ALTER TABLE price_forecast_frozen ENABLE TRIGGER kept_for_good;
  END IF;
END
$$;

-- An answer with values names the kind: by its source, or by the address that it came from. A file has no address: it is
-- what its source says, and belongs to no database of invented prices.
CREATE FUNCTION keep_price_kind() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  given constant text := CASE WHEN NEW.source = 'synthetic' THEN 'synthetic'
                              WHEN NEW.url ~ '^https?://(127\.|localhost[:/]|\[::1\])' THEN 'local'
                              WHEN NEW.url ~ '^https?://' THEN 'market' END;
  held text;
BEGIN
  SELECT kind INTO held FROM price_kind;
  IF held IS NULL AND given = 'synthetic' AND EXISTS (SELECT FROM price_source_days WHERE source <> 'synthetic') THEN
    held := 'market';
  ELSIF held IS NULL AND given IS NOT NULL THEN
    INSERT INTO price_kind (kind) VALUES (given) ON CONFLICT DO NOTHING;
    SELECT kind INTO held FROM price_kind;
  END IF;
  IF held IS DISTINCT FROM given AND (given IS NOT NULL OR held = 'synthetic') THEN
    RAISE EXCEPTION 'This database holds % prices: those of % are kept apart from them', held, NEW.source
      USING ERRCODE = 'check_violation', CONSTRAINT = 'price_kind';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER one_kind BEFORE INSERT ON price_fetches
  FOR EACH ROW WHEN (NEW.interval_count > 0) EXECUTE FUNCTION keep_price_kind();

GRANT SELECT, INSERT ON price_kind TO voltstream_app;

COMMENT ON TABLE price_kind IS 'Which kind of prices this database holds; one row, written with the first of them.';
COMMENT ON COLUMN price_kind.only_row IS 'Always true: there is one row.';
COMMENT ON COLUMN price_kind.kind IS 'market, local (a feed on this machine under the name of a source), or synthetic.';
COMMENT ON FUNCTION keep_price_kind() IS 'Trigger: invented prices and those of the market never meet in one database.';
COMMENT ON COLUMN price_fetches.source IS 'The feed that was asked, or that an imported file came from; synthetic: invented.';
