import { DateTime } from 'luxon';
import { addDays, type DeliveryDay, minutesOf, zoneOf } from '../calendar.ts';
import type { RealizedSource } from '../series.ts';
import { PACES } from './pace.ts';

/** Whether the feed can have anything about the day: the zone with Austria is kept by ENTSO-E only. */
export function mayHave(source: RealizedSource, deliveryOn: DeliveryDay): boolean {
  return source === 'entsoe' || zoneOf(deliveryOn) === 'DE-LU';
}

/**
 * The days, ascending, in pieces of consecutive ones that one request of the feed can answer: not across a change of the
 * zone, and for SMARD neither across a Monday nor across the switch to quarter hours, which has a file of its own.
 */
export function chunksOf(source: RealizedSource, days: readonly DeliveryDay[]): DeliveryDay[][] {
  const chunks: DeliveryDay[][] = [];
  let chunk: DeliveryDay[] = [];
  for (const day of days) {
    if (!mayHave(source, day)) continue;
    const last = chunk.at(-1);
    if (last !== undefined && (chunk.length >= PACES[source].daysMax || !belongTogether(source, last, day))) {
      chunks.push(chunk);
      chunk = [];
    }
    chunk.push(day);
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

function belongTogether(source: RealizedSource, day: DeliveryDay, next: DeliveryDay): boolean {
  if (addDays(day, 1) !== next || zoneOf(day) !== zoneOf(next)) return false;
  return source !== 'smard' || (minutesOf(day) === minutesOf(next) && !isMonday(next));
}

function isMonday(deliveryOn: DeliveryDay): boolean {
  return DateTime.fromISO(deliveryOn, { zone: 'utc' }).weekday === 1;
}
