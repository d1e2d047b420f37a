import { shownAddress } from '../../identity/addresses/service.ts';
import { shownCustomer } from '../../identity/customers/service.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { berlinDayAt, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { findMarketPartner } from '../market-partners/queries.ts';
import { shownMeter } from '../meters/service.ts';
import { shownPaymentMethod } from '../payment-methods/service.ts';
import { findSubscription, listSubscriptions, type SubscriptionRow } from './queries.ts';
import type { Subscription, SubscriptionListItem } from './schema.ts';

export async function getSubscription(
  deps: Pick<Deps, 'database' | 'clock'>,
  request: ApiRequest,
): Promise<Subscription> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  const today = berlinDayAt(deps.clock.nowMilliseconds());
  return deps.database.inOrganization(request.principal, async (connection) => {
    const row = await findSubscription(connection, organization, customer, id);
    if (row === undefined) throw notFound();
    if (row.type === 'feed_in' && !request.knows('feed-in')) throw notFound();
    return await shownSubscription(connection, organization, row, today);
  });
}

export async function getSubscriptions(
  deps: Pick<Deps, 'database'>,
  request: ApiRequest,
): Promise<Page<SubscriptionListItem>> {
  const { organization, customer } = request.principal;
  const { list } = request;
  const rows = await deps.database.inOrganization(request.principal, (connection) =>
    listSubscriptions(connection, organization, customer, list, { withFeedIn: request.knows('feed-in') }),
  );
  return pageOf(rows, list, listedSubscription);
}

function shownFieldsOf(row: SubscriptionRow) {
  return {
    object: 'subscription' as const,
    id: row.id,
    plan: row.plan_id,
    household: row.household_id,
    number: row.number,
    status: row.status,
    type: row.type,
    estimated_usage: Number(row.estimated_usage),
    start_at: row.start_at,
    terminated_at: row.terminated_at,
    end_at: row.end_at,
    metadata: row.metadata as Subscription['metadata'],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** With ids, as in lists and in the answer to a sign-up. */
export function listedSubscription(row: SubscriptionRow): SubscriptionListItem {
  return {
    ...shownFieldsOf(row),
    customer: row.customer_id,
    address: row.address_id,
    billing_address: row.billing_address_id,
    meter: row.meter_id,
    payment_method: row.payment_method_id,
    supplier: row.supplier_id,
  };
}

/** With everything that belongs to it in full; the meter as it is today. */
export async function shownSubscription(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  today: CalendarDay,
): Promise<Subscription> {
  return {
    ...shownFieldsOf(row),
    customer: await shownCustomer(connection, organization, row.customer_id),
    address: row.address_id === null ? null : await shownAddress(connection, organization, row.address_id),
    billing_address: await shownAddress(connection, organization, row.billing_address_id),
    meter: await shownMeter(connection, organization, row.meter_id, today),
    payment_method: await shownPaymentMethod(connection, organization, row.payment_method_id),
    supplier: row.supplier_id === null ? null : await shownSupplier(connection, row.supplier_id),
  };
}

async function shownSupplier(connection: Connection, id: string): Promise<Subscription['supplier']> {
  const row = await findMarketPartner(connection, id);
  if (row === undefined) throw new Error(`Market partner ${id} is referred to and does not exist`);
  /* The code is for versions that still show it. */
  const supplier = { object: 'supplier' as const, ...row, code_type: 'BDEW' };
  return supplier;
}
