/*
 * Leitweg-ID: how public buyers in Germany name the office that a bill goes to. Coarse address (2 to 12 digits), fine address
 * (up to 30 letters and digits, may be absent), two check digits by ISO 7064 MOD 97-10.
 */

const PATTERN = /^(\d{2,12})(?:-([0-9A-Z]{1,30}))?-(\d{2})$/;

export function isRouteId(text: string): boolean {
  const [, coarse = '', fine = '', check = ''] = PATTERN.exec(text) ?? [];
  return check !== '' && remainder(coarse + fine + check) === 1;
}

/** Of a number of any length, a letter being 10 to 35. */
function remainder(text: string): number {
  let rest = 0;
  for (const letter of text) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
