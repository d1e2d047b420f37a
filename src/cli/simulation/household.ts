import type { MeasuredValues } from '../../telemetry/snapshots/fields.ts';
import type { Device, HouseholdAsset } from './devices.ts';
import { between, seedOf, smoothNoise, thousandths, unitAt } from './seeded.ts';

const DAY_SECONDS = 86_400;
/** A car's day goes from noon to noon, so that a night at the wallbox is one piece. */
const NOON_SECONDS = 43_200;
const KWH_PER_CAR = 60;
const CAR_CHARGED_TO = 0.9;

/** An asset of the service that a household's gateway reports. */
export type SimulatedAsset = (Device | HouseholdAsset) & { id: string };

/** The measured fields of one snapshot; a field that the type does not have, or that is not known, is absent. */
export type Reading = Pick<MeasuredValues, 'power_kw'> & Partial<MeasuredValues>;

/**
 * A household whose values follow from its id, its assets and the instant alone: the same instant sent again carries
 * the same values. Powers are positive into the asset and add up at the grid connection.
 */
export class SimulatedHousehold {
  readonly id: string;
  readonly assets: readonly SimulatedAsset[];
  readonly #seed: number;
  readonly #deviceSeeds: readonly number[];
  readonly #inverterPowerMax: number;
  readonly #batteries: (BatteryDays | undefined)[];
  readonly #readings: Reading[];
  readonly #chargesFromHours: number | undefined;

