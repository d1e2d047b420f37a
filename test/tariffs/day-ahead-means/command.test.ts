import { beforeEach, expect, test } from 'vitest';
import { forgetReferenceRevisions } from '../../../src/tariffs/reference-data/service.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { MeanStore } from './mean-store.ts';

const store = new MeanStore();
const mean = (...args: string[]) =>
  runCommand(testEnvironment(store.testDatabase, 'redis://127.0.0.1:1'), 'prices', 'mean', ...args);
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

beforeEach(async () => {
  await store.empty();
  await store.write(
    'TRUNCATE market_values, vat_rates',
    "INSERT INTO vat_rates (rate, valid_from, source) VALUES (0.19, '2021-01-01', 'UStG')",
    `INSERT INTO market_values (code, ct_net, valid_from, valid_to, source, checked_on)
     VALUES ('day_ahead_mean', 8.932, '2026-01-01', '2027-01-01', 'mean of 2025', NULL)`,
  );
});

test('prices mean --json shows window, months, missing days, resolution, sources and the figure, and writes nothing', async () => {
  await store.store({ first: '2025-04-01', end: '2026-03-20', amount: '80' });
  await store.store({ first: '2026-03-21', end: '2026-04-01', amount: '80', source: 'entsoe' });
  await store.write("DELETE FROM spot_prices WHERE interval_start = '2026-01-05T12:00Z'");
  const { exitCode, stdout } = await mean('--date', '2026-04-01', '--json');
  expect(exitCode).toBe(0);
  const shown = json(stdout);
  expect(shown).toMatchObject({
    price_date: '2026-04-01',
    window: { from: '2025-04-01T00:00:00+02:00', until: '2026-04-01T00:00:00+02:00' },
    quarter_hours: 35_040,
    priced_quarter_hours: 35_040 - 97,
    coverage_percent: '99.72',
    mean_ct_net: '8.0000',
    hourly_days: 183,
    quarter_hour_days: 181,
    sources: [
      { source: 'smard', days: 353 },
      { source: 'entsoe', days: 11 },
    ],
    missing_days: [
      { delivery_on: '2026-01-05', missing_quarter_hours: 1 },
      { delivery_on: '2026-03-20', missing_quarter_hours: 96 },
    ],
    figure: { value: '8.0000', origin: { table: 'day_ahead_means' } },
    why: '99.72 % of the quarter hours have a price, 90 % are needed',
    kept: null,
  });
  expect(shown.months).toHaveLength(12);
  expect(shown.months).toContainEqual({
    month: '2025-10',
    quarter_hours: 31 * 96 + 4,
    missing: 0,
    mean_ct_net: '8.0000',
  });
  expect(shown.months).toContainEqual({
    month: '2026-03',
    quarter_hours: 31 * 96 - 4,
    missing: 96,
    mean_ct_net: '8.0000',
  });
  for (const table of ['day_ahead_means', 'price_day_sums'])
    expect(await store.rows(`SELECT FROM ${table}`), table).toHaveLength(0);
});

test('below 90 % it shows the published row that counts, and why', async () => {
  await store.store({ first: '2026-10-01', end: '2026-11-20', amount: '80' });
  const shown = json((await mean('--date', '2026-11-20', '--json')).stdout);
  expect(shown).toMatchObject({
    figure: { value: '8.932', origin: { table: 'market_values', source: 'mean of 2025' } },
    why: '13.71 % of the quarter hours have a price, 90 % are needed: the row day_ahead_mean of market_values counts',
  });
  /* Parts of a month at both ends. */
  const months = shown.months as unknown[];
  expect(months.at(0)).toMatchObject({ month: '2025-11', quarter_hours: 11 * 96, missing: 11 * 96 });
  expect(months.at(-1)).toMatchObject({ month: '2026-11', quarter_hours: 19 * 96, missing: 0 });
  const { stdout } = await mean('--date', '2026-11-20');
  expect(stdout).toMatch(/^figure +8\.932 ct\/kWh net$/m);
  expect(stdout).toMatch(/^2026-10 +2980 +0 +8\.0000$/m);
});

test('without prices and row it says that quotes fail', async () => {
  await store.write('TRUNCATE market_values', 'UPDATE reference_revision SET revision = revision + 1');
  forgetReferenceRevisions();
  expect(json((await mean('--date', '2026-11-20', '--json')).stdout)).toMatchObject({
    mean_ct_net: null,
    figure: null,
    why: expect.stringMatching(/market_values is missing for that day: quotes fail$/),
  });
});

test('invented prices are named as such', async () => {
  await store.store({ first: '2025-11-20', end: '2026-11-20', amount: '80', source: 'synthetic' });
  await store.write("INSERT INTO price_kind (kind) VALUES ('synthetic')");
  const { stdout } = await mean('--date', '2026-11-20');
  expect(stdout).toMatch(/^prices +synthetic: NO MARKET PRICES$/m);
  expect(stdout).toMatch(/^source +mean of synthetic prices: invented numbers, no market prices/m);
});

test('a day that is none is refused', async () => {
  const { exitCode, stderr } = await mean('--date', '2026-02-30');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('A calendar day like');
});
