import { checkVAT, countries } from 'jsvat';

/**
 * The VAT id that a customer gave, as an e-invoice may carry it: with its country and right check digits, without spaces. The
 * interface takes any text, and a wrong id in a structured document is believed by machines. Null: it is none.
 */
export function vatIdOf(entry: string | null): string | null {
  const text = (entry ?? '').replace(/[\s.-]/g, '').toUpperCase();
  return checkVAT(text, countries).isValid ? text : null;
}

/** What a German tax office gives: ten to thirteen digits, with or without slashes. */
export function taxNumberOf(entry: string | null): string | null {
  const text = (entry ?? '').trim();
  return /^[\d/ ]{10,16}$/.test(text) && /^\d{10,13}$/.test(text.replace(/[/ ]/g, '')) ? text : null;
}
