-- Day-ahead prices as the market published them, with everything that says where a number came from. Public facts, no
-- tenant: nothing here belongs to an organization.
--
-- Plain tables, not hypertables: one source brings 35,000 rows a year, an answer reads one to four of the primary key's
-- pages, and nothing is ever dropped by age.

-- One row per attempt, failures included; never changed.
CREATE TABLE price_fetches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source text NOT NULL,
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_from date NOT NULL,
  delivery_to date NOT NULL CHECK (delivery_to >= delivery_from),
  url text NOT NULL,
  requested_at timestamptz NOT NULL,
  captured_at timestamptz NOT NULL,
  http_status smallint,
  content_type text,
  body_bytes integer,
  payload_hash bytea CHECK (octet_length(payload_hash) = 32),
  outcome text NOT NULL CHECK (
    outcome IN ('published', 'partial', 'not_published', 'transient_failure', 'throttled', 'denied', 'rejected')
  ),
  detail text,
  licence_text text,
  source_stamp text,
  interval_count integer NOT NULL DEFAULT 0
);
CREATE INDEX price_fetches_of_days ON price_fetches (zone, delivery_from, delivery_to);
CREATE INDEX price_fetches_newest ON price_fetches (source, captured_at DESC);
CREATE INDEX price_fetches_of_payload ON price_fetches (payload_hash);
-- The newest attempt of a feed that gave values, for its licence. A feed that never gave any had all its rows read.
CREATE INDEX price_fetches_licensed ON price_fetches (source, captured_at DESC, id DESC)
  WHERE interval_count > 0 AND licence_text IS NOT NULL;
-- Attempts that asked for a day: one attempt asks for several.
CREATE INDEX price_fetches_covering ON price_fetches USING gist (zone, daterange(delivery_from, delivery_to, '[]'));

CREATE TABLE price_payloads (
  payload_hash bytea PRIMARY KEY CHECK (octet_length(payload_hash) = 32),
  body bytea NOT NULL,
  first_captured_at timestamptz NOT NULL,
  -- Bodies behind a rejection, an alarm or a changed value stay. Without a mark every night would judge all of them again.
  is_kept boolean NOT NULL DEFAULT false
);
CREATE INDEX price_payloads_unjudged ON price_payloads (first_captured_at) WHERE NOT is_kept;

-- Every value that a source ever gave for an interval; an equal one writes nothing.
CREATE TABLE price_revisions (
  source text NOT NULL,
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  interval_start timestamptz NOT NULL,
  minutes smallint NOT NULL CHECK (minutes IN (15, 60)),
  revision integer NOT NULL CHECK (revision >= 1),
  amount numeric NOT NULL CHECK (amount > '-Infinity' AND amount < 'Infinity'),
  fetch_id bigint NOT NULL REFERENCES price_fetches (id),
  captured_at timestamptz NOT NULL,
  PRIMARY KEY (zone, source, interval_start, minutes, revision)
);
CREATE INDEX price_revisions_of_fetch ON price_revisions (fetch_id);

-- What is served: one source per delivery day, never a mixture.
CREATE TABLE spot_prices (
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  interval_start timestamptz NOT NULL,
  minutes smallint NOT NULL CHECK (minutes IN (15, 60)),
  delivery_on date NOT NULL,
  amount numeric NOT NULL,
  source text NOT NULL,
  revision integer NOT NULL,
  PRIMARY KEY (zone, interval_start),
  FOREIGN KEY (zone, source, interval_start, minutes, revision)
    REFERENCES price_revisions (zone, source, interval_start, minutes, revision)
);
CREATE INDEX spot_prices_of_day ON spot_prices (zone, delivery_on);

CREATE TABLE price_days (
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_on date NOT NULL,
  served_source text,
  preferred_source text,
  state text NOT NULL CHECK (state IN ('complete', 'partial', 'suspect')),
  version integer NOT NULL DEFAULT 0,
  last_incomplete_at timestamptz,
  first_complete_at timestamptz,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (zone, delivery_on)
);

-- What each source has for a day: the choice of the served one looks here.
CREATE TABLE price_source_days (
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_on date NOT NULL,
  source text NOT NULL,
  interval_count integer NOT NULL,
  state text NOT NULL CHECK (state IN ('complete', 'partial', 'suspect')),
  first_captured_at timestamptz NOT NULL,
  last_captured_at timestamptz NOT NULL,
  released_at timestamptz,
  PRIMARY KEY (zone, delivery_on, source)
);

-- One row per change of a served day, written with the change: whoever depends on prices works these off.
CREATE TABLE price_day_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  zone text NOT NULL,
  delivery_on date NOT NULL,
  version integer NOT NULL,
  served_source text NOT NULL,
  changed_at timestamptz NOT NULL,
  UNIQUE (zone, delivery_on, version),
  FOREIGN KEY (zone, delivery_on) REFERENCES price_days (zone, delivery_on)
);

