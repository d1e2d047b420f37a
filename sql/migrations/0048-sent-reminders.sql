-- A reminder has the day on which its mail left and what was missing then, also where the mail waited or was dropped before.
-- Analysts see those that were sent.
GRANT UPDATE (amount, reminded_on) ON dunning_steps TO voltstream_app;
GRANT SELECT (mail) ON dunning_steps TO voltstream_analyst_reader;
COMMENT ON COLUMN dunning_steps.amount IS 'EUR that were missing when the mail left; before that, when it was planned.';
COMMENT ON COLUMN dunning_steps.reminded_on IS 'Day on which the mail left; before that, on which it was planned. Europe/Berlin.';
COMMENT ON COLUMN dunning_steps.mail IS
  'planned; handed_over: set before the mail leaves, so that a process that dies never sends it twice; dropped: nothing was missing, or staff had stopped reminders. It is planned anew where something is missing again.';
