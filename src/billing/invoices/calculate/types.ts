import type { GridBand } from '../../../tariffs/reference-data/grid-bands.ts';

/*
 * Lines of a document and their sums, as they are stored and shown. Money and energy are decimal texts: no figure passes
 * through a binary float. Days are days in Germany, `until` is the first one no longer meant.
 */

export const LINE_KINDS = [
  'base_fee',
  'grid_base',
  'module_1',
  'module_1_cap',
  'metering',
  'energy',
  'margin',
  'grid_energy',
  'concession_fee',
  'electricity_tax',
  'offshore',
  'special_grid_use',
  'kwkg',
  'discount',
  'feed_in',
  'prepayment',
  'correction',
] as const;

export type LineKind = (typeof LINE_KINDS)[number];

/** Which price of the grid holds: one of the three of module 3, the one of module 2, or null: the ordinary one. */
export type Band = GridBand | 'module_2' | null;

/** One number that a line was made of, so that a reader can do the sum again. */
export interface LineFigure {
  /** What it means in the line: `grid_working_price`. */
  readonly name: string;
  readonly value: string;
  /** As people read it: `ct/kWh net`. */
  readonly unit: string;
  /** The row of reference data it stands in; null where it comes from the contract or was measured. */
  readonly table: string | null;
  readonly key: string | null;
  /** Law or price sheet; `plan_terms`, `subscriptions` or `usage` where it comes from there. */
  readonly source: string;
  /** First day of the row. */
  readonly validFrom: string | null;
}

/** Where a number stands in reference data; null: it comes from elsewhere. */
export type NamedRow = Pick<LineFigure, 'table' | 'key' | 'validFrom'>;

export interface InvoiceLine {
  readonly kind: LineKind;
  readonly from: string;
  readonly until: string;
  /** Set where one price of the grid held for all of the line's energy. */
  readonly band: Band;
  readonly quantity: string | null;
  readonly unit: 'kWh' | 'day' | 'month' | null;
  /** EUR net, the mean where the price varies: quantity times it is the amount, but for the last digits of a mean. */
  readonly unitPrice: string | null;
  /** EUR with cents. Positive is charged, negative is paid out. */
  readonly net: string;
  /** `0.19` */
  readonly vatRate: string;
  readonly figures: readonly LineFigure[];
}

export interface RateSum {
  readonly rate: string;
  readonly net: string;
  readonly tax: string;
}

/** EUR with cents. */
export interface InvoiceSums {
  readonly net: string;
  /** Tax is calculated once for each rate, from the sum of its lines. Highest rate first. */
  readonly taxes: readonly RateSum[];
  readonly tax: string;
  /** Paid prepayments of the period, with their tax. */
  readonly deducted: string;
  /** net + tax - deducted. */
  readonly total: string;
}

/** What a document charges, or pays. */
export interface Charges {
  readonly lines: readonly InvoiceLine[];
  readonly sums: InvoiceSums;
  /** kWh, of usage documents alone. */
  readonly usageKwh: string | null;
}
