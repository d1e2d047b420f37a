import type { PlanWithTerms } from '../../tariffs/plans/queries.ts';
import type { QuoteRow } from '../../tariffs/quotes/rows.ts';
import type { Figure } from '../../tariffs/reference-data/figures.ts';
import type { OutputRow } from '../engine/output.ts';

/** Columns of a table that say where a figure is from. */
export const SOURCE_COLUMNS = [
  'table',
  'key',
  'value',
  'value_unit',
  'valid_from',
  'valid_to',
  'source',
  'checked_on',
  'is_carried_forward',
] as const;

/** Those that go first where a terminal is narrow. */
export const LEAST_COLUMNS = [
  'is_carried_forward',
  'checked_on',
  'valid_to',
  'valid_from',
  'value_unit',
  'key',
];

/** A row of reference data. */
export function sourceOf({ value, unit, origin }: Figure): OutputRow {
  const { table, key, valid_from, valid_to, source, checked_on, is_carried_forward } = origin;
  return {
    ...{ table, key, value, value_unit: unit },
    ...{ valid_from, valid_to, source, checked_on, is_carried_forward },
  };
}

/** All that a row was made of: what the plan says first, then the rows of reference data. */
export function sourcesOf(row: QuoteRow, plan: PlanWithTerms, rate: AppliedRate): OutputRow[] {
  return [...termsOf(row, plan, rate), ...row.figures.map(sourceOf)];
}

/** The source of an optimization rate that does not come from the terms of the plan. */
export type AppliedRate = { readonly from: string; readonly value: string } | 'of the plan';

function termsOf(
  { group, subgroup, figures }: QuoteRow,
  plan: PlanWithTerms,
  rate: AppliedRate,
): OutputRow[] {
  if (subgroup === 'optimization') {
    if (rate === 'of the plan') return [term(plan, 'optimization_rate', plan.optimization_rate, 'share')];
    return [{ table: rate.from, key: 'optimization_rate', value: rate.value, value_unit: 'share' }];
  }
  if (subgroup === 'fee') {
    return group === 'base'
      ? [term(plan, 'base_fee_net', plan.base_fee_net, 'EUR/month net')]
      : [term(plan, 'margin_ct_net', plan.margin_ct_net, 'ct/kWh net')];
  }
  if (plan.type !== 'feed_in' || subgroup !== 'energy') return [];
  if (plan.feed_in_kind === 'fixed') return [term(plan, 'feed_in_ct_net', plan.feed_in_ct_net, 'ct/kWh net')];
  if (plan.feed_in_kind !== 'direct' || figures.length === 0) return [];
  return [term(plan, 'feed_in_margin_ct_net', plan.feed_in_margin_ct_net, 'ct/kWh net')];
}

function term(plan: PlanWithTerms, column: string, value: string | null, value_unit: string): OutputRow {
  const { slug, valid_from, valid_to } = plan;
  return {
    ...{ table: 'plan_terms', key: `${slug} ${column}`, value, value_unit, valid_from, valid_to },
    ...{ source: 'terms of the plan', checked_on: null, is_carried_forward: false },
  };
}

/** One line for each source; what is said of the row itself stands in the first. */
export function linesOf(row: OutputRow, sources: readonly OutputRow[]): OutputRow[] {
  const [first = {}, ...more] = sources;
  const blank = Object.fromEntries(Object.keys(row).map((column) => [column, '']));
  return [{ ...row, ...first }, ...more.map((source) => ({ ...blank, ...source }))];
}
