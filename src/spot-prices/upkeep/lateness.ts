import { DateTime } from 'luxon';
import { addDays, type DeliveryDay, dayStart, MARKET_TIME_ZONE, zoneOf } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import { findDay, shownState } from '../queries.ts';
import { raiseAlarm, resolveAlarms } from '../store/alarms.ts';
import { listCompleteDaysWithAlarm } from './day-queries.ts';

export type DayLateness = 'in_time' | 'normal' | 'warning' | 'alarm';

/** Results are there around 13:00, and 14:20 is when the market says that there will be none in the usual way. */
const WARNING_HOUR = 15;

/** What it means at an instant that a day is not complete. */
export function latenessAt(deliveryOn: DeliveryDay, nowMilliseconds: number): DayLateness {
  if (nowMilliseconds >= dayStart(deliveryOn)) return 'alarm';
  const warningFrom = DateTime.fromISO(addDays(deliveryOn, -1), { zone: MARKET_TIME_ZONE }).set({
    hour: WARNING_HOUR,
  });
  return nowMilliseconds >= warningFrom.toMillis() ? 'warning' : 'normal';
}

/**
 * Says how late a day is: silence before 15:00 of the day before, a warning from then on, an alarm once delivery has begun.
 * Alarms of days that became complete meanwhile, by whatever way, are resolved.
 */
export async function judgeLateness(parts: PriceParts, deliveryOn: DeliveryDay): Promise<DayLateness> {
  const zone = zoneOf(deliveryOn);
  return await parts.database.asService(async (connection) => {
    for (const day of await listCompleteDaysWithAlarm(connection, zone, 'late')) {
      await resolveAlarms(connection, parts, { kind: 'late', zone, deliveryOn: day });
    }
    const day = await findDay(connection, zone, deliveryOn);
    if (day?.state === 'complete') return 'in_time';
    const lateness = latenessAt(deliveryOn, parts.clock.nowMilliseconds());
    if (lateness === 'warning') {
      parts.metrics
        .counter('price_lateness_warnings_total', 'Looks at a day that was not complete in time')
        .inc();
      parts.log.warn({ delivery_on: deliveryOn }, 'tomorrow is not complete yet');
    }
    if (lateness === 'alarm') {
      const detail = `Prices of ${deliveryOn} are ${shownState(day)} although delivery has begun`;
      await raiseAlarm(connection, parts, { kind: 'late', zone, deliveryOn, detail });
    }
    return lateness;
  });
}
