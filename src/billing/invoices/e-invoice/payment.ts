import type { Bill } from './bill.ts';

/** UNTDID 4461, BT-81. */
const NOT_DEFINED = '1';
const SEPA_TRANSFER = '58';
const SEPA_DEBIT = '59';
const CLEARING = '97';

/** BT-23: the process of Peppol for bills, which XRechnung wants to be named. */
export const BUSINESS_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
/** Scheme of electronic addresses that are mail addresses. */
export const MAIL = 'EM';

/** How a bill is paid (BG-16). */
export interface PaymentMeans {
  readonly code: string;
  readonly mandate: string | null;
  /** SEPA creditor identifier of a direct debit (BT-90). */
  readonly creditor: string | null;
  /** IBAN that is debited. */
  readonly debited: string | null;
  readonly credited: { readonly account: string; readonly holder: string } | null;
}

const OPEN: PaymentMeans = {
  code: NOT_DEFINED,
  mandate: null,
  creditor: null,
  debited: null,
  credited: null,
};

/**
 * `needsAccount`: a debit is told with its whole account number only. Without the number the means stay open: the terms say
 * in words how it is paid.
 */
export function paymentMeans({ payment }: Bill, { needsAccount }: { needsAccount: boolean }): PaymentMeans {
  if (payment.by === 'settlement') return { ...OPEN, code: CLEARING };
  const { account } = payment;
  if (payment.by === 'transfer') {
    if (account === null) return OPEN;
    return { ...OPEN, code: SEPA_TRANSFER, credited: { account, holder: payment.holder } };
  }
  if (account === null && needsAccount) return OPEN;
  const { mandate, creditor } = payment;
  return { ...OPEN, code: SEPA_DEBIT, mandate, creditor, debited: account };
}
