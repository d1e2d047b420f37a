import type { RouteName } from '../../src/platform/interface/route.ts';
import { addDays, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { devices } from '../assets/devices.ts';
import { MEASURED_AT } from './fixture.ts';
import { meteringRows } from './metering-rows.ts';
import { recordRows } from './record-rows.ts';
import type { RouteRow } from './row.ts';
import { signUpRow } from './sign-up-row.ts';

const id = (item: Record<string, unknown>) => item.id;

const snapshot = (household: string, row: Record<string, unknown>) => ({
  household,
  snapshots: [{ timestamp: MEASURED_AT, power_kw: 1, ...row }],
});

/** A second termination is accepted only when it ends supply earlier: a day less each time. */
let terminations = 0;
function earlierEnd(): string {
  terminations += 1;
  return berlinMidnight(addDays('2199-12-31', -terminations));
}

/** One row per route of the interface; a route without one fails the test beside it. */
export const routeRows: Readonly<Record<RouteName, RouteRow>> = {
  ...recordRows,
  ...meteringRows,
  'POST /admin/magic_link': {
    call: ({ customer }) => ({ path: '/admin/magic_link', body: { customerId: customer } }),
    references: { customerId: (_own, { customer }) => ({ customerId: customer }) },
  },
  'GET /subscriptions': {
    call: ({ household }) => ({ path: `/subscriptions?filter[household][eq]=${household}` }),
    list: {
      all: () => '/subscriptions?',
      shown: ({ subscriptions }) => subscriptions,
      idOf: id,
      filters: {
        customer: ({ customer }) => customer,
        plan: ({ plan }) => plan,
        household: ({ household }) => household,
      },
    },
  },
  'POST /subscriptions': signUpRow,
  'GET /subscriptions/{id}': {
    call: ({ subscription }) => ({ path: `/subscriptions/${subscription}` }),
  },
  'PATCH /subscriptions/{id}': {
    call: ({ subscription }) => ({ path: `/subscriptions/${subscription}`, body: { metadata: {} } }),
    references: {},
  },
  'POST /subscriptions/{id}/terminate': {
    call: ({ subscription }) => ({
      path: `/subscriptions/${subscription}/terminate`,
      body: { reason: 'MOVE_OUT', intended_end_at: earlierEnd() },
    }),
    references: {},
  },
  'GET /households': {
    call: ({ customer }) => ({ path: `/households?filter[customer][eq]=${customer}` }),
    list: {
      all: () => '/households?',
      shown: ({ households }) => households,
      idOf: id,
      filters: { customer: ({ customer }) => customer },
    },
  },
  'GET /households/{id}': {
    call: ({ household }) => ({ path: `/households/${household}` }),
  },
  'GET /assets': {
    call: ({ household }) => ({ path: `/assets?filter[household][eq]=${household}` }),
    list: {
      all: () => '/assets?',
      shown: ({ assets }) => assets,
      idOf: id,
      filters: {
        household: ({ household }) => household,
        external_id: ({ external_id }) => external_id,
        parent_inverter: ({ inverter }) => inverter,
      },
    },
  },
  'POST /assets': {
    call: ({ household }) => ({ path: '/assets', body: { household, ...devices.wallbox } }),
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
  },
  'GET /assets/{id}': {
    call: ({ battery }) => ({ path: `/assets/${battery}` }),
  },
  'PATCH /assets/{id}': {
    call: ({ battery }) => ({ path: `/assets/${battery}`, body: { display_name: 'Cellar' } }),
    references: { parent_inverter: (_own, { inverter }) => ({ parent_inverter: inverter }) },
  },
  'POST /assets/{id}/decommission': {
    call: ({ spare }) => ({ path: `/assets/${spare}/decommission`, body: {} }),
    references: {},
  },
  'POST /asset-snapshots': {
    call: ({ household, battery }) => ({
      path: '/asset-snapshots',
      body: snapshot(household, { asset: battery }),
    }),
    references: {
      household: (own, { household }) => snapshot(household, { asset: own.battery }),
      'household and asset': (_own, { household, battery }) => snapshot(household, { asset: battery }),
      'snapshots.N.asset': ({ household }, { battery }) => snapshot(household, { asset: battery }),
      'snapshots.N.external_id': ({ household }, { external_id }) => snapshot(household, { external_id }),
    },
  },
  'GET /asset-snapshots': {
    call: ({ household }) => ({ path: `/asset-snapshots?filter[household][eq]=${household}` }),
    list: {
      all: (households) => `/asset-snapshots?filter[household][in]=${households.join(',')}&`,
      shown: ({ inverter, battery }) => [inverter, battery],
      idOf: ({ asset }) => asset,
      filters: { household: ({ household }) => household, asset: ({ battery }) => battery },
    },
  },
  'GET /spot-prices': {
    call: () => ({ path: '/spot-prices' }),
    missingStatus: 200,
  },
};

export const routeNames = Object.keys(routeRows) as RouteName[];

export function rowOf(name: RouteName): RouteRow {
  const row = routeRows[name];
  if (row === undefined) throw new Error(`No row for ${name}`);
  return row;
}

/** The header by which a route is asked for in a version that has it. */
export function versionHeaderOf(name: RouteName): Record<string, string> {
  const { version } = rowOf(name);
  return version === undefined ? {} : { 'x-api-version': version };
}

export function methodOf(name: RouteName): string {
  return name.slice(0, name.indexOf(' '));
}
