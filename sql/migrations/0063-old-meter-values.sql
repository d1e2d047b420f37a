-- Personal values of meters are removed three years after the end of their year (section 69(3) MsbG). The job looks for the
-- oldest ones every night, of all organizations at once.
CREATE INDEX usage_days_oldest ON usage_days (day);
CREATE INDEX meter_readings_oldest ON meter_readings (read_on);
