import { type DayGrid, type DeliveryDay, gridOf, minutesOf } from '../calendar.ts';
import type { Period } from './period.ts';

/** EUR/MWh by the start of the interval in milliseconds since 1970. */
export type DayPrices = ReadonlyMap<number, string>;

/** One interval of a delivery day in the resolution of an answer. */
export interface CurvePoint {
  /** Milliseconds since 1970; `startText` writes it as the interface does. */
  readonly start: number;
  /** Null where no price is published. */
  readonly eurMwh: string | null;
}

const NOTHING: DayPrices = new Map();

const MINUTE_MILLISECONDS = 60_000;

/** A delivery day in the resolution of the answer. */
export function dayCurve(
  deliveryOn: DeliveryDay,
  resolution: Period['resolution'],
  prices: DayPrices = NOTHING,
): CurvePoint[] {
  return curveOf(gridOf(deliveryOn), resolution, prices);
}

/**
 * The same for a day whose beginning and end are known. An hourly price stands for its four quarter hours, a missing hour for
 * four intervals without a price; nothing is ever filled in.
 */
export function curveOf(
  { deliveryOn, from, to }: Pick<DayGrid, 'deliveryOn' | 'from' | 'to'>,
  resolution: Period['resolution'],
  prices: DayPrices,
): CurvePoint[] {
  const minutes = minutesOf(deliveryOn);
  const step = minutes * MINUTE_MILLISECONDS;
  const part = resolution === '15min' ? 15 * MINUTE_MILLISECONDS : step;
  const points: CurvePoint[] = [];
  for (let begins = from; begins < to; begins += step) {
    const eurMwh = prices.get(begins) ?? null;
    for (let start = begins; start < begins + step; start += part) points.push({ start, eurMwh });
  }
  return points;
}
