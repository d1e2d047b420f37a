import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { listReadings, type ReadingRow } from './queries.ts';
import type { MeterReading } from './schema.ts';
import { shownReading } from './shown.ts';

type ReadingDeps = Pick<Deps, 'database'>;

export async function getMeterReadings(
  { database }: ReadingDeps,
  { principal, list }: ApiRequest,
): Promise<Page<MeterReading>> {
  const { organization, customer } = principal;
  const rows = await database.inOrganization(principal, (connection) =>
    listReadings(connection, organization, { customer }, list),
  );
  return pageOf(rows, list, shownReading);
}

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
export async function newestReadings(
  database: Database,
  organization: string,
  subscription: string,
  limit: number,
): Promise<ReadingRow[]> {
  const rows = await database.inOrganization({ organization }, (connection) =>
    listReadings(
      connection,
      organization,
      { customer: undefined, subscription },
      { limit, after: null, filters: [] },
    ),
  );
  return rows.slice(0, limit);
}
