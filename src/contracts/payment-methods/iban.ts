import { isValidIBAN } from 'ibantools';

/** Country, length, check digits (modulo 97) and the form of the account number in that country. */
export function isIban(text: string): boolean {
  return isValidIBAN(text);
}
