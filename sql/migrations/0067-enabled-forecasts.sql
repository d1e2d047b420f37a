-- Analysts see forecasts of prices while these are enabled for their organization: their view asks for it.
GRANT SELECT (forecast_enabled) ON organizations TO voltstream_analyst_reader;
