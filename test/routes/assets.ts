import { devices } from '../telemetry/assets/devices.ts';
import { counter, idOf, type Noun, type Shown } from './table/row.ts';

const GAUSS = '2026-09-08.gauss';
const unique = counter();

/** The data of its type stand in a field of that name. */
const asset = (type: string): Shown => ({
  object: 'asset',
  fields: `id household type external_id display_name manufacturer model parent_inverter decommissioned_at created_at updated_at ${type}`,
});

const names = { display_name: 'Käthes Speicher', manufacturer: 'Maker', model: 'M 1' };

/** Another second each time, before the instant at which the clock of these tests stands. */
const newInstant = () => new Date(Date.UTC(2026, 10, 1) + unique() * 1000).toISOString();

export const noun: Noun = {
  routes: {
    'GET /assets': {
      whose: 'customer',
      since: GAUSS,
      path: ({ wallboxExternalId }) => `/assets?filter[external_id][eq]=${wallboxExternalId}`,
      shows: { ...asset('wallbox'), isList: true },
      list: {
        all: () => '/assets?',
        shown: ({ assets }) => assets,
        idOf,
        filters: {
          household: ({ household }) => household,
          external_id: ({ batteryExternalId }) => batteryExternalId,
          parent_inverter: ({ inverter }) => inverter,
        },
      },
    },
    'POST /assets': {
      whose: 'staff',
      since: GAUSS,
      path: () => '/assets',
      body: ({ household }) => ({ household, ...devices.wallbox }),
      shows: asset('wallbox'),
      missingStatus: 400,
      references: {
        household: (_own, { household }) => ({ household, ...devices.wallbox }),
        'parent_inverter of a battery': ({ household }, { inverter }) => ({
          household,
          ...devices.battery,
          parent_inverter: inverter,
        }),
        'parent_inverter of a solar array': ({ household }, { inverter }) => ({
          household,
          ...devices.solar,
          parent_inverter: inverter,
        }),
      },
      bodies: {
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
    },
    'GET /assets/{id}': {
      whose: 'customer',
      since: GAUSS,
      path: ({ battery }) => `/assets/${battery}`,
      shows: asset('battery'),
    },
    'PATCH /assets/{id}': {
      whose: 'staff',
      since: GAUSS,
      path: ({ battery }) => `/assets/${battery}`,
      body: () => ({}),
      shows: asset('battery'),
      references: { parent_inverter: (_own, { inverter }) => ({ parent_inverter: inverter }) },
      bodies: {
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
    },
    'POST /assets/{id}/decommission': {
      whose: 'staff',
      since: GAUSS,
      path: ({ spare }) => `/assets/${spare}/decommission`,
      body: () => ({}),
      shows: asset('heat_pump'),
      references: {},
      bodies: { full: () => [{ decommissioned_at: newInstant() }] },
    },
  },
};
