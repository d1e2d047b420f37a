import { counter, type Ids, type Json, type Noun } from './table/row.ts';

const GAUSS = '2026-09-08.gauss';
const MEASURED_AT = '2026-12-01T11:00:00Z';
const unique = counter();

/** Another second each time, before the one that is the newest. */
const newInstant = () => new Date(Date.UTC(2026, 10, 1) + unique() * 1000).toISOString();

const batch = ({ household }: Pick<Ids, 'household'>, row: Json): Json => ({
  household,
  snapshots: [{ timestamp: MEASURED_AT, power_kw: 1, ...row }],
});

export const noun: Noun = {
  routes: {
    'GET /asset-snapshots': {
      whose: 'customer',
      since: GAUSS,
      path: ({ battery }) => `/asset-snapshots?filter[asset][eq]=${battery}`,
      shows: {
        object: 'asset_snapshot',
        fields: 'household asset timestamp power_kw state_of_charge created_at',
        isList: true,
      },
      list: {
        all: (households) => `/asset-snapshots?filter[household][in]=${households.join(',')}&`,
        shown: ({ inverter, battery }) => [inverter, battery],
        idOf: ({ asset }) => asset,
        filters: { household: ({ household }) => household, asset: ({ battery }) => battery },
      },
    },
    'POST /asset-snapshots': {
      whose: 'staff',
      since: GAUSS,
      path: () => '/asset-snapshots',
      body: (ids) => batch(ids, { asset: ids.battery, timestamp: newInstant() }),
      shows: { object: 'asset_snapshot_batch', fields: 'household total stored duplicates start end' },
      references: {
        household: (own, other) => batch(other, { asset: own.battery }),
        'household and asset': (_own, other) => batch(other, { asset: other.battery }),
        'snapshots.N.asset': (own, { battery }) => batch(own, { asset: battery }),
        'snapshots.N.external_id': (own, { batteryExternalId }) =>
          batch(own, { external_id: batteryExternalId }),
      },
      bodies: {
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
    },
  },
  make: async ({ client, ids: { household, battery, inverter } }) => {
    const snapshots = [battery, inverter].map((asset) => ({ asset, timestamp: MEASURED_AT, power_kw: 1 }));
    const stored = await client.post('/asset-snapshots', { household, snapshots });
    if (stored.status !== 200) throw new Error(stored.text);
    return { private: [] };
  },
};
