/** One power value as it was sent. */
export interface PowerValue {
  /** Milliseconds since 1970. */
  at: number;
  power_kw: number;
}

export interface QuarterHourEnergy {
  consumed: number;
  fed: number;
}

const QUARTER_HOUR = 900_000;

/**
 * The step rule once more, value by value and without the database: a power holds until the next one, at most for so many
 * milliseconds, and is cut at each quarter hour. In kWh by the instant at which the quarter hour begins.
 */
export function heldEnergy(
  values: readonly PowerValue[],
  hold = QUARTER_HOUR,
): Map<number, QuarterHourEnergy> {
  const sums = new Map<number, QuarterHourEnergy>();
  for (const [index, { at, power_kw }] of values.entries()) {
    const until = Math.min(values[index + 1]?.at ?? Number.POSITIVE_INFINITY, at + hold);
    for (let from = at; from < until; ) {
      const start = Math.floor(from / QUARTER_HOUR) * QUARTER_HOUR;
      const to = Math.min(until, start + QUARTER_HOUR);
      const sum = sums.get(start) ?? { consumed: 0, fed: 0 };
      const kwh = (power_kw * (to - from)) / 3_600_000;
      if (kwh > 0) sum.consumed += kwh;
      else sum.fed -= kwh;
      sums.set(start, sum);
      from = to;
    }
  }
  return sums;
}
