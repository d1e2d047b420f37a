-- What was paid for bills, and who was reminded. The join with the document leaves out persons who were erased.
CREATE VIEW analytics.payments AS
SELECT p.organization_id, p.id AS payment, p.invoice_id AS invoice, p.customer_id AS customer, i.subscription_id AS contract,
       p.direction, p.way, p.amount AS amount_eur, p.status, p.execute_on, p.booked_on, p.final_on, p.return_reason, p.created_at
  FROM public.payments AS p
  JOIN public.invoices AS i ON i.organization_id = p.organization_id AND i.id = p.invoice_id
 WHERE i.restricted_at IS NULL;

CREATE VIEW analytics.reminders AS
SELECT d.organization_id, d.invoice_id AS invoice, d.level, d.customer_id AS customer, i.subscription_id AS contract,
       d.amount AS amount_eur, d.reminded_on
  FROM public.dunning_steps AS d
  JOIN public.invoices AS i ON i.organization_id = d.organization_id AND i.id = d.invoice_id
 WHERE i.restricted_at IS NULL AND d.mail = 'handed_over';

COMMENT ON VIEW analytics.payments IS
  'Money that moved for documents, or was asked for. One document can have several: what came back is asked for again.';
COMMENT ON COLUMN analytics.payments.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.payments.payment IS 'Id of the payment, pay_.';
COMMENT ON COLUMN analytics.payments.invoice IS 'Id of the document, inv_.';
COMMENT ON COLUMN analytics.payments.customer IS 'Id of the contract partner, cus_.';
COMMENT ON COLUMN analytics.payments.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.payments.direction IS 'in: from the customer; out: to the customer.';
COMMENT ON COLUMN analytics.payments.way IS
  'direct_debit, credit_transfer: by a file to the bank; bank_transfer: the customer paid by himself; entered: staff said so.';
COMMENT ON COLUMN analytics.payments.amount_eur IS 'Amount in EUR, always positive.';
COMMENT ON COLUMN analytics.payments.status IS
  'requested: in a file; credited: booked, may still come back; settled: done; returned: came back, was money for another bill, or in a file that the bank never had.';
COMMENT ON COLUMN analytics.payments.execute_on IS 'Day on which the bank was to collect or pay, Europe/Berlin; null: by no file.';
COMMENT ON COLUMN analytics.payments.booked_on IS 'Day on which the bank booked it last, Europe/Berlin; null: not yet.';
COMMENT ON COLUMN analytics.payments.final_on IS 'Last day on which the bank of the payer returns a debit as unpaid, Europe/Berlin; null: no such day is known.';
COMMENT ON COLUMN analytics.payments.return_reason IS 'Why it came back: code of ISO 20022, NARR: staff said so; FILE: the bank never had the file; null: it did not.';
COMMENT ON COLUMN analytics.payments.created_at IS 'Instant of creation.';

COMMENT ON VIEW analytics.reminders IS 'Reminders of documents that were not paid, each from when its mail left.';
COMMENT ON COLUMN analytics.reminders.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.reminders.invoice IS 'Id of the document, inv_.';
COMMENT ON COLUMN analytics.reminders.level IS 'First or second reminder: 1 or 2.';
COMMENT ON COLUMN analytics.reminders.customer IS 'Id of the contract partner, cus_.';
COMMENT ON COLUMN analytics.reminders.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.reminders.amount_eur IS 'What was missing in EUR.';
COMMENT ON COLUMN analytics.reminders.reminded_on IS 'Day of the reminder, Europe/Berlin.';
