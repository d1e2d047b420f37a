import { MEASURED } from '../../src/telemetry/snapshots/fields.ts';

/** Rows of a file for `\copy` in InfluxDB's line protocol: the asset is the tag, absent values are left out. Instants in milliseconds. */
export function lineProtocol(copyLines: Buffer): Buffer {
  const lines = copyLines.toString().trimEnd().split('\n');
  return Buffer.from(
    lines
      .map((line) => {
        const [asset, timestamp = '', ...values] = line.split('\t');
        const fields = values.flatMap((value, index) =>
          value === '\\N' ? [] : [`${MEASURED.names[index]}=${value}`],
        );
        return `asset_snapshots,asset=${asset} ${fields.join(',')} ${Date.parse(timestamp)}`;
      })
      .join('\n'),
  );
}
