import type { MappedAsset } from './asset-map.ts';
import type { Columns } from './columns.ts';
import type { TimeLimits } from './time-limits.ts';

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
  const { table, values } = columns;
  const { rated, least, greatest } = table;
  const first = at * least.length;
  for (let sent = fields; sent !== 0; sent &= sent - 1) {
    const place = 31 - Math.clz32(sent & -sent);
    const value = values[first + place] as number;
    if (!(value >= (least[place] as number) && value <= (greatest[place] as number))) return false;
    if ((rated & sent & -sent) !== 0 && !(value >= asset.powerMin && value <= asset.powerMax)) return false;
  }
  return true;
}
