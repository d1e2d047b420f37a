-- Who was erased stays erased. Until now devices, contracts, readings and names could be added afterwards, and stayed.
ALTER TABLE customers ADD COLUMN erased_at timestamptz;
COMMENT ON COLUMN customers.erased_at IS 'When the person was erased: from then on nothing new is taken. Null: never.';
UPDATE customers SET erased_at = updated_at WHERE email = id || '@erased.invalid';
