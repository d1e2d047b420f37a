import { afterAll, beforeAll } from 'vitest';
import { type Connection, type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/** Between -50 and 350 EUR/MWh, another one for each interval, many of them negative. */
const VARIED = '(extract(epoch FROM start)::bigint / 900 * 7919 % 40000)::numeric / 100 - 50';

interface StoredSpan {
  first: string;
  /** Exclusive. */
  end: string;
  /** EUR/MWh as an expression over `start` and `day`. */
  amount?: string;
  zone?: string;
  source?: string;
}

/** A database of its own for one test file; prices come in by SQL that knows nothing of the code under test. */
export class MeanStore {
  #testDatabase: TestDatabase | undefined;
  #database: Database | undefined;

  constructor() {
    beforeAll(async () => {
      this.#testDatabase = await createTestDatabase();
      this.#database = openDatabase({
        url: this.#testDatabase.appUrl,
        applicationName: 'test-means',
        connectionsMax: 8,
        onError: () => {},
      });
    });
    afterAll(async () => {
      await this.#database?.close();
      await this.#testDatabase?.drop();
    });
  }

  get testDatabase(): TestDatabase {
    return present(this.#testDatabase);
  }

  as<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return present(this.#database).asService(work);
  }

  rows<Row>(text: string): Promise<Row[]> {
    return storedRows<Row>({ database: this.testDatabase }, text);
  }

  write(...statements: readonly string[]): Promise<void> {
    return writeServed({ database: this.testDatabase }, ...statements);
  }

  empty(): Promise<void> {
    return this.write('TRUNCATE spot_prices, price_days, price_kind, day_ahead_means CASCADE');
  }

  store(span: StoredSpan): Promise<void> {
    return storePrices({ database: this.testDatabase }, span);
  }

  /** As a revision leaves it: another value, and the next version of the day. */
  revise(day: string, amount: string): Promise<void> {
    return this.write(
      `UPDATE spot_prices SET amount = ${amount}, revision = revision + 1 WHERE delivery_on = '${day}'`,
      `UPDATE price_days SET version = version + 1 WHERE delivery_on = '${day}'`,
    );
  }

  /** The rule by the letter: every quarter hour of the window, and the price of the interval that it lies in. */
  async recomputed(priceDate: string): Promise<{ mean: string | null; priced: number; all: number }> {
    const [row] = await this.rows<{ mean: string | null; priced: number; all: number }>(`
      SELECT round(avg(price.amount) / 10, 4)::text AS mean, count(price.amount)::int AS priced, count(*)::int AS all
        FROM generate_series(
               ('${priceDate}'::date - interval '1 year') AT TIME ZONE 'Europe/Berlin',
               '${priceDate}'::timestamp AT TIME ZONE 'Europe/Berlin' - interval '15 min', interval '15 min') AS quarter
        LEFT JOIN spot_prices AS price
          ON price.zone = CASE WHEN quarter AT TIME ZONE 'Europe/Berlin' < '2018-10-01' THEN 'DE-AT-LU' ELSE 'DE-LU' END
         AND price.interval_start = CASE WHEN quarter AT TIME ZONE 'Europe/Berlin' < '2025-10-01'
                                         THEN date_trunc('hour', quarter) ELSE quarter END`);
    return present(row);
  }
}

type Place = Parameters<typeof storedRows>[0];

/** Links and triggers are off: the served prices alone, without the attempts that brought them. */
export async function writeServed(place: Place, ...statements: readonly string[]): Promise<void> {
  await storedRows(place, ['SET session_replication_role = replica', ...statements].join(';'));
}

/** Hours until 2025-09-30, quarter hours from then on, from midnight to midnight in Berlin. */
export function storePrices(
  place: Place,
  { first, end, amount = VARIED, zone = 'DE-LU', source = 'smard' }: StoredSpan,
): Promise<void> {
  return writeServed(
    place,
    `
      WITH days AS (
        SELECT day::date AS day, CASE WHEN day < '2025-10-01' THEN 60 ELSE 15 END AS minutes
          FROM generate_series('${first}'::timestamp, '${end}'::timestamp - interval '1 day', interval '1 day') AS day),
      written AS (
        INSERT INTO price_days (zone, delivery_on, served_source, state, version, updated_at)
        SELECT '${zone}', day, '${source}', 'complete', 1, now() FROM days)
      INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
      SELECT '${zone}', start, minutes, day, ${amount}, '${source}', 1
        FROM days
       CROSS JOIN LATERAL generate_series(day::timestamp AT TIME ZONE 'Europe/Berlin',
                                          (day + 1)::timestamp AT TIME ZONE 'Europe/Berlin' - interval '15 min',
                                          minutes * interval '1 min') AS start`,
  );
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Not there yet');
  return value;
}
