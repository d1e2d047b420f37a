import type { Bill, Format } from './bill.ts';
import { ciiXml } from './cii.ts';
import { brokenRules } from './rules.ts';
import { ublXml } from './ubl.ts';

/** A bill of which no valid e-invoice can be made: with the rules that it breaks. */
export class EInvoiceRefused extends Error {
  constructor(number: string, problems: readonly string[]) {
    super(`no e-invoice of ${number}: ${problems.join('; ')}`);
    this.name = 'EInvoiceRefused';
  }
}

/**
 * The document as XML in UTF-8. Cross Industry Invoice goes into the PDF, Universal Business Language to whoever asks for an
 * XRechnung. Refused where the bill breaks a rule of the standard.
 */
export function eInvoiceXml(bill: Bill, format: Format): string {
  const broken = brokenRules(bill, format);
  if (broken.length > 0) throw new EInvoiceRefused(bill.number, broken);
  return format === 'zugferd' ? ciiXml(bill) : ublXml(bill);
}
