-- Which days of a settled month are frozen. When a start of supply or a type of meter is corrected afterwards, further days
-- of the month become those of a smart meter: they are frozen, too, with what was stored when the month was settled. Months
-- that are settled already are looked at once more: that adds what is missing and changes nothing else.
ALTER TABLE settled_usage_months ADD COLUMN days datemultirange NOT NULL DEFAULT '{}';
ALTER TABLE settled_usage_months ALTER COLUMN days DROP DEFAULT;
GRANT UPDATE (days) ON settled_usage_months TO voltstream_app;

COMMENT ON COLUMN settled_usage_months.days IS
  'Days on which the contract was supplied by a smart meter, as known when they were frozen, Europe/Berlin.';
