import type { RouteName } from '../../src/platform/route.ts';
import { devices } from '../assets/devices.ts';

export type Json = Record<string, unknown>;

/** What the bodies name. */
export interface Home {
  household: string;
  inverter: string;
  battery: string;
  batteryExternalId: string;
  wallboxExternalId: string;
  /** May be taken out of use. */
  spare: string;
}

/** The bodies that one route accepts; each call gives one that was not sent before. */
export interface BodyRow {
  path(home: Home): string;
  /** What the route cannot do without: every part of it is required. */
  minimal(home: Home): Json;
  /** Together they fill every kind of field. */
  full(home: Home): Json[];
}

let calls = 0;
const unique = () => {
  calls += 1;
  return calls;
};

/** Another second each time, before the instant at which the clock of these tests stands. */
const newInstant = () => new Date(Date.UTC(2026, 10, 1) + unique() * 1000).toISOString();

const names = { display_name: 'Käthes Speicher', manufacturer: 'Maker', model: 'M 1' };

/** One row per route that takes a body; a route without one fails a test. */
export const bodyRows: Readonly<Record<RouteName, BodyRow>> = {
  'POST /assets': {
    path: () => '/assets',
    minimal: ({ household }) => ({ household, ...devices.wallbox }),
    full: ({ household, inverter }) => [
      {
        household,
        ...names,
        external_id: `battery ${unique()}`,
        parent_inverter: inverter,
        ...devices.battery,
      },
      {
        household,
        type: 'solar',
        external_id: `solar ${unique()}`,
        parent_inverter: inverter,
        solar: { peak_power_kw: 9.8, azimuth: 180, tilt: 30 },
      },
      { household, type: 'wallbox', wallbox: { max_power_kw: 11, phases: 3, bidirectional: true } },
    ],
  },
  'PATCH /assets/{id}': {
    path: ({ battery }) => `/assets/${battery}`,
    minimal: () => ({}),
    full: ({ inverter, batteryExternalId }) => [
      {
        ...names,
        model: `M ${unique()}`,
        external_id: batteryExternalId,
        parent_inverter: inverter,
        battery: { capacity_kwh: 12, max_charge_power_kw: 6 },
      },
    ],
  },
  'POST /assets/{id}/decommission': {
    path: ({ spare }) => `/assets/${spare}/decommission`,
    minimal: () => ({}),
    full: () => [{ decommissioned_at: newInstant() }],
  },
  'POST /asset-snapshots': {
    path: () => '/asset-snapshots',
    minimal: ({ household, battery }) => ({
      household,
      snapshots: [{ asset: battery, timestamp: newInstant(), power_kw: 1 }],
    }),
    full: ({ household, battery, wallboxExternalId }) => [
      {
        household,
        snapshots: [
          { asset: battery, timestamp: newInstant(), power_kw: -1.5, state_of_charge: 0.5 },
          {
            external_id: wallboxExternalId,
            timestamp: newInstant(),
            power_kw: 7,
            connected: true,
            vehicle_state_of_charge: 1,
          },
        ],
      },
    ],
  },
};

export const bodyRouteNames = Object.keys(bodyRows) as RouteName[];

export function bodyRowOf(name: RouteName): BodyRow {
  const row = bodyRows[name];
  if (row === undefined) throw new Error(`No body for ${name}`);
  return row;
}
