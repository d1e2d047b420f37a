import { isInEea } from '../../../../contracts/payment-methods/iban.ts';
import { Exact } from '../../../../platform/money.ts';
import type { Language, PaymentFacts } from '../../calculate/fact-types.ts';
import type { InvoiceDocument } from '../document.ts';
import { formatOf } from '../format.ts';
import { de, type Texts } from './de.ts';
import { en } from './en.ts';

export type { Texts } from './de.ts';

const TEXTS: Readonly<Record<Language, Texts>> = { de, en };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}

/** Puts what is known in the place of its `{name}`. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

/** Else the customer transfers what is charged. */
export const isDebited = ({ way, maskedIban }: PaymentFacts) => way !== 'transfer' && isInEea(maskedIban);

/** How a document is paid: PDF and e-invoice say the same. */
export function paymentText({
  type,
  facts,
  sums,
  dueOn,
  isFinal,
  voids,
  invoiceNumber,
}: InvoiceDocument): string {
  const { language, payment, issuer } = facts;
  const { pay } = textsOf(language);
  const format = formatOf(language);
  const total = new Exact(sums.total);
  const credit = isFinal || type === 'exit_summary' ? pay.finalCredit : pay.credit;
  const [debit, voidDebit] = isDebited(payment)
    ? [payment.way === 'stopped' ? pay.stopped : pay.debit, pay.voidCredit]
    : [pay.transfer, pay.voidTransfer];
  const [owed, owing] = type === 'void' ? [pay.void, voidDebit] : [credit, debit];
  return filled(total.isZero() ? pay.nothing : total.isNegative() ? owed : owing, {
    amount: format.euros(total.abs().toFixed()),
    day: format.day(dueOn),
    iban: payment.maskedIban,
    mandate: payment.mandateReference,
    creditor: payment.creditorId,
    holder: issuer.accountHolder,
    ownIban: issuer.iban,
    ownNumber: invoiceNumber,
    number: voids?.invoiceNumber ?? '',
  });
}
