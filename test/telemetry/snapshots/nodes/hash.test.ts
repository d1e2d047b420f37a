import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { hashOfKey } from '../../../../src/telemetry/snapshots/nodes/hash.ts';

/** Of every length: a key's upper half is 0 for the first 65,536 identity numbers, and more than that after them. */
function randomKey(): number {
  const bits = 1 + (randomBytes(1).readUInt8() % 53);
  return Number(randomBytes(8).readBigUInt64BE() >> BigInt(64 - bits));
}

const EDGES = [
  0,
  1,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  Number.MAX_SAFE_INTEGER,
  -1,
  -(2 ** 31),
  -(2 ** 32) - 1,
  Number.MIN_SAFE_INTEGER,
];

test('the hash of a key is the server’s hashint8, for random keys and those at the edges', async () => {
  const keys = [...EDGES, ...Array.from({ length: 20_000 }, randomKey)];
  const { rows } = await withDatabaseClient(inject('servers').databaseAdminUrl, (client) =>
    client.query<{ hash: number }>('SELECT hashint8(key) AS hash FROM unnest($1::bigint[]) AS key', [keys]),
  );
  expect(keys.map(hashOfKey)).toEqual(rows.map(({ hash }) => hash));
});