-- Whether a source may be asked, and how it did.
CREATE TABLE price_sources (
  source text PRIMARY KEY,
  failed_jobs integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  paused_until timestamptz,
  pause_reason text,
  configuration_hash bytea,
  last_success_at timestamptz,
  last_failure_at timestamptz
);

-- What a person has to look at; an alarm stands until it is resolved.
CREATE TABLE price_alarms (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  zone text NOT NULL,
  kind text NOT NULL,
  source text NOT NULL DEFAULT '',
  delivery_on date,
  detail text NOT NULL,
  fetch_id bigint REFERENCES price_fetches (id),
  raised_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  resolved_at timestamptz
);
CREATE UNIQUE INDEX price_alarms_open ON price_alarms (zone, kind, source, delivery_on)
  NULLS NOT DISTINCT WHERE resolved_at IS NULL;
CREATE INDEX price_alarms_of_day ON price_alarms (zone, delivery_on, raised_at DESC, id DESC);
CREATE INDEX price_alarms_of_fetch ON price_alarms (fetch_id);

-- Append-only tables: nobody who serves or pulls may rewrite what was captured.
GRANT SELECT, INSERT ON price_fetches, price_revisions, price_day_changes TO voltstream_app;
GRANT SELECT, INSERT, DELETE ON price_payloads TO voltstream_app;
GRANT UPDATE (is_kept) ON price_payloads TO voltstream_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON spot_prices TO voltstream_app;
GRANT SELECT (zone, interval_start, minutes, delivery_on, amount, source) ON spot_prices TO voltstream_analyst_reader;
GRANT SELECT, INSERT, UPDATE ON price_days, price_source_days, price_sources, price_alarms TO voltstream_app;

COMMENT ON TABLE price_fetches IS 'Every attempt to read prices from a source; append-only.';
COMMENT ON COLUMN price_fetches.id IS 'Names the attempt.';
COMMENT ON COLUMN price_fetches.source IS 'The feed that was asked, or that an imported file came from; synthetic: invented.';
COMMENT ON COLUMN price_fetches.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_fetches.delivery_from IS 'First delivery day asked for.';
COMMENT ON COLUMN price_fetches.delivery_to IS 'Last delivery day asked for, inclusive.';
COMMENT ON COLUMN price_fetches.url IS 'Address with the token masked, or the name of the imported file.';
COMMENT ON COLUMN price_fetches.requested_at IS 'Instant of sending the request.';
COMMENT ON COLUMN price_fetches.captured_at IS 'Our clock when the last byte was there: the only proof of time.';
COMMENT ON COLUMN price_fetches.http_status IS 'Status of the answer; null without one.';
COMMENT ON COLUMN price_fetches.content_type IS 'Content type as it was sent.';
COMMENT ON COLUMN price_fetches.body_bytes IS 'Size of the body after inflating.';
COMMENT ON COLUMN price_fetches.payload_hash IS 'SHA-256 of the content without what changes on every request.';
COMMENT ON COLUMN price_fetches.outcome IS 'What became of it.';
COMMENT ON COLUMN price_fetches.detail IS 'Why, in a sentence; never with a token.';
COMMENT ON COLUMN price_fetches.licence_text IS 'Licence of the source at that moment.';
COMMENT ON COLUMN price_fetches.source_stamp IS 'What the source says about the time of making: information only.';
COMMENT ON COLUMN price_fetches.interval_count IS 'Intervals that were accepted.';

COMMENT ON TABLE price_payloads IS 'Bodies of answers, compressed; 90 days, longer behind a rejection, alarm or revision.';
COMMENT ON COLUMN price_payloads.payload_hash IS 'As in price_fetches.';
COMMENT ON COLUMN price_payloads.body IS 'The body, compressed with zstd.';
COMMENT ON COLUMN price_payloads.first_captured_at IS 'First seen at.';
COMMENT ON COLUMN price_payloads.is_kept IS 'Judged after 90 days, and to stay.';

COMMENT ON TABLE price_revisions IS 'Every value a source gave for an interval, oldest revision 1; append-only.';
COMMENT ON COLUMN price_revisions.source IS 'Feed that gave the value.';
COMMENT ON COLUMN price_revisions.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_revisions.interval_start IS 'UTC start of the interval.';
COMMENT ON COLUMN price_revisions.minutes IS 'Width of the interval.';
COMMENT ON COLUMN price_revisions.revision IS '1 is the first value.';
COMMENT ON COLUMN price_revisions.amount IS 'EUR/MWh, in the source''s precision.';
COMMENT ON COLUMN price_revisions.fetch_id IS 'The attempt that brought it.';
COMMENT ON COLUMN price_revisions.captured_at IS 'Instant of capture.';

