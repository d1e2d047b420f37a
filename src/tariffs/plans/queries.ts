import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';

const COLUMNS = ['id', 'slug', 'name', 'description', 'status', 'type', 'created_at', 'updated_at'] as const;

/** The columns of terms; a file of plans has the same ones. */
export const TERM_COLUMNS = [
  'valid_from',
  'valid_to',
  'base_fee_net',
  'margin_ct_net',
  'optimization_rate',
  'sells_module_1',
  'sells_module_2',
  'sells_module_3',
  'cancellation_months',
  'smart_meter_product',
  'discount_name',
  'discount_amount_off',
  'discount_duration',
  'discount_duration_in_months',
  'feed_in_kind',
  'feed_in_scope',
  'feed_in_up_to_kw',
  'feed_in_ct_net',
  'feed_in_margin_ct_net',
] as const;

export type PlanRow = Pick<Selectable<Tables['plans']>, (typeof COLUMNS)[number]>;
export type PlanTermsRow = Pick<Selectable<Tables['plan_terms']>, (typeof TERM_COLUMNS)[number]>;
/** A plan with the terms of one day. */
export type PlanWithTerms = PlanRow & PlanTermsRow;

const FILTER_COLUMNS = { status: 'status', created_at: 'created_at' } as const;

/**
 * The terms of the day first: the row valid then; before the first row the first; in a gap or behind the last row the one
 * that ended last. Rows of a plan do not overlap, so of those that have begun it is the newest.
 */
function orderOfDay(on: string) {
  const begun = sql`(plan_terms.valid_from is null or plan_terms.valid_from <= ${on}::date)`;
  return sql`${begun} desc, case when ${begun} then plan_terms.valid_from end desc nulls last, plan_terms.valid_from asc`;
}

/** Each plan with the terms of the day. */
function plansWithTerms(connection: Connection, organization: string, on: string) {
  return connection
    .selectFrom('plans')
    .innerJoinLateral(
      (builder) =>
        builder
          .selectFrom('plan_terms')
          .select(TERM_COLUMNS)
          .whereRef('plan_terms.organization_id', '=', 'plans.organization_id')
          .whereRef('plan_terms.plan_id', '=', 'plans.id')
          .orderBy(orderOfDay(on))
          .limit(1)
          .as('terms'),
      (join) => join.onTrue(),
    )
    .select(COLUMNS)
    .select(TERM_COLUMNS)
    .where('plans.organization_id', '=', organization);
}

