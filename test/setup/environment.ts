import { randomBytes } from 'node:crypto';
import type { TestDatabase } from './database.ts';

const PRICE_FEEDS = ['ENTSOE', 'SMARD', 'ENERGY_CHARTS', 'AWATTAR', 'ENERGYFORECAST'];

/** What API and worker processes need beside their address; keys are made anew for each. */
export function testEnvironment(
  database: Pick<TestDatabase, 'appUrl' | 'maintenanceUrl'>,
  redisUrl: string,
): Record<string, string> {
  const newKey = () => randomBytes(32).toString('base64url');
  return {
    APP_ENV: 'test',
    DATABASE_URL: database.appUrl,
    DATABASE_MAINTENANCE_URL: database.maintenanceUrl,
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'silent',
    SHUTDOWN_DELAY_SECONDS: '0',
    // What several of them do together has tests of its own.
    API_PROCESSES: '1',
    SECRET_PEPPER: newKey(),
    ENCRYPTION_KEY: newKey(),
    CURSOR_KEY: newKey(),
    // A new connection reads the catalog for every table that it meets: the fifth one costs more than it is waited for.
    DATABASE_CONNECTIONS_MAX: '4',
    // No test asks a real source of prices, even by mistake.
    ...Object.fromEntries(PRICE_FEEDS.map((name) => [`PRICES_${name}_URL`, 'http://127.0.0.1:1'])),
    // A busy machine is no outage: what happens in one has tests of its own.
    DATABASE_WAIT_MILLISECONDS_MAX: '60000',
    REDIS_ANSWER_MILLISECONDS_MAX: '1000',
    // Limits have tests of their own: no other test may meet one.
    TOKEN_REQUESTS_PER_SECOND: '100000',
    TOKEN_REQUESTS_BURST: '100000',
    TOKEN_FAILURES_MAX: '1000000',
    TOKEN_FAILURES_OF_ADDRESS_MAX: '1000000',
    TOKEN_FAILURES_ALARM: '1000000',
    // Clocks of tests jump over months between two requests: a key that is changed meanwhile has a test of its own.
    SIGNING_KEY_DAYS: '0',
    // Two test files and their servers share few cores: what is tested here is not the shedding.
    OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: '30000',
    OVERLOAD_RESIDENT_MEBIBYTES: '100000',
  };
}
