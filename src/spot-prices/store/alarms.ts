import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import { instantText } from './fetch-records.ts';

export type AlarmKind =
  | 'late'
  | 'disagreement'
  | 'clock_change'
  | 'denied'
  | 'rejected'
  | 'unusable'
  | 'suspect'
  | 'surcharge';

export interface Alarm {
  readonly kind: AlarmKind;
  readonly zone: Zone;
  /** A feed, two of them with a slash between, or empty where it is about none. */
  readonly source?: string;
  readonly deliveryOn?: DeliveryDay;
  /** One sentence for operators, without a token. */
  readonly detail: string;
  /** The attempt behind it: its body is kept. */
  readonly fetchId?: number | null;
}

/** What alarms are about: any of these may be left out. */
export interface AlarmFilter {
  readonly kind: AlarmKind;
  readonly zone?: Zone;
  readonly source?: string;
  readonly deliveryOn?: DeliveryDay | readonly DeliveryDay[];
}

/** An entry that stands until it is resolved; on its first sight an error line and a count. */
export async function raiseAlarm(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log' | 'metrics'>,
  alarm: Alarm,
): Promise<void> {
  const { kind, zone, source = '', deliveryOn = null, detail, fetchId = null } = alarm;
  const now = parts.clock.now().toISOString();
  const { rows } = await sql<{ is_new: boolean }>`
    INSERT INTO price_alarms (zone, kind, source, delivery_on, detail, fetch_id, raised_at, last_seen_at)
    VALUES (${zone}, ${kind}, ${source}, ${deliveryOn}, ${detail}, ${fetchId}, ${now}, ${now})
    ON CONFLICT (zone, kind, source, delivery_on) WHERE resolved_at IS NULL
    DO UPDATE SET last_seen_at = excluded.last_seen_at, detail = excluded.detail,
                  fetch_id = coalesce(excluded.fetch_id, price_alarms.fetch_id)
    RETURNING xmax = 0 AS is_new`.execute(connection);
  if (rows[0]?.is_new !== true) return;
  parts.metrics.counter('price_alarms_total', 'Alarms about prices by kind', ['kind']).inc({ kind });
  parts.log.error({ kind, source, delivery_on: deliveryOn }, `price alarm: ${detail}`);
}

/** How many alarms are over now. */
export async function resolveAlarms(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log'>,
  { kind, zone, source, deliveryOn }: AlarmFilter,
): Promise<number> {
  const days = deliveryOn === undefined ? null : [deliveryOn].flat();
  const { rows } = await sql<EndedAlarm>`
    UPDATE price_alarms SET resolved_at = ${parts.clock.now().toISOString()}
     WHERE resolved_at IS NULL
       AND kind = ${kind}
       AND (${zone ?? null}::text IS NULL OR zone = ${zone ?? null})
       AND (${source ?? null}::text IS NULL OR source = ${source ?? null})
       AND (${days}::date[] IS NULL OR delivery_on = ANY (${days}))
    RETURNING kind, source, delivery_on`.execute(connection);
  logEnds(parts, rows);
  return rows.length;
}

/** An alarm that is younger was raised by the run that is still going on. */
const REJECTION_MILLISECONDS_MIN = 3_600_000;

/**
 * A source that is understood again ends what it was refused for: the day of the alarm may never be asked for again. Days
 * of the answer itself are judged by what it says about them.
 */
export async function endOldRejections(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log'>,
  source: string,
  days: readonly DeliveryDay[],
): Promise<void> {
  const now = parts.clock.nowMilliseconds();
  const { rows } = await sql<EndedAlarm>`
    UPDATE price_alarms SET resolved_at = ${instantText(now)}
     WHERE resolved_at IS NULL AND kind = 'rejected' AND source = ${source}
       AND last_seen_at <= ${instantText(now - REJECTION_MILLISECONDS_MIN)}
       AND (delivery_on = ANY (${[...days]}::date[])) IS NOT TRUE
    RETURNING kind, source, delivery_on`.execute(connection);
  logEnds(parts, rows);
}

/** Of how a source answers. The others are about stored values, which stay when their source is asked no more. */
const KINDS_OF_ANSWERS: readonly AlarmKind[] = ['denied', 'rejected', 'surcharge'];

/** Alarms about how a source answers that is not among these; how many are over now. */
export async function endAlarmsBeside(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log'>,
  sources: readonly string[],
): Promise<number> {
  const { rows } = await sql<EndedAlarm>`
    UPDATE price_alarms SET resolved_at = ${parts.clock.now().toISOString()}
     WHERE resolved_at IS NULL
       AND kind = ANY (${[...KINDS_OF_ANSWERS]}::text[])
       AND source <> ALL (${[...sources]}::text[])
    RETURNING kind, source, delivery_on`.execute(connection);
  logEnds(parts, rows);
  return rows.length;
}

/** By its number; null where no such alarm stands. */
export async function endAlarm(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log'>,
  id: number,
): Promise<EndedAlarm | null> {
  const { rows } = await sql<EndedAlarm>`
    UPDATE price_alarms SET resolved_at = ${parts.clock.now().toISOString()}
     WHERE id = ${id} AND resolved_at IS NULL
    RETURNING kind, source, delivery_on`.execute(connection);
  logEnds(parts, rows);
  return rows[0] ?? null;
}

export interface EndedAlarm {
  kind: string;
  source: string;
  delivery_on: DeliveryDay | null;
}

function logEnds(parts: Pick<PriceParts, 'log'>, rows: readonly EndedAlarm[]): void {
  for (const row of rows) parts.log.info(row, 'price alarm resolved');
}

/** Those of the days, ascending, of which an alarm stands that this source, the second one of two, contradicts another. */
export async function listDisputedDays(
  connection: Connection,
  source: string,
  days: readonly DeliveryDay[],
): Promise<DeliveryDay[]> {
  const { rows } = await sql<{ delivery_on: DeliveryDay }>`
    SELECT DISTINCT delivery_on
      FROM price_alarms
     WHERE resolved_at IS NULL
       AND kind IN ('disagreement', 'clock_change')
       AND split_part(source, '/', 2) = ${source}
       AND delivery_on = ANY (${[...days]}::date[])
     ORDER BY delivery_on`.execute(connection);
  return rows.map((row) => row.delivery_on);
}

export interface OpenAlarm {
  /** What `prices resolve --alarm` takes. */
  id: number;
  kind: AlarmKind;
  zone: Zone;
  source: string;
  delivery_on: DeliveryDay | null;
  detail: string;
  raised_at: string;
  last_seen_at: string;
}

/** Those that stand, oldest first. */
export async function listOpenAlarms(connection: Connection): Promise<OpenAlarm[]> {
  const { rows } = await sql<OpenAlarm>`
    SELECT id, kind, zone, source, delivery_on, detail, raised_at, last_seen_at
      FROM price_alarms WHERE resolved_at IS NULL ORDER BY raised_at, id`.execute(connection);
  return rows;
}
