-- Before days of a contract are stored it is asked which other contracts have its market location.
CREATE INDEX meters_of_market_location ON meters (organization_id, malo) WHERE malo IS NOT NULL;
