import { fieldBit, type MappedAsset } from './asset-map.ts';
import type { Columns } from './columns.ts';
import { MEASURED_VALUE_MAX } from './schema.ts';
import type { TimeLimits } from './time-limits.ts';

const POWER = fieldBit('power_kw');
const STATE_OF_CHARGE = fieldBit('state_of_charge');
const VEHICLE_STATE_OF_CHARGE = fieldBit('vehicle_state_of_charge');

/**
 * Whether the rules have nothing to say of the row that stands at this place of the columns, whose instant and values
 * are numbers of the right kind; `fields` has a bit for each value that was sent.
 */
export function isAllowed(
  columns: Columns,
  at: number,
  fields: number,
  asset: MappedAsset,
  limits: TimeLimits,
): boolean {
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
