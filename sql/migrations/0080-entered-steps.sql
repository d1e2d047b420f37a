-- A line that comes again names a step that the order was at; a wrong id names one that it left out.
ALTER TABLE meter_orders ADD COLUMN entered_steps text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN meter_orders.entered_steps IS
  'Steps that it was at before this one, not those that were left out; what lies before this was kept is missing.';
