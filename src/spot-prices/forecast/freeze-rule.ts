import { DateTime } from 'luxon';
import { addDays, type DeliveryDay, MARKET_TIME_ZONE } from '../calendar.ts';

const GATE_CLOSURE_HOUR = 12;

/**
 * Gate closure of the auction: 12:00 in Berlin on the day before delivery, in milliseconds since 1970. A forecast made
 * at this instant or later could have been made by somebody who had seen the auction's result.
 */
export function freezeInstant(deliveryOn: DeliveryDay): number {
  return DateTime.fromISO(addDays(deliveryOn, -1), { zone: MARKET_TIME_ZONE })
    .set({ hour: GATE_CLOSURE_HOUR })
    .toMillis();
}
