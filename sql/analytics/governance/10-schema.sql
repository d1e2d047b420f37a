-- What analysts ask, as views: here of all organizations, with `organization_id` as first column. Nobody signs in as their
-- owner, and nobody else may enter this schema. An analyst reads views of the same names in the schema of his organization,
-- which carry its id as a constant and bar every condition from the rows of others: make_analyst_schema.
--
-- All files of this folder run together, into an empty schema. Names end with their unit. Every view and column says what
-- it is; docs/dictionary.md is written from it.
CREATE SCHEMA analytics AUTHORIZATION voltstream_analyst_reader;
COMMENT ON SCHEMA analytics IS 'Views for analysts of all organizations: the source of each organization''s own schema.';

-- Whoever asks a view calls its functions himself. This one is no call in the end: its text takes its place in the query.
CREATE FUNCTION analytics.utc_offset_hours(instant timestamptz) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (extract(epoch FROM (instant AT TIME ZONE 'Europe/Berlin') - (instant AT TIME ZONE 'UTC')) / 3600)::integer
$$;
COMMENT ON FUNCTION analytics.utc_offset_hours IS
  'Hours by which the clock of Berlin is ahead of UTC at an instant: 2 in summer, 1 in winter.';
GRANT EXECUTE ON FUNCTION analytics.utc_offset_hours TO PUBLIC;

INSERT INTO public.delivery_days AS known (day, starts_at, ends_at, hours)
SELECT day, starts_at, ends_at, (extract(epoch FROM ends_at - starts_at) / 3600)::smallint
  FROM (SELECT day::date AS day,
               day AT TIME ZONE 'Europe/Berlin' AS starts_at,
               (day + interval '1 day') AT TIME ZONE 'Europe/Berlin' AS ends_at
          FROM generate_series(timestamp '2000-01-01', timestamp '2099-12-31', interval '1 day') AS day) AS days
    ON CONFLICT (day) DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at, hours = excluded.hours
 WHERE (known.starts_at, known.ends_at) IS DISTINCT FROM (excluded.starts_at, excluded.ends_at);

CREATE VIEW analytics.delivery_days AS
SELECT day AS delivery_day, starts_at, ends_at, hours FROM public.delivery_days;

COMMENT ON VIEW analytics.delivery_days IS
  'Days of Europe/Berlin with their instants: 92, 96 or 100 quarter hours. The same for all organizations.';
COMMENT ON COLUMN analytics.delivery_days.delivery_day IS 'The day, Europe/Berlin.';
COMMENT ON COLUMN analytics.delivery_days.starts_at IS 'Instant of its midnight.';
COMMENT ON COLUMN analytics.delivery_days.ends_at IS 'Instant of the next midnight: no longer part of it.';
COMMENT ON COLUMN analytics.delivery_days.hours IS 'Its length in hours: 24; 23 in March and 25 in October when the clock is changed.';
