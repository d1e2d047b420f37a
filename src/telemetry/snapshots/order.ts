import { type Columns, firstDifference, shownValue } from './columns.ts';
import type { FieldOfTable } from './fields.ts';
import { differs, type Problems } from './problems.ts';

export interface SortedRows {
  /** How many of the places in `order` count: by asset key and timestamp, without repetitions. */
  readonly length: number;
  /** Rows of the request that equal another one, each beside the row that stands for both. */
  readonly repetitions: readonly RepeatedRow[];
}

export interface RepeatedRow {
  readonly row: number;
  readonly kept: number;
}

/**
 * Sorts by (asset, timestamp): a counting sort by asset, which keeps the order in which rows were sent, and inside an
 * asset a real sort only where its instants do not ascend already. Gateways send them ascending, and an asset whose
 * instants ascend strictly has no repetitions either. Transactions that write in this order cannot wait for each other
 * in a circle; unsorted, 105 of 120 parallel ones into the same chunk ended in a deadlock.
 */
export function sortRows(
  columns: Columns,
  assetCount: number,
  unsorted: Uint8Array,
  problems: Problems,
): SortedRows {
  const { order, slot, length } = columns;
  const ends = new Int32Array(assetCount + 1);
  for (let at = 0; at < length; at += 1)
    ends[(slot[at] as number) + 1] = (ends[(slot[at] as number) + 1] as number) + 1;
  for (let asset = 0; asset < assetCount; asset += 1) {
    ends[asset + 1] = (ends[asset + 1] as number) + (ends[asset] as number);
  }
  const starts = ends.slice();
  for (let at = 0; at < length; at += 1) {
    const asset = slot[at] as number;
    const place = starts[asset] as number;
    order[place] = at;
    starts[asset] = place + 1;
  }

  const repetitions: RepeatedRow[] = [];
  let written = 0;
  for (let asset = 0; asset < assetCount; asset += 1) {
    const from = ends[asset] as number;
    const to = ends[asset + 1] as number;
    if (unsorted[asset] === 1) {
      written = sortOneAsset(columns, from, to, written, repetitions, problems);
    } else {
      if (written < from) order.copyWithin(written, from, to);
      written += to - from;
    }
  }
  return { length: written, repetitions };
}

/** Sorts one asset's rows and drops repetitions: the first of equal rows stays, a different one is a problem. */
function sortOneAsset(
  columns: Columns,
  from: number,
  to: number,
  target: number,
  repetitions: RepeatedRow[],
  problems: Problems,
): number {
  const { order, microseconds } = columns;
  order.subarray(from, to).sort((a, b) => (microseconds[a] as number) - (microseconds[b] as number) || a - b);
  let written = target;
  let kept = -1;
  for (let place = from; place < to; place += 1) {
    const at = order[place] as number;
    if (kept !== -1 && microseconds[at] === microseconds[kept]) {
      const field = firstDifference(columns, kept, at);
      if (field === null)
        repetitions.push({ row: columns.row[at] as number, kept: columns.row[kept] as number });
      else addDifference(columns, kept, at, field, problems);
    } else {
      kept = at;
      order[written] = at;
      written += 1;
    }
  }
  return written;
}

function addDifference(
  columns: Columns,
  first: number,
  later: number,
  field: FieldOfTable,
  problems: Problems,
): void {
  const message = differs(shownValue(columns, field, later), shownValue(columns, field, first), 'sent');
  problems.add(columns.row[later] as number, 'custom', field.name, message);
}
