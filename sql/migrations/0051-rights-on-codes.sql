-- A code that a client of another organization presented is used up inside its own organization: across organizations only
-- whose it is has to be known.
REVOKE UPDATE (used_at) ON authorization_codes FROM voltstream_system_reader;
DROP POLICY across_organizations ON authorization_codes;
CREATE POLICY across_organizations ON authorization_codes FOR SELECT TO voltstream_system_reader USING (true);
