-- Money for prepayments that was booked on the bill that took them over before 0058. Debits keep the number of the prepayment.
UPDATE payments AS p SET meant_for = i.id
  FROM invoices AS i
 WHERE p.way = 'direct_debit' AND p.meant_for IS NULL
   AND i.organization_id = p.organization_id AND i.id <> p.invoice_id AND i.type = 'prepayment'
   AND i.invoice_number = split_part(p.end_to_end_id, '.', 1);
-- Transfers that name one prepayment of the bill, and nothing else of it. What others were meant for is not stored.
UPDATE payments AS p SET meant_for = i.id
  FROM bank_entries AS e, invoices AS closing, invoices AS i
 WHERE p.way = 'bank_transfer' AND p.direction = 'in' AND p.meant_for IS NULL
   AND e.organization_id = p.organization_id AND e.id = p.bank_entry_id
   AND closing.organization_id = p.organization_id AND closing.id = p.invoice_id AND closing.type = 'usage'
   AND i.organization_id = p.organization_id AND i.subscription_id = closing.subscription_id AND i.type = 'prepayment'
   AND i.period_start >= closing.period_start AND i.period_start < closing.period_end
   AND upper(concat_ws(' ', e.end_to_end_id, e.text)) ~ ('(?<![A-Z0-9])' || i.invoice_number || '(?!\d)')
   AND NOT EXISTS (
     SELECT FROM invoices AS other
      WHERE other.organization_id = p.organization_id AND other.subscription_id = closing.subscription_id AND other.id <> i.id
        AND upper(concat_ws(' ', e.end_to_end_id, e.text)) ~ ('(?<![A-Z0-9])' || other.invoice_number || '(?!\d)'));
