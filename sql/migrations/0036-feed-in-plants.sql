-- What a feed-in contract is paid by: the rate of the law depends on the day on which the plant was commissioned and on
-- its size, and a plant operator under section 19 UStG gets no value added tax.
ALTER TABLE subscriptions
  ADD COLUMN is_tax_exempt boolean NOT NULL DEFAULT false,
  ADD COLUMN plant_commissioned_on date,
  ADD COLUMN plant_size_kw numeric CHECK (plant_size_kw > 0 AND plant_size_kw <= 100000),
  ADD CONSTRAINT subscriptions_plant_check CHECK (
    type = 'feed_in' OR (NOT is_tax_exempt AND plant_commissioned_on IS NULL AND plant_size_kw IS NULL)
  );

COMMENT ON COLUMN subscriptions.is_tax_exempt IS
  'Feed-in only: whether it is paid without value added tax (section 19 UStG).';
COMMENT ON COLUMN subscriptions.plant_commissioned_on IS
  'Feed-in only: first day of operation of the plant, Europe/Berlin; null: not known.';
COMMENT ON COLUMN subscriptions.plant_size_kw IS 'Feed-in only: installed power of the plant in kW; null: not known.';
