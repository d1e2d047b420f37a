import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/db.ts';
import { type DeliveryDay, type Zone, zoneOf } from '../calendar.ts';

/* Reads of the realized series for an answer: versions first, and the prices of those days that it has not seen yet. */

/** Name of the served state of one delivery day: it changes with every change of a served price. */
export interface DayVersion {
  delivery_on: DeliveryDay;
  version: number;
  state: 'complete' | 'partial' | 'suspect';
}

/*
 * Named, so that each connection plans it once, and sent by itself: every answer begins with it. BEGIN and COMMIT around it
 * and planning it anew took more of the database than the look into the index, and a quarter of the service's time for
 * an answer. It reads one table that belongs to no organization.
 */
const VERSIONS = {
  name: 'spot price versions',
  text: `SELECT zone, delivery_on, version, state
           FROM price_days
          WHERE zone = ANY ($1) AND delivery_on BETWEEN $2 AND $3
          ORDER BY delivery_on`,
};

/** Days of which nothing was ever stored have no row. */
export async function listVersions(
  database: Pick<Database, 'withClient'>,
  first: DeliveryDay,
  last: DeliveryDay,
): Promise<DayVersion[]> {
  const values = [zonesOf(first, last), first, last];
  const { rows } = await database.withClient((client) =>
    client.query<DayVersion & { zone: Zone }>({ ...VERSIONS, values }),
  );
  return rows.filter((row) => row.zone === zoneOf(row.delivery_on));
}

/** The served prices of one delivery day with the version they belong to. */
export interface ServedDay {
  delivery_on: DeliveryDay;
  version: number;
  /** Starts of the intervals in seconds since 1970, ascending. */
  starts: readonly number[];
  /** EUR/MWh, in the same order. */
  amounts: readonly string[];
}

/**
 * One row per day: a year of quarter hours is 35,000 prices. Version and prices come out of one statement, so they
 * belong together whatever is written meanwhile.
 */
export async function listServedDays(
  connection: Connection,
  days: readonly DeliveryDay[],
): Promise<ServedDay[]> {
  const [first = '', last = first] = [days[0], days.at(-1)];
  const { rows } = await sql<ServedDay & { zone: Zone }>`
    SELECT day.zone, day.delivery_on, day.version, served.starts, served.amounts
      FROM price_days AS day
     CROSS JOIN LATERAL (
             SELECT coalesce(array_agg(extract(epoch FROM interval_start)::float8 ORDER BY interval_start), '{}') AS starts,
                    coalesce(array_agg(amount::text ORDER BY interval_start), '{}') AS amounts
               FROM spot_prices AS price
              WHERE price.zone = day.zone AND price.delivery_on = day.delivery_on) AS served
     WHERE day.zone = ANY (${zonesOf(first, last)}) AND day.delivery_on = ANY (${[...days]}::date[])
     ORDER BY day.delivery_on`.execute(connection);
  return rows.filter((row) => row.zone === zoneOf(row.delivery_on));
}

function zonesOf(first: DeliveryDay, last: DeliveryDay): Zone[] {
  return [...new Set([zoneOf(first), zoneOf(last)])];
}