/** `withFeedIn: false` leaves feed-in plans out, for versions that do not know them. */
export function listPlans(
  connection: Connection,
  organization: string,
  list: PageRequest,
  { on, withFeedIn }: { on: string; withFeedIn: boolean },
): Promise<PlanWithTerms[]> {
  let query = plansWithTerms(connection, organization, on);
  if (!withFeedIn) query = query.where('plans.type', '=', 'consumption');
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

/** With the terms of the day `on` (`YYYY-MM-DD`, Berlin). */
export function findPlanWithTerms(
  connection: Connection,
  organization: string,
  id: string,
  on: string,
): Promise<PlanWithTerms | undefined> {
  return plansWithTerms(connection, organization, on).where('plans.id', '=', id).executeTakeFirst();
}

export function findPlan(
  connection: Connection,
  organization: string,
  id: string,
): Promise<PlanRow | undefined> {
  return connection
    .selectFrom('plans')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function findPlanBySlug(
  connection: Connection,
  organization: string,
  slug: string,
): Promise<PlanRow | undefined> {
  return connection
    .selectFrom('plans')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('slug', '=', slug)
    .executeTakeFirst();
}

export function listPlanNames(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<Pick<PlanRow, 'id' | 'name'>[]> {
  return connection
    .selectFrom('plans')
    .select(['id', 'name'])
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute();
}

/** Every plan of the organization, held until the end of the transaction: two imports take turns. */
export function lockPlans(connection: Connection, organization: string): Promise<PlanRow[]> {
  return connection
    .selectFrom('plans')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export function listTerms(
  connection: Connection,
  organization: string,
): Promise<(PlanTermsRow & { plan_id: string })[]> {
  return connection
    .selectFrom('plan_terms')
    .select(['plan_id', ...TERM_COLUMNS])
    .where('organization_id', '=', organization)
    .orderBy('plan_id')
    .orderBy('valid_from', (order) => order.asc().nullsFirst())
    .execute();
}

/** All terms of some plans, each in the order in which they begin. */
export async function listTermsOfPlans(
  connection: Connection,
  organization: string,
  plans: readonly string[],
): Promise<ReadonlyMap<string, (PlanTermsRow & { plan_id: string })[]>> {
  const rows = await connection
    .selectFrom('plan_terms')
    .select(['plan_id', ...TERM_COLUMNS])
    .where('organization_id', '=', organization)
    .where('plan_id', '=', sql<string>`ANY (${[...plans]}::text[])`)
    .orderBy('valid_from', (order) => order.asc().nullsFirst())
    .execute();
  return Map.groupBy(rows, ({ plan_id }) => plan_id);
}

/** The terms of a plan that hold on any day of a period, both days included, in the order in which they begin. */
export async function listTermsOfPeriod(
  connection: Connection,
  organization: string,
  plan: string,
  { first, last }: { first: string; last: string },
): Promise<PlanTermsRow[]> {
  const ofPlan = connection
    .selectFrom('plan_terms')
    .select(TERM_COLUMNS)
    .where('organization_id', '=', organization)
    .where('plan_id', '=', plan);
  const ofFirstDay = connection.selectFrom(ofPlan.orderBy(orderOfDay(first)).limit(1).as('first_day'));
  return await connection
    .selectFrom(
      ofPlan
        .where('valid_from', '>', first)
        .where('valid_from', '<=', last)
        .union(ofFirstDay.selectAll())
        .as('terms'),
    )
    .selectAll()
    .orderBy('valid_from', (order) => order.asc().nullsFirst())
    .execute();
}

/** Those of the ids that are plans of this organization. */
export async function listKnownIds(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await connection
    .selectFrom('plans')
    .select('id')
    .where('organization_id', '=', organization)
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(({ id }) => id);
}

type NewPlan = Omit<Insertable<Tables['plans']>, 'organization_id'>;
export type PlanFields = Pick<PlanRow, 'slug' | 'name' | 'description' | 'status'>;

export async function insertPlan(connection: Connection, organization: string, plan: NewPlan): Promise<void> {
  await connection
    .insertInto('plans')
    .values({ ...plan, organization_id: organization })
    .execute();
}

export async function updatePlan(
  connection: Connection,
  organization: string,
  id: string,
  fields: PlanFields & { updated_at: string },
): Promise<void> {
  await connection
    .updateTable('plans')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Keeps what terms are before they are replaced; nothing where there are none of that first day. */
export async function insertReplacedTerms(
  connection: Connection,
  organization: string,
  plan: string,
  valid_from: string | null,
  now: string,
): Promise<void> {
  await sql`
    INSERT INTO plan_terms_history (organization_id, plan_id, valid_from, old_terms, replaced_at)
    SELECT organization_id, plan_id, valid_from, to_jsonb(terms) - 'organization_id' - 'plan_id', ${now}
      FROM plan_terms AS terms
     WHERE organization_id = ${organization} AND plan_id = ${plan}
       AND valid_from IS NOT DISTINCT FROM ${valid_from}::date`.execute(connection);
}

/** Terms of a plan that an import replaced, the newest first. */
export function listReplacedTerms(connection: Connection, organization: string, plan: string) {
  return connection
    .selectFrom('plan_terms_history')
    .select(['replaced_at', 'old_terms'])
    .where('organization_id', '=', organization)
    .where('plan_id', '=', plan)
    .orderBy('id', 'desc')
    .execute();
}

/** A row of terms with the same beginning is replaced. `prices_changed_at`: bills that were made before may be others. */
export async function upsertTerms(
  connection: Connection,
  organization: string,
  plan: string,
  terms: PlanTermsRow & { prices_changed_at?: string },
): Promise<void> {
  const { valid_from: _, ...fields } = terms;
  await connection
    .insertInto('plan_terms')
    .values({ ...terms, organization_id: organization, plan_id: plan })
    .onConflict((on) => on.columns(['organization_id', 'plan_id', 'valid_from']).doUpdateSet(fields))
    .execute();
}
