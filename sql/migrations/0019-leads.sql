-- Interested people who have not signed up yet.
CREATE TABLE leads (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^lead_[0-9a-z]{24}$'),
  plan_id text NOT NULL,
  details jsonb NOT NULL CHECK (jsonb_typeof(details) = 'object'),
  created_by text,
  metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
  subscription_id text,
  subscribed_at timestamptz,
  last_visited_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((subscription_id IS NULL) = (subscribed_at IS NULL)),
  FOREIGN KEY (organization_id, plan_id) REFERENCES plans (organization_id, id),
  FOREIGN KEY (organization_id, subscription_id) REFERENCES subscriptions (organization_id, id)
);
CREATE INDEX leads_newest_first ON leads (organization_id, created_at DESC, id DESC);

ALTER TABLE leads ENABLE ROW LEVEL SECURITY;
ALTER TABLE leads FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON leads USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON leads TO voltstream_app;

COMMENT ON TABLE leads IS 'People who were offered a plan; removed after 6 months without a contract.';
COMMENT ON COLUMN leads.organization_id IS 'The tenant.';
COMMENT ON COLUMN leads.id IS 'lead_ and 24 random characters.';
COMMENT ON COLUMN leads.plan_id IS 'The plan offered.';
COMMENT ON COLUMN leads.details IS
  'Address, meter, customer, payment and dates as far as known. Personal; to prepare a contract; 6 months.';
COMMENT ON COLUMN leads.created_by IS 'E-mail address of the staff member. Personal; to answer questions; 6 months.';
COMMENT ON COLUMN leads.metadata IS 'The client''s own texts, at most 10 KB.';
COMMENT ON COLUMN leads.subscription_id IS 'The contract it became.';
COMMENT ON COLUMN leads.subscribed_at IS 'Became a contract at.';
COMMENT ON COLUMN leads.last_visited_at IS 'Its link was opened last at.';
COMMENT ON COLUMN leads.created_at IS 'Instant of creation.';
