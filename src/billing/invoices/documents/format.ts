import { Exact, roundHalfUp } from '../../../platform/money.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { Language } from '../calculate/fact-types.ts';

/*
 * Figures, days and spans as people write them. Everything comes as a decimal text and stays one: no figure passes through a
 * binary float. A blank before a unit does not break, and what is negative has a minus sign and no hyphen.
 */

const SIGNS = {
  de: { point: ',', group: '.' },
  en: { point: '.', group: ',' },
} as const;

const MONTHS = {
  de: ['Jan.', 'Feb.', 'März', 'Apr.', 'Mai', 'Juni', 'Juli', 'Aug.', 'Sep.', 'Okt.', 'Nov.', 'Dez.'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
} as const;

const MINUS = '\u2212';
const FIXED_BLANK = '\u00a0';
const CENT_DECIMALS = 2;

export interface Decimals {
  /** Filled up with zeros to so many. */
  readonly min: number;
  /** Rounded half up to so many. */
  readonly max: number;
}

export interface Format {
  number(value: string, decimals: Decimals): string;
  /** `1.234,56 €` */
  euros(value: string): string;
  /** Without the sign of the currency, for columns that name it. */
  cents(value: string): string;
  kwh(value: string): string;
  /** A share: `19 %`. */
  percent(share: string): string;
  /** `01.11.2026`, `1 Nov 2026` */
  day(day: CalendarDay): string;
  /** From the first to the last day; `until` is the day behind it. */
  span(span: { readonly from: CalendarDay; readonly until: CalendarDay }): string;
  /** Of `2026-11`: `Nov. 2026`. */
  month(month: string): string;
  /** Without its year. */
  shortMonth(month: string): string;
}

export function formatOf(language: Language): Format {
  const { point, group } = SIGNS[language];
  const number = (value: string, { min, max }: Decimals): string => {
    const rounded = roundHalfUp(value, max);
    const [whole = '0', fraction = ''] = rounded.abs().toFixed().split('.');
    const decimals = fraction.padEnd(min, '0');
    const text = `${grouped(whole, group)}${decimals === '' ? '' : point}${decimals}`;
    return rounded.isNegative() ? `${MINUS}${text}` : text;
  };
  const cents = (value: string) => number(value, { min: CENT_DECIMALS, max: CENT_DECIMALS });
  const day = (text: CalendarDay): string => {
    const [year = '', month = '', date = ''] = text.split('-');
    if (language === 'de') return `${date}.${month}.${year}`;
    return `${Number(date)}${FIXED_BLANK}${MONTHS.en[Number(month) - 1]}${FIXED_BLANK}${year}`;
  };
  const shortMonth = (month: string): string => MONTHS[language][Number(month.slice(5, 7)) - 1] ?? month;
  return {
    number,
    cents,
    euros: (value) => (language === 'de' ? `${cents(value)}${FIXED_BLANK}€` : withEuroBefore(cents(value))),
    kwh: (value) => `${number(value, { min: 2, max: 2 })}${FIXED_BLANK}kWh`,
    percent: (share) =>
      `${number(new Exact(share).times(100).toFixed(), { min: 0, max: 2 })}${language === 'de' ? FIXED_BLANK : ''}%`,
    day,
    span: ({ from, until }) => `${day(from)} – ${day(addDays(until, -1))}`,
    month: (month) => `${shortMonth(month)}${FIXED_BLANK}${month.slice(0, 4)}`,
    shortMonth,
  };
}

function withEuroBefore(text: string): string {
  return text.startsWith(MINUS) ? `${MINUS}€${text.slice(1)}` : `€${text}`;
}

function grouped(whole: string, sign: string): string {
  const first = whole.length % 3;
  const parts = first === 0 ? [] : [whole.slice(0, first)];
  for (let at = first; at < whole.length; at += 3) parts.push(whole.slice(at, at + 3));
  return parts.join(sign);
}
