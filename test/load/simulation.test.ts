import { describe, expect, test } from 'vitest';
import { planDevices } from '../../src/cli/simulation/devices.ts';
import { type Reading, type SimulatedAsset, SimulatedHousehold } from '../../src/cli/simulation/household.ts';

const HOUSEHOLDS = Array.from({ length: 12 }, (_, index) => `dom_${String(index).padStart(24, '0')}`);
/** A winter day, a summer day and both clock-change days, every 7 minutes. */
const INSTANTS = ['2026-01-15', '2026-03-29', '2026-06-21', '2026-10-25'].flatMap((day) =>
  Array.from({ length: 205 }, (_, index) => Date.parse(`${day}T00:00:00Z`) / 1000 + index * 420),
);

function simulated(id: string): SimulatedHousehold {
  const devices = planDevices(id, { solar: 2, wallbox: 1, heatPump: 1 });
  const assets: SimulatedAsset[] = devices.map((device) => ({ ...device, id: `${id}-${device.name}` }));
  return new SimulatedHousehold(id, [
    ...assets,
    { type: 'household_net', id: `${id}-net` },
    { type: 'household_residual', id: `${id}-residual` },
  ]);
}

function ratingOf(asset: SimulatedAsset, power: number): number {
  if (asset.type === 'inverter') return asset.inverter.max_power_kw;
  if (asset.type === 'solar') return asset.solar.peak_power_kw;
  if (asset.type === 'wallbox') return asset.wallbox.max_power_kw;
  if (asset.type === 'heat_pump') return asset.heat_pump.max_power_kw;
  if (asset.type !== 'battery') return Number.POSITIVE_INFINITY;
  return power > 0 ? asset.battery.max_charge_power_kw : asset.battery.max_discharge_power_kw;
}

function keepsToRules(asset: SimulatedAsset, reading: Reading): boolean {
  const { power_kw, state_of_charge, connected, vehicle_state_of_charge } = reading;
  const isShare = (value: number | undefined) => value === undefined || (value >= 0 && value <= 1);
  return (
    Math.abs(power_kw) <= ratingOf(asset, power_kw) * 1.2 &&
    (asset.type !== 'solar' || power_kw <= 0) &&
    (asset.type !== 'household_residual' || power_kw >= 0) &&
    (state_of_charge !== undefined) === (asset.type === 'battery') &&
    (connected !== undefined) === (asset.type === 'wallbox') &&
    (vehicle_state_of_charge !== undefined) === (connected === true) &&
    isShare(state_of_charge) &&
    isShare(vehicle_state_of_charge)
  );
}

describe('simulated households', () => {
  test('the same instant gives the same values, whatever was asked before', () => {
    for (const id of HOUSEHOLDS.slice(0, 3)) {
      const forward = simulated(id);
      const backward = simulated(id);
      const values = INSTANTS.map((seconds) => structuredClone(forward.readingsAt(seconds)));
      for (let index = INSTANTS.length - 1; index >= 0; index -= 1) {
        expect(backward.readingsAt(INSTANTS[index] ?? 0)).toEqual(values[index]);
      }
    }
  });

  test('every value keeps to the rules of the interface: signs, ratings, states of charge', () => {
    const broken: string[] = [];
    for (const id of HOUSEHOLDS) {
      const household = simulated(id);
      for (const seconds of INSTANTS) {
        for (const [index, reading] of household.readingsAt(seconds).entries()) {
          const asset = household.assets[index];
          if (asset === undefined || !keepsToRules(asset, reading)) {
            broken.push(`${asset?.type} at ${seconds}: ${JSON.stringify(reading)}`);
          }
        }
      }
    }
    expect(broken).toEqual([]);
  });

  test('powers add up at the grid connection, and nights are dark', () => {
    for (const id of HOUSEHOLDS) {
      const household = simulated(id);
      for (const seconds of INSTANTS) {
        const readings = household.readingsAt(seconds);
        const sumOf = (...types: string[]) =>
          readings.reduce(
            (sum, { power_kw }, index) =>
              sum + (types.includes(household.assets[index]?.type ?? '') ? power_kw : 0),
            0,
          );
        expect(sumOf('household_residual', 'wallbox', 'heat_pump', 'inverter')).toBeCloseTo(
          sumOf('household_net'),
          2,
        );
        expect(sumOf('solar', 'battery')).toBeCloseTo(sumOf('inverter'), 2);
        const hour = new Date(seconds * 1000).getUTCHours();
        if (hour >= 22 || hour < 2) expect(Math.abs(sumOf('solar'))).toBe(0);
      }
    }
  });

  test('a battery fills by what it takes: its charge has no jumps, at midnight and at the end of its day neither', () => {
    for (const id of HOUSEHOLDS.slice(0, 4)) {
      const household = simulated(id);
      const place = household.assets.findIndex((asset) => asset.type === 'battery');
      const battery = household.assets[place];
      if (battery?.type !== 'battery') throw new Error('No battery');
      const begin = Date.parse('2026-06-20T00:00:00Z') / 1000;
      let before = household.readingsAt(begin)[place]?.state_of_charge ?? 0;
      for (let seconds = begin + 60; seconds < begin + 3 * 86_400; seconds += 60) {
        const charge = household.readingsAt(seconds)[place]?.state_of_charge ?? 0;
        const largestStep = battery.battery.max_charge_power_kw / 60 / battery.battery.capacity_kwh;
        expect(Math.abs(charge - before)).toBeLessThanOrEqual(largestStep * 1.5 + 0.002);
        before = charge;
      }
    }
  });
});
