import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { findSubscription, listSubscriptions } from './queries.ts';
import type { Subscription, SubscriptionListItem } from './schema.ts';
import { listedSubscription, shownSubscription } from './shown.ts';

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
