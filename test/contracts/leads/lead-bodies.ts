/** The smallest body that POST /leads takes. */
export function newLead(plan: string, change: Record<string, unknown> = {}) {
  return { plan, address: { zip: '20354' }, meter: { estimated_usage: 2500 }, ...change };
}

/** One that fills every field. */
export function fullLead(plan: string) {
  return {
    plan,
    address: { zip: '20354', street: 'Gänsemarkt', house_number: '12a', city: 'Hamburg' },
    meter: { estimated_usage: 4888.5, type: 'smart', number: '1EMH0012345678' },
    customer: { type: 'company', first_name: 'Jule', company_name: 'Brandt GmbH', vat_id: null },
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
    },
    previous_supplier: 'mp_s5ul4j2wc3pzvkzk1qssgd96',
    created_by: 'staff@example.org',
    next_possible_start: false,
    intended_start_date: '2026-12-01',
    change_reason: 'move_in',
    metadata: { crm: 'A-1182', note: 'line one\nline two', empty: '' },
  };
}
