import { centsPerKilowattHour } from '../amounts.ts';
import type { DeliveryDay } from '../calendar.ts';
import { type DayPrices, dayCurve } from './curve.ts';
import type { Period } from './period.ts';

/** One delivery day as a piece of an answer: encoded once, joined many times. */
export interface DayText {
  /** Elements of `items`, separated by commas, without the brackets. */
  readonly items: string;
  /** Elements of `missing`. */
  readonly missing: string;
}

/** Writes a day in the resolution of the series. Forecasts are quarter-hourly throughout. */
export function dayText(
  deliveryOn: DeliveryDay,
  resolution: Period['resolution'],
  prices?: DayPrices,
): DayText {
  const items: string[] = [];
  const missing: string[] = [];
  for (const { timestamp, eurMwh } of dayCurve(deliveryOn, resolution, prices)) {
    if (eurMwh === null) missing.push(`"${timestamp}"`);
    else items.push(`{"timestamp":"${timestamp}","amount":${centsPerKilowattHour(eurMwh)}}`);
  }
  return { items: items.join(','), missing: missing.join(',') };
}
