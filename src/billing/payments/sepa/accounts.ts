import { extractIBAN, isSEPACountry, isValidBIC } from 'ibantools';
import { isIban, isInEea } from '../../../contracts/payment-methods/iban.ts';

/** Why an account cannot be in a file, or null. */
export function accountProblem(iban: string): string | null {
  if (!isIban(iban)) return 'the IBAN is not valid';
  const country = extractIBAN(iban).countryCode ?? '';
  if (!isSEPACountry(country)) return `accounts in ${country} take no part in SEPA`;
  return isInEea(iban) ? null : `accounts in ${country} need the address of their holder in the file`;
}

export { isValidBIC as isBic };
