import type { SnapshotApi } from '../snapshots/snapshot-api.ts';

/** A row of asset_quarter_hours as far as energy goes. */
export interface HeldQuarterHour {
  start: string;
  samples: number;
  seconds: number;
  consumed: number;
  fed: number;
}

/** What is summed for an asset, ascending: quarter hours in which a value was sent or held. */
export async function storedSums(
  { admin }: Pick<SnapshotApi, 'admin'>,
  key: number,
): Promise<HeldQuarterHour[]> {
  const { rows } = await admin.query<HeldQuarterHour>(
    `SELECT to_char(start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS start, samples,
            covered_seconds AS seconds, consumed_kwh AS consumed, fed_kwh AS fed
       FROM asset_quarter_hours WHERE asset_id = $1 AND covered_seconds > 0 ORDER BY asset_quarter_hours.start`,
    [key],
  );
  return rows;
}

/** What waits to be summed again. */
export async function waitingEntries({ admin }: Pick<SnapshotApi, 'admin'>) {
  const { rows } = await admin.query<{ asset: string; start: string; quarter_hours: number }>(
    `SELECT asset_id AS asset, to_char(start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS start, quarter_hours
       FROM late_quarter_hours ORDER BY id`,
  );
  return rows.map((row) => ({ ...row, asset: Number(row.asset) }));
}
