import { Exact } from '../../../platform/money.ts';
import type { InvoiceLine } from '../calculate/types.ts';
import type { InvoiceDocument } from '../documents/document.ts';
import { formatOf } from '../documents/format.ts';
import { filled, textsOf } from '../documents/texts/texts.ts';

export interface Words {
  readonly paymentTerms: string;
  readonly exemption: string;
  readonly notes: readonly string[];
  nameOf(line: InvoiceLine): string;
}

/** The texts of a document, in its language and in the words of its PDF: both have to say the same. */
export function wordsOf(document: InvoiceDocument, isSelfBilled: boolean): Words {
  const { facts, type, isEstimated } = document;
  const texts = textsOf(facts.language);
  const { credit, voidCredit } = texts.title;
  return {
    paymentTerms: paymentTerms(document),
    exemption: texts.tax.exempt,
    notes: [
      ...(facts.hasInventedPrices ? [texts.subtitle.inventedPrices] : []),
      ...(isSelfBilled ? [type === 'void' ? voidCredit : credit] : []),
      ...(isEstimated ? [texts.subtitle.estimated] : []),
      ...deductedTax(document),
    ],
    nameOf: ({ kind, band }) =>
      band === null ? texts.lines[kind] : `${texts.lines[kind]}, ${texts.bands[band]}`,
  };
}

function paymentTerms({ facts: { language, payment }, sums, dueOn, isFinal }: InvoiceDocument): string {
  const { pay } = textsOf(language);
  const format = formatOf(language);
  const total = new Exact(sums.total);
  const owed = isFinal ? pay.finalCredit : pay.credit;
  return filled(total.isZero() ? pay.nothing : total.isNegative() ? owed : pay.debit, {
    amount: format.euros(total.abs().toFixed()),
    day: format.day(dueOn),
    iban: payment.maskedIban,
    mandate: payment.mandateReference,
    creditor: payment.creditorId,
  });
}

/** The tax of prepayments stands in the closing bill again, so that it says what of it was in them (section 14(5) UStG). */
function deductedTax({ facts: { language, deductions } }: InvoiceDocument): string[] {
  if (deductions.length === 0) return [];
  const texts = textsOf(language).deductions;
  const format = formatOf(language);
  const sum = (member: 'gross' | 'tax') =>
    format.cents(
      deductions.reduce((before, deduction) => before.plus(deduction[member]), new Exact(0)).toFixed(),
    );
  return [`${texts.title}: ${texts.gross}: ${sum('gross')}, ${texts.tax}: ${sum('tax')}`];
}
