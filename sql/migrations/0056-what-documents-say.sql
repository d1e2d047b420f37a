-- What a bill says beside its figures: the language of an organization's documents, and what households of other sizes use,
-- with which a customer's year is compared (section 40(2) no. 8 EnWG).
ALTER TABLE issuers ADD COLUMN language text NOT NULL DEFAULT 'de' CHECK (language IN ('de', 'en'));
COMMENT ON COLUMN issuers.language IS 'Language of its documents: de or en.';

CREATE TABLE usage_groups (
  code text NOT NULL CHECK (code ~ '^[a-z0-9_]+$'),
  kwh_year numeric NOT NULL CHECK (kwh_year >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (code, valid_from),
  CONSTRAINT usage_groups_one_at_a_time
    EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);
CREATE TRIGGER counted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON usage_groups
  FOR EACH STATEMENT EXECUTE FUNCTION count_reference_change();
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_groups TO voltstream_app;

COMMENT ON TABLE usage_groups IS 'What households of a size use in a year: bills compare with it.';
COMMENT ON COLUMN usage_groups.code IS 'one_person, two_persons, three_persons or house.';
COMMENT ON COLUMN usage_groups.kwh_year IS 'kWh a year.';
COMMENT ON COLUMN usage_groups.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN usage_groups.valid_to IS 'First day no longer valid; null: open.';
COMMENT ON COLUMN usage_groups.source IS 'Survey and its year.';
COMMENT ON COLUMN usage_groups.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';
