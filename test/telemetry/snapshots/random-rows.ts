import fc from 'fast-check';
import {
  type FieldOfTable,
  type FieldTable,
  isRated,
  MEASURED,
} from '../../../src/telemetry/snapshots/fields.ts';
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
/** Steps that are larger than what binary64 loses at any bound of a field. */
const STEP = 1e-4;

function boundsOf(field: FieldOfTable): { min: number; max: number } {
  return field.kind === 'number' && field.bounds !== 'rating' ? field.bounds : { min: 0, max: 1 };
}

function anyValue(field: FieldOfTable): fc.Arbitrary<unknown> {
  if (field.kind === 'boolean') return fc.oneof(fc.boolean(), fc.anything());
  if (isRated(field)) return fc.oneof(anyNumber, fc.anything());
  const { min, max } = boundsOf(field);
  return fc.oneof(
    anyNumber,
    fc.constantFrom(min, max, (min + max) / 2, min - STEP, max + STEP),
    fc.anything(),
  );
}

/** Mostly within the bounds; the rating of an asset is another matter. */
function likelyValue(field: FieldOfTable): fc.Arbitrary<unknown> {
  if (field.kind === 'boolean') return fc.boolean();
  if (isRated(field))
    return fc.constantFrom(0, -0, 1, -1, 8, -8, 9, 9.001, -7.5, -7.501, 12, -12, 15, 15.001);
  const { min, max } = boundsOf(field);
  return fc.constantFrom(-0, min, (min + max) / 2, max, max + STEP);
}

function valuesOf(
  fields: readonly FieldOfTable[],
  arbitrary: (field: FieldOfTable) => fc.Arbitrary<unknown>,
) {
  return Object.fromEntries(fields.map((field) => [field.name, arbitrary(field)]));
}

/** Rows of all kinds, and rows that are mostly good. */
export function randomRows({ fields }: FieldTable) {
  const rated = fields.filter(isRated);
  const others = fields.filter((field) => !isRated(field));
  const typesOf = (name: string) => fields.find((field) => field.name === name)?.types ?? [];
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
          ...valuesOf(fields, anyValue),
          soc: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: fc.anything() },
  );
  const likelyRow = fc
    .tuple(
      fc.constantFrom(...assetRows()),
      fc.boolean(),
      fc.record(valuesOf(rated, likelyValue)),
      fc.record(valuesOf(others, likelyValue), { requiredKeys: [] }),
      fc.nat(8),
      fc.constantFrom(
        '2026-05-01T00:00:00Z',
        '2026-05-01T02:00:00+02:00',
        '2026-12-01T11:06:00Z',
        '2026-12-01T11:07:00Z',
      ),
    )
    .map(([asset, byId, powers, values, foreign, timestamp]) => ({
      ...(byId ? { asset: asset.id } : { external_id: asset.external_id }),
      timestamp,
      ...powers,
      ...Object.fromEntries(
        Object.entries(values).filter(([name]) => foreign === 0 || typesOf(name).includes(asset.type)),
      ),
    }));
  return {
    /** As it would come out of a body. */
    jsonRow: anyRow.map((row) => JSON.parse(JSON.stringify(row) ?? 'null') as unknown),
    likelyRow,
  };
}

export const { jsonRow, likelyRow } = randomRows(MEASURED);
