import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { RemovalLimits } from '../../platform/retention.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { Sum } from './held.ts';

/*
 * By the role for maintenance: these functions run as the owner of the tables (sql/repeatable/quarter-hours.sql) and look at
 * the assets of all organizations.
 */

/** How far the sums have come. */
export interface Progress {
  /** Null: the job never ran. */
  summed_until: string | null;
  summed_at: string | null;
  /** Entries that wait to be summed again, counted up to a number. */
  late_entries: number;
  oldest_late_at: string | null;
}

export async function findProgress(connection: Connection, entriesCountedMax: number): Promise<Progress> {
  const { rows } =
    await sql<Progress>`SELECT * FROM find_quarter_hour_progress(${entriesCountedMax})`.execute(connection);
  const [progress] = rows;
  if (progress === undefined) throw new Error('The progress of the sums by quarter hour has no row');
  return progress;
}

/** The first instant from one on at which snapshots may be stored; null: there are none. */
export async function findStoredSince(connection: Connection, since: string): Promise<string | null> {
  const { rows } = await sql<{
    stored: string | null;
  }>`SELECT next_stored_snapshots(${since}) AS stored`.execute(connection);
  return rows[0]?.stored ?? null;
}

/** The next assets behind a key. From here on until the transaction ends nobody else writes or erases sums. */
export async function nextAssets(
  connection: Connection,
  { after, assetsMax }: { after: number; assetsMax: number },
): Promise<number[]> {
  const { rows } = await sql<{ key: number }>`
    SELECT unnest(next_assets_to_sum(${after}, ${assetsMax})) AS key`.execute(connection);
  return rows.map(({ key }) => key);
}

export interface LateEntry {
  asset_id: number;
  start: string;
  quarter_hours: number;
}

/** Takes the oldest entries of each organization out of the queue by turns, equal ones as one. Nobody else writes or erases sums until the transaction ends. */
export async function takeLateEntries(connection: Connection, entriesMax: number): Promise<LateEntry[]> {
  const { rows } = await sql<LateEntry>`SELECT * FROM take_late_quarter_hours(${entriesMax})`.execute(
    connection,
  );
  return rows;
}

/** How far values of assets usually lie apart, in seconds; none where too few are known. */
export async function findUsualDistances(
  connection: Connection,
  keys: readonly number[],
  before: string,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ asset_id: number; seconds: number }>`
    SELECT * FROM find_usual_distances(${keys}, ${before})`.execute(connection);
  return new Map(rows.map(({ asset_id, seconds }) => [asset_id, seconds]));
}

const BIGINT = { oid: 20, bytes: 8 };
const INTEGER = { oid: 23, bytes: 4 };
const DOUBLE = { oid: 701, bytes: 8 };
/** In the order in which write_quarter_hours takes them. */
const COLUMNS: readonly (readonly [type: typeof DOUBLE, (sum: Sum) => number | null])[] = [
  [BIGINT, ({ asset }) => asset],
  [BIGINT, ({ start }) => start],
  [INTEGER, ({ samples }) => samples],
  [INTEGER, ({ connectedSamples }) => connectedSamples],
  [DOUBLE, ({ firstAt }) => firstAt],
  [DOUBLE, ({ lastAt }) => lastAt],
  [DOUBLE, ({ powerMin }) => powerMin],
  [DOUBLE, ({ powerMax }) => powerMax],
  [DOUBLE, ({ coveredSeconds }) => coveredSeconds],
  [DOUBLE, ({ consumedKwh }) => consumedKwh],
  [DOUBLE, ({ fedKwh }) => fedKwh],
  [DOUBLE, ({ chargeFirst }) => chargeFirst],
  [DOUBLE, ({ chargeLast }) => chargeLast],
  [DOUBLE, ({ vehicleChargeLast }) => vehicleChargeLast],
];
const SUMS_AT_ONCE = 20_000;
/** How many dimensions, whether there are nulls, the type, the length, the first index. */
const ARRAY_HEADER_BYTES = 20;
const TWO_POW_32 = 2 ** 32;

export async function writeSums(connection: Connection, sums: readonly Sum[]): Promise<void> {
  for (let from = 0; from < sums.length; from += SUMS_AT_ONCE) {
    const portion = sums.slice(from, from + SUMS_AT_ONCE);
    const columns = COLUMNS.map(([type, read]) => binaryArray(portion, type, read));
    await sql`SELECT write_quarter_hours(${sql.join(columns)})`.execute(connection);
  }
}

