-- Analysts and exports ask for the reminders of a day. Without this those of all years were read for it.
CREATE INDEX dunning_steps_of_day ON dunning_steps (organization_id, reminded_on);
