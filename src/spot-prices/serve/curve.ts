import { type DeliveryDay, gridOf, minutesOf, startsOf, startText } from '../calendar.ts';
import type { Period } from './period.ts';

/** EUR/MWh by the start of the interval in milliseconds since 1970. */
export type DayPrices = ReadonlyMap<number, string>;

/** One interval of a delivery day in the resolution of an answer. */
export interface CurvePoint {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** The same as the interface writes it. */
  readonly timestamp: string;
  /** Null where no price is published. */
  readonly eurMwh: string | null;
}

const NOTHING: DayPrices = new Map();

/**
 * A delivery day in the resolution of the answer. An hourly price stands for its four quarter hours, a missing hour for
 * four intervals without a price; nothing is ever filled in.
 */
export function dayCurve(
  deliveryOn: DeliveryDay,
  resolution: Period['resolution'],
  prices: DayPrices = NOTHING,
): CurvePoint[] {
  const repeated = resolution === '15min' && minutesOf(deliveryOn) === 60 ? 4 : 1;
  const points: CurvePoint[] = [];
  for (const begins of startsOf(gridOf(deliveryOn))) {
    const eurMwh = prices.get(begins) ?? null;
    for (let part = 0; part < repeated; part += 1) {
      const start = begins + part * 15 * 60_000;
      points.push({ start, timestamp: startText(start), eurMwh });
    }
  }
  return points;
}
