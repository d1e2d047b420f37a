-- Events go after 13 months. Nobody changes one before.
GRANT DELETE ON events TO voltstream_app;
COMMENT ON TABLE events IS 'What happened to contracts, orders and invoices; never changed, and removed after 13 months.';
