-- Attempts, alarms and bodies of prices are kept for years. No statement may read all of them to find a few.

-- The newest attempt of a feed that gave values, for its licence. A feed that never gave any had all its rows read.
CREATE INDEX price_fetches_licensed ON price_fetches (source, captured_at DESC, id DESC)
  WHERE interval_count > 0 AND licence_text IS NOT NULL;
-- Attempts that asked for a day: one attempt asks for several.
CREATE INDEX price_fetches_covering ON price_fetches USING gist (zone, daterange(delivery_from, delivery_to, '[]'));
CREATE INDEX price_alarms_of_day ON price_alarms (zone, delivery_on, raised_at DESC, id DESC);
CREATE INDEX price_alarms_of_fetch ON price_alarms (fetch_id);

-- Bodies behind a rejection, an alarm or a changed value stay. Without a mark every night would judge all of them again.
ALTER TABLE price_payloads ADD COLUMN is_kept boolean NOT NULL DEFAULT false;
GRANT UPDATE (is_kept) ON price_payloads TO voltstream_app;
CREATE INDEX price_payloads_unjudged ON price_payloads (first_captured_at) WHERE NOT is_kept;
DROP INDEX price_payloads_by_age;
COMMENT ON COLUMN price_payloads.is_kept IS 'Judged after 90 days, and to stay.';
