import { Decimal } from 'decimal.js';
import { clockWindows } from '../clock-windows.ts';

/** What may stand in a column of a reference file. An empty cell means null, where that is allowed. */
export interface ColumnKind {
  readonly mayBeEmpty: boolean;
  /** The rule that this text breaks; null where it is fine. */
  broken(text: string): string | null;
  /** The same text for the same value: `7.50` and `7.5` are equal. */
  canonical(text: string): string;
}

const asWritten = (text: string) => text;

export function optional(kind: ColumnKind): ColumnKind {
  return { ...kind, mayBeEmpty: true };
}

function textBy(broken: ColumnKind['broken'], canonical: ColumnKind['canonical'] = asWritten): ColumnKind {
  return { mayBeEmpty: false, broken, canonical };
}

/** Any text on one line. */
export const text = textBy((value) => (/\p{Cc}/u.test(value) ? 'must be a text on one line' : null));

export function pattern(expression: RegExp, rule: string): ColumnKind {
  return textBy((value) => (expression.test(value) ? null : rule));
}

export function oneOf(...codes: readonly string[]): ColumnKind {
  return textBy((value) => (codes.includes(value) ? null : `is unknown: ${codes.join(', ')} are known`));
}

export const yesOrNo = textBy((value) => (value === 'yes' || value === 'no' ? null : 'must be yes or no'));

export const zip = pattern(/^\d{5}$/, 'must be five digits');

/** Code of an operator; that it is a known one is a rule between two files. */
export const operator = pattern(
  /^[a-z0-9]+(-[a-z0-9]+)*$/,
  'must be lower-case letters and digits with hyphens',
);

export function wholeNumber(least: number, most: number): ColumnKind {
  return textBy(
    (value) => {
      const isInside = /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;
      return isInside ? null : `must be a whole number from ${least} to ${most}`;
    },
    (value) => String(Number(value)),
  );
}

/** Point, no thousands separators, no exponent; twelve digits on each side hold every price there is. */
const NUMBER = /^-?\d{1,12}(\.\d{1,12})?$/;

function decimal(inside: (value: Decimal) => string | null): ColumnKind {
  return textBy(
    (value) => (NUMBER.test(value) ? inside(new Decimal(value)) : 'must be a decimal number such as 12.34'),
    (value) => new Decimal(value).toFixed(),
  );
}

export const price = decimal((value) => (isNegative(value) ? 'must not be negative' : null));

/** A part of a whole, which is more than nothing. */
export const share = decimal((value) =>
  value.greaterThan(0) && value.lessThanOrEqualTo(1) ? null : 'must be above 0 and at most 1',
);

/** The same, and nothing is a part too. */
export const part = decimal((value) =>
  !isNegative(value) && value.lessThanOrEqualTo(1) ? null : 'must be a part from 0 to 1',
);

export const rate = decimal((value) =>
  !isNegative(value) && value.lessThan(1) ? null : 'must be a share from 0 to below 1: 0.19',
);

function isNegative(value: Decimal): boolean {
  return value.isNegative() && !value.isZero();
}

/** Quarters of the year: each once, in their order. */
export const quarterList = textBy((value) => {
  const quarters = value.split(';');
  const isInOrder = quarters.every((quarter, index) => index === 0 || quarter > (quarters[index - 1] ?? ''));
  return isInOrder && quarters.every((quarter) => /^[1-4]$/.test(quarter))
    ? null
    : 'must be quarters from 1 to 4 in their order, such as 1;4';
});

export const clockWindowList = textBy((value) =>
  clockWindows(value) === undefined
    ? 'must be windows in quarter hours, such as 23:00-06:00;12:00-14:15'
    : null,
);

export const day = textBy((value) => (isDay(value) ? null : 'must be a day as YYYY-MM-DD'));

/** A day that the calendar does not have becomes another one on its way through an instant. */
function isDay(value: string): boolean {
  const [, year = 0, month = 0, date = 0] = (/^([12]\d{3})-(\d{2})-(\d{2})$/.exec(value) ?? []).map(Number);
  const milliseconds = Date.UTC(year, month - 1, date);
  return year > 0 && new Date(milliseconds).toISOString().startsWith(value);
}
