-- Who keeps the books reads bills of every person, also of those who were erased: the service does not see these any more,
-- and the law wants them for eight years (section 147 AO; Art. 17(3)(b) GDPR). Where `npm run db -- init` was not repeated
-- the role is made here.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'voltstream_finance') THEN
    CREATE ROLE voltstream_finance NOLOGIN;
    GRANT voltstream_finance TO CURRENT_USER WITH INHERIT TRUE, SET TRUE;
    GRANT USAGE ON SCHEMA public TO voltstream_finance;
  END IF;
END
$$;

GRANT SELECT ON issuers, invoice_ledgers, invoices, invoice_lines, invoice_files TO voltstream_finance;
CREATE POLICY finance ON issuers FOR SELECT TO voltstream_finance USING (true);
CREATE POLICY finance ON invoice_ledgers FOR SELECT TO voltstream_finance USING (true);
CREATE POLICY finance ON invoices FOR SELECT TO voltstream_finance USING (true);
CREATE POLICY finance ON invoice_lines FOR SELECT TO voltstream_finance USING (true);
CREATE POLICY finance ON invoice_files FOR SELECT TO voltstream_finance USING (true);
