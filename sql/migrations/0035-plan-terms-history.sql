-- An import replaces terms of the same first day. What they were is kept: it answers why an earlier price was another.
CREATE TABLE plan_terms_history (
  organization_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  plan_id text NOT NULL,
  valid_from date,
  old_terms jsonb NOT NULL CHECK (jsonb_typeof(old_terms) = 'object'),
  replaced_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, plan_id) REFERENCES plans (organization_id, id)
);
CREATE INDEX plan_terms_history_of_plan ON plan_terms_history (organization_id, plan_id, id);

ALTER TABLE plan_terms_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE plan_terms_history FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON plan_terms_history USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
);

GRANT SELECT, INSERT ON plan_terms_history TO voltstream_app;

COMMENT ON TABLE plan_terms_history IS 'Terms of plans as they were before an import replaced them; append-only.';
COMMENT ON COLUMN plan_terms_history.organization_id IS 'The tenant.';
COMMENT ON COLUMN plan_terms_history.id IS 'Order of the changes.';
COMMENT ON COLUMN plan_terms_history.plan_id IS 'The plan.';
COMMENT ON COLUMN plan_terms_history.valid_from IS 'First day of the terms, Europe/Berlin; null: always.';
COMMENT ON COLUMN plan_terms_history.old_terms IS 'The row of plan_terms as it was.';
COMMENT ON COLUMN plan_terms_history.replaced_at IS 'Instant of the import.';
