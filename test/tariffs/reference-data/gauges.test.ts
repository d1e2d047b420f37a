import { expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { referenceGauges } from '../../../src/tariffs/reference-data/gauges.ts';
import { fakeClock } from '../../setup/clock.ts';
import { referenceFolder, rowsOf, takeReferenceStore } from './reference-store.ts';

const store = await takeReferenceStore();
const clock = fakeClock('2026-11-30T22:59:00Z');

const lines: { level: string; msg: string; keys?: object; on?: string }[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
const log = createLogger({ level: 'info', name: 'test', destination });
const metrics = createMetrics({ runtime: false });
const refresh = referenceGauges({ database: store.database, clock, metrics, log });

/** What a gauge shows of each table at an instant. */
async function gauge(name: string, instant: string): Promise<Record<string, number>> {
  clock.set(instant);
  await refresh();
  const text = await metrics.text();
  const found = text.matchAll(new RegExp(`^voltstream_${name}\\{table="(\\w+)"\\} (\\S+)$`, 'gm'));
  return Object.fromEntries(
    [...found].map(([, table = '', value = '']) => [table, value === '+Inf' ? Infinity : Number(value)]),
  );
}
const daysLeft = (instant: string) => gauge('reference_days_left', instant);
/** Tables of which something is lacking. */
const lacking = async (instant: string) =>
  Object.fromEntries(
    Object.entries(await gauge('reference_keys_lacking', instant)).filter(([, keys]) => keys > 0),
  );

const ENDING = { levies: 3, market_values: 1, benchmarks: 1, grid_fees: 35, grid_fee_schedules: 26 };

test('before anything is imported every table lacks its rows', async () => {
  expect(Object.keys(await lacking('2026-11-20T10:00:00Z'))).toHaveLength(14);
  expect(lines.splice(0)).toMatchObject([{ level: 'error', on: '2026-11-20' }]);
});

test('a table shows the days until its first used row runs out, and rows of later years count', async () => {
  await store.import(referenceFolder);
  const left = await daysLeft('2026-11-30T22:59:00Z');
  expect(left).toMatchObject({ levies: 32, grid_fees: 32, market_values: 32, eeg_rates: 244 });
  expect(left).toMatchObject({ vat_rates: Infinity, zip_areas: Infinity, load_profiles: Infinity });
  expect(lines.splice(0)).toMatchObject([{ level: 'info', msg: 'reference data is complete again' }]);
});

test('from 1 December on it tells daily what ends by 1 January, until the rows of the new year are there', async () => {
  expect(await lacking('2026-11-30T22:59:00Z')).toEqual({});
  expect(lines).toEqual([]);
  /* Midnight in Germany. */
  expect(await lacking('2026-11-30T23:00:00Z')).toEqual(ENDING);
  expect(await lacking('2026-12-01T12:00:00Z')).toEqual(ENDING);
  expect(await lacking('2026-12-02T12:00:00Z')).toEqual(ENDING);
  expect(lines.splice(0)).toMatchObject([
    { level: 'error', keys: ENDING, on: '2027-01-01' },
    { level: 'error', keys: ENDING, on: '2027-01-01' },
  ]);
  const { levies, ...others } = await rowsOf(2027);
  await store.import(others);
  expect(await lacking('2026-12-02T12:01:00Z')).toEqual({ levies: 3 });
  await store.import({ levies });
  expect(await lacking('2026-12-02T12:02:00Z')).toEqual({});
  expect(lines.splice(0).map(({ level }) => level)).toEqual(['error', 'info']);
  expect(await daysLeft('2026-12-02T12:03:00Z')).toMatchObject({ levies: 395, grid_fees: 395 });
});

test('what has run out shows since when, for as long as quotes need it', async () => {
  expect(await daysLeft('2028-02-01T12:00:00Z')).toMatchObject({
    levies: -31,
    grid_fees: -31,
    eeg_rates: -184,
  });
  const later = await daysLeft('2029-03-01T12:00:00Z');
  expect(later).toMatchObject({ levies: -425, grid_fees: -425 });
  /* An operator may give up its schedule. */
  expect(later.grid_fee_schedules).toBe(Infinity);
  expect(lines.splice(0).every(({ level }) => level === 'error')).toBe(true);
});

test('an operator that gave its zips to another one may end', async () => {
  clock.set('2027-06-01T12:00:00Z');
  await refresh();
  const { grid_fees } = await rowsOf(2028);
  await store.import({ grid_fees });
  const without = (await daysLeft('2027-06-02T12:00:00Z')).grid_fees;
  expect(without).toBe(579);
  await store.rows(`DELETE FROM grid_fees WHERE operator = 'netz-leipzig' AND valid_from = '2028-01-01'`);
  expect((await daysLeft('2027-06-03T12:00:00Z')).grid_fees).toBe(212);
  await store.rows(`UPDATE zip_areas SET valid_to = '2028-01-01' WHERE operator = 'netz-leipzig'`);
  await store.rows(`
    INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, source)
    SELECT zip, 'westnetz', concession_class, share, '2028-01-01', source
      FROM zip_areas WHERE operator = 'netz-leipzig'`);
  expect(await daysLeft('2027-06-04T12:00:00Z')).toMatchObject({ grid_fees: 577, zip_areas: Infinity });
});

test('an own metering fee that ended is told for as long as bills wait for the next one', async () => {
  const fee = 'messwerk,smart_up_to_6000,smart,,6000,,,no,20,2025-01-01,2026-01-01,price sheet,2026-11-20';
  await store.import({ metering_fees: [fee] });
  expect(await daysLeft('2029-03-02T12:00:00Z')).toMatchObject({ metering_fees: -1156 });
});
