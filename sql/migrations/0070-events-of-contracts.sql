-- outside a transaction
-- What receivers answered about a person is found by the events of the contracts, among those of 13 months. For the owner alone,
-- who erases and exports: row-level security keeps ->> from every index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_of_contract ON events (organization_id, (context ->> 'subscription'));
