import { Writable } from 'node:stream';
import { copyOut } from '../../platform/database/copy-out.ts';
import { type Connection, clientOf } from '../../platform/database/db.ts';
import { STATEMENT_LIMITS } from '../../platform/database/time-limits.ts';
import type { AssetValues, Series, Span } from './held.ts';

/** PostgreSQL counts instants from 2000 on, in microseconds. */
const EPOCH = Date.UTC(2000, 0, 1) * 1_000;
/** Of the file: a signature, flags, and the length of a header extension. */
const SIGNATURE_BYTES = 15;
const INSTANT_BYTES = 8;
const VALUE_BYTES = 8;

const instantOf = (microseconds: number) => new Date(microseconds / 1_000).toISOString();

/**
 * The values of assets in a span, by the function of the owner. They come as the bytes of all values of an asset, because a
 * row each would cost the client more than the server needs to find it. `snapshots` is `snapshotsMax` where there are more
 * than are read.
 */
export async function readValues(
  connection: Connection,
  keys: readonly number[],
  { begun, ended }: Span,
  snapshotsMax: number,
): Promise<{ assets: AssetValues[]; snapshots: number }> {
  const parts: Buffer[] = [];
  const sink = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  await copyOut(
    clientOf(connection),
    `COPY (SELECT * FROM read_values_to_sum('{${keys.join()}}', '${instantOf(begun)}', '${instantOf(ended)}',
                                            ${snapshotsMax})) TO STDOUT (FORMAT binary)`,
    sink,
    STATEMENT_LIMITS.query_timeout,
  );
  return decode(Buffer.concat(parts));
}

function decode(file: Buffer): { assets: AssetValues[]; snapshots: number } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = SIGNATURE_BYTES;
  at += 4 + view.getInt32(at);
  const assets: AssetValues[] = [];
  let snapshots = 0;
  const whole = () => {
    const value = Number(view.getBigInt64(at + 4));
    at += 4 + 8;
    return value;
  };
  /** Goes past a column of instants, each with a value of so many bytes behind it. */
  const series = (valueBytes: number): Series => {
    const length = Math.max(view.getInt32(at), 0);
    let from = at + 4;
    at = from + length;
    const instants = new Float64Array(length / (INSTANT_BYTES + valueBytes));
    const values = new Float64Array(valueBytes === 0 ? 0 : instants.length);
    for (let index = 0; index < instants.length; index += 1) {
      instants[index] = view.getInt32(from) * 2 ** 32 + view.getUint32(from + 4) + EPOCH;
      if (valueBytes > 0) values[index] = view.getFloat64(from + INSTANT_BYTES);
      from += INSTANT_BYTES + valueBytes;
    }
    return { at: instants, values };
  };
  const measured = () => ascending(series(VALUE_BYTES));
  /* Behind the last row stands -1 in place of a number of columns. */
  while (view.getInt16(at) !== -1) {
    at += 2;
    const asset = whole();
    snapshots += whole();
    assets.push({
      asset,
      power: measured(),
      charge: measured(),
      vehicleCharge: measured(),
      connectedAt: series(0).at.sort(),
    });
  }
  return { assets, snapshots };
}

/** As they lie in the table values are nearly in the order of their instants. */
function ascending(series: Series): Series {
  const { at, values } = series;
  let isAscending = true;
  for (let index = 1; index < at.length; index += 1) {
    if ((at[index] as number) < (at[index - 1] as number)) isAscending = false;
  }
  if (isAscending) return series;
  const order = Uint32Array.from(at, (_, index) => index).sort(
    (a, b) => (at[a] as number) - (at[b] as number),
  );
  return {
    at: Float64Array.from(order, (index) => at[index] as number),
    values: Float64Array.from(order, (index) => values[index] as number),
  };
}
