import type { RouteName } from '../../src/platform/route.ts';
import { devices } from '../assets/devices.ts';
import { type Ids, MEASURED_AT, type Place } from './fixture.ts';

export interface Call {
  path: string;
  body?: Record<string, unknown>;
}

/** How one route is asked for something that belongs to somebody. */
export interface RouteRow {
  /** A request that succeeds for whoever may see these ids, as often as it is sent. */
  call(ids: Ids): Call;
  /** What the ids of nobody are answered with; 404 where absent, an empty list on lists. */
  missingStatus?: 400;
  list?: ListRow;
  /** Every place of the body that can name something: the body of `own` with that one thing of `other`. */
  references?: Readonly<Record<string, (own: Ids, other: Ids) => Record<string, unknown>>>;
}

export interface ListRow {
  /** Everything the list holds for whom sees all of it: the path with the filters it cannot do without. */
  all(households: readonly string[]): string;
  shown(place: Place): readonly string[];
  idOf(item: Record<string, unknown>): unknown;
  /** What each string filter is compared with. */
  filters: Readonly<Record<string, (ids: Ids) => string>>;
}

const id = (item: Record<string, unknown>) => item.id;

const snapshot = (household: string, row: Record<string, unknown>) => ({
  household,
  snapshots: [{ timestamp: MEASURED_AT, power_kw: 1, ...row }],
});

/** One row per route of the interface; a route without one fails the test beside it. */
export const routeRows: Readonly<Record<RouteName, RouteRow>> = {
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
};

export const routeNames = Object.keys(routeRows) as RouteName[];

export function rowOf(name: RouteName): RouteRow {
  const row = routeRows[name];
  if (row === undefined) throw new Error(`No row for ${name}`);
  return row;
}

export function methodOf(name: RouteName): string {
  return name.slice(0, name.indexOf(' '));
}
