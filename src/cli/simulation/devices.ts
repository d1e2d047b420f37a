import { between, seedOf, unitAt } from './seeded.ts';

/** A device as the interface describes it: its type data stand under the name of its type. */
export type Device =
  | { type: 'inverter'; inverter: { max_power_kw: number; hybrid: boolean } }
  | { type: 'solar'; solar: { peak_power_kw: number; azimuth: number | null; tilt: number | null } }
  | {
      type: 'battery';
      battery: { capacity_kwh: number; max_charge_power_kw: number; max_discharge_power_kw: number };
    }
  | {
      type: 'wallbox';
      wallbox: { max_power_kw: number; phases: number | null; bidirectional: boolean };
    }
  | { type: 'heat_pump'; heat_pump: { max_power_kw: number; thermal_power_kw: number | null } };

/** What the service adds by itself to a household with its first device. */
export type HouseholdAsset = { type: 'household_net' } | { type: 'household_residual' };

export type PlannedDevice = Device & {
  /** Unique inside the household: `solar-1`. */
  name: string;
  display_name: string;
  /** Behind the household's inverter. */
  behindInverter: boolean;
};

export interface DeviceCounts {
  solar: number;
  wallbox: number;
  heatPump: number;
}

const half = (value: number) => Math.round(value * 2) / 2;

/** The devices of one household: one hybrid inverter with battery, and as many of the others as asked for. */
export function planDevices(household: string, counts: DeviceCounts): PlannedDevice[] {
  const seed = seedOf(household);
  const inverterPower = half(between(seed, 1, 5, 12));
  const batteryPower = half(between(seed, 2, 2.5, Math.min(6, inverterPower)));
  const devices: PlannedDevice[] = [
    {
      name: 'inverter-1',
      display_name: 'Hybrid inverter',
      behindInverter: false,
      type: 'inverter',
      inverter: { max_power_kw: inverterPower, hybrid: true },
    },
    {
      name: 'battery-1',
      display_name: 'Battery in the cellar',
      behindInverter: true,
      type: 'battery',
      battery: {
        capacity_kwh: half(batteryPower * between(seed, 3, 1.6, 2.4)),
        max_charge_power_kw: batteryPower,
        max_discharge_power_kw: batteryPower,
      },
    },
  ];
  for (let number = 1; number <= counts.solar; number += 1) {
    devices.push({
      name: `solar-${number}`,
      display_name: `Roof ${number}`,
      behindInverter: true,
      type: 'solar',
      solar: {
        peak_power_kw: half((inverterPower * between(seed, 10 + number, 0.9, 1.15)) / counts.solar),
        azimuth: Math.round(between(seed, 20 + number, 110, 250)),
        tilt: Math.round(between(seed, 30 + number, 15, 45)),
      },
    });
  }
  for (let number = 1; number <= counts.wallbox; number += 1) {
    devices.push({
      name: `wallbox-${number}`,
      display_name: `Wallbox ${number}`,
      behindInverter: false,
      type: 'wallbox',
      wallbox:
        unitAt(seed, 40 + number) < 0.3
          ? { max_power_kw: 3.7, phases: 1, bidirectional: false }
          : { max_power_kw: 11, phases: 3, bidirectional: false },
    });
  }
  for (let number = 1; number <= counts.heatPump; number += 1) {
    const power = half(between(seed, 50 + number, 2, 5));
    devices.push({
      name: `heat-pump-${number}`,
      display_name: `Heat pump ${number}`,
      behindInverter: false,
      type: 'heat_pump',
      heat_pump: { max_power_kw: power, thermal_power_kw: half(power * 3.2) },
    });
  }
  return devices;
}
