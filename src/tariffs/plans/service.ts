import type { Decimal } from 'decimal.js';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { newestRows, pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { roundAmount, withVat } from '../../platform/money.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { createShortCache, type ShortCache } from '../../platform/short-cache.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { vatRate } from '../reference-data/service.ts';
import { findPlan, findPlanWithTerms, listPlans, listReplacedTerms, type PlanWithTerms } from './queries.ts';
import type { Plan } from './schema.ts';

export const MISSING_MODULE_1 = ruleCode('missing_module_1', 'Module 3 needs module 1');
export const UNSUPPORTED_PRODUCT = ruleCode(
  'unsupported_product',
  'The plan does not offer this product, or is archived and no longer sold',
);

type PlanDeps = Pick<Deps, 'database' | 'clock'>;

export async function getPlans({ database, clock }: PlanDeps, request: ApiRequest): Promise<Page<Plan>> {
  const { organization } = request.principal;
  const { list } = request;
  const on = berlinDayAt(clock.nowMilliseconds());
  return database.inOrganization(request.principal, async (connection) => {
    const withFeedIn = request.knows('feed-in');
    const rows = await listPlans(connection, organization, list, { on, withFeedIn });
    /* An answer without a price needs no rate. */
    if (rows.length === 0) return { items: [], next_page: null };
    const rate = await vatRate(connection, on);
    return pageOf(rows, list, (row) => shownPlan(row, rate));
  });
}

export async function getPlan({ database, clock }: PlanDeps, request: ApiRequest): Promise<Plan> {
  const { organization } = request.principal;
  const id = request.pathId;
  const on = berlinDayAt(clock.nowMilliseconds());
  return database.inOrganization(request.principal, async (connection) => {
    const row = await findPlanWithTerms(connection, organization, id, on);
    if (row === undefined || (row.type === 'feed_in' && !request.knows('feed-in'))) throw notFound();
    return shownPlan(row, await vatRate(connection, on));
  });
}

const keptPlans = new WeakMap<Database, ShortCache<PlanWithTerms | undefined>>();

/**
 * The plan with the terms of a day (`YYYY-MM-DD`, Berlin), archived or not; undefined where the organization has none of
 * that id. Kept for seconds, by organization, so that a price costs no transaction: an import is seen that much later.
 */
export async function quotablePlan(
  database: Database,
  organization: string,
  id: string,
  on: string,
): Promise<PlanWithTerms | undefined> {
  const kept = keptPlans.get(database) ?? createShortCache<PlanWithTerms | undefined>();
  keptPlans.set(database, kept);
  return kept(`${organization} ${id} ${on}`, () =>
    database.inOrganization({ organization }, (connection) =>
      findPlanWithTerms(connection, organization, id, on),
    ),
  );
}

/** The newest plans with the terms and the price of today, for the operator. */
export async function plansOf(
  { database, clock }: { database: Database; clock: Clock },
  organization: string,
): Promise<(PlanWithTerms & { price: number })[]> {
  const on = berlinDayAt(clock.nowMilliseconds());
  return database.inOrganization({ organization }, async (connection) => {
    const rows = await newestRows({}, LISTED_ROWS_MAX, (list) =>
      listPlans(connection, organization, list, { on, withFeedIn: true }),
    );
    const rate = await vatRate(connection, on);
    return rows.map((row) => ({ ...row, price: priceOf(row, rate) }));
  });
}

/** The terms of a day, out of rows in the order in which they begin. Undefined where there are none at all. */
export function termsOn<Row extends { readonly valid_from: string | null }>(
  rows: readonly Row[],
  day: string,
): Row | undefined {
  return rows.findLast(({ valid_from }) => valid_from === null || valid_from <= day) ?? rows[0];
}

/** Terms of a plan that imports replaced, the newest first, for the operator. */
export function replacedTermsOf(database: Database, organization: string, id: string) {
  return database.inOrganization({ organization }, async (connection) => {
    const plan = isId(id) ? await findPlan(connection, organization, id) : undefined;
    if (plan === undefined) throw notFound();
    const rows = await listReplacedTerms(connection, organization, id);
    return rows.map(({ replaced_at, old_terms }) => ({ replaced_at, ...(old_terms as object) }));
  });
}

const LISTED_ROWS_MAX = 10_000;

function shownPlan(row: PlanWithTerms, rate: Decimal.Value): Plan {
  const { id, name, slug, description, type, created_at } = row;
  return {
    object: 'plan',
    id,
    name,
    slug,
    description,
    type,
    price: priceOf(row, rate),
    currency: 'EUR',
    created_at,
  };
}

/** The base fee with VAT. */
function priceOf({ base_fee_net }: PlanWithTerms, rate: Decimal.Value): number {
  return roundAmount(withVat(base_fee_net, rate)).toNumber();
}
