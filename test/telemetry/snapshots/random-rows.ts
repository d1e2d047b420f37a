import fc from 'fast-check';
import { assetRows } from './asset-maps.ts';

/** Good values, values at and beyond every limit, and values of other types, at known and unknown keys. */
const anyNumber = fc.oneof(
  fc.double({ noNaN: true }),
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    8,
    9,
    12,
    12.0000001,
    15,
    15.001,
    -7.5,
    -7.501,
    1e9,
    -1e9,
    999_999_999.9,
    2 ** 60,
  ),
);
const anyRow = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record(
      {
        asset: fc.oneof(
          fc.constantFrom(...assetRows().map((row) => row.id), 'x', '', '\u0000'),
          fc.anything(),
        ),
        external_id: fc.oneof(
          fc.constantFrom(...assetRows().map((row) => row.external_id), '\ud800'),
          fc.anything(),
        ),
        timestamp: fc.oneof(
          fc.constantFrom(
            '2026-12-01T11:06:00Z',
            '2026-12-01T11:06:00.000001Z',
            '2026-06-01T00:00:00Z',
            '2026-05-01T02:00:00.5+02:00',
            '1715-01-01T00:00:00Z',
            '1714-12-31T23:59:59Z',
            '0001-01-01T00:00:00+01:00',
            '2026-02-30T00:00:00Z',
            'x',
          ),
          fc.anything(),
        ),
        power_kw: fc.oneof(anyNumber, fc.anything()),
        state_of_charge: fc.oneof(anyNumber, fc.constantFrom(0.5, 1.0001), fc.anything()),
        connected: fc.oneof(fc.boolean(), fc.anything()),
        vehicle_state_of_charge: fc.oneof(fc.constantFrom(0.5, -0.1), fc.anything()),
        soc: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.anything() },
);
/** As it would come out of a body. */
export const jsonRow = anyRow.map((row) => JSON.parse(JSON.stringify(row) ?? 'null') as unknown);

/** Mostly good. */
export const likelyRow = fc
  .tuple(
    fc.constantFrom(...assetRows()),
    fc.boolean(),
    fc.constantFrom(0, -0, 1, -1, 8, -8, 9, 9.001, -7.5, -7.501, 12, -12, 15, 15.001),
    fc.record(
      {
        state_of_charge: fc.constantFrom(0, 0.5, 1),
        connected: fc.boolean(),
        vehicle_state_of_charge: fc.constantFrom(-0, 0.5, 1.1),
      },
      { requiredKeys: [] },
    ),
    fc.constantFrom(
      '2026-05-01T00:00:00Z',
      '2026-05-01T02:00:00+02:00',
      '2026-12-01T11:06:00Z',
      '2026-12-01T11:07:00Z',
    ),
  )
  .map(([asset, byId, power_kw, others, timestamp]) => ({
    ...(byId ? { asset: asset.id } : { external_id: asset.external_id }),
    timestamp,
    power_kw,
    ...(asset.type === 'battery' || asset.type === 'wallbox' ? others : {}),
  }));
