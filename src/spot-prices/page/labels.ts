import { DateTime } from 'luxon';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { type DeliveryDay, gridOf, MARKET_TIME_ZONE, startsOf } from '../calendar.ts';
import type { PriceTexts } from './texts.ts';

/** A page shows nine days, in two languages; at midnight one of them is another. */
const DAYS_KEPT_MAX = 64;

const known = new BoundedCache<readonly string[]>(DAYS_KEPT_MAX);

/**
 * What the intervals of a day are called, in their order. Made once for each day: for nine of them the clock of the market
 * takes 300 ms, in which nobody else is answered, and the page is open to everybody.
 */
export function intervalLabels(
  deliveryOn: DeliveryDay,
  t: Pick<PriceTexts, 'lang' | 'span'>,
): readonly string[] {
  const key = `${t.lang} ${deliveryOn}`;
  const made = known.get(key);
  if (made !== undefined) return made;
  const grid = gridOf(deliveryOn);
  const labels = startsOf(grid).map((start) => intervalLabel(start, grid.minutes, t));
  known.set(key, labels);
  return labels;
}

/** `02:15 to 02:30`; in the night in which an hour comes twice with the offset, which tells the two apart. */
function intervalLabel(start: number, minutes: number, t: Pick<PriceTexts, 'span'>): string {
  const from = DateTime.fromMillis(start, { zone: MARKET_TIME_ZONE });
  const to = from.plus({ minutes });
  const comesTwice =
    from.plus({ hours: 1 }).hour === from.hour || from.minus({ hours: 1 }).hour === from.hour;
  const label = t.span(from.toFormat('HH:mm'), to.toFormat('HH:mm'));
  return comesTwice ? `${label} (${from.toFormat('ZZ')})` : label;
}
