import { isValidIBAN } from 'ibantools';

/** Country, length, check digits (modulo 97) and the form of the account number in that country. */
export function isIban(text: string): boolean {
  return isValidIBAN(text);
}

/** Countries of the European Economic Area. Banks of all others ask for the address of the account holder: no file names them. */
export const EEA_COUNTRIES: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' ');

/** Whether a file may debit the account, or pay to it; a masked one as well. */
export function isInEea(iban: string): boolean {
  return EEA_COUNTRIES.includes(iban.slice(0, 2));
}
