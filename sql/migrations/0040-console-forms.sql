-- Forms of the console that were sent: each does its work once, however often its button is pressed. The page gives the form
-- its id.

CREATE TABLE console_forms (
  organization_id text NOT NULL,
  id uuid NOT NULL,
  user_id text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES console_users (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX console_forms_by_age ON console_forms (organization_id, created_at);
CREATE INDEX console_forms_of_user ON console_forms (organization_id, user_id);

ALTER TABLE console_forms ENABLE ROW LEVEL SECURITY;
ALTER TABLE console_forms FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON console_forms USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON console_forms TO voltstream_app;

COMMENT ON TABLE console_forms IS 'Forms of the console that were sent; kept for a day.';
COMMENT ON COLUMN console_forms.organization_id IS 'The tenant.';
COMMENT ON COLUMN console_forms.id IS 'Id that the page gave the form.';
COMMENT ON COLUMN console_forms.user_id IS 'Who sent it.';
COMMENT ON COLUMN console_forms.created_at IS 'Instant at which it came in.';
