-- Documents cannot be taken back, and whoever was billed by another system before may not be billed twice for the same months:
-- bills begin with a month that the organization names. Where documents were issued it is the month of the earliest of them.
ALTER TABLE issuers ADD COLUMN bills_from date;
UPDATE issuers
   SET bills_from = date_trunc('month', coalesce((SELECT min(period_start) FROM invoices
                                                   WHERE invoices.organization_id = issuers.organization_id), now())
                                        AT TIME ZONE 'Europe/Berlin')::date;
ALTER TABLE issuers
  ALTER COLUMN bills_from SET NOT NULL,
  ADD CONSTRAINT issuers_bills_from_check CHECK (extract(day FROM bills_from) = 1);
COMMENT ON COLUMN issuers.bills_from IS
  'First day that is billed, Europe/Berlin, the first of a month: what was supplied before it is billed elsewhere. Stays once there are documents.';
