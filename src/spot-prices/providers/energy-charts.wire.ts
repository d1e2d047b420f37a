import type { DeliveryDay } from '../calendar.ts';
import type { WireAnswer, WireRequest } from '../series.ts';
import { answerOf, rejected, sha256 } from './body.ts';
import { DayReadings } from './day-readings.ts';
import { amountOf, assertLiteral, listOf, objectOf, parseJsonBody, timeOf } from './json-body.ts';
import { assertTimesOnce, smallestStepMinutes } from './row-times.ts';

/** Parallel arrays of starts and prices; their width comes from the delivery day. */
export function readEnergyCharts(body: Uint8Array, request: WireRequest): WireAnswer {
  return answerOf(() => {
    const document = objectOf(parseJsonBody(body), 'The body');
    assertLiteral(document.unit, 'unit', 'EUR / MWh');
    assertLiteral(document.deprecated, 'deprecated', false);
    const times = listOf(document.unix_seconds, 'unix_seconds');
    const prices = listOf(document.price, 'price');
    if (times.length !== prices.length) {
      throw rejected(`unix_seconds has ${times.length} entries and price ${prices.length}`);
    }
    const starts = times.map((value, index) => timeOf(value, `unix_seconds[${index}]`, 1_000));
    const amounts = prices.map((value, index) =>
      value === null ? null : amountOf(value, `price[${index}]`),
    );
    if (starts.length === 0) return { status: 'not_published', detail: 'unix_seconds is empty' };
    assertTimesOnce(starts);
    const readings = new DayReadings({ days: request.days });
    assertWidths(starts, readings);
    for (const [index, start] of starts.entries()) {
      const { deliveryOn } = readings.gridAt(start);
      const amount = amounts[index] ?? null;
      readings.see(deliveryOn);
      if (amount !== null) readings.add(deliveryOn, start, amount);
    }
    readings.refuseHours();
    return {
      status: 'read',
      ...readings.read(),
      contentHash: sha256(body),
      sourceStamp: null,
      licence: typeof document.license_info === 'string' ? document.license_info : null,
    };
  });
}

/** Every start lies on its day's grid, and no quarter-hourly day comes in hours: those are means, not prices. */
function assertWidths(starts: readonly number[], readings: DayReadings): void {
  const startsByDay = new Map<DeliveryDay, number[]>();
  for (const start of starts) {
    const { deliveryOn, from, minutes } = readings.gridAt(start);
    if ((start - from) % (minutes * 60_000) !== 0) {
      throw rejected(
        `unix_seconds has ${start / 1_000}, off the grid of ${deliveryOn} with its intervals of ${minutes} minutes`,
      );
    }
    const ofDay = startsByDay.get(deliveryOn);
    if (ofDay === undefined) startsByDay.set(deliveryOn, [start]);
    else ofDay.push(start);
  }
  for (const [deliveryOn, ofDay] of startsByDay) {
    const { minutes } = readings.gridOn(deliveryOn);
    const step = smallestStepMinutes(ofDay);
    if (minutes === 15 && step !== undefined && step > minutes) {
      throw rejected(`unix_seconds has steps of ${step} minutes on ${deliveryOn}, not of ${minutes}`);
    }
  }
}
