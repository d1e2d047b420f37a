import type { PlanWithTerms } from '../../tariffs/plans/queries.ts';
import type { QuoteRow } from '../../tariffs/quotes/rows.ts';
import type { SavingsCalculation } from '../../tariffs/savings/components.ts';
import type { SavingsRequest } from '../../tariffs/savings/schema.ts';
import { fields, type OutputRow, type Part, table } from '../engine/output.ts';
import { LEAST_COLUMNS, linesOf, SOURCE_COLUMNS, sourceOf, sourcesOf } from './figure-sources.ts';

/** The steps in order: each has all of the one before, and one thing more. */
const STEPS = [
  ['before', 'before'],
  ['C1', 'plain'],
  ['C2', 'withModule1'],
  ['C3', 'withModule3'],
  ['C4', 'after'],
] as const;

const MEANINGS = {
  before: 'the current tariff, or the mean of the market',
  C1: 'the plan, without module and optimization',
  C2: 'with module 1, if earned',
  C3: 'with module 3 too, if earned',
  C4: 'with optimization too',
} as const;

export interface ShownSavings {
  readonly head: OutputRow;
  readonly plan: PlanWithTerms;
  readonly body: SavingsRequest;
  readonly calculation: SavingsCalculation;
}

/** Both sides of a comparison, every row with what it was made of, and the parameters. */
export function explainedSavings(shown: ShownSavings) {
  const { head, calculation } = shown;
  const about = { ...head, ...describedAs(shown) };
  const costs = STEPS.map(([step, name]) => {
    const { base, variable, sum } = calculation.costs[name].cost;
    const [eur_base, eur_variable, eur_year] = [base, variable, sum].map((amount) => amount.toFixed(2));
    return { step, eur_base, eur_variable, eur_year, what: MEANINGS[step] };
  });
  const lines = calculation.components.flatMap(({ group, lines: ofGroup }) =>
    ofGroup.map(({ subgroup, name, savings }) => ({ group, subgroup, name, savings: savings.toFixed(2) })),
  );
  const rows = rowsOf(shown);
  const parameters = [...calculation.described.parameters, ...calculation.costs.before.supplierFigures].map(
    sourceOf,
  );
  const parts: Part[] = [
    fields(about),
    ...['', 'Cost of a year, EUR with VAT'],
    table(costs, ['step', 'eur_base', 'eur_variable', 'eur_year', 'what']),
    ...['', 'Savings of a year, EUR'],
    table(lines, ['group', 'subgroup', 'name', 'savings']),
    ...['', 'Rows of each step: base EUR/month, variable EUR/kWh'],
    table<OutputRow>(
      rows.flatMap(({ row, sources }) => linesOf(row, sources)),
      ['group', 'name', ...STEPS.map(([step]) => step), ...SOURCE_COLUMNS],
      LEAST_COLUMNS,
    ),
    ...['', 'Parameters of the savings, and the benchmark where no current tariff is given'],
    table<OutputRow>(parameters, SOURCE_COLUMNS, LEAST_COLUMNS),
  ];
  const withSources = rows.map(({ row, sources }) => ({ ...row, sources }));
  return { value: { ...about, costs, components: lines, rows: withSources, parameters }, parts };
}

function describedAs({ body, calculation }: ShownSavings): OutputRow {
  const { energy, consumption, rate, module1, module3, meter } = calculation.described;
  const { before, after } = calculation.costs;
  const { current_tariff: current } = body;
  return {
    household_kwh: energy.household.toFixed(),
    ev_kwh: energy.ev.toFixed(),
    heatpump_kwh: energy.heatpump.toFixed(),
    covered_by_pv_kwh: energy.covered.toFixed(),
    shifted_by_battery_kwh: energy.shifted.toFixed(),
    usage_kwh: consumption.toFixed(),
    optimization_rate: rate.toFixed(4),
    '14a_module_1': module1,
    '14a_module_3': module3,
    meter,
    compared_with:
      current === undefined ? 'benchmark' : `${current.base_fee} EUR a year and ${current.var_fee} EUR/kWh`,
    savings: before.cost.sum.minus(after.cost.sum).toFixed(2),
  };
}

interface ExplainedRow {
  row: OutputRow;
  sources: OutputRow[];
}

/** Rows of all steps by name, with the amount in each: the last step has every row but those that only others have. */
function rowsOf({ plan, calculation }: ShownSavings): ExplainedRow[] {
  const found = new Map<string, { row: OutputRow; sources: Map<string, OutputRow> }>();
  const rate = { from: 'described household', value: calculation.described.rate.toFixed(4) };
  for (const [step, name] of STEPS.toReversed()) {
    for (const row of calculation.costs[name].rows) {
      const key = `${row.group} ${row.subgroup} ${row.name}`;
      const known = found.get(key) ?? { row: emptyRow(row), sources: new Map<string, OutputRow>() };
      for (const source of sourcesOf(row, plan, rate)) known.sources.set(JSON.stringify(source), source);
      found.set(key, { ...known, row: { ...known.row, [step]: row.amount.toFixed(6) } });
    }
  }
  return [...found.values()].map(({ row, sources }) => ({ row, sources: [...sources.values()] }));
}

function emptyRow({ group, name }: QuoteRow): OutputRow {
  return { group, name, ...Object.fromEntries(STEPS.map(([step]) => [step, null])) };
}