/** A column as PostgreSQL's binary array: in text form its numbers would cost both sides half as much as the sums themselves. */
function binaryArray(
  sums: readonly Sum[],
  { oid, bytes }: typeof DOUBLE,
  read: (sum: Sum) => number | null,
): Buffer {
  const array = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + sums.length * (4 + bytes));
  const view = new DataView(array.buffer, array.byteOffset, array.byteLength);
  for (const [index, field] of [1, 1, oid, sums.length, 1].entries()) view.setInt32(index * 4, field);
  let at = ARRAY_HEADER_BYTES;
  for (const sum of sums) {
    const value = read(sum);
    view.setInt32(at, value === null ? -1 : bytes);
    at += 4;
    if (value === null) continue;
    if (oid === DOUBLE.oid) view.setFloat64(at, value);
    else if (oid === INTEGER.oid) view.setInt32(at, value);
    else {
      const high = Math.floor(value / TWO_POW_32);
      view.setInt32(at, high);
      view.setUint32(at + 4, value - high * TWO_POW_32);
    }
    at += bytes;
  }
  return array.subarray(0, at);
}

/** Sums the quarter hours of assets by day, for those days of a span that are over. */
export async function writeDays(
  connection: Connection,
  keys: readonly number[],
  { begun, ended }: { begun: string; ended: string },
): Promise<number> {
  const { rows } = await sql<{ days: number }>`
    SELECT write_days_of_quarter_hours(${keys}, ${begun}, ${ended}) AS days`.execute(connection);
  return rows[0]?.days ?? 0;
}

/** Days of Berlin, the second one exclusive. */
export interface Days {
  first_day: string;
  end_day: string;
  begun: string;
  ended: string;
}

/** The next days that are over and not summed yet; null: there are none. */
export async function findNextDays(connection: Connection, daysMax: number): Promise<Days | null> {
  const { rows } = await sql<Days>`
    SELECT first_day, end_day, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begun,
           end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ended
      FROM next_days_to_sum(${daysMax})`.execute(connection);
  return rows[0] ?? null;
}

/** Days before this one are summed. */
export async function updateDaysProgress(connection: Connection, until: string): Promise<void> {
  await sql`SELECT advance_days(${until})`.execute(connection);
}

/** Makes single quarter hours of the entry that is next, and gives the next turn to another organization. */
export async function updateOldestEntry(connection: Connection): Promise<void> {
  await sql`SELECT split_late_quarter_hours()`.execute(connection);
}

/** Quarter hours before the first instant are final; all know what was sent before the second. */
export async function updateProgress(connection: Connection, until: string, knownAt: string): Promise<void> {
  await sql`SELECT advance_quarter_hours(${until}, ${knownAt})`.execute(connection);
}

/** Sums by day before a day. */
export async function deleteOldDays(
  connection: Connection,
  before: string,
  portion: number,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    SELECT delete_old_days(${before}, ${portion}) AS deleted`.execute(connection);
  return rows[0]?.deleted ?? 0;
}

/** The oldest first. */
export async function deleteSumChunks(
  connection: Connection,
  { before, portion }: RemovalLimits,
): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    SELECT drop_old_quarter_hour_chunks(${before}, ${portion}) AS dropped`.execute(connection);
  return rows[0]?.dropped ?? 0;
}

/* For readers of one organization, under its row-level security (sql/repeatable/asset-sums.sql). */

export interface QuarterHourOfAsset {
  asset: string;
  start: string;
  covered_seconds: number;
  consumed_kwh: number;
  fed_kwh: number;
}

/** Quarter hours of visible assets from one instant to another, the second one exclusive, in the order of time. */
export async function listQuarterHoursOfAssets(
  connection: Connection,
  assets: readonly string[],
  { from, until }: { from: string; until: string },
): Promise<QuarterHourOfAsset[]> {
  const { rows } = await sql<QuarterHourOfAsset>`
    SELECT * FROM quarter_hours_of_assets(${assets}::text[], ${from}::timestamptz, ${until}::timestamptz)`.execute(
    connection,
  );
  return rows;
}

/** The last day that is over on which each of these assets sent a power value; without those that never did. */
export async function listLastDays(
  connection: Connection,
  assets: readonly string[],
): Promise<ReadonlyMap<string, CalendarDay>> {
  if (assets.length === 0) return new Map();
  const { rows } = await sql<{ asset: string; day: CalendarDay }>`
    SELECT * FROM last_days_of_assets(${assets}::text[])`.execute(connection);
  return new Map(rows.map(({ asset, day }) => [asset, day]));
}
