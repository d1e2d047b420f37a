import { afterAll, expect, inject, test } from 'vitest';
import { readMigrations } from '../../../src/platform/database/migration-files.ts';
import { initDatabase, migrateDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';

/* To set up an empty database takes seconds. By `npm test` it is one that was set up and migrated before. */
const database = await createTestDatabase({ empty: isLongTier });
afterAll(() => database.drop());

const { databaseAdminUrl: adminUrl, passwords } = inject('servers');
const ask = (text: string) => storedRows<{ name: string }>({ database }, text);
const extensions = () =>
  ask(
    "SELECT extname AS name FROM pg_extension WHERE extname IN ('timescaledb', 'citus', 'btree_gist') ORDER BY 1",
  );
const both = [{ name: 'btree_gist' }, { name: engine }];

test('the administrator makes both extensions', async () => {
  if (isLongTier) await initDatabase({ adminUrl, database: database.name, passwords });
  expect(await extensions()).toEqual(both);
});

test('a database that was set up before reference data had guards migrates without an administrator', async () => {
  const guardsOf = () => ask("SELECT conname AS name FROM pg_constraint WHERE contype = 'x' ORDER BY 1");
  const before = await guardsOf();
  if (isLongTier) {
    await ask('DROP EXTENSION btree_gist');
    await migrateDatabase(database.ownerUrl);
  } else {
    await ask('DROP EXTENSION btree_gist CASCADE');
    const made = (await readMigrations()).flatMap(
      ({ text }) => /^CREATE EXTENSION .*btree_gist.*;$/m.exec(text) ?? [],
    );
    expect(made).toHaveLength(1);
    await withDatabaseClient(database.ownerUrl, (client) => client.query(made[0] ?? ''));
  }
  expect(await extensions()).toEqual(both);
  const guards = isLongTier ? await guardsOf() : before;
  expect(guards.map(({ name }) => name)).toEqual([
    'benchmarks_one_at_a_time',
    'concession_fees_one_at_a_time',
    'eeg_rates_one_at_a_time',
    'energy_mixes_one_at_a_time',
    'grid_fee_reductions_periods',
    'grid_fee_schedules_one_at_a_time',
    'grid_fees_one_at_a_time',
    'grid_operators_one_at_a_time',
    'invoices_usage_once',
    'levies_one_at_a_time',
    'load_profiles_one_at_a_time',
    'market_values_one_at_a_time',
    'metering_fees_one_at_a_time',
    'savings_parameters_one_at_a_time',
    'subscriptions_one_supply',
    'usage_groups_one_at_a_time',
    'vat_rates_one_at_a_time',
    'zip_areas_one_at_a_time',
  ]);
});
