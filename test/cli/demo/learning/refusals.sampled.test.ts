import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LEARNING_HOUSEHOLDS, LEARNING_ORGANIZATION } from '../../../../src/cli/demo/learning/households.ts';
import { importLearningPrices } from '../../../../src/cli/demo/learning/prices.ts';
import { readPriceConfig } from '../../../../src/config/prices.ts';
import { openDatabase } from '../../../../src/platform/database/db.ts';
import { openHttpClient } from '../../../../src/platform/http/client.ts';
import { createLogger } from '../../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../../src/platform/metrics.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import { storeLearningData } from '../../../setup/learning.ts';
import { isLongTier } from '../../../setup/tier.ts';

let database: TestDatabase;
let admin: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterEach(async () => {
  await admin?.end();
  await database?.drop();
});

const count = async (table: string) =>
  Number((await admin.query(`SELECT count(*) AS rows FROM ${table}`)).rows[0]?.rows);

test('an organization of another name is not touched', async () => {
  await admin.query("INSERT INTO organizations (id, name) VALUES ($1, 'Stadtwerke')", [
    LEARNING_ORGANIZATION.id,
  ]);
  await expect(storeLearningData(database)).rejects.toThrow(
    'is not that of the learning data: it is called "Stadtwerke"',
  );
  expect([await count('households'), await count('spot_prices')]).toEqual([0, 0]);
});

test('an organization with households of others is not touched', async () => {
  const { id, name } = LEARNING_ORGANIZATION;
  await admin.query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, name]);
  await admin.query(
    `INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
     VALUES ($1, 'cus_other0000000000000000000', 'person', 'A', 'B', 'a@example.org')`,
    [id],
  );
  await admin.query(
    `INSERT INTO households (organization_id, customer_id, id)
     VALUES ($1, 'cus_other0000000000000000000', 'dom_other0000000000000000000')`,
    [id],
  );
  await expect(storeLearningData(database)).rejects.toThrow('it has dom_other0000000000000000000');
  expect([await count('households'), await count('assets'), await count('spot_prices')]).toEqual([1, 0, 0]);
});

/** By `npm test` without the snapshots, which take seconds: what prices are left out, and why. */
async function storePrices(pricesSources = 'synthetic') {
  if (isLongTier) {
    const { prices, snapshots } = await storeLearningData(database, { pricesSources });
    expect(snapshots.stored).toBeGreaterThan(100_000);
    return prices;
  }
  const own = openDatabase({
    url: database.appUrl,
    applicationName: 'test-learning',
    connectionsMax: 1,
    onError: () => {},
  });
  const http = openHttpClient();
  const parts = {
    ...{
      database: own,
      http,
      clock: fakeClock('2026-11-20T10:00:00Z'),
      metrics: createMetrics({ runtime: false }),
    },
    log: createLogger({ level: 'silent', name: 'learn' }),
    config: readPriceConfig({ PRICES_SOURCES: pricesSources }),
  };
  try {
    return await importLearningPrices(parts, () => Promise.reject(new Error('The feed was asked')));
  } finally {
    await http.close();
    await own.close();
  }
}

test('invented prices are left out where those of the market are asked for', async () => {
  const prices = await storePrices('smard');
  expect(prices).toEqual({ leftOut: expect.stringContaining('PRICES_SOURCES is not synthetic') });
  expect([await count('spot_prices'), await count('price_kind')]).toEqual([0, 0]);
});

test('prices of the market stay as they are', async () => {
  await admin.query("INSERT INTO price_kind (kind) VALUES ('market')");
  const prices = await storePrices();
  expect(prices).toEqual({ leftOut: expect.stringContaining('prices of another kind (market)') });
  expect(await count('price_source_days')).toBe(0);
});

test('ids of the learning data are none that the service would draw', () => {
  const ids = LEARNING_HOUSEHOLDS.flatMap(({ id, assets }) => [id, ...assets.map((asset) => asset.id)]);
  for (const id of [LEARNING_ORGANIZATION.id, ...ids]) expect(id).toMatch(/^[a-z]{3}_learning[0-9a-z]{16}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
