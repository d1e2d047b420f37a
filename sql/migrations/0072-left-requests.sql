-- Requests whose callers left before the answer are in the log, too.
COMMENT ON COLUMN request_log.created_at IS 'Instant of the answer, or at which the caller left.';
COMMENT ON COLUMN request_log.status IS 'HTTP status of the answer; 499: the caller left before it had the whole answer.';
COMMENT ON COLUMN request_log.rows_stored IS
  'Number of rows that were newly stored before its end; null: none by then, or the route stores none.';
