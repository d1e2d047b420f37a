import { DateTime } from 'luxon';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { type DeliveryDay, gridOf, MARKET_TIME_ZONE, startsOf } from '../calendar.ts';

/** A page shows nine days; at midnight one of them is another. */
const DAYS_KEPT_MAX = 32;

const known = new BoundedCache<readonly string[]>(DAYS_KEPT_MAX);

/**
 * What the intervals of a day are called, in their order. Made once for each day: for nine of them the clock of the market
 * takes 300 ms, in which nobody else is answered, and the page is open to everybody.
 */
export function intervalLabels(deliveryOn: DeliveryDay): readonly string[] {
  const made = known.get(deliveryOn);
  if (made !== undefined) return made;
  const grid = gridOf(deliveryOn);
  const labels = startsOf(grid).map((start) => intervalLabel(start, grid.minutes));
  known.set(deliveryOn, labels);
  return labels;
}

/** `02:15 to 02:30`; in the night in which an hour comes twice with the offset, which tells the two apart. */
function intervalLabel(start: number, minutes: number): string {
  const from = DateTime.fromMillis(start, { zone: MARKET_TIME_ZONE });
  const to = from.plus({ minutes });
  const comesTwice =
    from.plus({ hours: 1 }).hour === from.hour || from.minus({ hours: 1 }).hour === from.hour;
  const label = `${from.toFormat('HH:mm')} to ${to.toFormat('HH:mm')}`;
  return comesTwice ? `${label} (${from.toFormat('ZZ')})` : label;
}
