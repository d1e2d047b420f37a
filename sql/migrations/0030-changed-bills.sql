-- Everything that a bill is calculated from may be corrected when the bill is out: messages of the market come late. Each
-- change is found again by the instant at which it was entered, so that a run calculates anew what changed, and nothing else.

-- What stands in one row of the contract, or belongs to it alone.
ALTER TABLE subscriptions
  ADD COLUMN bills_changed_at timestamptz,
  ADD COLUMN bills_changed_from date,
  ADD CONSTRAINT subscriptions_bills_changed_check CHECK ((bills_changed_at IS NULL) = (bills_changed_from IS NULL));
CREATE INDEX subscriptions_bills_changed ON subscriptions (organization_id, bills_changed_at)
  WHERE bills_changed_at IS NOT NULL;
COMMENT ON COLUMN subscriptions.bills_changed_at IS
  'When something was entered last that bills depend on and that has no instant of its own, a module of section 14a EnWG for instance; null: never. Not shown.';
COMMENT ON COLUMN subscriptions.bills_changed_from IS
  'First day, Europe/Berlin, that any of these changes is about; set with bills_changed_at.';

-- The first day on which a module holds that did not, or the other way round, within the days of supply. That it ends with its
-- contract changes no day.
CREATE FUNCTION note_changed_reduction() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  supply tstzrange;
  before tstzrange := 'empty';
  after tstzrange := 'empty';
  first_change timestamptz;
BEGIN
  SELECT tstzrange(start_at, CASE WHEN end_at IS NOT NULL THEN greatest(start_at, end_at) END) INTO supply FROM public.subscriptions
   WHERE organization_id = NEW.organization_id AND id = NEW.subscription_id AND start_at IS NOT NULL;
  IF TG_OP = 'UPDATE' AND OLD.valid_from IS NOT NULL THEN
    before := tstzrange(OLD.valid_from, OLD.valid_until) * supply;
  END IF;
  IF NEW.valid_from IS NOT NULL THEN
    after := tstzrange(NEW.valid_from, NEW.valid_until) * supply;
  END IF;
  IF supply IS NULL OR before = after THEN
    RETURN NULL;
  END IF;
  first_change := CASE
    WHEN isempty(before) THEN lower(after)
    WHEN isempty(after) THEN lower(before)
    WHEN lower(before) <> lower(after) THEN least(lower(before), lower(after))
    ELSE least(upper(before), upper(after))
  END;
  UPDATE public.subscriptions
     SET bills_changed_at = greatest(bills_changed_at, NEW.updated_at),
         bills_changed_from = least(bills_changed_from, (first_change AT TIME ZONE 'Europe/Berlin')::date)
   WHERE organization_id = NEW.organization_id AND id = NEW.subscription_id;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION note_changed_reduction IS 'Notes from which day on bills of the contract have another module.';
CREATE TRIGGER note_changed_reduction AFTER INSERT OR UPDATE OF valid_from, valid_until ON grid_fee_reductions
  FOR EACH ROW EXECUTE FUNCTION note_changed_reduction();

-- A meter is smart, or not, from the beginning.
ALTER TABLE meters ADD COLUMN first_type_changed_at timestamptz;
CREATE INDEX meters_first_type_changed ON meters (organization_id, first_type_changed_at)
  WHERE first_type_changed_at IS NOT NULL;
COMMENT ON COLUMN meters.first_type_changed_at IS
  'When it was corrected last what the meter was at first; null: never. Bills of before are calculated anew.';

-- Terms of plans.
ALTER TABLE plan_terms ADD COLUMN prices_changed_at timestamptz;
CREATE INDEX plan_terms_prices_changed ON plan_terms (organization_id, prices_changed_at)
  WHERE prices_changed_at IS NOT NULL;
COMMENT ON COLUMN plan_terms.prices_changed_at IS
  'When the row came in, or its prices were replaced last; null: before this was kept.';

-- Price lists: which days of which key an import made others.
CREATE TABLE reference_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reference_table text NOT NULL,
  key text NOT NULL,
  first_day date NOT NULL,
  end_day date,
  changed_at timestamptz NOT NULL
);
CREATE INDEX reference_changes_changed ON reference_changes (changed_at);
GRANT SELECT, INSERT ON reference_changes TO voltstream_app;
COMMENT ON TABLE reference_changes IS 'Days on which reference data is another since an import; bills of these days are calculated anew. Append-only.';
COMMENT ON COLUMN reference_changes.id IS 'Order of the changes.';
COMMENT ON COLUMN reference_changes.reference_table IS 'Table of the rows.';
COMMENT ON COLUMN reference_changes.key IS 'Whom it concerns: grid operator, ZIP, class of municipality, metering operator; empty: everybody.';
COMMENT ON COLUMN reference_changes.first_day IS 'First day that has other figures, Europe/Berlin.';
COMMENT ON COLUMN reference_changes.end_day IS 'First day behind them; null: all that follow.';
COMMENT ON COLUMN reference_changes.changed_at IS 'Instant of the import.';

-- Market prices.
CREATE INDEX price_day_changes_changed ON price_day_changes (changed_at);
