-- Sums by day go by whole years, later than their quarter hours: until when they went is remembered apart. Where quarter hours went
-- already, their years before the last one did.
ALTER TABLE quarter_hour_progress ADD COLUMN days_dropped_until date NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN quarter_hour_progress.days_dropped_until IS
  'Days before this one were deleted by age; -infinity: none was.';
UPDATE quarter_hour_progress
   SET days_dropped_until = date_trunc('year', quarter_hours_dropped_until AT TIME ZONE 'Europe/Berlin')::date
 WHERE isfinite(quarter_hours_dropped_until);
