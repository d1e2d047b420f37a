import { type CommandLineConfig, readCommandLineConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { openHttpClient } from '../../src/platform/http/client.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { PriceParts } from '../../src/spot-prices/parts.ts';
import type { FakeClock } from '../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { storedRows } from '../setup/stored-rows.ts';

/** Everything that a pull works with, on a database of its own; time passes only when a test or a wait says so. */
export interface TestPrices {
  readonly parts: PriceParts;
  readonly clock: FakeClock;
  readonly database: TestDatabase;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds of every wait so far, none of which was really waited. */
  readonly waits: number[];
  /** Every log line so far. */
  readonly logged: string[];
  /** The same parts with other variables. */
  with(variables: Readonly<Record<string, string>>): PriceParts;
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** As if nothing had ever been asked; cheaper than another database. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

const TABLES = [
  ...[
    'spot_prices',
    'price_day_sums',
    'price_day_changes',
    'price_days',
    'price_source_days',
    'price_revisions',
  ],
  ...['price_forecast_values', 'price_forecast_days', 'price_forecast_captures'],
  ...['price_alarms', 'price_fetches', 'price_payloads', 'price_sources', 'audit_log'],
];

export async function openTestPrices(
  clock: FakeClock,
  variables: Readonly<Record<string, string>>,
): Promise<TestPrices> {
  const database = await createTestDatabase();
  const key = 'k'.repeat(43);
  const environment = {
    APP_ENV: 'test',
    DATABASE_URL: database.appUrl,
    SECRET_PEPPER: key,
    ENCRYPTION_KEY: key,
    LOG_LEVEL: 'info',
    ...variables,
  };
  const configOf = (more: Readonly<Record<string, string>>): CommandLineConfig =>
    readCommandLineConfig({ ...environment, ...more });
  const connected = openDatabase({
    url: database.appUrl,
    applicationName: 'test-prices',
    connectionsMax: 8,
    onError: () => {},
  });
  const http = openHttpClient();
  const [logged, waits]: [string[], number[]] = [[], []];
  const parts: PriceParts = {
    database: connected,
    clock,
    log: createLogger({ level: 'debug', name: 'test', destination: { write: (line) => logged.push(line) } }),
    metrics: createMetrics({ runtime: false }),
    config: configOf({}),
    http,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      clock.advance(milliseconds);
    },
  };
  return {
    parts,
    clock,
    database,
    environment,
    waits,
    logged,
    with: (more) => ({ ...parts, config: configOf(more) }),
    rows: (text, values) => storedRows({ database }, text, values),
    empty: async () => {
      for (const list of [waits, logged]) list.length = 0;
      /* Triggers and links are off for this one connection: some tables refuse every deletion. */
      const deletions = TABLES.map((table) => `DELETE FROM ${table}`);
      await storedRows({ database }, ['SET session_replication_role = replica', ...deletions].join(';'));
    },
    close: async () => {
      await http.close();
      await connected.close();
      await database.drop();
    },
  };
}

export interface FetchRow {
  source: string;
  outcome: string;
  interval_count: number;
}

/** What the records say about the attempts, oldest first. */
export function attempts(prices: TestPrices): Promise<FetchRow[]> {
  return prices.rows<FetchRow>('SELECT source, outcome, interval_count FROM price_fetches ORDER BY id');
}

export interface DayRow {
  served_source: string | null;
  state: string;
  version: number;
}

export async function dayOf(prices: TestPrices, deliveryOn: string): Promise<DayRow | undefined> {
  const [row] = await prices.rows<DayRow>(
    'SELECT served_source, state, version FROM price_days WHERE delivery_on = $1',
    [deliveryOn],
  );
  return row;
}

/** The served values of a day in EUR/MWh, ascending by time. */
export async function served(prices: TestPrices, deliveryOn: string): Promise<number[]> {
  const rows = await prices.rows<{ amount: string }>(
    'SELECT amount FROM spot_prices WHERE delivery_on = $1 ORDER BY interval_start',
    [deliveryOn],
  );
  return rows.map((row) => Number(row.amount));
}

export function openAlarms(prices: TestPrices): Promise<{ kind: string; source: string; detail: string }[]> {
  return prices.rows(
    'SELECT kind, source, detail FROM price_alarms WHERE resolved_at IS NULL ORDER BY kind, source',
  );
}

/** How many rows each table of realized prices has, and what is in the served one. */
export async function stored(prices: TestPrices): Promise<unknown> {
  return await prices.rows(`
    SELECT (SELECT count(*)::int FROM price_revisions) AS revisions,
           (SELECT count(*)::int FROM price_day_changes) AS changes,
           (SELECT md5(string_agg(s::text, '|' ORDER BY interval_start)) FROM spot_prices s) AS served,
           (SELECT md5(string_agg(d.delivery_on || d.state || d.version || d.served_source, '|' ORDER BY delivery_on))
              FROM price_days d) AS days`);
}
