import type { EntryCode, ErrorEntry } from '../../platform/errors.ts';
import { instantFromMicroseconds } from '../../platform/time/instant.ts';
import type { MappedAsset } from './asset-map.ts';
import { type FieldOfTable, type FieldTable, MEASURED } from './fields.ts';

interface Problem {
  row: number;
  /** Place of the field within the row. */
  rank: number;
  entry: ErrorEntry;
  tellsStored: boolean;
}

/** All that a refusal says of a row to who may not read what is stored: not even which field differs. */
const NOT_AS_STORED = 'Does not fit what is stored of this asset';

/** Collects what is wrong with the rows, in whatever order it is found. */
export class Problems {
  readonly #problems: Problem[] = [];
  /** Fields of a row in the order in which their problems are listed; what concerns the whole row comes last. */
  readonly #fieldOrder: readonly string[];
  #inOrder = true;
  /** Something is refused because of what the asset map says: a fresher one could judge otherwise. */
  restsOnAssetMap = false;
  /** At least one row has not the shape of a row, so that not even an unknown household answers 404. */
  hasShapeProblem = false;
  /** Some sentence holds a stored value. */
  tellsStored = false;

  constructor({ names }: FieldTable = MEASURED) {
    this.#fieldOrder = ['asset', 'external_id', 'timestamp', ...names];
  }

  get length(): number {
    return this.#problems.length;
  }

  /** `field` is relative to the row; empty for the row as a whole. `tellsStored`: the sentence holds a stored value. */
  add(row: number, code: EntryCode, field: string, message: string, tellsStored = false): void {
    this.tellsStored ||= tellsStored;
    const rank = this.#fieldOrder.indexOf(field);
    const last = this.#problems.at(-1);
    const problem = {
      row,
      rank: rank === -1 ? this.#fieldOrder.length : rank,
      entry: { code, field: field === '' ? `snapshots.${row}` : `snapshots.${row}.${field}`, message },
      tellsStored,
    };
    if (last !== undefined && (row < last.row || (row === last.row && problem.rank < last.rank))) {
      this.#inOrder = false;
    }
    this.#problems.push(problem);
  }

  /** Rows ascending, within a row the order of its fields. `isHidden`: for who may not read what is stored. */
  entries(isHidden = false): ErrorEntry[] {
    if (!this.#inOrder) this.#problems.sort((a, b) => a.row - b.row || a.rank - b.rank);
    return this.#problems.map(({ row, entry, tellsStored }) =>
      isHidden && tellsStored
        ? { code: entry.code, field: `snapshots.${row}`, message: NOT_AS_STORED }
        : entry,
    );
  }
}

/* One text for an asset that does not exist, belongs to another household or to another organization. */
export const NO_SUCH_ASSET = 'No such asset in this household';

/** The code is that of an unknown key: only the sentence says that the key is known, and where it belongs. */
export function notOfThisType({ name, types }: FieldOfTable, asset: MappedAsset): string {
  return `${name} belongs to type ${types.join(' or ')}, and the asset is of type ${asset.type}`;
}

export function tooMuch({ unit }: FieldOfTable, asset: MappedAsset, value: number): string {
  if (asset.ratingIn !== null)
    return `${value} ${unit} is more than 1.5 times the rating of ${asset.ratingIn} ${unit}`;
  return `${value} ${unit} is more than ${asset.powerMax} ${unit}, the most for an asset of type ${asset.type}${asset.powerMax === 0 ? ': what it gives is negative' : ''}`;
}

export function tooLittle({ unit }: FieldOfTable, asset: MappedAsset, value: number): string {
  if (asset.ratingOut !== null) {
    return `${value} ${unit} is less than -1.5 times the rating of ${asset.ratingOut} ${unit}`;
  }
  return `${value} ${unit} is less than ${asset.powerMin} ${unit}, the least for an asset of type ${asset.type}${asset.powerMin === 0 ? ': what it takes is positive' : ''}`;
}

export function afterDecommissioning(asset: MappedAsset): string {
  return `After the asset was decommissioned at ${instantFromMicroseconds(asset.decommissionedAt)}`;
}

export function differs(sent: string, other: string, where: 'sent' | 'stored'): string {
  return `${sent} differs from ${other} ${where} for the same asset and timestamp`;
}

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** `3 min 12 s`: the two largest units. */
function duration(microseconds: number): string {
  let rest = Math.floor(microseconds / 1_000_000);
  const parts: string[] = [];
  const first = UNITS.findIndex((unit) => rest >= unit.seconds);
  for (const unit of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    parts.push(`${count} ${unit.name}`);
  }
  return parts.join(' ');
}

export function ahead(microseconds: number, nowMicroseconds: number): string {
  const difference = duration(microseconds - nowMicroseconds);
  return `${difference} ahead of the server time ${instantFromMicroseconds(nowMicroseconds)}`;
}
