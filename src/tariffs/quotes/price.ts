import type { Decimal } from 'decimal.js';
import type { Database } from '../../platform/database/db.ts';
import { badRequest, type EntryCode, type ErrorEntry } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { Exact } from '../../platform/money.ts';
import type { MeanFigure } from '../day-ahead-means/service.ts';
import type { PlanWithTerms } from '../plans/queries.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../plans/service.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { UNSERVICEABLE_ZIP } from '../reference-data/service.ts';
import { amountOffOf, groupsOf, type QuoteGroup, regularAmountOf } from './amounts.ts';
import { consumptionRows } from './consumption.ts';
import { type Compensation, feedInRows } from './feed-in.ts';
import { keptFigures } from './kept-figures.ts';
import type { QuoteRequest } from './request.ts';
import type { QuoteRow } from './rows.ts';

export interface PricedQuote {
  readonly groups: readonly QuoteGroup[];
  /** EUR per month, less the discount. */
  readonly amount: Decimal;
  readonly discount: PricedDiscount | null;
  /** Who runs the grid of the place. */
  readonly grid: GridFigures;
  /** Null: what is paid for feeding in does not follow from it. */
  readonly dayAheadMean: MeanFigure | null;
}

interface PricedDiscount {
  readonly name: string;
  readonly amountOff: Decimal;
  readonly duration: 'once' | 'recurring';
  readonly durationInMonths: number | null;
  readonly regularAmount: Decimal;
}

/** The price of a plan on a day, with the figures that each row was made of. Throws what speaks against it. */
export async function priceQuote(
  { database, log }: { database: Database; log: Pick<Logger, 'warn'> },
  plan: PlanWithTerms,
  request: QuoteRequest,
  on: string,
): Promise<PricedQuote> {
  const kept = keptFigures(database, log);
  const figures = await kept.ofZip(request.zip, on);
  const { grid, reference } = figures;
  const refusals = quoteRefusals(request, plan, grid);
  if (grid === undefined || refusals.length > 0) throw badRequest(refusals);
  const dayAheadMean = plan.type === 'feed_in' ? null : await kept.dayAheadMean(figures);
  const rows = rowsOf({ plan, request, grid, reference, dayAheadMean });
  const groups = groupsOf(rows, request.kwh);
  const regularAmount = regularAmountOf(groups);
  const discount = discountOf(plan, regularAmount);
  return { groups, amount: regularAmount.minus(discount?.amountOff ?? 0), discount, grid, dayAheadMean };
}

type Refusal = readonly [code: EntryCode, field: string, message: string];

const NOT_OFFERED = 'The plan does not offer this product';

/** Whatever speaks against a quote, in this order; of one field the first. */
function quoteRefusals(
  request: Pick<QuoteRequest, 'modules' | 'fields'>,
  plan: PlanWithTerms,
  grid: GridFigures | undefined,
): ErrorEntry[] {
  const ofPlan = plan.type === 'feed_in' ? feedInRefusals(request) : moduleRefusals(request, plan, grid);
  const entries = [...zipRefusals(grid), ...ofPlan].map(([code, field, message]) => ({
    code,
    field,
    message,
  }));
  return entries.filter(({ field }, index) => entries.findIndex((entry) => entry.field === field) === index);
}

function zipRefusals(grid: GridFigures | undefined): Refusal[] {
  return grid === undefined ? [[UNSERVICEABLE_ZIP, 'zip_code', 'This ZIP code cannot be supplied']] : [];
}

function feedInRefusals({ fields }: Pick<QuoteRequest, 'fields'>): Refusal[] {
  return fields.reductions.map((field) => [UNSUPPORTED_PRODUCT, field, NOT_OFFERED]);
}

function moduleRefusals(
  { modules, fields }: Pick<QuoteRequest, 'modules' | 'fields'>,
  plan: PlanWithTerms,
  grid: GridFigures | undefined,
): Refusal[] {
  const { module1, module2, module3 } = modules;
  const refusals: Refusal[] = [];
  if (module1 && module2)
    refusals.push(['custom', fields.modules1And2, 'Module 2 cannot be combined with module 1']);
  if (module1 && !plan.sells_module_1) refusals.push([UNSUPPORTED_PRODUCT, fields.module1, NOT_OFFERED]);
  if (module2 && !plan.sells_module_2) refusals.push([UNSUPPORTED_PRODUCT, fields.module2, NOT_OFFERED]);
  if (module3 && !module1) refusals.push([MISSING_MODULE_1, fields.module3, 'Module 3 needs module 1']);
  /* Whether its operator has a schedule is no question about a place that nobody supplies. */
  if (module3 && (!plan.sells_module_3 || grid?.schedule === null))
    refusals.push([UNSUPPORTED_PRODUCT, fields.module3, NOT_OFFERED]);
  return refusals;
}

interface QuoteParts {
  plan: PlanWithTerms;
  request: QuoteRequest;
  grid: GridFigures;
  reference: ReferenceSet;
  dayAheadMean: MeanFigure | null;
}

function rowsOf({ plan, request, grid, reference, dayAheadMean }: QuoteParts): readonly QuoteRow[] {
  if (dayAheadMean === null) {
    const { base_fee_net } = plan;
    return feedInRows({
      ...{ base_fee_net, compensation: compensationOf(plan), reference },
      isTaxExempt: request.isTaxExempt,
    });
  }
  const { kwh, modules } = request;
  const applied = request.rate === 'plan' ? (plan.optimization_rate ?? '0') : request.rate;
  const meter =
    request.meter === 'by rate' ? (new Exact(applied).greaterThan(0) ? 'smart' : 'analog') : request.meter;
  return consumptionRows({
    ...{ kwh, rate: applied, modules, meter, reference, grid, dayAheadMean },
    terms: plan,
  });
}

/** The tables hold what each kind needs; a plan without it cannot be stored. */
function compensationOf(plan: PlanWithTerms): Compensation {
  const { feed_in_kind, feed_in_scope: scope, feed_in_up_to_kw: upToKw } = plan;
  const { feed_in_ct_net, feed_in_margin_ct_net } = plan;
  if (feed_in_kind === 'fixed' && feed_in_ct_net !== null) return { kind: 'fixed', ct_net: feed_in_ct_net };
  if (scope === null || upToKw === null || feed_in_kind === null || feed_in_kind === 'fixed')
    throw new Error(`${plan.id} has no terms of feed-in`);
  const eegClass = { scope, upToKw: Number(upToKw) };
  if (feed_in_kind === 'eeg') return { kind: 'eeg', ...eegClass };
  return { kind: 'direct', ...eegClass, margin_ct_net: feed_in_margin_ct_net ?? '0' };
}

function discountOf(plan: PlanWithTerms, regularAmount: Decimal): PricedDiscount | null {
  const { discount_name: name, discount_amount_off: off, discount_duration: duration } = plan;
  if (name === null || off === null || duration === null) return null;
  return {
    ...{ name, duration, regularAmount, amountOff: amountOffOf(off, regularAmount) },
    durationInMonths: duration === 'once' ? null : plan.discount_duration_in_months,
  };
}
