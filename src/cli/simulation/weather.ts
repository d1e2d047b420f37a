import { seedOf, smoothNoise, unitAt } from './seeded.ts';

/** All households stand near 51° north, 10° east: one sky for the whole fleet, with local clouds of their own. */
const LATITUDE = (51 * Math.PI) / 180;
const LONGITUDE_DEGREES = 10;

const DAY_SECONDS = 86_400;
const CLOUDS = seedOf('clouds');
const TEMPERATURES = seedOf('temperatures');

export interface Sky {
  /** Sine of the sun's height; negative by night. */
  height: number;
  /** Direction of the sun in radians, 0 in the north, growing to the east. */
  direction: number;
  /** What clouds let through, 0 to 1, the same for everybody on one day. */
  clearness: number;
  temperatureCelsius: number;
}

/** Sun and weather of one instant, whole seconds since 1970. */
export function skyAt(seconds: number): Sky {
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
export function yieldOfRoof(sky: Sky, azimuthDegrees: number, tiltDegrees: number): number {
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
