import { extractIBAN, isSEPACountry, isValidBIC } from 'ibantools';
import { isIban } from '../../../contracts/payment-methods/iban.ts';

/* Countries of the European Economic Area: payments to all others need the address of the account holder. */
const EEA = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
);

/** Why an account cannot be in a file, or null. */
export function accountProblem(iban: string): string | null {
  if (!isIban(iban)) return 'the IBAN is not valid';
  const country = extractIBAN(iban).countryCode ?? '';
  if (!isSEPACountry(country)) return `accounts in ${country} take no part in SEPA`;
  return EEA.has(country) ? null : `accounts in ${country} need the address of their holder in the file`;
}

export { isValidBIC as isBic };
