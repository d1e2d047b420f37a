-- Money for a prepayment that a bill took over is booked on that bill. What came in for which one is still known, so that it is
-- not asked for, or entered, twice.
ALTER TABLE payments ADD COLUMN meant_for text;
GRANT UPDATE (meant_for) ON payments TO voltstream_app;
COMMENT ON COLUMN payments.meant_for IS 'The prepayment that it was for, where invoice_id is the bill that took it over; null: the bill itself.';
COMMENT ON COLUMN payments.final_on IS 'Last day on which the bank of the payer returns a debit as unpaid.';
