import { findInOrganizations } from '../../identity/organizations/service.ts';
import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import { newestRows } from '../../platform/interface/newest-first.ts';
import { listReductionsOfSubscription } from '../grid-fee-reductions/queries.ts';
import { listMeterOrdersOfSubscription } from '../meter-orders/queries.ts';
import { listMetersKnownAs } from '../meters/queries.ts';
import { meterNumberOf } from '../meters/service.ts';
import { findSubscription, listSubscriptions, type SubscriptionRow } from './queries.ts';

interface SubscriptionQuery {
  status?: string | undefined;
  customer?: string | undefined;
  household?: string | undefined;
  /** As messages of the market name it: a number that its meter has or had, or its market or metering location. */
  meter?: string | undefined;
}

/** The newest contracts of an organization, for the operator. */
export function newestSubscriptions(
  database: Database,
  organization: string,
  { meter, ...query }: SubscriptionQuery,
  limit: number,
): Promise<SubscriptionRow[]> {
  return database.inOrganization({ organization }, async (connection) => {
    const known: ListFilter[] = [];
    if (meter !== undefined) {
      const value = await listMetersKnownAs(connection, organization, meterNumberOf({ number: meter }));
      known.push({ field: 'meter', operator: 'in', value, type: 'string' });
    }
    return await newestRows(query, limit, ({ filters, ...list }) => {
      const page = { ...list, filters: [...filters, ...known] };
      return listSubscriptions(connection, organization, undefined, page, { withFeedIn: true });
    });
  });
}

/** One contract with what was ordered for it. Ids and states only: nothing of the person. */
export function subscriptionForStaff(database: Database, organization: string, id: string) {
  return database.inOrganization({ organization }, async (connection) => {
    const row = isId(id) ? await findSubscription(connection, organization, undefined, id) : undefined;
    if (row === undefined) throw notFound();
    return {
      ...row,
      meter_orders: await listMeterOrdersOfSubscription(connection, organization, id),
      grid_fee_reductions: await listReductionsOfSubscription(connection, organization, id),
    };
  });
}

/** Whose contract it is. */
export async function organizationOfSubscription(database: Database, id: string): Promise<string> {
  if (!isId(id)) throw notFound();
  const where = await findInOrganizations(database, (connection, organization) =>
    findSubscription(connection, organization, undefined, id),
  );
  if (where === undefined) throw notFound();
  return where.organization;
}
