/*
 * Sums of one asset's values by quarter hour. Instants are microseconds since 1970, which numbers hold exactly.
 *
 * A power value holds until the next one, at most for the usual distance of the asset's values: the median of its last 100
 * (of three days; five are needed), 15 minutes at least and an hour at most. What lies further apart is a gap. What held when
 * a quarter hour began is the last value before it.
 */

export const QUARTER_HOUR = 900e6;
export const HOUR = 4 * QUARTER_HOUR;
/** Less, in kW, counts as nothing: a product with it may leave the range of numbers, which PostgreSQL refuses. */
const NOTHING_KW = 1e-12;
const MICROSECONDS = 1e6;

/** Values of one kind, ascending. */
export interface Series {
  readonly at: Float64Array;
  readonly values: Float64Array;
}

/** The values of an asset in a span, and the last power value of the hour before it. */
export interface AssetValues {
  readonly asset: number;
  readonly power: Series;
  readonly charge: Series;
  readonly vehicleCharge: Series;
  /** When it said that a vehicle is connected. */
  readonly connectedAt: Float64Array;
}

export interface Span {
  readonly begun: number;
  readonly ended: number;
}

/** Of one quarter hour; instants in seconds. Null: nothing of that kind was sent in it. */
export interface Sum {
  readonly asset: number;
  readonly start: number;
  readonly samples: number;
  readonly connectedSamples: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly powerMin: number | null;
  readonly powerMax: number | null;
  readonly coveredSeconds: number;
  readonly consumedKwh: number;
  readonly fedKwh: number;
  readonly chargeFirst: number | null;
  readonly chargeLast: number | null;
  readonly vehicleChargeLast: number | null;
}

/** Goes through ascending instants quarter hour by quarter hour, and says where those of the present one lie. */
class Cursor {
  first = 0;
  end = 0;
  readonly #at: Float64Array;

  constructor(at: Float64Array) {
    this.#at = at;
  }

  moveTo(instant: number): void {
    this.first = this.end;
    while (this.end < this.#at.length && (this.#at[this.end] as number) < instant) this.end += 1;
  }

  get count(): number {
    return this.end - this.first;
  }

  ofFirst(values: Float64Array): number | null {
    return this.count > 0 ? (values[this.first] as number) : null;
  }

  ofLast(values: Float64Array): number | null {
    return this.count > 0 ? (values[this.end - 1] as number) : null;
  }
}

/**
 * The sums of a span, of each quarter hour with a power value in it or in the hour before. One that nothing covers has a sum
 * too, because it may replace one that something covered while other values were known; no view shows it.
 *
 * Null where they depend on the usual distance, in microseconds, and that is not given: of most assets they never do.
 *
 * From `ownUntil` on, a quarter hour counts only where no value came in the one before: what was sent before `ownUntil`
 * reaches no further otherwise.
 */
export function sumsOf(
  values: AssetValues,
  { begun, ended, ownUntil = ended }: Span & { readonly ownUntil?: number },
  usualDistance: number | null,
): Sum[] | null {
  const { at, values: power } = values.power;
  const hold = Math.min(Math.max(usualDistance ?? 0, QUARTER_HOUR), HOUR);
  const own = new Cursor(at);
  const charge = new Cursor(values.charge.at);
  const vehicleCharge = new Cursor(values.vehicleCharge.at);
  const connected = new Cursor(values.connectedAt);
  const found: Sum[] = [];
  own.moveTo(begun);
  for (let start = begun; start < ended; start += QUARTER_HOUR) {
    const end = start + QUARTER_HOUR;
    for (const cursor of [own, charge, vehicleCharge, connected]) cursor.moveTo(end);
    const last = own.first === 0 ? Number.NEGATIVE_INFINITY : (at[own.first - 1] as number);
    const isHeld = last > start - HOUR;
    if (own.count === 0 && !isHeld) continue;
    if (start >= ownUntil && last >= start - QUARTER_HOUR) continue;

    let [seconds, consumed, fed] = [0, 0, 0];
    const add = (kw: number, held: number) => {
      seconds += held;
      if (kw > NOTHING_KW) consumed += held * kw;
      else if (kw < -NOTHING_KW) fed -= held * kw;
    };
    const next = own.ofFirst(at) ?? end;
    if (isHeld) {
      const isCut = next > last + QUARTER_HOUR;
      if (isCut && usualDistance === null) return null;
      const until = isCut ? Math.min(next, last + hold) : next;
      add(power[own.first - 1] as number, Math.max(until - start, 0) / MICROSECONDS);
    }
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let index = own.first; index < own.end; index += 1) {
      const kw = power[index] as number;
      const until = index + 1 < own.end ? (at[index + 1] as number) : end;
      add(kw, (until - (at[index] as number)) / MICROSECONDS);
      if (kw < least) least = kw;
      if (kw > greatest) greatest = kw;
    }
    const firstAt = own.ofFirst(at);
    const lastAt = own.ofLast(at);
    found.push({
      asset: values.asset,
      start: start / MICROSECONDS,
      samples: own.count,
      connectedSamples: connected.count,
      firstAt: firstAt === null ? null : firstAt / MICROSECONDS,
      lastAt: lastAt === null ? null : lastAt / MICROSECONDS,
      powerMin: own.count > 0 ? least : null,
      powerMax: own.count > 0 ? greatest : null,
      coveredSeconds: seconds,
      consumedKwh: consumed / 3_600,
      fedKwh: fed / 3_600,
      chargeFirst: charge.ofFirst(values.charge.values),
      chargeLast: charge.ofLast(values.charge.values),
      vehicleChargeLast: vehicleCharge.ofLast(values.vehicleCharge.values),
    });
  }
  return found;
}
