const FORM = /^([A-Z]{2}\d{2})[A-Z0-9]{3}([A-Z0-9]{1,28})$/;
const MODULUS = 97;

/**
 * A SEPA creditor identifier: country, two check digits, three characters that the creditor chooses for a line of business,
 * which the check digits leave out, and the number of the country. As for an IBAN: number, country and check digits as one
 * decimal number, A as 10 to Z as 35, leave 1 when divided by 97 (EPC262-08).
 */
export function isCreditorId(text: string): boolean {
  const [, head, number] = FORM.exec(text) ?? [];
  if (head === undefined || number === undefined) return false;
  const digits = [...`${number}${head}`].map((character) => Number.parseInt(character, 36)).join('');
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % MODULUS, 0) === 1;
}
