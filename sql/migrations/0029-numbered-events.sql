UPDATE events
   SET sequence = placed.sequence
  FROM (SELECT organization_id, id,
               row_number() OVER (PARTITION BY organization_id ORDER BY timestamp, position) AS sequence
          FROM events) AS placed
 WHERE (events.organization_id, events.id) = (placed.organization_id, placed.id);

CREATE UNIQUE INDEX events_in_sequence ON events (organization_id, sequence);
CREATE INDEX events_of_topic_in_sequence ON events (organization_id, topic, sequence);
CREATE INDEX events_without_sequence ON events (organization_id, position) WHERE sequence IS NULL;

-- One at a time in an organization, until its commit. So numbers become visible in their order: whoever has seen one has seen, or
-- can see, all below it, and an event that is committed later gets a higher one. Numbers are rows of the table and stay what they
-- are in a dump; numbers of transactions would begin anew in another cluster, and differ on its nodes. Each statement of the
-- function has a snapshot of its own: the events are looked for behind the lock.
CREATE FUNCTION number_events(rows_max integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  organization text := nullif(current_setting('app.organization', true), '');
  numbered integer;
BEGIN
  PERFORM FROM public.events WHERE organization_id = organization AND sequence IS NULL LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('events of ' || organization, 0));
  UPDATE public.events AS event
     SET sequence = newest.sequence + placed.place
    FROM (SELECT id, row_number() OVER (ORDER BY position) AS place
            FROM (SELECT id, position FROM public.events
                   WHERE organization_id = organization AND sequence IS NULL
                   ORDER BY position LIMIT rows_max) AS found) AS placed,
         (SELECT coalesce(max(sequence), 0) AS sequence FROM public.events WHERE organization_id = organization) AS newest
   WHERE event.organization_id = organization AND event.id = placed.id;
  GET DIAGNOSTICS numbered = ROW_COUNT;
  RETURN numbered;
END
$$;
REVOKE ALL ON FUNCTION number_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION number_events TO voltstream_app;
COMMENT ON FUNCTION number_events IS
  'Gives committed events of the organization of the session that have no sequence yet the next ones, at most so many; says how many.';
