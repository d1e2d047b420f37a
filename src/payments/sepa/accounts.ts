import { extractIBAN, isSEPACountry, isValidBIC } from 'ibantools';
import { isIban } from '../../payment-methods/iban.ts';

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

const CREDITOR_ID = /^[A-Z]{2}\d{2}[A-Za-z0-9]{3}[A-Za-z0-9+?/:().,'-]{1,28}$/;
const GERMAN_CREDITOR_ID = /^DE\d{2}[A-Za-z0-9]{3}\d{11}$/;

/** The creditor identifier: its check digits do not count the three characters of the business area. */
export function isCreditorId(text: string): boolean {
  if (!CREDITOR_ID.test(text) || (text.startsWith('DE') && !GERMAN_CREDITOR_ID.test(text))) return false;
  const counted = `${text.slice(7)}${text.slice(0, 4)}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  let rest = 0;
  for (const character of counted) {
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1;
}

export { isValidBIC as isBic };
