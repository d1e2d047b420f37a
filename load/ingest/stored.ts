import type pg from 'pg';
import { MEASURED, MEASURED_FIELDS } from '../../src/telemetry/snapshots/fields.ts';
import type { Sums } from './bodies.ts';

/** The stored rows of some assets: number, sums, and a hash over every column that was sent. */
export type StoredSums = Sums & { readonly hash: string };

const SUMS = MEASURED_FIELDS.map(({ name, kind }) =>
  kind === 'boolean'
    ? `count(*) FILTER (WHERE ${name}) AS ${name}`
    : `coalesce(sum(round(${name} * 1000)), 0) AS ${name}`,
).join(', ');

/** Counts and sums the rows of these assets; the hash does not depend on the order of the rows. */
export async function countStored(
  client: pg.ClientBase,
  table: string,
  keys: readonly number[],
): Promise<StoredSums> {
  const { rows } = await client.query<Record<keyof StoredSums, string>>(
    `SELECT count(*) AS rows, ${SUMS},
            coalesce(sum(hash_record_extended(ROW (${MEASURED.copyColumns}), 0)::numeric), 0) AS hash
       FROM ${table} WHERE asset_id = ANY ($1)`,
    [keys],
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`No count of ${table}`);
  const { hash, ...sums } = row;
  const numbers = Object.entries(sums).map(([name, sum]) => [name, Number(sum)]);
  return { ...(Object.fromEntries(numbers) as Sums), hash };
}

/** What differs, in words; nothing where all is as expected. */
export function differences(name: string, expected: Partial<StoredSums>, found: StoredSums): string[] {
  return Object.entries(expected).flatMap(([field, value]) => {
    const stored = found[field as keyof StoredSums];
    return stored === value ? [] : [`${name}: ${field} is ${stored} and not ${value}`];
  });
}
