import type { EntryCode, ErrorEntry } from '../../platform/errors.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import type { AssetMap, MappedAsset } from './asset-map.ts';
import { ABSENT, type Columns } from './columns.ts';
import { type FieldTable, isRated } from './fields.ts';
import {
  afterDecommissioning,
  ahead,
  NO_SUCH_ASSET,
  notOfThisType,
  type Problems,
  tooLittle,
  tooMuch,
} from './problems.ts';
import type { TimeLimits } from './time-limits.ts';

/** A row that the schema accepts. */
interface NamedRow {
  readonly asset?: string;
  readonly external_id?: string;
  readonly timestamp: string;
}

type WellShapedRow = NamedRow & { readonly [Field in string]?: number | boolean | string };

/** JSON knows -0; it compares equal to 0 and is stored as 0, so that a repetition has the same bytes. */
function withoutSignOfZero(value: number): number {
  return value + 0;
}

/**
 * Judges a row, with words for everything that is wrong: `shape` is what the schema says, and if that is nothing the
 * rules are asked. A row whose asset is known goes into the columns even so: it may also contradict another one.
 * Without a map (the household is unknown or not named) only the rules that need none are asked.
 */
export function judgeRow(
  columns: Columns,
  row: unknown,
  index: number,
  shape: readonly ErrorEntry[],
  map: AssetMap | null,
  limits: TimeLimits,
  problems: Problems,
): void {
  for (const { code, field, message } of shape) problems.add(index, code, field, message);
  if (shape.length > 0) {
    problems.hasShapeProblem = true;
    return;
  }

  const sent = row as WellShapedRow;
  const instant = instantMicroseconds(sent.timestamp);
  const asset = map === null ? undefined : assetOf(sent, map);
  if (map !== null && asset === undefined) {
    problems.restsOnAssetMap = true;
    problems.add(index, 'custom', sent.asset === undefined ? 'external_id' : 'asset', NO_SUCH_ASSET);
  }
  if (instant > limits.latest) problems.add(index, 'too_big', 'timestamp', ahead(instant, limits.now));
  else if (instant < limits.earliest) problems.add(index, 'too_small', 'timestamp', limits.tooOld());
  if (asset === undefined) return;
  judgeByAsset(columns.table, sent, index, asset, instant, problems);
  put(columns, sent, index, asset, instant);
}

function assetOf(row: WellShapedRow, map: AssetMap): MappedAsset | undefined {
  return row.asset === undefined ? map.byExternalId.get(row.external_id) : map.byId.get(row.asset);
}

function judgeByAsset(
  { fields }: FieldTable,
  row: WellShapedRow,
  index: number,
  asset: MappedAsset,
  instant: number,
  problems: Problems,
): void {
  const tell = (code: EntryCode, field: string, message: string) => {
    problems.restsOnAssetMap = true;
    problems.add(index, code, field, message, true);
  };
  if (instant > asset.decommissionedAt) {
    tell('custom', 'timestamp', afterDecommissioning(asset));
  }
  const present = fields.filter(({ name }) => row[name] !== undefined);
  for (const field of present) {
    const value = row[field.name];
    if (!isRated(field) || typeof value !== 'number') continue;
    if (value > asset.powerMax) tell('too_big', field.name, tooMuch(field, asset, value));
    else if (value < asset.powerMin) tell('too_small', field.name, tooLittle(field, asset, value));
  }
  const accepted = present.filter(({ types }) => types.includes(asset.type));
  for (const field of present) {
    if (!accepted.includes(field)) tell('unrecognized_keys', field.name, notOfThisType(field, asset));
  }
  if (accepted.length === 0) tell('custom', '', `No field of an asset of type ${asset.type}`);
}

function put(columns: Columns, row: WellShapedRow, index: number, asset: MappedAsset, instant: number): void {
  const at = columns.length;
  columns.row[at] = index;
  columns.slot[at] = asset.slot;
  columns.microseconds[at] = instant;
  const { names } = columns.table;
  for (const [place, name] of names.entries()) {
    columns.values[at * names.length + place] = withoutSignOfZero(Number(row[name] ?? ABSENT));
  }
  columns.length = at + 1;
}
