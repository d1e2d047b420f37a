import type { Decimal } from 'decimal.js';
import type { Figure, FigureOrigin } from '../reference-data/figures.ts';

/** What a price can be asked for, kWh of a year. */
export const YEARLY_KWH = { min: 100, max: 50_000 } as const;

export const SUBGROUPS = ['fee', 'grid', 'metering', 'energy', 'optimization', 'levies'] as const;

export type Subgroup = (typeof SUBGROUPS)[number];

/** One line of a quote, named as the bill names it. */
export interface QuoteRow {
  /** `base`: EUR per month. `variable`: EUR per kWh. */
  readonly group: 'base' | 'variable';
  readonly subgroup: Subgroup;
  readonly name: string;
  /** Rounded to 6 decimals; sums of rows are not rounded. */
  readonly amount: Decimal;
  /** The rows of reference data that it was made of. */
  readonly figures: readonly Figure[];
}

/** The rows of reference data behind them; most stand behind several. */
export function originsOf(rows: readonly QuoteRow[]): FigureOrigin[] {
  return rows.flatMap(({ figures }) => figures.map(({ origin }) => origin));
}
