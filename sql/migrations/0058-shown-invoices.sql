-- Lists show no invoice of a person who was erased, and before gauss no exit summary: an index holds what is shown, so that
-- a page costs the same however much is left out.
DROP INDEX invoices_newest_first;
DROP INDEX invoices_of_status;
DROP INDEX invoices_of_type;
DROP INDEX invoices_started;
DROP INDEX invoices_ended;
CREATE INDEX invoices_newest_first ON invoices (organization_id, created_at DESC, id DESC) WHERE restricted_at IS NULL;
CREATE INDEX invoices_without_exit_summaries ON invoices (organization_id, created_at DESC, id DESC)
  WHERE restricted_at IS NULL AND type <> 'exit_summary';
CREATE INDEX invoices_of_status ON invoices (organization_id, status, created_at DESC, id DESC)
  WHERE restricted_at IS NULL;
CREATE INDEX invoices_of_type ON invoices (organization_id, type, created_at DESC, id DESC) WHERE restricted_at IS NULL;
CREATE INDEX invoices_started ON invoices (organization_id, period_start) WHERE restricted_at IS NULL;
CREATE INDEX invoices_ended ON invoices (organization_id, period_end) WHERE restricted_at IS NULL;
