import type { Invoice } from '@e-invoice-eu/core';
import { Exact } from '../../platform/money.ts';
import type { Bill } from './bill.ts';
import { CURRENCY, percent, taxCategory, VAT } from './lines.ts';

type Totals = Pick<Invoice['ubl:Invoice'], 'cac:TaxTotal' | 'cac:LegalMonetaryTotal'>;

/** The stored sums and no new ones: a document that says anything else than the bill is worse than none. */
export function standardTotals({ sums, exemption }: Bill): Totals {
  const gross = new Exact(sums.net).plus(sums.tax).toFixed();
  return {
    'cac:TaxTotal': [
      {
        'cbc:TaxAmount': cents(sums.tax),
        'cbc:TaxAmount@currencyID': CURRENCY,
        'cac:TaxSubtotal': sums.taxes.map(({ rate, net, tax }) => ({
          'cbc:TaxableAmount': cents(net),
          'cbc:TaxableAmount@currencyID': CURRENCY,
          'cbc:TaxAmount': cents(tax),
          'cbc:TaxAmount@currencyID': CURRENCY,
          'cac:TaxCategory': {
            'cbc:ID': taxCategory(rate, exemption),
            'cbc:Percent': percent(rate),
            ...(taxCategory(rate, exemption) === 'E' ? { 'cbc:TaxExemptionReason': exemption ?? '' } : {}),
            'cac:TaxScheme': VAT,
          },
        })),
      },
    ],
    'cac:LegalMonetaryTotal': {
      'cbc:LineExtensionAmount': cents(sums.net),
      'cbc:LineExtensionAmount@currencyID': CURRENCY,
      'cbc:TaxExclusiveAmount': cents(sums.net),
      'cbc:TaxExclusiveAmount@currencyID': CURRENCY,
      'cbc:TaxInclusiveAmount': cents(gross),
      'cbc:TaxInclusiveAmount@currencyID': CURRENCY,
      'cbc:PrepaidAmount': cents(sums.deducted),
      'cbc:PrepaidAmount@currencyID': CURRENCY,
      'cbc:PayableAmount': cents(sums.total),
      'cbc:PayableAmount@currencyID': CURRENCY,
    },
  };
}

const cents = (amount: string): string => new Exact(amount).toFixed(2);
