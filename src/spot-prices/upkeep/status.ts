import type { Connection, Database } from '../../platform/database/db.ts';
import { addDays, type DeliveryDay, daysBetween, gridOf, type Zone, zoneOf } from '../calendar.ts';
import { listDayVersions, listSourceDays, type SourceDay, shownState } from '../queries.ts';
import { listOpenAlarms, type OpenAlarm } from '../store/alarms.ts';
import { type DayChange, listDayChanges } from '../store/day-statements.ts';
import { listSources, type SourceStanding } from '../store/sources.ts';
import {
  type DayAlarm,
  type DayFetch,
  listAlarmsOfDay,
  listFetchesOfDay,
  listRevisionCounts,
  listServedCounts,
} from './status-queries.ts';

/** One delivery day as operators see it. */
export interface DayStatus {
  delivery_on: DeliveryDay;
  /** `missing`: nothing of it is served or held back. */
  state: 'complete' | 'partial' | 'suspect' | 'missing';
  source: string | null;
  /** Intervals that are served, and how many the day has. */
  intervals: number;
  expected: number;
  /** Values that replaced an earlier one of the same feed. */
  revisions: number;
  version: number;
  /** The bracket of its publication: later than the first instant, not later than the second one. */
  incomplete_until: string | null;
  complete_since: string | null;
}

export interface PriceStatus {
  days: DayStatus[];
  alarms: OpenAlarm[];
  sources: SourceStanding[];
}

export interface DayDetail extends DayStatus {
  zone: Zone;
  preferred_source: string | null;
  sources: SourceDay[];
  /** Versions of what is served, newest first. */
  changes: DayChange[];
  fetches: DayFetch[];
  alarms: DayAlarm[];
}

const FETCHES_MAX = 100;
const CHANGES_MAX = 100;

/** Every day of the span, `to` not among them, known or not, with what stands open. */
export async function priceStatus(
  database: Database,
  from: DeliveryDay,
  to: DeliveryDay,
): Promise<PriceStatus> {
  return await database.asService(async (connection) => {
    const days: DayStatus[] = [];
    for (const zone of ['DE-AT-LU', 'DE-LU'] as const) {
      const ofZone = daysBetween(from, addDays(to, -1)).filter((day) => zoneOf(day) === zone);
      days.push(...(await dayStatuses(connection, zone, ofZone)));
    }
    return {
      days,
      alarms: await listOpenAlarms(connection),
      sources: await listSources(connection),
    };
  });
}

/** One day with its feeds, the attempts that asked for it, and its alarms. */
export async function dayDetail(database: Database, deliveryOn: DeliveryDay): Promise<DayDetail> {
  const zone = zoneOf(deliveryOn);
  return await database.asService(async (connection) => {
    const [day] = await dayStatuses(connection, zone, [deliveryOn]);
    const [row] = await listDayVersions(connection, zone, deliveryOn, deliveryOn);
    if (day === undefined) throw new RangeError(`Not a delivery day: ${deliveryOn}`);
    return {
      ...day,
      zone,
      preferred_source: row?.preferred_source ?? null,
      sources: await listSourceDays(connection, zone, deliveryOn, deliveryOn),
      changes: await listDayChanges(connection, zone, deliveryOn, CHANGES_MAX),
      fetches: await listFetchesOfDay(connection, zone, deliveryOn, FETCHES_MAX),
      alarms: await listAlarmsOfDay(connection, zone, deliveryOn),
    };
  });
}

async function dayStatuses(
  connection: Connection,
  zone: Zone,
  days: readonly DeliveryDay[],
): Promise<DayStatus[]> {
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return [];
  const rows = new Map(
    (await listDayVersions(connection, zone, from, to)).map((row) => [row.delivery_on, row]),
  );
  const byDay = (counts: readonly { delivery_on: DeliveryDay; count: number }[]) =>
    new Map(counts.map((row) => [row.delivery_on, row.count]));
  const served = byDay(await listServedCounts(connection, zone, from, to));
  const revisions = byDay(await listRevisionCounts(connection, zone, from, to));
  return days.map((delivery_on) => {
    const row = rows.get(delivery_on);
    return {
      delivery_on,
      state: shownState(row),
      source: row?.served_source ?? null,
      intervals: served.get(delivery_on) ?? 0,
      expected: gridOf(delivery_on).count,
      revisions: revisions.get(delivery_on) ?? 0,
      version: row?.version ?? 0,
      incomplete_until: row?.last_incomplete_at ?? null,
      complete_since: row?.first_complete_at ?? null,
    };
  });
}
