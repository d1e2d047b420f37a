import { MEASURED_FIELDS } from '../../telemetry/snapshots/fields.ts';
import type { SimulatedHousehold } from './household.ts';

/** Rows that the service takes in one request. */
export const BATCH_ROWS_MAX = 10_000;

/**
 * The body of a gateway: every asset of the household at every one of these instants (seconds since 1970, to the
 * millisecond).
 */
export function composeBatch(household: SimulatedHousehold, instants: Iterable<number>): string {
  const openings = household.assets.map((asset) => `{"asset":"${asset.id}","timestamp":"`);
  let text = `{"household":"${household.id}","snapshots":[`;
  let separator = '';
  for (const seconds of instants) {
    const timestamp = new Date(Math.round(seconds * 1000)).toISOString();
    for (const [index, reading] of household.readingsAt(seconds).entries()) {
      text += `${separator}${openings[index]}${timestamp}"`;
      for (const { name } of MEASURED_FIELDS) {
        if (reading[name] !== undefined) text += `,"${name}":${reading[name]}`;
      }
      text += '}';
      separator = ',';
    }
  }
  return `${text}]}`;
}

/** Seconds from `begin` on, `count` of them, `step` apart. */
export function* instantsFrom(begin: number, count: number, step: number): Generator<number> {
  for (let index = 0; index < count; index += 1) yield begin + index * step;
}
