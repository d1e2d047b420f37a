-- What the files after this one use. The extensions are trusted: the owner of the database may create them. btree_gist holds
-- that two rows of one key are never valid on the same day.
CREATE EXTENSION IF NOT EXISTS btree_gist SCHEMA public;

-- A filter that finds little must cost little: with 1,000,000 customers a list by a type that nobody has, or by a part of
-- an e-mail address that nobody has, read all of them (0.6 to 1.7 s). Each field that a list can be filtered by has an
-- index in the order of the list, and each text that can be searched one of its trigrams.
--
-- Trigrams and organization in one index need two of PostgreSQL's own extensions. They get a schema of their own, so that
-- their functions do not stand among ours.
CREATE SCHEMA IF NOT EXISTS extensions;
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA extensions;
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA extensions;

-- Clients ask for what changed since they asked last (`filter[updated_at][gte]`). So `updated_at` must never go back, also
-- where two processes whose clocks differ a little change one row, and two changes within one tick of the clock must differ:
-- it is then the old value and one microsecond. The trigger sees only statements that set the column.
-- Without a search path of its own it would take its caller's, who could put other operators in front.
CREATE FUNCTION move_updated_at() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION move_updated_at() IS 'Lets updated_at of a changed row move forwards only, by one microsecond at least.';
