import type { ErrorEntry } from '../platform/errors.ts';
import { instantMicroseconds } from '../platform/time/instant.ts';
import { type AssetMap, fieldBit, type MappedAsset } from './asset-map.ts';
import { ABSENT, CONNECTED_ABSENT, columns } from './columns.ts';
import {
  afterDecommissioning,
  ahead,
  NO_SUCH_ASSET,
  notOfThisType,
  type Problems,
  tooLittlePower,
  tooMuchPower,
} from './problems.ts';
import { MEASURED_FIELDS, MEASURED_VALUE_MAX, type MeasuredField } from './schema.ts';
import type { TimeLimits } from './time-limits.ts';

/** What JSON can hold at the places of a row. */
type LooseRow = Readonly<Partial<Record<'asset' | 'external_id' | 'timestamp' | MeasuredField, unknown>>>;

/** A row that the schema accepts. */
interface WellShapedRow {
  readonly asset?: string;
  readonly external_id?: string;
  readonly timestamp: string;
  readonly power_kw?: number;
  readonly state_of_charge?: number;
  readonly connected?: boolean;
  readonly vehicle_state_of_charge?: number;
}

const POWER = fieldBit('power_kw');
const STATE_OF_CHARGE = fieldBit('state_of_charge');
const CONNECTED = fieldBit('connected');
const VEHICLE_STATE_OF_CHARGE = fieldBit('vehicle_state_of_charge');

/**
 * Whether the rules have nothing to say of the row that stands at this place of the columns, whose instant and values
 * are numbers of the right kind; `fields` has a bit for each value that was sent.
 */
export function isAllowed(at: number, fields: number, asset: MappedAsset, limits: TimeLimits): boolean {
  if (fields === 0 || (fields & ~asset.fields) !== 0) return false;
  const instant = columns.microseconds[at] as number;
  if (!(instant >= limits.earliest && instant <= limits.latest && instant <= asset.decommissionedAt))
    return false;
  if ((fields & POWER) !== 0) {
    const power = columns.powerKw[at] as number;
    if (!(power >= asset.powerMin && power <= asset.powerMax)) return false;
    if (!(power > -MEASURED_VALUE_MAX && power < MEASURED_VALUE_MAX)) return false;
  }
  if ((fields & STATE_OF_CHARGE) !== 0 && !isShare(columns.stateOfCharge[at] as number)) return false;
  return (fields & VEHICLE_STATE_OF_CHARGE) === 0 || isShare(columns.vehicleStateOfCharge[at] as number);
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

/**
 * Puts a row of a parsed body into the columns if there is nothing at all to say about it. False means no more than that
 * the row needs a closer look.
 */
export function takeGoodRow(row: unknown, index: number, map: AssetMap, limits: TimeLimits): boolean {
  if (typeof row !== 'object' || row === null) return false;
  const loose: LooseRow = row;
  const { asset: id, external_id: externalId, timestamp } = loose;
  if (id !== undefined && externalId !== undefined) return false;
  const asset = id === undefined ? map.byExternalId.get(externalId) : map.byId.get(id);
  if (asset === undefined || typeof timestamp !== 'string') return false;

  const { power_kw, state_of_charge, connected, vehicle_state_of_charge } = loose;
  const at = columns.length;
  let fields = 0;
  let members = 2;
  if (power_kw === undefined) {
    columns.powerKw[at] = ABSENT;
  } else {
    if (typeof power_kw !== 'number') return false;
    fields |= POWER;
    members += 1;
    columns.powerKw[at] = withoutSignOfZero(power_kw);
  }
  if (state_of_charge === undefined) {
    columns.stateOfCharge[at] = ABSENT;
  } else {
    if (typeof state_of_charge !== 'number') return false;
    fields |= STATE_OF_CHARGE;
    members += 1;
    columns.stateOfCharge[at] = withoutSignOfZero(state_of_charge);
  }
  if (connected === undefined) {
    columns.connected[at] = CONNECTED_ABSENT;
  } else {
    if (typeof connected !== 'boolean') return false;
    fields |= CONNECTED;
    members += 1;
    columns.connected[at] = connected ? 1 : 0;
  }
  if (vehicle_state_of_charge === undefined) {
    columns.vehicleStateOfCharge[at] = ABSENT;
  } else {
    if (typeof vehicle_state_of_charge !== 'number') return false;
    fields |= VEHICLE_STATE_OF_CHARGE;
    members += 1;
    columns.vehicleStateOfCharge[at] = withoutSignOfZero(vehicle_state_of_charge);
  }
  for (const _member in row) members -= 1;
  if (members !== 0) return false;

  columns.row[at] = index;
  columns.slot[at] = asset.slot;
  columns.microseconds[at] = instantMicroseconds(timestamp);
  if (!isAllowed(at, fields, asset, limits)) return false;
  columns.length = at + 1;
  return true;
}

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
  judgeByAsset(sent, index, asset, instant, problems);
  put(sent, index, asset, instant);
}

function assetOf(row: WellShapedRow, map: AssetMap): MappedAsset | undefined {
  return row.asset === undefined ? map.byExternalId.get(row.external_id) : map.byId.get(row.asset);
}

function judgeByAsset(
  row: WellShapedRow,
  index: number,
  asset: MappedAsset,
  instant: number,
  problems: Problems,
): void {
  const before = problems.length;
  if (instant > asset.decommissionedAt) {
    problems.add(index, 'custom', 'timestamp', afterDecommissioning(asset));
  }
  const power = row.power_kw;
  if (power !== undefined) {
    if (power > asset.powerMax) problems.add(index, 'too_big', 'power_kw', tooMuchPower(asset, power));
    else if (power < asset.powerMin)
      problems.add(index, 'too_small', 'power_kw', tooLittlePower(asset, power));
  }
  const present = MEASURED_FIELDS.filter((field) => row[field] !== undefined);
  const accepted = present.filter((field) => (asset.fields & fieldBit(field)) !== 0);
  for (const field of present) {
    if (!accepted.includes(field)) {
      problems.add(index, 'unrecognized_keys', field, notOfThisType(field, asset));
    }
  }
  if (accepted.length === 0) {
    problems.add(index, 'custom', '', `No field of an asset of type ${asset.type}`);
  }
  if (problems.length > before) problems.restsOnAssetMap = true;
}

function put(row: WellShapedRow, index: number, asset: MappedAsset, instant: number): void {
  const at = columns.length;
  columns.row[at] = index;
  columns.slot[at] = asset.slot;
  columns.microseconds[at] = instant;
  columns.powerKw[at] = withoutSignOfZero(row.power_kw ?? ABSENT);
  columns.stateOfCharge[at] = withoutSignOfZero(row.state_of_charge ?? ABSENT);
  columns.connected[at] = row.connected === undefined ? CONNECTED_ABSENT : Number(row.connected);
  columns.vehicleStateOfCharge[at] = withoutSignOfZero(row.vehicle_state_of_charge ?? ABSENT);
  columns.length = at + 1;
}
