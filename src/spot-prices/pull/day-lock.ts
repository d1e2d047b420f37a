import type { Database } from '../../platform/database/db.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';

/**
 * Takes the locks of those days that no other pull holds, in every process, and runs the work with them. A lock lives as
 * long as its connection: a pull whose process dies holds nobody up.
 */
export async function withDayLocks<Result>(
  database: Database,
  zone: Zone,
  days: readonly DeliveryDay[],
  work: (held: readonly DeliveryDay[]) => Promise<Result>,
): Promise<Result> {
  return await database.withClient(async (client) => {
    const names = days.map((day) => `spot prices pulled ${zone} ${day}`);
    const { rows } = await client.query<{ name: string }>(
      `SELECT name
         FROM (SELECT name, pg_try_advisory_lock(hashtextextended(name, 0)) AS held
                 FROM unnest($1::text[]) AS name) AS tried
        WHERE held`,
      [names],
    );
    const held = new Set(rows.map((row) => row.name));
    try {
      return await work(days.filter((_, index) => held.has(names[index] ?? '')));
    } finally {
      await client.query(
        'SELECT pg_advisory_unlock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name',
        [[...held]],
      );
    }
  });
}
