-- A lead that became no contract names nobody but by the e-mail address: with that of a restricted customer it is hidden, too. What
-- a program says after the restriction has begun it may read again, and its key gets the same answer.
CREATE INDEX leads_of_email ON leads (organization_id, lower(details #>> '{customer,email}')) WHERE subscription_id IS NULL;

CREATE OR REPLACE VIEW restricted_ids WITH (security_barrier = true) AS
SELECT c.organization_id, c.id FROM customers AS c WHERE c.restricted_at IS NOT NULL
UNION ALL
SELECT h.organization_id, h.id FROM customers AS c
  JOIN households AS h ON h.organization_id = c.organization_id AND h.customer_id = c.id
 WHERE c.restricted_at IS NOT NULL
UNION ALL
SELECT s.organization_id, s.id FROM customers AS c
  JOIN subscriptions AS s ON s.organization_id = c.organization_id AND s.customer_id = c.id
 WHERE c.restricted_at IS NOT NULL
UNION ALL
SELECT l.organization_id, l.id FROM customers AS c
  JOIN leads AS l ON l.organization_id = c.organization_id AND lower(l.details #>> '{customer,email}') = c.email_lower
 WHERE c.restricted_at IS NOT NULL AND l.subscription_id IS NULL AND l.created_at < c.restricted_at;
COMMENT ON VIEW restricted_ids IS
  'Ids of restricted customers, of their households and contracts, and of leads without a contract that had their e-mail address before.';
COMMENT ON COLUMN restricted_ids.id IS 'Id of the customer, cus_, a household, dom_, a contract, sub_, or a lead, lead_. Never null.';

-- As in 0078-restricted-customers.sql: a lead with a contract is the contract's, another one its own.
ALTER POLICY restriction_for_app ON leads USING (
  (SELECT coalesce(current_setting('app.hidden', true), '') = '')
  OR NOT (SELECT jsonb_object(string_to_array(current_setting('app.hidden', true), ','),
                              string_to_array(current_setting('app.hidden', true), ','))) ? coalesce(subscription_id, id));
ALTER POLICY restriction_for_analysts ON leads USING (
  NOT EXISTS (SELECT FROM restricted_ids)
  OR NOT (SELECT jsonb_object_agg(r.id, true) FROM restricted_ids AS r) ? coalesce(subscription_id, id));
