COMMENT ON COLUMN dunning_steps.mail IS
  'planned; handed_over: set before the mail leaves, so that a process that dies never sends it twice; dropped: nothing was missing, staff had stopped reminders, or the first one had not left. It is planned anew where something is missing again.';
