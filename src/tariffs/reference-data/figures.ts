import type { ClockWindow } from './clock-windows.ts';

export type { ClockWindow } from './clock-windows.ts';

/** One row of the reference data, as a back office names it. Days are YYYY-MM-DD in Europe/Berlin. */
export interface FigureOrigin {
  readonly table: string;
  /** `stromsteuer`; empty where the table is one series. */
  readonly key: string;
  readonly valid_from: string;
  /** First day no longer valid; null: open. */
  readonly valid_to: string | null;
  readonly source: string;
  readonly checked_on: string | null;
  /** The row had ended by that day and counts because none follows. */
  readonly is_carried_forward: boolean;
}

/** A figure as a decimal text, and the row it comes from. */
export interface Figure {
  readonly value: string;
  /** As people read it: `ct/kWh net`. */
  readonly unit: string;
  readonly origin: FigureOrigin;
}

/** A row that ran out and counts nevertheless, because no newer one is there. */
export interface CarriedForward {
  readonly table: string;
  readonly key: string;
  readonly endedOn: string;
}

/** The grid of a zip on a day. Prices are net, in EUR per year or ct/kWh. */
export interface GridFigures {
  readonly operator: string;
  readonly name: string;
  /** The row that says who serves the zip, and which class of municipality it has. */
  readonly zipArea: FigureOrigin;
  readonly basePriceYear: Figure;
  readonly workingPrice: Figure;
  /** As published, else by the formula: then the row is the one whose working price went into it. */
  readonly module1CreditYear: Figure;
  /** As published, else by the formula. */
  readonly module2Price: Figure;
  readonly concessionFee: Figure;
  /** Null: the operator publishes no prices by the clock. */
  readonly schedule: GridFeeSchedule | null;
  readonly carriedForward: readonly CarriedForward[];
}

/** Working prices by the clock (§14a EnWG, module 3), ct/kWh net. */
export interface GridFeeSchedule {
  readonly low: string;
  readonly standard: string;
  readonly high: string;
  /** 1 to 4. In the other quarters the standard price counts all day. */
  readonly quarters: readonly number[];
  readonly lowWindows: readonly ClockWindow[];
  readonly highWindows: readonly ClockWindow[];
  /** Parts of a household's energy in these quarters; hours of the day where the row has none. */
  readonly weights: { readonly low: string; readonly standard: string; readonly high: string };
  /** Days of these quarters by days of the year. */
  readonly shareOfYear: string;
  readonly origin: FigureOrigin;
}

/** One case of what a meter costs. Bounds are decimal texts, null where there is none. */
export interface MeteringFee {
  readonly case: string;
  readonly meter: 'analog' | 'smart' | 'other';
  /** Exclusive. */
  readonly overKwh: string | null;
  /** Inclusive. */
  readonly upToKwh: string | null;
  readonly overPvKw: string | null;
  readonly upToPvKw: string | null;
  readonly needs14aModule: boolean;
  /** EUR per year with VAT. */
  readonly fee: Figure;
}
