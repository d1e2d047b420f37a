-- By it an export finds the documents of a day: there is an index on organization and instant of creation.
GRANT SELECT (created_at) ON invoices TO voltstream_analyst_reader;
