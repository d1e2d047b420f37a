-- Analysts see what was paid and what came back, by ids: no account, no mandate, no text of the bank. What belongs to a
-- document of a person who was erased is seen by nobody but finance.
GRANT SELECT (organization_id, customer_id, id, invoice_id, direction, way, amount, status, execute_on, booked_on, final_on,
              return_reason, created_at)
  ON payments TO voltstream_analyst_reader;
CREATE POLICY analysts ON payments FOR SELECT TO voltstream_analyst_reader USING (true);

GRANT SELECT (organization_id, customer_id, invoice_id, level, amount, reminded_on) ON dunning_steps TO voltstream_analyst_reader;
CREATE POLICY analysts ON dunning_steps FOR SELECT TO voltstream_analyst_reader USING (true);
