import { recordEvents } from '../../events/record.ts';
import type { Connection } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { insertMeterOrder, type MeterOrderRow, updateOpenOrdersCancelled } from './queries.ts';
import { meterOrderTopics } from './topics.ts';

export const DUPLICATE_METER_ORDER = ruleCode('duplicate_meter_order', 'A meter is ordered already');
export const UNSUPPORTED_METER_ORDER = ruleCode(
  'unsupported_meter_order',
  'A smart meter cannot be ordered where one is',
);

/** Contracts that end take their open orders with them. */
export async function cancelOpenMeterOrders(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  const cancelled = await updateOpenOrdersCancelled(connection, organization, subscriptions, now);
  await recordEvents(
    connection,
    organization,
    cancelled.map(({ id, subscription_id }) => ({
      topic: meterOrderTopics.cancelled,
      context: { meter_order: id, subscription: subscription_id },
      now,
    })),
  );
}

/** A new order waits for the grid operator's data. Product `smart-meter-X` comes from provider `X`. */
export async function createMeterOrder(
  connection: Connection,
  organization: string,
  contract: { id: string; customer_id: string },
  { product, now }: { product: string; now: string },
): Promise<MeterOrderRow> {
  const id = newId('prdo');
  const row = await insertMeterOrder(connection, organization, {
    id,
    customer_id: contract.customer_id,
    subscription_id: contract.id,
    product,
    provider: product.replace(/^smart-meter-/, ''),
    status: 'waiting',
    unblocked_status: 'waiting',
    created_at: now,
    updated_at: now,
  });
  const context = { meter_order: id, subscription: contract.id };
  await recordEvents(connection, organization, [{ topic: meterOrderTopics.created, context, now }]);
  return row;
}