COMMENT ON TABLE spot_prices IS 'Realized day-ahead prices as served: one source per delivery day.';
COMMENT ON COLUMN spot_prices.zone IS 'Bidding zone.';
COMMENT ON COLUMN spot_prices.interval_start IS 'UTC start of the interval.';
COMMENT ON COLUMN spot_prices.minutes IS 'Width: 60 before delivery day 2025-10-01, 15 from then on.';
COMMENT ON COLUMN spot_prices.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN spot_prices.amount IS 'EUR/MWh.';
COMMENT ON COLUMN spot_prices.source IS 'Feed that gave the value.';
COMMENT ON COLUMN spot_prices.revision IS 'Which revision of that feed''s value.';

COMMENT ON TABLE price_days IS 'State of each delivery day.';
COMMENT ON COLUMN price_days.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_days.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN price_days.served_source IS 'Feed whose values are served; null: none.';
COMMENT ON COLUMN price_days.preferred_source IS 'The operator''s choice; null: by the rule.';
COMMENT ON COLUMN price_days.state IS 'complete, partial, or suspect: stored, not served.';
COMMENT ON COLUMN price_days.version IS 'One more with each change of what is served.';
COMMENT ON COLUMN price_days.last_incomplete_at IS 'Last time it was seen incomplete: publication came later.';
COMMENT ON COLUMN price_days.first_complete_at IS 'First time it was seen complete: publication came earlier.';
COMMENT ON COLUMN price_days.updated_at IS 'Instant of the last change of this row.';

COMMENT ON TABLE price_source_days IS 'What each feed has for a delivery day.';
COMMENT ON COLUMN price_source_days.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_source_days.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN price_source_days.source IS 'Feed.';
COMMENT ON COLUMN price_source_days.interval_count IS 'Intervals it has given so far.';
COMMENT ON COLUMN price_source_days.state IS 'complete, partial, or suspect.';
COMMENT ON COLUMN price_source_days.first_captured_at IS 'First value at.';
COMMENT ON COLUMN price_source_days.last_captured_at IS 'Last answer with values at.';
COMMENT ON COLUMN price_source_days.released_at IS 'Suspicion lifted at.';

COMMENT ON TABLE price_day_changes IS 'Changes of served days, for what depends on prices; append-only.';
COMMENT ON COLUMN price_day_changes.id IS 'Order of the changes.';
COMMENT ON COLUMN price_day_changes.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_day_changes.delivery_on IS 'Delivery day that changed.';
COMMENT ON COLUMN price_day_changes.version IS 'Its version from then on.';
COMMENT ON COLUMN price_day_changes.served_source IS 'Feed served from then on.';
COMMENT ON COLUMN price_day_changes.changed_at IS 'Instant of the change.';

COMMENT ON TABLE price_sources IS 'Whether a feed may be asked now, and how it did.';
COMMENT ON COLUMN price_sources.source IS 'Feed.';
COMMENT ON COLUMN price_sources.failed_jobs IS 'Failed jobs in a row; any success sets it to 0.';
COMMENT ON COLUMN price_sources.failing_since IS 'First failure after the last good answer; null: it answers.';
COMMENT ON COLUMN price_sources.paused_until IS 'Not asked before.';
COMMENT ON COLUMN price_sources.pause_reason IS 'Why it is paused.';
COMMENT ON COLUMN price_sources.configuration_hash IS 'Address and token at the time of a refusal: another one ends the pause.';
COMMENT ON COLUMN price_sources.last_success_at IS 'Last good answer at.';
COMMENT ON COLUMN price_sources.last_failure_at IS 'Last failure at.';

COMMENT ON TABLE price_alarms IS 'What needs a person: late prices, contradicting sources, refused access.';
COMMENT ON COLUMN price_alarms.id IS 'Names the alarm.';
COMMENT ON COLUMN price_alarms.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_alarms.kind IS 'late, disagreement, clock_change, denied, rejected, unusable, suspect, surcharge.';
COMMENT ON COLUMN price_alarms.source IS 'Feed, two of them with a slash between, or empty where it is about none.';
COMMENT ON COLUMN price_alarms.delivery_on IS 'Delivery day; null where it is about none.';
COMMENT ON COLUMN price_alarms.detail IS 'The sentence shown to operators.';
COMMENT ON COLUMN price_alarms.fetch_id IS 'The attempt behind it: its body is kept.';
COMMENT ON COLUMN price_alarms.raised_at IS 'Instant of the first sight.';
COMMENT ON COLUMN price_alarms.last_seen_at IS 'Instant of the last sight.';
COMMENT ON COLUMN price_alarms.resolved_at IS 'Over since; null: it stands.';

-- Invented prices have a source of their own name, `synthetic`, and a database holds one kind of prices for good.
--
-- 'market': answers of sources. 'local': a feed on this machine under a source's name, for tests of the parsers.
-- 'synthetic': invented prices under their own name.
CREATE TABLE price_kind (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  kind text NOT NULL CHECK (kind IN ('market', 'local', 'synthetic'))
);

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
