import { Decimal } from 'decimal.js';
import type { MarketRow } from '../providers/price-source.ts';

export interface ForecastComparison {
  /** Rows of which our own price is known. */
  readonly compared: number;
  /** Mean of the absolute differences, EUR/MWh; null where nothing could be compared. */
  readonly difference: Decimal | null;
}

/** 0.05 ct/kWh. */
const DIFFERENCE_EUR_MWH_MAX = new Decimal('0.5');
/** An answer without totals has nothing else to show that no surcharge is in it. */
const COMPARED_WITHOUT_TOTAL_MIN = 4;
const QUARTER_MILLISECONDS = 15 * 60_000;

/** EUR/MWh by the start of the quarter hour; an hourly price stands for its four quarters. */
export type QuarterPrices = ReadonlyMap<number, string>;

/**
 * The rows that an answer marks as real prices are thrown away, after they have shown what its forecast is worth: they
 * are held against what the market published.
 */
export function compareMarketRows(rows: readonly MarketRow[], realized: QuarterPrices): ForecastComparison {
  let compared = 0;
  let sum = new Decimal(0);
  for (const row of rows) {
    const own = ownPrice(row, realized);
    if (own === null) continue;
    compared += 1;
    sum = sum.plus(own.minus(row.eurMwh).abs());
  }
  return { compared, difference: compared === 0 ? null : sum.div(compared) };
}

/** An hourly row is compared with the mean of our quarters, and only where all four are known. */
function ownPrice({ start, minutes }: MarketRow, realized: QuarterPrices): Decimal | null {
  const count = minutes / 15;
  let sum = new Decimal(0);
  for (let quarter = 0; quarter < count; quarter += 1) {
    const price = realized.get(start + quarter * QUARTER_MILLISECONDS);
    if (price === undefined) return null;
    sum = sum.plus(price);
  }
  return sum.div(count);
}

/**
 * Why an answer is not believed, or null. Defaults of an account, VAT and fixed costs, leak into every price of the
 * answer: its real prices then differ from ours.
 */
export function surchargeProblem(comparison: ForecastComparison, statesTotal: boolean): string | null {
  const { compared, difference } = comparison;
  if (!statesTotal && compared < COMPARED_WITHOUT_TOTAL_MIN) {
    return `Only ${compared} of its market rows can be compared with known prices: without a total at least ${COMPARED_WITHOUT_TOTAL_MIN} are needed`;
  }
  if (difference === null || difference.lte(DIFFERENCE_EUR_MWH_MAX)) return null;
  return `Its market rows differ from the known prices by ${difference.toDecimalPlaces(2).toFixed()} EUR/MWh on average: a surcharge is in its prices`;
}
