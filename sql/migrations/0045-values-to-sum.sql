-- The job that sums by quarter hour now gets values as bytes, by read_values_to_sum of sql/repeatable/quarter-hour-values.sql. A
-- worker of before finds its function gone and sums nothing, in place of reading bytes as something else.
DROP FUNCTION IF EXISTS read_quarter_hour_values(bigint[], timestamptz, timestamptz, integer);
