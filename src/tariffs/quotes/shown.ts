import type { Decimal } from 'decimal.js';
import type { QuoteGroup } from './amounts.ts';
import type { PricedQuote } from './price.ts';
import type { Quote } from './schema.ts';

const QUANTITY_UNITS = { base: 'month', variable: 'kWh' } as const;

export function shownQuote({ groups, amount, discount }: PricedQuote, quoted_at: string): Quote {
  return {
    object: 'quote',
    amount: shownNumber(amount),
    currency: 'EUR',
    ...(discount !== null && {
      discount: {
        name: discount.name,
        amount_off: shownNumber(discount.amountOff),
        duration: discount.duration,
        duration_in_months: discount.durationInMonths,
        regular_amount: shownNumber(discount.regularAmount),
      },
    }),
    resolution: 'month',
    components: groups.map(shownComponent),
    quoted_at,
  };
}

function shownComponent({
  group,
  rows,
  quantity,
  unitAmount,
  amount,
}: QuoteGroup): Quote['components'][number] {
  return {
    group,
    amount: shownNumber(amount),
    quantity: shownNumber(quantity),
    quantity_unit: QUANTITY_UNITS[group],
    unit_amount: shownNumber(unitAmount),
    subcomponents: rows.map((row) => ({
      subgroup: row.subgroup,
      name: row.name,
      amount: shownNumber(row.amount),
    })),
  };
}

/** Rounded before: a number of so few digits is written as the decimal that it was. */
function shownNumber(value: Decimal): number {
  return value.toNumber();
}