  /** `chargesFromHours`: hours since 12:00 UTC before which its cars wait. */
  constructor(id: string, assets: readonly SimulatedAsset[], options: { chargesFromHours?: number } = {}) {
    this.id = id;
    this.assets = assets;
    this.#chargesFromHours = options.chargesFromHours;
    this.#seed = seedOf(id);
    this.#deviceSeeds = assets.map((asset) => seedOf(asset.id));
    this.#inverterPowerMax = assets.reduce(
      (sum, asset) => sum + (asset.type === 'inverter' ? asset.inverter.max_power_kw : 0),
      0,
    );
    const surplus = (seconds: number) => this.#surplusAt(seconds);
    this.#batteries = assets.map((asset) =>
      asset.type === 'battery' ? new BatteryDays(asset.battery, surplus) : undefined,
    );
    this.#readings = assets.map(() => ({ power_kw: 0 }));
  }

  /**
   * One reading per asset, in the order of `assets`, for whole seconds since 1970. The array is the household's own
   * and filled anew by the next call.
   */
  readingsAt(seconds: number): readonly Reading[] {
    const sky = skyAt(seconds);
    const residual = this.#residualAt(seconds);
    let behindInverter = 0;
    let consumption = residual;
    for (const [index, asset] of this.assets.entries()) {
      const seed = this.#deviceSeeds[index] ?? 0;
      let reading: Reading | undefined;
      if (asset.type === 'solar') {
        reading = { power_kw: -thousandths(this.#solarPower(asset.solar, seed, sky, seconds)) };
        behindInverter += reading.power_kw;
      } else if (asset.type === 'battery') {
        const state = this.#batteries[index]?.at(seconds) ?? { powerKw: 0, charge: 0 };
        reading = { power_kw: thousandths(state.powerKw), state_of_charge: thousandths(state.charge) };
        behindInverter += reading.power_kw;
      } else if (asset.type === 'wallbox') {
        reading = wallboxReading(carAt(seed, asset.wallbox.max_power_kw, seconds, this.#chargesFromHours));
        consumption += reading.power_kw;
      } else if (asset.type === 'heat_pump') {
        reading = { power_kw: thousandths(heatPumpPower(asset.heat_pump.max_power_kw, seed, sky, seconds)) };
        consumption += reading.power_kw;
      }
      if (reading !== undefined) this.#readings[index] = reading;
    }
    for (const [index, asset] of this.assets.entries()) {
      if (asset.type === 'inverter') {
        const share = this.#inverterPowerMax === 0 ? 0 : asset.inverter.max_power_kw / this.#inverterPowerMax;
        this.#readings[index] = { power_kw: thousandths(behindInverter * share) };
      } else if (asset.type === 'household_net') {
        this.#readings[index] = { power_kw: thousandths(consumption + behindInverter) };
      } else if (asset.type === 'household_residual') {
        this.#readings[index] = { power_kw: thousandths(residual) };
      }
    }
    return this.#readings;
  }

  /** The sun that is left after light, cooking and heating: the battery takes or gives this. */
  #surplusAt(seconds: number): number {
    const sky = skyAt(seconds);
    let surplus = -this.#residualAt(seconds);
    for (const [index, asset] of this.assets.entries()) {
      const seed = this.#deviceSeeds[index] ?? 0;
      if (asset.type === 'solar') surplus += this.#solarPower(asset.solar, seed, sky, seconds);
      if (asset.type === 'heat_pump') {
        surplus -= heatPumpPower(asset.heat_pump.max_power_kw, seed, sky, seconds);
      }
    }
    return surplus;
  }

  #solarPower(
    solar: { peak_power_kw: number; azimuth: number | null; tilt: number | null },
    seed: number,
    sky: Sky,
    seconds: number,
  ): number {
    const share = yieldOfRoof(sky, solar.azimuth ?? 180, solar.tilt ?? 30);
    if (share === 0) return 0;
    const passingCloud = 1 - 0.15 * smoothNoise(seed, seconds / 90);
    return solar.peak_power_kw * 0.85 * share * passingCloud;
  }

  /** Everything without a meter of its own: a base, two peaks at their hours, and appliances that come and go. */
  #residualAt(seconds: number): number {
    const hours = (seconds % 86_400) / 3600;
    const base = between(this.#seed, 101, 0.12, 0.35);
    const morning = 0.6 * bump(hours, between(this.#seed, 102, 5, 7), 1.2);
    const evening = 1.3 * bump(hours, between(this.#seed, 103, 16.5, 19.5), 2.1);
    const appliances = smoothNoise(this.#seed, seconds / 300) ** 6 * 2.4;
    return base + (morning + evening) * smoothNoise(this.#seed + 1, seconds / 600) + appliances;
  }
}

/** A bell of height 1 around an hour of the day, across midnight too. */
function bump(hours: number, centre: number, width: number): number {
  const distance = Math.min(Math.abs(hours - centre), 24 - Math.abs(hours - centre)) / width;
  return Math.exp(-distance * distance);
}

/** Runs in cycles of 40 minutes, longer and harder the colder it is; in summer only for hot water. */
function heatPumpPower(powerMax: number, seed: number, sky: Sky, seconds: number): number {
  const demand = Math.min(1, Math.max(0, (16 - sky.temperatureCelsius) / 28));
  const phase = (seconds / 2400 + between(seed, 1, 0, 1)) % 1;
  if (phase >= Math.min(1, 0.08 + 1.2 * demand)) return 0.015;
  return powerMax * (0.35 + 0.55 * demand) * (0.95 + 0.05 * smoothNoise(seed, seconds / 60));
}

function wallboxReading(car: CarReading): Reading {
  if (!car.connected) return { power_kw: 0, connected: false };
  return {
    power_kw: thousandths(car.powerKw),
    connected: true,
    vehicle_state_of_charge: thousandths(car.charge),
  };
}

interface CarReading {
  connected: boolean;
  powerKw: number;
  /** 0 to 1, as the car tells the wallbox while it is connected. */
  charge: number;
}

/**
 * A car that comes home in the late afternoon, charges to 90 %, and leaves in the morning; some nights it is away. It is
 * charged from its arrival on, or later: from so many hours after noon.
 */
function carAt(seed: number, powerMaxKw: number, seconds: number, chargesFromHours = 0): CarReading {
  const day = Math.floor((seconds - NOON_SECONDS) / DAY_SECONDS);
  const sinceNoonHours = (seconds - NOON_SECONDS - day * DAY_SECONDS) / 3600;
  const arrivalHours = between(seed, day * 4, 4, 8);
  const departureHours = between(seed, day * 4 + 1, 17.5, 20.5);
  const away = unitAt(seed, day * 4 + 2) < 0.2;
  if (away || sinceNoonHours < arrivalHours || sinceNoonHours >= departureHours) {
    return { connected: false, powerKw: 0, charge: 0 };
  }
  const arrivalCharge = between(seed, day * 4 + 3, 0.25, 0.75);
  const powerKw = powerMaxKw * 0.97;
  const chargedHours = sinceNoonHours - Math.max(arrivalHours, chargesFromHours);
  if (chargedHours < 0) return { connected: true, powerKw: 0, charge: arrivalCharge };
  const charged = arrivalCharge + (powerKw * chargedHours) / KWH_PER_CAR;
  return charged < CAR_CHARGED_TO
    ? { connected: true, powerKw, charge: charged }
    : { connected: true, powerKw: 0, charge: CAR_CHARGED_TO };
}

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
class BatteryDays {
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

/** All households stand near 51° north, 10° east: one sky for the whole fleet, with local clouds of their own. */
const LATITUDE = (51 * Math.PI) / 180;
const LONGITUDE_DEGREES = 10;

const CLOUDS = seedOf('clouds');
const TEMPERATURES = seedOf('temperatures');

interface Sky {
  /** Sine of the sun's height; negative by night. */
  height: number;
  /** Direction of the sun in radians, 0 in the north, growing to the east. */
  direction: number;
  /** What clouds let through, 0 to 1, the same for everybody on one day. */
  clearness: number;
  temperatureCelsius: number;
}

/** Sun and weather of one instant, whole seconds since 1970. */
function skyAt(seconds: number): Sky {
  const day = Math.floor(seconds / DAY_SECONDS);
  const yearAngle = (2 * Math.PI * ((seconds / DAY_SECONDS) % 365.2425)) / 365.2425;
  const declination = -0.409 * Math.cos(yearAngle + 0.172);
  const solarHours = (((seconds % DAY_SECONDS) / 3600 + LONGITUDE_DEGREES / 15) % 24) - 12;
  const hourAngle = (solarHours * Math.PI) / 12;
  const height =
    Math.sin(LATITUDE) * Math.sin(declination) +
    Math.cos(LATITUDE) * Math.cos(declination) * Math.cos(hourAngle);
  const direction =
    Math.PI +
    Math.atan2(
      Math.sin(hourAngle),
      Math.cos(hourAngle) * Math.sin(LATITUDE) - Math.tan(declination) * Math.cos(LATITUDE),
    );
  const dull = unitAt(CLOUDS, day);
  const clearness = 1 - dull * 0.75 * smoothNoise(CLOUDS, seconds / 1200);
  const season = 10 - 9.5 * Math.cos(yearAngle - 0.35);
  const temperatureCelsius =
    season + 4 * Math.cos(hourAngle - 0.6) + 8 * (smoothNoise(TEMPERATURES, seconds / DAY_SECONDS) - 0.5);
  return { height, direction, clearness, temperatureCelsius };
}

/** Share of its peak that a roof delivers under this sky. */
function yieldOfRoof(sky: Sky, azimuthDegrees: number, tiltDegrees: number): number {
  if (sky.height <= 0) return 0;
  const tilt = (tiltDegrees * Math.PI) / 180;
  const azimuth = (azimuthDegrees * Math.PI) / 180;
  const flat = Math.sqrt(1 - sky.height * sky.height);
  const facing = sky.height * Math.cos(tilt) + flat * Math.sin(tilt) * Math.cos(sky.direction - azimuth);
  const throughAir = 1 - Math.exp(-6 * sky.height);
  const direct = 0.88 * Math.max(0, facing) * sky.clearness;
  const diffuse = 0.14 * sky.height;
  return Math.min(1, throughAir * (direct + diffuse));
}
