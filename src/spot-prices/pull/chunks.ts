import { addDays, type DeliveryDay, zoneOf } from '../calendar.ts';
import { type RealizedSource, sources } from '../providers/index.ts';
import { hasZone, type PriceSource } from '../providers/price-source.ts';

/** Whether the feed can have anything about the day. */
export function mayHave(name: RealizedSource, deliveryOn: DeliveryDay): boolean {
  const source = sources[name];
  return deliveryOn >= source.firstDay && hasZone(source, zoneOf(deliveryOn));
}

/**
 * The days, ascending, in pieces of consecutive ones that one request of the feed can answer: not across a change of the
 * zone, and not where the feed itself begins another file.
 */
export function chunksOf(name: RealizedSource, days: readonly DeliveryDay[]): DeliveryDay[][] {
  const source: PriceSource = sources[name];
  const chunks: DeliveryDay[][] = [];
  let chunk: DeliveryDay[] = [];
  for (const day of days) {
    if (!mayHave(name, day)) continue;
    const last = chunk.at(-1);
    if (last !== undefined && (chunk.length >= source.pace.daysMax || !belongTogether(source, last, day))) {
      chunks.push(chunk);
      chunk = [];
    }
    chunk.push(day);
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

function belongTogether(source: PriceSource, day: DeliveryDay, next: DeliveryDay): boolean {
  if (addDays(day, 1) !== next || zoneOf(day) !== zoneOf(next)) return false;
  return source.endsRequest?.(day, next) !== true;
}
