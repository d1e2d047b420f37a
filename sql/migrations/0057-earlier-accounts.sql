-- After a change of the account its bank still reports what was asked for before, and what came back of it.
ALTER TABLE issuers ADD COLUMN earlier_ibans text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN issuers.earlier_ibans IS 'Accounts that it had before iban: statements of them are still read.';
