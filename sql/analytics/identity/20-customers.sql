-- Who is measured. No name, address or account of a person: ids, and of a place its zip.
CREATE VIEW analytics.customers AS
SELECT organization_id, id AS customer, type, created_at FROM public.customers;

CREATE VIEW analytics.households AS
SELECT h.organization_id, h.id AS household, h.customer_id AS customer, h.created_at,
       nullif(a.zip, '00000') AS zip,
       (SELECT z.operator FROM public.zip_areas AS z
         WHERE z.zip = a.zip AND z.valid_from <= current_date AND (z.valid_to IS NULL OR z.valid_to > current_date)
         ORDER BY z.share DESC, z.operator LIMIT 1) AS grid_operator
  FROM public.households AS h
  LEFT JOIN public.addresses AS a ON a.organization_id = h.organization_id AND a.id = h.address_id;

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
COMMENT ON COLUMN analytics.households.zip IS 'Zip of the place; null: not known.';
COMMENT ON COLUMN analytics.households.grid_operator IS
  'Code of the grid operator that serves the zip today, the one with the greatest share; null: not known.';
