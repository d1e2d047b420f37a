import type { Connection } from '../../platform/database/db.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { type DeliveryDay, deliveryDayAt } from '../calendar.ts';
import { keepDayAheadMeanJob } from '../jobs.ts';

const MINUTE_MILLISECONDS = 60_000;

/**
 * Leaves with the change of a served day or not at all. Prices of today and tomorrow belong to no mean yet. A history that is
 * fetched changes hundreds of days: of all that change in one minute there is one run, when it is over.
 */
export async function tellDependants(
  connection: Connection,
  deliveryOn: DeliveryDay,
  nowMilliseconds: number,
): Promise<void> {
  if (deliveryOn >= deliveryDayAt(nowMilliseconds)) return;
  const nextMilliseconds = (Math.floor(nowMilliseconds / MINUTE_MILLISECONDS) + 1) * MINUTE_MILLISECONDS;
  const runAt = new Date(nextMilliseconds).toISOString();
  await enqueue(connection, keepDayAheadMeanJob, {}, { key: `keep-day-ahead-mean ${runAt}`, runAt });
}
