import type { Decimal } from 'decimal.js';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import type { AnswerWithHeaders } from '../../platform/interface/answer-with-headers.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { markedBy } from '../day-ahead-means/service.ts';
import { quotablePlan } from '../plans/service.ts';
import type { QuoteGroup } from './amounts.ts';
import { type PricedQuote, priceQuote } from './price.ts';
import { type QuoteRequest, requestOfBody, requestOfQuery } from './request.ts';
import { originsOf } from './rows.ts';
import type { NewQuote, Quote, QuoteQuery } from './schema.ts';

const QUANTITY_UNITS = { base: 'month', variable: 'kWh' } as const;

/** Says in a header where its prices are invented, or made of rows that have ended. */
type QuoteAnswer = Quote | AnswerWithHeaders<Quote>;

type QuoteDeps = Pick<Deps, 'database' | 'clock' | 'log' | 'config'>;

export function quoteByBody(deps: QuoteDeps, request: ApiRequest<unknown, NewQuote>): Promise<QuoteAnswer> {
  return quoteFor(deps, request, requestOfBody(request.body));
}

export function quoteByQuery(deps: QuoteDeps, request: ApiRequest<QuoteQuery>): Promise<QuoteAnswer> {
  return quoteFor(deps, request, requestOfQuery(request.query));
}

async function quoteFor(
  deps: QuoteDeps,
  request: ApiRequest,
  quoteRequest: QuoteRequest,
): Promise<QuoteAnswer> {
  const { database, clock, config } = deps;
  const { organization } = request.principal;
  const quotedAt = clock.now();
  const on = berlinDayAt(quotedAt.getTime());
  const plan = await quotablePlan(database, organization, request.pathId, on);
  if (plan === undefined) throw notFound();
  if (plan.type === 'feed_in') request.requires('feed-in', 'plan');
  const priced = await priceQuote(deps, plan, quoteRequest, on);
  const rows = priced.groups.flatMap((group) => group.rows);
  const parts = { mean: priced.dayAheadMean, origins: [...originsOf(rows), priced.grid.zipArea] };
  return markedBy(parts, shownQuote(priced, quotedAt.toISOString()), config);
}

function shownQuote({ groups, amount, discount }: PricedQuote, quoted_at: string): Quote {
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
