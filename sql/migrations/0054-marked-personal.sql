-- What is erased of a person is personal: its column says for what it is there and for how long, so that an export tells it.
COMMENT ON COLUMN asset_snapshots.power_kw IS
  'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative. Personal, shows who is at home; for usage, bills and analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';
COMMENT ON COLUMN asset_snapshots.state_of_charge IS
  'State of charge of a battery, 0 to 1. Personal; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';
COMMENT ON COLUMN asset_snapshots.vehicle_state_of_charge IS
  'State of charge of the vehicle at a wallbox, 0 to 1. Personal; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';
COMMENT ON COLUMN asset_snapshots.connected IS
  'Whether a vehicle is connected to the wallbox. Personal, shows who is at home; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months.';
COMMENT ON COLUMN asset_quarter_hours.asset_id IS
  'Internal key of the asset: assets.key. Personal, shows who is at home; for analyses; QUARTER_HOUR_RETENTION_MONTHS, 3 years.';
COMMENT ON COLUMN asset_days.asset_id IS
  'Internal key of the asset: assets.key. Personal, shows when somebody was away; for analyses; to the end of the year in which QUARTER_HOUR_RETENTION_MONTHS, 3 years, are over.';
COMMENT ON COLUMN assets.external_id IS
  'The organization''s own name for it; once set it never changes, and only the erasure of the customer frees it. Personal; to name the device; until erased.';
COMMENT ON COLUMN assets.display_name IS 'Name for people. Personal; to tell devices apart; until erased.';
COMMENT ON COLUMN customers.company_name IS 'Company; null for persons. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN subscriptions.metadata IS
  'The client''s own values, at most 10 KB. Personal; for the client''s own records; until erased.';
COMMENT ON COLUMN leads.metadata IS
  'The client''s own texts, at most 10 KB. Personal; for the client''s own records; 6 months.';
COMMENT ON COLUMN idempotency_keys.response IS
  'Body of the first answer; json keeps its text as it was. Personal; to be given again; 24 hours.';
COMMENT ON COLUMN auth_clients.display_name IS
  'Shown to operators and on consent screens. Personal where it acts for one customer; to tell clients apart; until erased.';
COMMENT ON COLUMN payments.amount IS 'EUR. Personal; for billing; 8 years from the end of the year.';
COMMENT ON COLUMN billing_refusals.customer_id IS
  'Whose contract it is. Personal; for billing; until the document is made.';
COMMENT ON COLUMN settled_usage_months.days IS
  'Days on which the contract was supplied by a smart meter, as known when they were frozen, Europe/Berlin. Personal; for billing; until erased.';
COMMENT ON COLUMN magic_links.customer_id IS 'Whom it lets in. Personal; to sign in; 30 days after its end.';
COMMENT ON COLUMN portal_sessions.customer_id IS
  'Who is signed in. Personal; to stay signed in; 30 days after its end.';
COMMENT ON COLUMN one_time_codes.created_at IS
  'Instant of making. Personal, shows when somebody signed in; to count codes; 2 hours.';
COMMENT ON COLUMN authorization_codes.customer_id IS
  'The customer who allowed it. Personal; for the access of a program; 30 days, or as long as the grant.';
COMMENT ON COLUMN refresh_tokens.grant_id IS
  'Its family. Personal; for the access of a program; 30 days after its end.';
COMMENT ON COLUMN grants.customer_id IS
  'The customer it acts for; null: the whole organization. Personal; for the access of a program; 30 days after its last token.';
COMMENT ON COLUMN console_users.email IS
  'Where codes are mailed to; of one organization only. Personal; to sign in; as long as the user.';
