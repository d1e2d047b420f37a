import { berlinInstant, FIRST_DAY, shiftDate } from './days.ts';
import type { SourceSwitches } from './switches.ts';

/** Berlin's wall clock on the day before delivery. */
const PUBLISHED_AT = {
  earlyAuction: [10, 30],
  entsoe: [12, 58],
  smard: [13, 20],
  'energy-charts': [13, 20],
  awattar: [13, 40],
} as const;

export type Publisher = keyof typeof PUBLISHED_AT;

const instants = new Map<string, number>();

/** When a source publishes a delivery day, without any delay: milliseconds since 1970. */
export function publishedAt(publisher: Publisher, date: string): number {
  const key = `${publisher} ${date}`;
  const found = instants.get(key);
  if (found !== undefined) return found;
  const [hour, minute] = PUBLISHED_AT[publisher];
  const instant = berlinInstant(shiftDate(date, -1), hour, minute);
  instants.set(key, instant);
  return instant;
}

/** Whether a source has a delivery day at an instant. */
export function isPublished(
  publisher: Publisher,
  date: string,
  now: number,
  switches: SourceSwitches,
): boolean {
  if (switches.absent_days?.includes(date) === true) return false;
  return now >= publishedAt(publisher, date) + delayOf(switches);
}

/** A source of the German zone knows no day before that zone began. */
export function isPublishedForGermany(
  publisher: Publisher,
  date: string,
  now: number,
  switches: SourceSwitches,
): boolean {
  return date >= FIRST_DAY && isPublished(publisher, date, now, switches);
}

export function delayOf(switches: SourceSwitches): number {
  return (switches.delay_minutes ?? 0) * 60_000;
}
