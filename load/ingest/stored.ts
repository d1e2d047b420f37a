import type pg from 'pg';
import type { Sums } from './bodies.ts';

/** What the database holds of some assets: rows, sums, and a hash over every column that was sent. */
export interface Stored extends Sums {
  hash: string;
}

/** Counts and sums the rows of these assets; the hash does not depend on the order of the rows. */
export async function countStored(
  client: pg.ClientBase,
  table: string,
  keys: readonly number[],
): Promise<Stored> {
  const { rows } = await client.query<Record<keyof Stored, string>>(
    `SELECT count(*) AS "rows",
            coalesce(sum(round(power_kw * 1000)), 0) AS "powerThousandths",
            coalesce(sum(round(state_of_charge * 1000)), 0) AS "chargeThousandths",
            coalesce(sum(round(vehicle_state_of_charge * 1000)), 0) AS "vehicleChargeThousandths",
            count(*) FILTER (WHERE connected) AS connected,
            coalesce(sum(hash_record_extended(ROW (asset_id, timestamp, power_kw, state_of_charge, connected,
              vehicle_state_of_charge), 0)::numeric), 0) AS hash
       FROM ${table} WHERE asset_id = ANY ($1)`,
    [keys],
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`No count of ${table}`);
  return {
    rows: Number(row.rows),
    powerThousandths: Number(row.powerThousandths),
    chargeThousandths: Number(row.chargeThousandths),
    vehicleChargeThousandths: Number(row.vehicleChargeThousandths),
    connected: Number(row.connected),
    hash: row.hash,
  };
}

/** What differs, in words; nothing where all is as expected. */
export function differences(name: string, expected: Partial<Stored>, found: Stored): string[] {
  return Object.entries(expected).flatMap(([field, value]) => {
    const stored = found[field as keyof Stored];
    return stored === value ? [] : [`${name}: ${field} is ${stored} and not ${value}`];
  });
}
