-- The calendar of Germany: computed, because holidays follow from the year. Each holiday has one row for each state; those
-- of some towns alone are left out.
CREATE VIEW analytics.holidays AS
WITH years AS (
  SELECT year::integer, year % 19 AS a, year / 100 AS b, year % 100 AS c FROM generate_series(2000, 2099) AS year
), moon AS (
  SELECT year, a, (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30 AS h, b, c FROM years
), sunday AS (
  SELECT year, a, h, (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7 AS l FROM moon
), easter AS (
  SELECT year, make_date(year, 3, 22) + h + l - 7 * ((a + 11 * h + 22 * l) / 451) AS sunday FROM sunday
), states AS (
  SELECT ARRAY['BW', 'BY', 'BE', 'BB', 'HB', 'HH', 'HE', 'MV', 'NI', 'NW', 'RP', 'SL', 'SN', 'ST', 'SH', 'TH'] AS all_states
)
SELECT rule.day AS delivery_day, state, rule.name, cardinality(rule.states) = 16 AS is_nationwide
  FROM easter AS e
 CROSS JOIN states AS s
 CROSS JOIN LATERAL (
   VALUES (make_date(e.year, 1, 1), 'New Year''s Day', s.all_states),
          (make_date(e.year, 1, 6), 'Epiphany', ARRAY['BW', 'BY', 'ST']),
          (make_date(e.year, 3, 8), 'Women''s Day',
           CASE WHEN e.year >= 2023 THEN ARRAY['BE', 'MV'] WHEN e.year >= 2019 THEN ARRAY['BE'] ELSE '{}' END),
          (e.sunday - 2, 'Good Friday', s.all_states),
          (e.sunday, 'Easter Sunday', ARRAY['BB']),
          (e.sunday + 1, 'Easter Monday', s.all_states),
          (make_date(e.year, 5, 1), 'Labour Day', s.all_states),
          (make_date(e.year, 5, 8), 'Liberation Day', CASE WHEN e.year IN (2020, 2025) THEN ARRAY['BE'] ELSE '{}' END),
          (e.sunday + 39, 'Ascension Day', s.all_states),
          (e.sunday + 49, 'Whit Sunday', ARRAY['BB']),
          (e.sunday + 50, 'Whit Monday', s.all_states),
          (e.sunday + 60, 'Corpus Christi', ARRAY['BW', 'BY', 'HE', 'NW', 'RP', 'SL']),
          (make_date(e.year, 8, 15), 'Assumption Day', ARRAY['BY', 'SL']),
          (make_date(e.year, 9, 20), 'Children''s Day', CASE WHEN e.year >= 2019 THEN ARRAY['TH'] ELSE '{}' END),
          (make_date(e.year, 10, 3), 'Day of German Unity', s.all_states),
          (make_date(e.year, 10, 31), 'Reformation Day',
           CASE WHEN e.year = 2017 THEN s.all_states
                WHEN e.year >= 2018 THEN ARRAY['BB', 'HB', 'HH', 'MV', 'NI', 'SN', 'ST', 'SH', 'TH']
                ELSE ARRAY['BB', 'MV', 'SN', 'ST', 'TH'] END),
          (make_date(e.year, 11, 1), 'All Saints'' Day', ARRAY['BW', 'BY', 'NW', 'RP', 'SL']),
          (make_date(e.year, 11, 22) - ((extract(dow FROM make_date(e.year, 11, 22))::integer + 4) % 7),
           'Repentance Day', ARRAY['SN']),
          (make_date(e.year, 12, 25), 'Christmas Day', s.all_states),
          (make_date(e.year, 12, 26), 'Boxing Day', s.all_states)
 ) AS rule (day, name, states)
 CROSS JOIN LATERAL unnest(rule.states) AS state;

CREATE VIEW analytics.calendar AS
SELECT d.day AS delivery_day, extract(isodow FROM d.day)::integer AS weekday, extract(isodow FROM d.day) >= 6 AS is_weekend,
       date_trunc('week', d.day::timestamp)::date AS week, date_trunc('month', d.day::timestamp)::date AS month, d.hours,
       CASE d.hours WHEN 23 THEN 'forward' WHEN 25 THEN 'back' END AS clock_change,
       coalesce(h.is_nationwide, false) AS is_holiday, h.name AS holiday, coalesce(h.states, '{}') AS holiday_states
  FROM public.delivery_days AS d
  LEFT JOIN (SELECT delivery_day, string_agg(DISTINCT name, ', ') AS name, bool_or(is_nationwide) AS is_nationwide,
                    array_agg(DISTINCT state) AS states
               FROM analytics.holidays GROUP BY delivery_day) AS h ON h.delivery_day = d.day;

COMMENT ON VIEW analytics.holidays IS 'Holidays of Germany by state, 2000 to 2099. The same for all organizations.';
COMMENT ON COLUMN analytics.holidays.delivery_day IS 'The day, Europe/Berlin.';
COMMENT ON COLUMN analytics.holidays.state IS 'State by its code of ISO 3166-2: BY, NW and so on.';
COMMENT ON COLUMN analytics.holidays.name IS 'Name of the holiday.';
COMMENT ON COLUMN analytics.holidays.is_nationwide IS 'Whether all states have it.';

COMMENT ON VIEW analytics.calendar IS
  'Days of Europe/Berlin with what they are: weekday, holiday, clock change. The same for all organizations.';
COMMENT ON COLUMN analytics.calendar.delivery_day IS 'The day, Europe/Berlin.';
COMMENT ON COLUMN analytics.calendar.weekday IS '1 Monday to 7 Sunday.';
COMMENT ON COLUMN analytics.calendar.is_weekend IS 'Saturday or Sunday.';
COMMENT ON COLUMN analytics.calendar.week IS 'Monday of its week.';
COMMENT ON COLUMN analytics.calendar.month IS 'First day of its month.';
COMMENT ON COLUMN analytics.calendar.hours IS 'Its length in hours: 24; 23 and 25 when the clock is changed.';
COMMENT ON COLUMN analytics.calendar.clock_change IS 'forward in March, back in October; null: none.';
COMMENT ON COLUMN analytics.calendar.is_holiday IS 'Whether it is a holiday in all states.';
COMMENT ON COLUMN analytics.calendar.holiday IS 'Name of the holiday, of some states at least; of two on one day both; null: none.';
COMMENT ON COLUMN analytics.calendar.holiday_states IS 'Codes of the states that have it.';
