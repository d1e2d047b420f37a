-- The first page says how many rows all organizations stored in some days and minutes: no name, no organization, two sums.

CREATE INDEX request_days_by_day ON request_days (day);
CREATE INDEX request_minutes_by_minute ON request_minutes (minute);

CREATE POLICY across_organizations ON request_days FOR SELECT TO voltstream_system_reader USING (true);
CREATE POLICY across_organizations ON request_minutes FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT (day, rows_stored) ON request_days TO voltstream_system_reader;
GRANT SELECT (minute, rows_stored) ON request_minutes TO voltstream_system_reader;
