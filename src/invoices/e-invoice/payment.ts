import type { Invoice } from '@e-invoice-eu/core';
import type { Bill } from './bill.ts';

type Means = NonNullable<Invoice['ubl:Invoice']['cac:PaymentMeans']>[number];

/** UNTDID 4461, BT-81. */
const NOT_DEFINED = '1';
const SEPA_TRANSFER = '58';
const SEPA_DEBIT = '59';
const CLEARING = '97';

/**
 * XRechnung wants the whole account number of a direct debit (BR-DE-31), the standard does not; both want it of a transfer
 * (BR-61). Where it is not there the means stay open: the terms say in words how it is paid.
 */
export function standardPayment({ payment, number }: Bill, needsAccount: boolean): Means {
  const reference = { 'cbc:PaymentID': number };
  if (payment.by === 'settlement') {
    return { 'cbc:PaymentMeansCode': CLEARING, ...reference };
  }
  const { account } = payment;
  if (payment.by === 'transfer') {
    if (account === null) return { 'cbc:PaymentMeansCode': NOT_DEFINED, ...reference };
    return {
      'cbc:PaymentMeansCode': SEPA_TRANSFER,
      ...reference,
      'cac:PayeeFinancialAccount': { 'cbc:ID': account, 'cbc:Name': payment.holder },
    };
  }
  if (account === null && needsAccount) return { 'cbc:PaymentMeansCode': NOT_DEFINED, ...reference };
  return {
    'cbc:PaymentMeansCode': SEPA_DEBIT,
    ...reference,
    'cac:PaymentMandate': {
      'cbc:ID': payment.mandate,
      ...(account === null ? {} : { 'cac:PayerFinancialAccount': { 'cbc:ID': account } }),
    },
  };
}
