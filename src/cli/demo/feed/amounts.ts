/*
 * How prices are printed. Values are cents per MWh: whole numbers by the formula, fractions in means.
 */

/** EUR/MWh with two decimals: `94.40`, `-0.01`. */
export function twoDecimals(cents: number): string {
  return (cents / 100).toFixed(2).replace(/^-(0\.00)$/, '$1');
}

/** EUR/MWh as some programs print numbers: `94.4`, but `60.0`. */
export function shortDecimals(cents: number): string {
  const text = plain(cents / 100, 2);
  return text.includes('.') ? text : `${text}.0`;
}

/** At most this many decimals, none at the end that is zero: `94.3325`, `133`. */
export function plain(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** The same value as a sum of binary floats comes out: `94.2600000000001`. */
export function withFloatNoise(cents: number): string {
  return `${twoDecimals(cents)}00000000001`;
}
