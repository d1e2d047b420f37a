-- A household has one supply at a time: from the confirmed start to the end, which does not belong to it. The rule is
-- asked before dates are stored, with the household held; the constraint holds it against everybody else. A contract that
-- ended before its start was never supplied.
ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_one_supply EXCLUDE USING gist (
  organization_id WITH =, household_id WITH =, tstzrange(start_at, end_at, '[)') WITH &&
) WHERE (type = 'consumption' AND start_at IS NOT NULL AND (end_at IS NULL OR end_at > start_at));
