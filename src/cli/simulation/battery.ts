const DAY_SECONDS = 86_400;
const STEP_SECONDS = 900;
const STEPS = DAY_SECONDS / STEP_SECONDS;
/**
 * A battery's day begins at 04:00 UTC with this charge and ends with it: so a day can be computed without the one
 * before, and the charge has no jump between them.
 */
const DAY_BEGINS_SECONDS = 4 * 3600;
const RESERVE = 0.1;
const FULL = 0.98;
/** From 21:00 UTC on the battery gives at least what brings it down to its reserve by morning. */
const EMPTYING_FROM_STEP = (17 * 3600) / STEP_SECONDS;
const DAYS_KEPT = 2;

interface BatteryData {
  capacity_kwh: number;
  max_charge_power_kw: number;
  max_discharge_power_kw: number;
}

/** Days of one battery that stores what the sun leaves over, in steps of a quarter of an hour. */
export class BatteryDays {
  readonly #battery: BatteryData;
  readonly #surplusAt: (seconds: number) => number;
  readonly #days = new Map<number, Float64Array>();

  constructor(battery: BatteryData, surplusAt: (seconds: number) => number) {
    this.#battery = battery;
    this.#surplusAt = surplusAt;
  }

  at(seconds: number): { powerKw: number; charge: number } {
    const day = Math.floor((seconds - DAY_BEGINS_SECONDS) / DAY_SECONDS);
    const energies = this.#days.get(day) ?? this.#computeDay(day);
    const position = (seconds - DAY_BEGINS_SECONDS - day * DAY_SECONDS) / STEP_SECONDS;
    const step = Math.floor(position);
    const before = energies[step] ?? 0;
    const change = (energies[step + 1] ?? before) - before;
    return {
      powerKw: (change * 3600) / STEP_SECONDS,
      charge: (before + change * (position - step)) / this.#battery.capacity_kwh,
    };
  }

  /** Stored energy in kWh at the beginning of every step, and at the end of the last one. */
  #computeDay(day: number): Float64Array {
    const { capacity_kwh, max_charge_power_kw, max_discharge_power_kw } = this.#battery;
    const begin = day * DAY_SECONDS + DAY_BEGINS_SECONDS;
    const stepHours = STEP_SECONDS / 3600;
    const reserve = capacity_kwh * RESERVE;
    const energies = new Float64Array(STEPS + 1);
    let energy = reserve;
    for (let step = 0; step < STEPS; step += 1) {
      energies[step] = energy;
      const surplus = this.#surplusAt(begin + (step + 0.5) * STEP_SECONDS);
      let power = Math.max(-max_discharge_power_kw, Math.min(max_charge_power_kw, surplus));
      if (step >= EMPTYING_FROM_STEP) {
        power = Math.min(power, (reserve - energy) / ((STEPS - step) * stepHours));
      }
      energy = Math.min(capacity_kwh * FULL, Math.max(reserve, energy + power * stepHours));
    }
    energies[STEPS] = reserve;
    this.#days.set(day, energies);
    if (this.#days.size > DAYS_KEPT) this.#days.delete(Math.min(...this.#days.keys()));
    return energies;
  }
}
