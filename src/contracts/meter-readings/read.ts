import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { newestRows, pageHandler, pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { listReadings, type ReadingRow } from './queries.ts';
import type { MeterReading } from './schema.ts';
import { shownReading } from './shown.ts';

type ReadingDeps = Pick<Deps, 'database'>;

export const getMeterReadings = pageHandler(
  (connection, organization, customer, list) => listReadings(connection, organization, { customer }, list),
  shownReading,
);

export async function getReadingsOfSubscription(
  { database }: ReadingDeps,
  request: ApiRequest,
): Promise<Page<MeterReading>> {
  const { principal, list } = request;
  const { organization, customer } = principal;
  const id = request.pathId;
  const rows = await database.inOrganization(principal, async (connection) => {
    const subscription = await findSubscription(connection, organization, customer, id);
    if (subscription === undefined) throw notFound();
    if (subscription.type === 'feed_in') request.requires('feed-in', 'subscription');
    return await listReadings(connection, organization, { customer, subscription: id }, list);
  });
  return pageOf(rows, list, shownReading);
}

/** For the back office: of one contract, newest first. */
export function newestReadings(
  database: Database,
  organization: string,
  subscription: string,
  limit: number,
): Promise<ReadingRow[]> {
  return database.inOrganization({ organization }, (connection) =>
    newestRows({ subscription }, limit, (list) =>
      listReadings(connection, organization, { customer: undefined }, list),
    ),
  );
}
