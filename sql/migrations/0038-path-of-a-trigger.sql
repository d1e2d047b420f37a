-- A function without a search path of its own takes its caller's, who could put other operators in front.
ALTER FUNCTION move_updated_at() SET search_path = pg_catalog, pg_temp;
