import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, type ErrorEntry, notFound } from '../../platform/errors.ts';
import type { AnswerWithHeaders } from '../../platform/interface/answer-with-headers.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { Exact } from '../../platform/money.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { markedBy } from '../day-ahead-means/service.ts';
import type { PlanWithTerms } from '../plans/queries.ts';
import { quotablePlan, UNSUPPORTED_PRODUCT } from '../plans/service.ts';
import { keptFigures } from '../quotes/kept-figures.ts';
import { originsOf } from '../quotes/rows.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import { UNSERVICEABLE_ZIP } from '../reference-data/service.ts';
import { type SavingsCalculation, type SavingsComponent, savingsComponents } from './components.ts';
import { savingsCosts } from './cost.ts';
import { describedHousehold } from './household.ts';
import type { Savings, SavingsRequest } from './schema.ts';

export async function getSavings(
  { database, clock, log, config }: Pick<Deps, 'database' | 'clock' | 'log' | 'config'>,
  { principal, pathId, body }: ApiRequest<unknown, SavingsRequest>,
): Promise<Savings | AnswerWithHeaders<Savings>> {
  /* The day in Germany selects every figure. */
  const on = berlinDayAt(clock.nowMilliseconds());
  const plan = await quotablePlan(database, principal.organization, pathId, on);
  if (plan === undefined) throw notFound();
  const calculated = await calculatedSavings({ database, log }, plan, body, on);
  const { dayAheadMean: mean, described, costs, grid } = calculated;
  const { before, plain, withModule3, after } = costs;
  const rows = [before, plain, withModule3, after].flatMap((step) => step.rows);
  const figures = [...before.supplierFigures, ...described.parameters];
  const origins = [...originsOf(rows), ...figures.map(({ origin }) => origin), grid.zipArea];
  return markedBy({ mean, origins }, shownSavings(calculated), config);
}

function shownSavings({ described, costs, components }: SavingsCalculation): Savings {
  const { consumption, rate, module1, module3 } = described;
  const savings = components.reduce((sum, component) => sum.plus(component.savings), new Exact(0));
  return {
    object: 'savings',
    savings: savings.toNumber(),
    resolution: 'year',
    cost: { before: costs.before.cost.sum.toNumber(), after: costs.after.cost.sum.toNumber() },
    usage: { consumption: consumption.toNumber() },
    optimization_rate: rate.toNumber(),
    grid_fee_reductions: { '14a_module_1': module1, '14a_module_3': module3 },
    components: components.map(shownComponent),
  };
}

function shownComponent({ group, savings, lines }: SavingsComponent): Savings['components'][number] {
  return {
    group,
    savings: savings.toNumber(),
    subcomponents: lines.map((line) => ({ ...line, savings: line.savings.toNumber() })),
  };
}

/** The household's savings with the plan by the prices of a day, or the reason why there are none. */
export async function calculatedSavings(
  { database, log }: { database: Database; log: Pick<Logger, 'warn'> },
  plan: PlanWithTerms,
  request: SavingsRequest,
  on: string,
): Promise<SavingsCalculation> {
  const kept = keptFigures(database, log);
  const figures = await kept.ofZip(request.zip_code, on);
  const { reference } = figures;
  const grid = servedGrid(plan, figures.grid);
  const offer = {
    optimizationRate: plan.optimization_rate,
    sellsModule1: plan.sells_module_1,
    sellsModule3: plan.sells_module_3,
    operatorHasSchedule: grid.schedule !== null,
  };
  const described = describedHousehold(request, offer, reference);
  const dayAheadMean = await kept.dayAheadMean(figures);
  const pricing = { terms: plan, reference, grid, dayAheadMean };
  const costs = savingsCosts(described, pricing, request.current_tariff);
  return { described, costs, components: savingsComponents(costs), dayAheadMean, grid };
}

/** Refuses what has no savings; what is wrong is told together. */
function servedGrid(plan: PlanWithTerms, grid: GridFigures | undefined): GridFigures {
  const entries: ErrorEntry[] = [];
  if (grid === undefined) {
    const message = 'This ZIP code cannot be supplied';
    entries.push({ code: UNSERVICEABLE_ZIP, field: 'zip_code', message });
  }
  if (plan.type === 'feed_in') {
    const message = 'The plan does not offer this product';
    entries.push({ code: UNSUPPORTED_PRODUCT, field: 'plan', message });
  }
  if (grid === undefined || entries.length > 0) throw badRequest(entries);
  return grid;
}
