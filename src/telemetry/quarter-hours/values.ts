import { Writable } from 'node:stream';
import { copyOut } from '../../platform/database/copy-out.ts';
import { type Connection, clientOf } from '../../platform/database/db.ts';
import { STATEMENT_LIMITS } from '../../platform/database/time-limits.ts';
import type { AssetValues, Series, Span } from './held.ts';

/** PostgreSQL counts instants from 2000 on, in microseconds. */
const EPOCH = Date.UTC(2000, 0, 1) * 1_000;
/** Of the file: a signature, flags, and the length of a header extension. */
const SIGNATURE_BYTES = 15;
/** Of an array with one dimension: how many dimensions, whether there are nulls, the type, the length, the first index. */
const ARRAY_BYTES = 20;
/** Of each element: its length, then eight bytes. */
const ELEMENT_BYTES = 12;

const instantOf = (microseconds: number) => new Date(microseconds / 1_000).toISOString();

/**
 * What assets sent in a span, by the function of the owner: as binary arrays, because a row each would cost the client more
 * than the server needs to find it. `snapshots` is `snapshotsMax` where there are more than are read.
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
    `COPY (SELECT * FROM read_quarter_hour_values('{${keys.join()}}', '${instantOf(begun)}', '${instantOf(ended)}',
                                                  ${snapshotsMax})) TO STDOUT (FORMAT binary)`,
    sink,
    STATEMENT_LIMITS.query_timeout,
  );
  return decode(Buffer.concat(parts));
}

function decode(file: Buffer): { assets: AssetValues[]; snapshots: number } {
  let at = SIGNATURE_BYTES;
  at += 4 + file.readInt32BE(at);
  const assets: AssetValues[] = [];
  let snapshots = 0;
  const whole = () => {
    const value = Number(file.readBigInt64BE(at + 4));
    at += 4 + 8;
    return value;
  };
  const array = (element: (offset: number) => number): Float64Array => {
    const length = file.readInt32BE(at);
    const begin = at + 4 + ARRAY_BYTES;
    at += 4 + Math.max(length, 0);
    const values = new Float64Array(length === -1 ? 0 : file.readInt32BE(begin - 8));
    for (let index = 0; index < values.length; index += 1) {
      values[index] = element(begin + index * ELEMENT_BYTES + 4);
    }
    return values;
  };
  const number = (offset: number) => file.readDoubleBE(offset);
  const instant = (offset: number) =>
    file.readInt32BE(offset) * 2 ** 32 + file.readUInt32BE(offset + 4) + EPOCH;
  const series = () => ascending({ at: array(instant), values: array(number) });
  /* Behind the last row stands -1 in place of a number of columns. */
  while (file.readInt16BE(at) !== -1) {
    at += 2;
    const asset = whole();
    snapshots += whole();
    assets.push({
      asset,
      power: series(),
      charge: series(),
      vehicleCharge: series(),
      connectedAt: array(instant).sort(),
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
