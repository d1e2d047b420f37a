-- Customers, their addresses and households. Keys begin with the organization, so that a foreign key cannot point
-- across organizations: foreign keys do not look at row-level security. Unique keys do not either: without the
-- organization in them a collision would tell that somebody else has the value.
CREATE TABLE customers (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^cus_[0-9a-z]{24}$'),
  type text NOT NULL CHECK (type IN ('person', 'company')),
  first_name text NOT NULL,
  last_name text NOT NULL,
  company_name text CHECK ((type = 'company') = (company_name IS NOT NULL)),
  email text NOT NULL,
  vat_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX customers_organization_id_email_key ON customers (organization_id, lower(email));
CREATE INDEX customers_newest_first ON customers (organization_id, created_at DESC, id DESC);

CREATE TABLE addresses (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^adr_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  street text NOT NULL,
  house_number text NOT NULL,
  zip text NOT NULL,
  city text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);

CREATE TABLE households (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^dom_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  address_id text,
  display_name text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  -- What an asset's copy of its household's customer is held to.
  UNIQUE (organization_id, id, customer_id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id),
  FOREIGN KEY (organization_id, customer_id, address_id) REFERENCES addresses (organization_id, customer_id, id)
);
CREATE INDEX households_newest_first ON households (organization_id, created_at DESC, id DESC);
CREATE INDEX households_of_customer ON households (organization_id, customer_id, created_at DESC, id DESC);

-- A token that acts for one customer sets `app.customer` too; then only that customer's rows exist.
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE customers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON customers USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR id = (SELECT nullif(current_setting('app.customer', true), '')))
);

ALTER TABLE addresses ENABLE ROW LEVEL SECURITY;
ALTER TABLE addresses FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON addresses USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

ALTER TABLE households ENABLE ROW LEVEL SECURITY;
ALTER TABLE households FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON households USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON customers, addresses, households TO voltstream_app;

COMMENT ON TABLE customers IS 'People and companies that an organization supplies.';
COMMENT ON COLUMN customers.organization_id IS 'The tenant.';
COMMENT ON COLUMN customers.id IS 'cus_ and 24 random characters.';
COMMENT ON COLUMN customers.type IS 'person or company.';
COMMENT ON COLUMN customers.first_name IS 'Given name. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN customers.last_name IS 'Family name. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN customers.company_name IS 'Company; null for persons.';
COMMENT ON COLUMN customers.email IS
  'As spelt at sign-up, compared without regard to case. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN customers.vat_id IS 'VAT id, unchecked. Personal; for invoices; until erased.';
COMMENT ON COLUMN customers.created_at IS 'Instant of creation.';
COMMENT ON COLUMN customers.updated_at IS 'Instant of the last change.';

COMMENT ON TABLE addresses IS 'Postal addresses of customers.';
COMMENT ON COLUMN addresses.organization_id IS 'The tenant.';
COMMENT ON COLUMN addresses.id IS 'adr_ and 24 random characters.';
COMMENT ON COLUMN addresses.customer_id IS 'Whose address it is.';
COMMENT ON COLUMN addresses.street IS 'Street without number. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN addresses.house_number IS 'House number. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN addresses.zip IS 'German postal code, 5 digits. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN addresses.city IS 'Town. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN addresses.created_at IS 'Instant of creation.';

COMMENT ON TABLE households IS 'Places of delivery: what assets belong to.';
COMMENT ON COLUMN households.organization_id IS 'The tenant.';
COMMENT ON COLUMN households.id IS 'dom_ and 24 random characters.';
COMMENT ON COLUMN households.customer_id IS 'The customer who lives there.';
COMMENT ON COLUMN households.address_id IS 'Address of delivery; null when unknown.';
COMMENT ON COLUMN households.display_name IS 'Set by the operator only. Personal; to tell places apart; until erased.';
COMMENT ON COLUMN households.created_at IS 'Instant of creation.';
COMMENT ON COLUMN households.updated_at IS 'Instant of the last change.';
