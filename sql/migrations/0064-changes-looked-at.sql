-- A change was kept for good, so that each later one reached as far back as the first of them.
COMMENT ON COLUMN subscriptions.bills_changed_at IS
  'When something was entered last that bills depend on and that has no instant of its own, a module of section 14a EnWG for instance; null: never, or all bills were looked at since. Not shown.';
COMMENT ON COLUMN subscriptions.bills_changed_from IS
  'First day, Europe/Berlin, that any of the changes is about that no run has looked at; set with bills_changed_at.';
