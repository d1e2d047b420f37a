import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { pricesOf } from '../../../src/cli/demo/feed/formula.ts';
import { readWorkerConfig } from '../../../src/config/config.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { openHttpClient } from '../../../src/platform/http/client.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import {
  type DeliveryDay,
  daysBetween,
  gridOf,
  startsOf,
  startText,
} from '../../../src/spot-prices/calendar.ts';
import type { PriceParts } from '../../../src/spot-prices/parts.ts';
import { testEnvironment } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

export interface ForecastSetup {
  parts: PriceParts;
  database: Database;
  testDatabase: TestDatabase;
  clock: FakeClock;
}

/** A database of its own for one test file, with everything that forecasts work with; closed behind the last test. */
export async function openForecastParts(
  instant: string,
  environment: Record<string, string> = {},
): Promise<ForecastSetup> {
  const testDatabase = await createTestDatabase();
  const clock = fakeClock(instant);
  const database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'forecast-test',
    connectionsMax: 4,
    onError: () => {},
  });
  const config = readWorkerConfig({
    ...testEnvironment(testDatabase, 'redis://127.0.0.1:1'),
    BASE_URL: 'http://127.0.0.1:1',
    ...environment,
  });
  const log = createLogger({ level: 'silent', name: 'test' });
  const http = openHttpClient();
  afterAll(async () => {
    await Promise.all([database.close(), http.close()]);
    await testDatabase.drop();
  });
  const metrics = createMetrics({ runtime: false });
  return {
    parts: { database, clock, log, metrics, config, http, wait: async () => {} },
    database,
    testDatabase,
    clock,
  };
}

/** EUR/MWh of the intervals of a day as the feed's formula has them. */
export function formulaPrices(deliveryOn: DeliveryDay): number[] {
  return Array.from(pricesOf(deliveryOn), (cents) => cents / 100);
}

const DAYS_AT_ONCE = 60;

/** Puts days into the realized store, without the steps of a pull; what is there stays. */
export async function storeHistory(
  database: Database,
  from: DeliveryDay,
  to: DeliveryDay,
  pricesOn: (deliveryOn: DeliveryDay) => readonly number[] = formulaPrices,
): Promise<void> {
  const days = daysBetween(from, to);
  for (let first = 0; first < days.length; first += DAYS_AT_ONCE) {
    const rows = days.slice(first, first + DAYS_AT_ONCE).flatMap((deliveryOn) => {
      const grid = gridOf(deliveryOn);
      const prices = pricesOn(deliveryOn);
      return startsOf(grid)
        .slice(0, prices.length)
        .map((start, index) => ({ deliveryOn, start, minutes: grid.minutes, amount: prices[index] ?? 0 }));
    });
    await insertRows(database, rows);
  }
}

interface Row {
  deliveryOn: DeliveryDay;
  start: number;
  minutes: number;
  amount: number;
}

async function insertRows(database: Database, rows: readonly Row[]): Promise<void> {
  const values = sql`unnest(${rows.map((row) => row.deliveryOn)}::date[],
                            ${rows.map((row) => startText(row.start))}::timestamptz[],
                            ${rows.map((row) => row.minutes)}::smallint[],
                            ${rows.map((row) => row.amount)}::numeric[])
                       AS row (delivery_on, interval_start, minutes, amount)`;
  await database.asService(async (connection) => {
    const { rows: fetches } = await sql<{ id: number }>`
      INSERT INTO price_fetches (source, zone, delivery_from, delivery_to, url, requested_at, captured_at, outcome)
      VALUES ('smard', 'DE-LU', '2018-10-01', '2018-10-01', 'test', now(), now(), 'published')
      RETURNING id`.execute(connection);
    await sql`
      INSERT INTO price_revisions (source, zone, interval_start, minutes, revision, amount, fetch_id, captured_at)
      SELECT 'smard', 'DE-LU', row.interval_start, row.minutes, 1, row.amount, ${fetches[0]?.id ?? 0}, now()
        FROM ${values}
          ON CONFLICT DO NOTHING`.execute(connection);
    await sql`
      INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
      SELECT 'DE-LU', row.interval_start, row.minutes, row.delivery_on, row.amount, 'smard', 1
        FROM ${values}
          ON CONFLICT DO NOTHING`.execute(connection);
  });
}

/** Every row of a statement. */
export async function rowsOf<Row>(
  database: Database,
  text: ReturnType<typeof sql<Row>>,
): Promise<readonly Row[]> {
  return database.asService(async (connection) => (await text.execute(connection)).rows);
}
