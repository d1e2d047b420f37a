import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { gridOf, startText, type Zone } from '../calendar.ts';
import type { DayReading } from '../series.ts';
import { instantText } from '../store/fetch-records.ts';

/** One run of a forecast, as it is kept. */
export interface ForecastCapture {
  readonly source: string;
  readonly zone: Zone;
  /** The attempt that brought it; null for the own model. */
  readonly fetchId: number | null;
  /** When the source says it made the run, null where it does not. */
  readonly issuedAt: string | null;
  /** Milliseconds since 1970: the last byte, or the end of the calculation. Decides what was there before a freeze. */
  readonly capturedAt: number;
  /** SHA-256, hexadecimal. */
  readonly payloadHash: string;
  /** What a model was made of. */
  readonly inputs: Readonly<Record<string, unknown>> | null;
  readonly days: readonly ForecastDay[];
}

export type ForecastDay = Pick<DayReading, 'deliveryOn' | 'minutes' | 'points'>;

export interface StoredCapture {
  readonly id: number;
  /** False: the source said the same last time, and that older capture is the one named here. */
  readonly isNew: boolean;
}

/**
 * Stores a run with its values and the days it covers. Writes nothing if the content equals the source's last run: the older
 * capture keeps its time. Nothing stored is ever changed.
 */
export async function insertCapture(
  connection: Connection,
  capture: ForecastCapture,
): Promise<StoredCapture> {
  const { source, zone } = capture;
  const lock = `price forecast ${zone} ${source}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(connection);
  const hash = Buffer.from(capture.payloadHash, 'hex');
  const capturedAt = instantText(capture.capturedAt);
  const last = await sql<{ id: number; same: boolean }>`
    SELECT id, payload_hash = ${hash} AS same
      FROM price_forecast_captures
     WHERE zone = ${zone} AND source = ${source} AND captured_at <= ${capturedAt}
     ORDER BY captured_at DESC, id DESC
     LIMIT 1`.execute(connection);
  const [before] = last.rows;
  if (before?.same === true) return { id: before.id, isNew: false };
  const inputs = capture.inputs === null ? null : JSON.stringify(capture.inputs);
  const { rows } = await sql<{ id: number }>`
    INSERT INTO price_forecast_captures (fetch_id, source, zone, issued_at, captured_at, payload_hash, inputs)
    VALUES (${capture.fetchId}, ${source}, ${zone}, ${capture.issuedAt}, ${capturedAt}, ${hash}, ${inputs}::jsonb)
    RETURNING id`.execute(connection);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('A capture without an id');
  await insertValues(connection, id, capture.days);
  const days = capture.days.filter((day) => day.points.length > 0);
  await sql`
    INSERT INTO price_forecast_days (capture_id, zone, delivery_on, source, captured_at, complete)
    SELECT ${id}, ${zone}, day.delivery_on, ${source}, ${capturedAt}, day.complete
      FROM unnest(${days.map((day) => day.deliveryOn)}::date[], ${days.map(isComplete)}::boolean[])
             AS day (delivery_on, complete)`.execute(connection);
  return { id, isNew: true };
}

async function insertValues(connection: Connection, id: number, days: readonly ForecastDay[]): Promise<void> {
  const values = days.flatMap(({ minutes, points }) => points.map((point) => ({ ...point, minutes })));
  await sql`
    INSERT INTO price_forecast_values (capture_id, interval_start, minutes, amount)
    SELECT ${id}, value.interval_start, value.minutes, value.amount
      FROM unnest(${values.map(({ start }) => startText(start))}::timestamptz[],
                  ${values.map(({ minutes }) => minutes)}::smallint[],
                  ${values.map(({ eurMwh }) => eurMwh)}::numeric[])
             AS value (interval_start, minutes, amount)`.execute(connection);
}

/** Every interval in the day's own width: an hourly curve covers no day of quarter hours. */
function isComplete({ deliveryOn, minutes, points }: ForecastDay): boolean {
  const grid = gridOf(deliveryOn);
  return minutes === grid.minutes && points.length === grid.count;
}

/** Hash of the forecast of a model. The same history at the same clock gives the same bytes. */
export function contentHashOf(source: string, days: readonly ForecastDay[]): string {
  const lines = days.flatMap(({ minutes, points }) =>
    points.map(({ start, eurMwh }) => `${startText(start)} ${minutes} ${eurMwh}\n`),
  );
  return createHash('sha256').update(`${source}\n`).update(lines.join('')).digest('hex');
}
