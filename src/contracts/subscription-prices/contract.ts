import { DateTime } from 'luxon';
import { findAddress } from '../../identity/addresses/queries.ts';
import { findHousehold } from '../../identity/households/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { listTermsOfPeriod, type PlanTermsRow } from '../../tariffs/plans/queries.ts';
import type { ModuleSpan } from '../../tariffs/reference-data/module-prices.ts';
import { listReductionsOfSubscription } from '../grid-fee-reductions/queries.ts';
import { findPlant, findSubscription, type Plant, type SubscriptionRow } from '../subscriptions/queries.ts';
import type { SupplySpan } from './day-prices.ts';
import { moduleSpansOf } from './module-spans.ts';

/** The prices of a contract depend on this, beside the market and the price lists. */
export interface PricedContract {
  readonly id: string;
  /** Empty while the grid operator has not confirmed it. */
  readonly supply: SupplySpan;
  /** The terms of the plan that hold on a day of the period, in the order in which they begin. */
  readonly terms: readonly PlanTermsRow[];
  /** The plant of a feed-in contract; null for consumption. */
  readonly plant: Plant | null;
  /** Of the delivery address; null where no address is known. */
  readonly zip: string | null;
  readonly modules: readonly ModuleSpan[];
}

/** Throws where the caller may not see the contract, or where its version knows no feed-in. */
export async function findPricedContract(
  connection: Connection,
  request: Pick<ApiRequest, 'pathId' | 'requires'> & { principal: Tenant },
  days: { first: CalendarDay; last: CalendarDay },
): Promise<PricedContract> {
  const { organization, customer } = request.principal;
  const row = await findSubscription(connection, organization, customer, request.pathId);
  if (row === undefined) throw notFound();
  if (row.type === 'feed_in') request.requires('feed-in', 'subscription');
  const common = {
    id: row.id,
    supply: supplyOf(row),
    terms: await listTermsOfPeriod(connection, organization, row.plan_id, days),
  };
  if (row.type === 'feed_in') {
    const plant = (await findPlant(connection, organization, row.id)) ?? null;
    return { ...common, plant, zip: null, modules: [] };
  }
  return {
    ...common,
    plant: null,
    zip: await zipOf(connection, organization, row),
    modules: moduleSpansOf(await listReductionsOfSubscription(connection, organization, row.id)),
  };
}

function supplyOf({ start_at, end_at }: SubscriptionRow): SupplySpan {
  if (start_at === null) return { from: 0, to: 0 };
  return { from: millisecondsOf(start_at), to: end_at === null ? null : millisecondsOf(end_at) };
}

function millisecondsOf(instant: string): number {
  return DateTime.fromISO(instant).toMillis();
}

/** Imported contracts may have no delivery address of their own: then the household's counts. */
async function zipOf(
  connection: Connection,
  organization: string,
  { address_id, household_id }: SubscriptionRow,
): Promise<string | null> {
  const id =
    address_id ??
    (await findHousehold(connection, organization, undefined, household_id))?.address_id ??
    null;
  if (id === null) return null;
  return (await findAddress(connection, organization, id))?.zip ?? null;
}
