-- The tenants. The one table whose own id is the tenant: its policy compares `id`.
CREATE TABLE organizations (
  id text PRIMARY KEY CHECK (id ~ '^org_[0-9a-z]{24}$'),
  name text NOT NULL CHECK (name <> ''),
  standing text NOT NULL DEFAULT 'in_order'
    CHECK (standing IN ('in_order', 'past_due', 'suspended', 'deleted')),
  forecast_enabled boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON organizations
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

-- The subselect is evaluated once per statement, not per row. Without a setting, or with the empty text that a
-- setting leaves behind on its connection, the comparison is with null: no row.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_organization ON organizations
  USING (id = (SELECT nullif(current_setting('app.organization', true), '')));
CREATE POLICY across_organizations ON organizations FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE ON organizations TO voltstream_app;
GRANT SELECT ON organizations TO voltstream_system_reader;

COMMENT ON TABLE organizations IS 'Tenants: every row of every other tenant table belongs to exactly one of them.';
COMMENT ON COLUMN organizations.id IS 'org_ and 24 random characters.';
COMMENT ON COLUMN organizations.name IS 'Name for operators; shown by no API call.';
COMMENT ON COLUMN organizations.standing IS
  'in_order; past_due answers 402; suspended and deleted make every token invalid within 5 seconds.';
COMMENT ON COLUMN organizations.forecast_enabled IS 'Whether forecast prices are shown to it.';
COMMENT ON COLUMN organizations.created_at IS 'Instant of creation.';
COMMENT ON COLUMN organizations.updated_at IS 'Instant of the last change.';

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
  -- Under row-level security a condition on lower(email) cannot use an index, because lower() might tell about rows before
  -- their policy is asked: with 1,000,000 customers a look-up took 200 ms. A condition on a plain column can.
  email_lower text NOT NULL GENERATED ALWAYS AS (lower(email)) STORED,
  -- A letter with an accent has two spellings in Unicode, one character or two. NFC makes them one.
  email_search text NOT NULL GENERATED ALWAYS AS (lower(normalize(email, NFC))) STORED,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX customers_organization_id_email_key ON customers (organization_id, email_lower);
CREATE INDEX customers_newest_first ON customers (organization_id, created_at DESC, id DESC);
CREATE INDEX customers_of_type ON customers (organization_id, type, created_at DESC, id DESC);
CREATE INDEX customers_searched ON customers
  USING gin (organization_id extensions.text_ops, email_search extensions.gin_trgm_ops);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON customers
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

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
CREATE INDEX households_searched ON households
  USING gin (organization_id extensions.text_ops, customer_id extensions.gin_trgm_ops);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON households
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

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

-- The views of analysts show rows of all organizations to nobody but the views of one organization, which carry its id as
-- a constant. So the role that owns them sees all rows, and of each table only the columns that a view needs: no name, no
-- address, no account of a person.
GRANT SELECT (organization_id, id, type, created_at) ON customers TO voltstream_analyst_reader;
CREATE POLICY analysts ON customers FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (organization_id, id, customer_id, created_at) ON households TO voltstream_analyst_reader;
CREATE POLICY analysts ON households FOR SELECT TO voltstream_analyst_reader USING (true);

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
COMMENT ON COLUMN customers.email_lower IS 'The e-mail address in lower case: what it is compared by. Personal; for the supply contract; as long as the address.';
COMMENT ON COLUMN customers.email_search IS 'The e-mail address in lower case and Unicode form NFC: what a search looks at. Personal; for the supply contract; as long as the address.';

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
