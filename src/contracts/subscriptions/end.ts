import { recordEvents } from '../../events/record.ts';
import type { Connection } from '../../platform/database/db.ts';
import { endOpenReductions } from '../grid-fee-reductions/service.ts';
import { cancelOpenMeterOrders } from '../meter-orders/service.ts';
import { subscriptionTopics } from './topics.ts';

/** Ends reductions and cancels orders of contracts that have ended, in the same transaction. */
export async function afterEnd(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  await endOpenReductions(connection, organization, subscriptions, now);
  await recordEvents(
    connection,
    organization,
    subscriptions.map((subscription) => ({
      topic: subscriptionTopics.ended,
      context: { subscription },
      now,
    })),
  );
  await cancelOpenMeterOrders(connection, organization, subscriptions, now);
}
