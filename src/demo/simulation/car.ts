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

/** A car that comes home in the late afternoon, charges to 90 %, and leaves in the morning; some nights it is away. */
export function carAt(seed: number, powerMaxKw: number, seconds: number): CarReading {
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
  const charged = arrivalCharge + (powerKw * (sinceNoonHours - arrivalHours)) / KWH_PER_CAR;
  return charged < FULL
    ? { connected: true, powerKw, charge: charged }
    : { connected: true, powerKw: 0, charge: FULL };
}
