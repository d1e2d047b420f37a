import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';
import { meansSource } from '../providers/index.ts';

/* When what is served of a day changed, and who has looked at it since. */

export interface DayChange {
  version: number;
  served_source: string;
  changed_at: string;
}

/** Newest first. */
export async function listDayChanges(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
  limit: number,
): Promise<DayChange[]> {
  const { rows } = await sql<DayChange>`
    SELECT version, served_source, changed_at
      FROM price_day_changes
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn}
     ORDER BY version DESC
     LIMIT ${limit}`.execute(connection);
  return rows;
}

/** Whether hourly means of the whole day came after its last change; null where the day is not served complete. */
export async function isComparedSinceChange(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<boolean | null> {
  const { rows } = await sql<{ compared: boolean }>`
    SELECT EXISTS (
             SELECT FROM price_fetches AS means
              WHERE means.source = ${meansSource.name} AND means.zone = ${zone} AND means.delivery_from = ${deliveryOn}
                AND means.outcome = 'published'
                AND means.captured_at >= (
                      SELECT max(changed_at) FROM price_day_changes
                       WHERE zone = ${zone} AND delivery_on = ${deliveryOn})) AS compared
      FROM price_days
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn} AND state = 'complete'`.execute(connection);
  return rows[0]?.compared ?? null;
}
