import type { Decimal } from 'decimal.js';
import { Exact, roundAmount, roundHalfUp } from '../../platform/money.ts';
import type { QuoteRow } from './rows.ts';

/** The rows of one group, what they come to for one unit, and for the quantity of a month. */
export interface QuoteGroup {
  readonly group: QuoteRow['group'];
  readonly rows: readonly QuoteRow[];
  readonly quantity: Decimal;
  readonly unitAmount: Decimal;
  readonly amount: Decimal;
}

const MONTHS = 12;
const QUANTITY_DECIMALS = 4;

/** `base`, then `variable`; a group without rows is left out. */
export function groupsOf(rows: readonly QuoteRow[], kwh: string): QuoteGroup[] {
  const quantities = {
    base: new Exact(1),
    variable: roundHalfUp(new Exact(kwh).dividedBy(MONTHS), QUANTITY_DECIMALS),
  };
  return (['base', 'variable'] as const).flatMap((group) => {
    const ofGroup = rows.filter((row) => row.group === group);
    return ofGroup.length === 0 ? [] : [sumOf(group, ofGroup, quantities[group])];
  });
}

function sumOf(group: QuoteRow['group'], rows: readonly QuoteRow[], quantity: Decimal): QuoteGroup {
  const unitAmount = unitAmountOf(rows);
  return { group, rows, quantity, unitAmount, amount: roundAmount(unitAmount.times(quantity)) };
}

/** The exact sum of rounded rows. */
export function unitAmountOf(rows: readonly QuoteRow[]): Decimal {
  return rows.reduce((sum, { amount }) => sum.plus(amount), new Exact(0));
}

/** What a month costs or brings without a discount. */
export function regularAmountOf(groups: readonly QuoteGroup[]): Decimal {
  return groups.reduce((sum, { amount }) => sum.plus(amount), new Exact(0));
}

/** A discount is cut where it would make the amount negative. */
export function amountOffOf(discount: string, regularAmount: Decimal): Decimal {
  return Exact.min(discount, Exact.max(regularAmount, 0));
}
