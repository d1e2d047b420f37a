-- Events are listed by their instant, which is older than their COMMIT: whoever asks for what is newer than the newest event it
-- knows loses what is committed after that with an older instant. The sequence is given behind the COMMIT. In a file of its own:
-- nobody can write an event until this one is through.
ALTER TABLE events ADD COLUMN sequence bigint;
COMMENT ON COLUMN events.sequence IS
  'Place among the events of the organization, given after their commit; never shown. Null: not given yet, and not listed.';
