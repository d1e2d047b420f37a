import { createHash } from 'node:crypto';
import { setImmediate as otherWork } from 'node:timers/promises';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { csvLine } from '../../platform/csv/csv.ts';
import type { Database } from '../../platform/database/db.ts';
import { plainDecimal } from '../../platform/interface/answer-text.ts';
import { type DayMark, type Period, realizedCurves } from '../../spot-prices/service.ts';
import { type DayTerms, type PriceItem, pricesOfDay, type SupplySpan } from './day-prices.ts';
import type { PricedDay } from './terms-of-days.ts';

/** Encoded days that are kept, in characters: nearly three years of quarter hours. */
const DAY_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Days whose prices one statement reads. */
const DAYS_AT_ONCE = 16;

/** One day of the answer and all that it is made of. */
export interface DayToPrice {
  readonly day: PricedDay;
  readonly terms: DayTerms;
  /** Undefined where no price was ever stored for the day. */
  readonly mark: DayMark | undefined;
}

/** What there is for a contract and a period at one moment. */
export interface PricesState {
  readonly subscription: string;
  readonly period: Period;
  readonly supply: SupplySpan;
  /** Those that supply covers, or a part of; none before supply is confirmed. */
  readonly days: readonly DayToPrice[];
}

/** 160 bits of everything that the answer is made of: no two contents are ever called the same. */
export function nameOf({ subscription, period, supply, days }: PricesState): string {
  const hash = createHash('sha256');
  hash.update([subscription, period.first, period.last, supply.from, supply.to].join(' '));
  for (const day of days) hash.update(`\n${keyOf(day, period)}`);
  return hash.digest('base64url').slice(0, 27);
}

/** All that the text of a whole day depends on. It names no contract: those with the same terms share it. */
function keyOf({ day, terms, mark }: DayToPrice, { resolution }: Period): string {
  return `${day.day} ${resolution} ${mark?.mark ?? ''} ${JSON.stringify(terms)}`;
}

/** Writes answers. A day is encoded once and kept for all contracts with the same terms. */
export function createPriceTexts(
  database: Database,
): (state: PricesState, form: 'json' | 'csv') => Promise<string | null> {
  const kept = new BoundedCache<string>(DAY_CHARACTERS_MAX);

  /** In the order of the days. Null where one is not what its mark says any more. */
  async function textsOf(
    { supply, period }: PricesState,
    days: readonly DayToPrice[],
  ): Promise<string[] | null> {
    const texts = new Map<DayToPrice, string>();
    for (const day of days) {
      const text = isWhole(day, supply) ? kept.get(keyOf(day, period)) : undefined;
      if (text !== undefined) texts.set(day, text);
    }
    const unknown = days.filter((day) => !texts.has(day));
    const curves = await realizedCurves(
      database,
      unknown.map(({ day }) => day.day),
      unknown.flatMap(({ mark }) => mark ?? []),
      period.resolution,
    );
    if (curves === null) return null;
    for (const [index, day] of unknown.entries()) {
      const text = pricesOfDay(curves[index] ?? [], period.resolution, day.terms, supply)
        .map(itemText)
        .join(',');
      if (isWhole(day, supply)) kept.set(keyOf(day, period), text, text.length);
      texts.set(day, text);
      await otherWork();
    }
    return days.map((day) => texts.get(day) ?? '');
  }

  return async (state, form) => {
    const texts: string[] = [];
    for (let from = 0; from < state.days.length; from += DAYS_AT_ONCE) {
      const portion = await textsOf(state, state.days.slice(from, from + DAYS_AT_ONCE));
      if (portion === null) return null;
      texts.push(...(form === 'json' ? portion : portion.map(tableOf)));
      if (form === 'csv') await otherWork();
    }
    if (form === 'csv') return csvLine(PRICE_COLUMNS.join(',')) + texts.join('');
    const items = texts.length === 0 ? 'null' : `[${texts.join(',')}]`;
    return `${headOf(state).slice(0, -1)},"items":${items}}`;
  };
}

const COMPONENTS = ['electricity', 'grid', 'levies'] as const;

/** Of the answer as a table. */
export const PRICE_COLUMNS = ['timestamp', 'amount_ct_kwh', ...COMPONENTS.map((type) => `${type}_ct_kwh`)];

/** Rows of one day out of its elements of `items`. */
function tableOf(items: string): string {
  return (JSON.parse(`[${items}]`) as JsonItem[])
    .map(({ timestamp, amount, components }) => {
      const parts = COMPONENTS.map((name) => components.find(({ type }) => type === name)?.amount ?? null);
      const amounts = [amount, ...parts].map((value) => (value === null ? '' : plainDecimal(value)));
      return csvLine([timestamp, ...amounts].join(','));
    })
    .join('');
}

interface JsonItem {
  timestamp: string;
  amount: number | null;
  components: { type: string; amount: number | null }[];
}

/** Supply covers the day from midnight to midnight. */
function isWhole({ day }: DayToPrice, { from, to }: SupplySpan): boolean {
  return from <= day.begins && (to === null || to >= day.ends);
}

function headOf({ subscription, period: { first, last, resolution } }: PricesState): string {
  return JSON.stringify({
    object: 'price',
    subscription,
    period: { start: first, end: last },
    currency: 'EUR',
    unit: 'ct/kWh',
    resolution,
    reference: resolution === 'hourly' ? 'EPEX Day-Ahead Hourly' : 'EPEX Day-Ahead 15min',
  });
}

/** Amounts are written as they were computed: a number of JavaScript would write 0.0000001 as 1e-7. */
function itemText({ timestamp, amount, components }: PriceItem): string {
  const parts = components
    .map((component) => `{"type":"${component.type}","amount":${component.amount}}`)
    .join(',');
  return `{"timestamp":"${timestamp}","amount":${amount},"components":[${parts}]}`;
}
