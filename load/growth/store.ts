import type pg from 'pg';

/** Rows of one statement. */
const PORTION_ROWS = 500_000;
const STEP_SECONDS = 60;

/** Values of a minute each up to the newest one, in the order in which gateways send them; nothing else is stored then. */
export async function store(
  database: pg.ClientBase,
  keys: readonly number[],
  { newest, instants }: { newest: number; instants: number },
): Promise<void> {
  await database.query('TRUNCATE asset_snapshots, asset_quarter_hours, asset_days');
  await database.query(
    "UPDATE quarter_hour_progress SET summed_until = '-infinity', days_summed_until = '-infinity'",
  );
  const portion = Math.max(1, Math.floor(PORTION_ROWS / keys.length));
  for (let begin = instants; begin > 0; begin -= portion) {
    await database.query(
      `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
       SELECT key, to_timestamp(second), round((3 * sin(second / 7000.0 + key) + random())::numeric, 2)
         FROM generate_series($2::bigint, $3::bigint, ${STEP_SECONDS}) AS second, unnest($1::bigint[]) AS key`,
      [keys, newest - (begin - 1) * STEP_SECONDS, newest - Math.max(0, begin - portion) * STEP_SECONDS],
    );
  }
  await database.query('VACUUM ANALYZE asset_snapshots');
}

export async function bytesPerRow(
  database: pg.ClientBase,
  table: 'asset_snapshots' | 'asset_quarter_hours' = 'asset_snapshots',
): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    `SELECT (SELECT hypertable_size('${table}'))::float8 / (SELECT count(*) FROM ${table}) AS bytes`,
  );
  return Math.round((rows[0]?.bytes ?? 0) * 10) / 10;
}

/** All chunks into the columnstore, where there is one. */
export async function compress(database: pg.ClientBase): Promise<boolean> {
  const { rows } = await database.query<{ chunk: string }>(
    `SELECT chunk::text FROM show_chunks('asset_snapshots') AS chunk
      WHERE current_setting('timescaledb.license') = 'timescale'`,
  );
  for (const { chunk } of rows) await database.query(`CALL convert_to_columnstore('${chunk}')`);
  return rows.length > 0;
}
