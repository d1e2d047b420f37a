import { between, unitAt } from './seeded.ts';

const DAY_SECONDS = 86_400;
/** A car's day goes from noon to noon, so that a night at the wallbox is one piece. */
const NOON_SECONDS = 43_200;
const KWH_PER_CAR = 60;
const FULL = 0.9;

export interface CarReading {
  connected: boolean;
  powerKw: number;
  /** 0 to 1, as the car tells the wallbox while it is connected. */
  charge: number;
}

/**
 * A car that comes home in the late afternoon, charges to 90 %, and leaves in the morning; some nights it is away. It is
 * charged from its arrival on, or later: from so many hours after noon.
 */
export function carAt(seed: number, powerMaxKw: number, seconds: number, chargesFromHours = 0): CarReading {
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
  return charged < FULL
    ? { connected: true, powerKw, charge: charged }
    : { connected: true, powerKw: 0, charge: FULL };
}
