import { roundAmount } from '../../platform/money.ts';
import type { PlanWithTerms } from '../../tariffs/plans/queries.ts';
import type { QuoteGroup } from '../../tariffs/quotes/amounts.ts';
import type { PricedQuote } from '../../tariffs/quotes/price.ts';
import type { QuoteRow } from '../../tariffs/quotes/rows.ts';
import type { NewQuote } from '../../tariffs/quotes/schema.ts';
import { fields, type OutputRow, type Part, table } from '../output.ts';
import { LEAST_COLUMNS, linesOf, SOURCE_COLUMNS, sourcesOf } from './figure-sources.ts';

const MONTHS = 12;
const UNITS = { base: 'EUR/month', variable: 'EUR/kWh' } as const;
const QUANTITY_UNITS = { base: 'month', variable: 'kWh' } as const;

export interface ShownQuote {
  /** Whose plan, which place, which day. */
  readonly head: OutputRow;
  readonly plan: PlanWithTerms;
  readonly body: NewQuote;
  readonly priced: PricedQuote;
}

/** Every row of a quote with the rows that it was made of. */
export function explainedQuote({ head, plan, body, priced }: ShownQuote) {
  const { groups, amount, discount } = priced;
  const sent = body.optimization_rate;
  const rate = sent === undefined ? 'of the plan' : { from: 'request', value: String(sent) };
  const rows = groups.flatMap(({ rows: ofGroup }) =>
    ofGroup.map((row) => ({ row: shownRow(row, body), sources: sourcesOf(row, plan, rate) })),
  );
  const about: OutputRow = {
    ...head,
    usage_kwh: body.usage.consumption,
    optimization_rate: sent ?? plan.optimization_rate,
    modules: modulesOf(body),
    amount: amount.toFixed(2),
  };
  const discounted = discount && {
    ...{ name: discount.name, amount_off: discount.amountOff.toFixed(2) },
    regular_amount: discount.regularAmount.toFixed(2),
  };
  const columns = ['group', 'name', 'amount', 'unit', 'eur_year', ...SOURCE_COLUMNS];
  const parts: Part[] = [
    fields(about),
    '',
    table(
      rows.flatMap(({ row, sources }) => linesOf(row, sources)),
      columns,
      LEAST_COLUMNS,
    ),
    '',
    ...groups.map(groupText),
    ...discountText(priced),
    `amount: ${amount.toFixed(2)} EUR a month`,
  ];
  const shown = rows.map(({ row, sources }) => ({ ...row, sources }));
  return { value: { ...about, discount: discounted, groups: groups.map(shownGroup), rows: shown }, parts };
}

function shownRow({ group, name, amount }: QuoteRow, { usage }: NewQuote): OutputRow {
  const ofYear = amount.times(group === 'base' ? MONTHS : usage.consumption);
  return {
    group,
    name,
    amount: amount.toFixed(6),
    unit: UNITS[group],
    eur_year: roundAmount(ofYear).toFixed(2),
  };
}

function shownGroup({ group, quantity, unitAmount, amount }: QuoteGroup): OutputRow {
  return {
    ...{ group, quantity: quantity.toFixed(), quantity_unit: QUANTITY_UNITS[group] },
    ...{ unit_amount: unitAmount.toFixed(6), amount: amount.toFixed(2) },
  };
}

function groupText({ group, quantity, unitAmount, amount }: QuoteGroup): string {
  return `${group}: ${quantity.toFixed()} ${QUANTITY_UNITS[group]} × ${unitAmount.toFixed(6)} = ${amount.toFixed(2)} EUR a month`;
}

function discountText({ discount }: PricedQuote): string[] {
  return discount === null ? [] : [`${discount.name}: -${discount.amountOff.toFixed(2)} EUR a month`];
}

function modulesOf({ grid_fee_reductions: modules }: NewQuote): string[] {
  return Object.entries(modules ?? {}).flatMap(([name, isChosen]) => (isChosen ? [name] : []));
}
