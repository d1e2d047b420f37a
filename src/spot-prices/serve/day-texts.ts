import { centsPerKilowattHour } from '../amounts.ts';
import { type DeliveryDay, gridOf, minutesOf, startsOf, startText } from '../calendar.ts';
import type { Period } from './period.ts';

/** One delivery day as a piece of an answer: encoded once, joined many times. */
export interface DayText {
  /** Elements of `items`, separated by commas, without the brackets. */
  readonly items: string;
  /** Elements of `missing`. */
  readonly missing: string;
}

/** EUR/MWh by the start of the interval in milliseconds since 1970. */
export type DayPrices = ReadonlyMap<number, string>;

const NOTHING: DayPrices = new Map();

/**
 * Writes a day in the resolution of the series. An hourly price stands for its four quarter hours, a missing hour for four
 * missing starts; nothing is ever filled in. Forecasts are quarter-hourly throughout.
 */
export function dayText(
  deliveryOn: DeliveryDay,
  resolution: Period['resolution'],
  prices: DayPrices = NOTHING,
): DayText {
  const minutes = minutesOf(deliveryOn);
  const repeated = resolution === '15min' && minutes === 60 ? 4 : 1;
  const items: string[] = [];
  const missing: string[] = [];
  for (const start of startsOf(gridOf(deliveryOn))) {
    const amount = prices.get(start);
    const cents = amount === undefined ? undefined : centsPerKilowattHour(amount);
    for (let part = 0; part < repeated; part += 1) {
      const text = startText(start + part * 15 * 60_000);
      if (cents === undefined) missing.push(`"${text}"`);
      else items.push(`{"timestamp":"${text}","amount":${cents}}`);
    }
  }
  return { items: items.join(','), missing: missing.join(',') };
}
