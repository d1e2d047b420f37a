-- What receivers answered about a person is found by the events of the contracts, among those of 13 months. A plain column, because
-- row-level security keeps ->> from every index.
ALTER TABLE events ADD COLUMN subscription_id text GENERATED ALWAYS AS (context ->> 'subscription') STORED;
CREATE INDEX events_of_contract ON events (organization_id, subscription_id);
COMMENT ON COLUMN events.subscription_id IS 'The contract that the context names; null: none.';
