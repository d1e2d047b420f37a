-- Where the code is that says which state follows which. Older stores name the places of before.
COMMENT ON COLUMN meter_orders.status IS 'Internal state. What may follow which stands in src/contracts/meter-orders/moves.ts.';
COMMENT ON COLUMN invoices.status IS 'What may follow which stands in src/billing/invoices/issue/moves.ts.';
