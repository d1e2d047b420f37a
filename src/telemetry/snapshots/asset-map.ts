import { instantMicroseconds } from '../../platform/time/instant.ts';
import { type AssetType, bitsWhere, type FieldTable, MEASURED, MEASURED_VALUE_MAX } from './fields.ts';
import type { Token } from './json-bytes.ts';

/** How a type bounds what is rated besides the rating. */
interface TypeRule {
  readonly powerMin?: number;
  readonly powerMax?: number;
}

const TYPE_RULES: { readonly [Type in AssetType]?: TypeRule } = {
  solar: { powerMax: 0 },
  household_residual: { powerMin: 0 },
};

/** One asset as the database gives it. */
export interface AssetRow {
  key: number;
  id: string;
  external_id: string | null;
  type: AssetType;
  max_power_kw: number | null;
  peak_power_kw: number | null;
  max_charge_power_kw: number | null;
  max_discharge_power_kw: number | null;
  decommissioned_at: string | null;
}

/** Everything that the rules ask of an asset, worked out once per map and not once per row. */
export interface MappedAsset {
  /** Rank by key among the assets of the household. */
  readonly slot: number;
  /** The key of the hypertable. */
  readonly key: number;
  readonly type: AssetType;
  /** One bit per measured field that this type has: that of its place in the table. */
  readonly fields: number;
  /** Power from here to `powerMax` is accepted, both ends included. */
  readonly powerMin: number;
  readonly powerMax: number;
  /** Ratings behind these limits, for messages; null where the type's own limit or none at all applies. */
  readonly ratingIn: number | null;
  readonly ratingOut: number | null;
  /** Microseconds since 2000; infinite while the asset is in service. */
  readonly decommissionedAt: number;
}

/** How bodies of this household named its assets so far: a guess, which is compared with the bytes of the next one. */
export interface SeenNames {
  /** By slot: the name with both quotation marks. */
  readonly ids: (Token | undefined)[];
  readonly externalIds: (Token | undefined)[];
  /** By slot: the asset whose row came behind one of this asset last time; behind them that of the first row. */
  readonly next: Int32Array;
}

/** The assets of one household under both of their names. */
export interface AssetMap {
  /** What `fields` of the assets speak of. Who reads rows with this map, reads these fields. */
  readonly table: FieldTable;
  readonly assets: readonly MappedAsset[];
  readonly byId: ReadonlyMap<unknown, MappedAsset>;
  readonly byExternalId: ReadonlyMap<unknown, MappedAsset>;
  readonly seen: SeenNames;
}

export function createAssetMap(rows: readonly AssetRow[], table: FieldTable = MEASURED): AssetMap {
  const byId = new Map<unknown, MappedAsset>();
  const byExternalId = new Map<unknown, MappedAsset>();
  const assets = rows
    .toSorted((a, b) => a.key - b.key)
    .map((row, slot) => {
      const asset = mappedAsset(row, slot, table);
      byId.set(row.id, asset);
      if (row.external_id !== null) byExternalId.set(row.external_id, asset);
      return asset;
    });
  const seen = { ids: [], externalIds: [], next: new Int32Array(assets.length + 1) };
  return { table, assets, byId, byExternalId, seen };
}

function mappedAsset(row: AssetRow, slot: number, { fields }: FieldTable): MappedAsset {
  const rule = TYPE_RULES[row.type] ?? {};
  const { ratingIn, ratingOut } = ratings(row);
  return {
    slot,
    key: row.key,
    type: row.type,
    fields: bitsWhere(fields, ({ types }) => types.includes(row.type)),
    powerMin: rule.powerMin ?? -limit(ratingOut),
    powerMax: rule.powerMax ?? limit(ratingIn),
    ratingIn: rule.powerMax === undefined ? ratingIn : null,
    ratingOut: rule.powerMin === undefined ? ratingOut : null,
    decommissionedAt:
      row.decommissioned_at === null ? Number.POSITIVE_INFINITY : instantMicroseconds(row.decommissioned_at),
  };
}

/** The rating that bounds positive and negative power. */
function ratings(row: AssetRow): { ratingIn: number | null; ratingOut: number | null } {
  if (row.type === 'battery') {
    return { ratingIn: row.max_charge_power_kw, ratingOut: row.max_discharge_power_kw };
  }
  const rating = row.type === 'solar' ? row.peak_power_kw : row.max_power_kw;
  return { ratingIn: rating, ratingOut: rating };
}

/**
 * 1.5 times the rating, in decimals: 1.5 × 4.6 is 6.8999999999999995 in binary, and 6.9 would be refused. Fifteen
 * digits are what a double keeps of every decimal.
 */
function limit(rating: number | null): number {
  return rating === null ? MEASURED_VALUE_MAX : Number((rating * 1.5).toPrecision(15));
}
