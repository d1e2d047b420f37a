-- Nothing: Citus neither joins a table under row-level security with a distributed one in a view nor takes the rights of a
-- view's owner to other nodes. Functions that run as their owner read measured values: stored_snapshots, newest_snapshots,
-- held_power.
SELECT;
