-- Clients ask for what changed since they asked last (`filter[updated_at][gte]`). So `updated_at` must never go back, also
-- where two processes whose clocks differ a little change one row, and two changes within one tick of the clock must differ:
-- it is then the old value and one microsecond. The trigger sees only statements that set the column.
CREATE FUNCTION move_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END
$$;

-- Every table that has the column; price_days counts its changes by `version`.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'organizations', 'auth_clients', 'customers', 'households', 'assets', 'plans', 'market_partners', 'meters',
    'meter_changes', 'subscriptions', 'meter_orders', 'grid_fee_reductions'
  ] LOOP
    EXECUTE format('CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON %I
                    FOR EACH ROW EXECUTE FUNCTION move_updated_at()', name);
  END LOOP;
END
$$;

-- What happened at one instant happened in an order all the same: a sign-up tells of the contract and then of its orders.
-- Ids are random and cannot say which came first.
ALTER TABLE events ADD COLUMN position bigint GENERATED ALWAYS AS IDENTITY;
DROP INDEX events_newest_first;
CREATE INDEX events_newest_first ON events (organization_id, timestamp DESC, position DESC);

COMMENT ON COLUMN events.position IS 'Order of the events of one instant; never shown.';
COMMENT ON FUNCTION move_updated_at() IS 'Lets updated_at of a changed row move forwards only, by one microsecond at least.';
