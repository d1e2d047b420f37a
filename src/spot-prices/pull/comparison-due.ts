import { DateTime } from 'luxon';
import { asksSyntheticOnly } from '../../config/prices.ts';
import { addDays, type DeliveryDay, MARKET_TIME_ZONE, zoneOf } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import { meansSource } from '../providers/index.ts';
import { hasZone } from '../providers/price-source.ts';
import { isComparedSinceChange } from '../store/day-changes.ts';

/** Berlin's clock on the day before delivery: hourly means are published by then, and the line that compares runs. */
const COMPARED_FROM = { hour: 16, minute: 20 };

/**
 * Whether a complete day still waits to be held against hourly means: nobody gave them yet, or what is served has changed
 * since. Asked of the day and not of one pull, so that a failed comparison is made up for by the next line.
 */
export async function isComparisonDue(parts: PriceParts, deliveryOn: DeliveryDay): Promise<boolean> {
  const zone = zoneOf(deliveryOn);
  if (!hasZone(meansSource, zone) || asksSyntheticOnly(parts.config)) return false;
  const dayBefore = DateTime.fromISO(addDays(deliveryOn, -1), { zone: MARKET_TIME_ZONE });
  if (parts.clock.nowMilliseconds() < dayBefore.set(COMPARED_FROM).toMillis()) return false;
  return await parts.database.asService(
    async (connection) => (await isComparedSinceChange(connection, zone, deliveryOn)) === false,
  );
}
