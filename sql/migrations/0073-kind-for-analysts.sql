-- Views of analysts mark prices that are none of the market as the database decides it, and not by the name of their source.
GRANT SELECT (kind) ON price_kind TO voltstream_analyst_reader;
