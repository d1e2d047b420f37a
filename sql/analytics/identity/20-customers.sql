-- Who is measured. No name, address or account of a person: ids alone.
CREATE VIEW analytics.customers AS
SELECT organization_id, id AS customer, type, created_at FROM public.customers;

CREATE VIEW analytics.households AS
SELECT organization_id, id AS household, customer_id AS customer, created_at FROM public.households;

COMMENT ON VIEW analytics.customers IS 'Customers: id and kind, without name, address, e-mail and account.';
COMMENT ON COLUMN analytics.customers.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.customers.customer IS 'Id of the customer, cus_.';
COMMENT ON COLUMN analytics.customers.type IS 'person or company.';
COMMENT ON COLUMN analytics.customers.created_at IS 'Instant of creation.';

COMMENT ON VIEW analytics.households IS 'Places of delivery: what assets and contracts belong to.';
COMMENT ON COLUMN analytics.households.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.households.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.households.customer IS 'Id of the customer who lives there, cus_.';
COMMENT ON COLUMN analytics.households.created_at IS 'Instant of creation.';
