import type { Decimal } from 'decimal.js';
import type { Database } from '../../platform/database/db.ts';
import { badRequest } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { Exact } from '../../platform/money.ts';
import type { MeanFigure } from '../day-ahead-means/service.ts';
import type { PlanWithTerms } from '../plans/queries.ts';
import type { GridFigures } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { amountOffOf, groupsOf, type QuoteGroup, regularAmountOf } from './amounts.ts';
import type { AskedQuote } from './asked.ts';
import { consumptionRows } from './consumption.ts';
import { type Compensation, feedInRows } from './feed-in.ts';
import { keptFigures } from './kept-figures.ts';
import { quoteRefusals } from './refusals.ts';
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
  asked: AskedQuote,
  on: string,
): Promise<PricedQuote> {
  const figures = keptFigures(database, log);
  const grid = await figures.grid(asked.zip, on);
  const refusals = quoteRefusals(asked, plan, grid);
  if (grid === undefined || refusals.length > 0) throw badRequest(refusals);
  const dayAheadMean = plan.type === 'feed_in' ? null : await figures.dayAheadMean(on);
  const reference = await figures.reference(on);
  const rows = rowsOf({ plan, asked, grid, reference, dayAheadMean });
  const groups = groupsOf(rows, asked.kwh);
  const regularAmount = regularAmountOf(groups);
  const discount = discountOf(plan, regularAmount);
  return { groups, amount: regularAmount.minus(discount?.amountOff ?? 0), discount, grid, dayAheadMean };
}

interface QuoteParts {
  plan: PlanWithTerms;
  asked: AskedQuote;
  grid: GridFigures;
  reference: ReferenceSet;
  dayAheadMean: MeanFigure | null;
}

function rowsOf({ plan, asked, grid, reference, dayAheadMean }: QuoteParts): readonly QuoteRow[] {
  if (dayAheadMean === null) {
    const { base_fee_net } = plan;
    return feedInRows({
      ...{ base_fee_net, compensation: compensationOf(plan), reference },
      isTaxExempt: asked.isTaxExempt,
    });
  }
  const { kwh, modules } = asked;
  const applied = asked.rate === 'plan' ? (plan.optimization_rate ?? '0') : asked.rate;
  const meter =
    asked.meter === 'by rate' ? (new Exact(applied).greaterThan(0) ? 'smart' : 'analog') : asked.meter;
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
