import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { daysBetween } from '../../../src/spot-prices/calendar.ts';
import { listForecastChoices } from '../../../src/spot-prices/forecast/queries.ts';
import { runPriceModel } from '../../../src/spot-prices/forecast/run-model.ts';
import { formulaPrices, openForecastParts, rowsOf, storeHistory } from './stored-history.ts';

const setup = await openForecastParts('2026-11-19T04:45:00.000Z');
const { parts, database, clock } = setup;

beforeAll(async () => {
  await storeHistory(database, '2025-04-01', '2026-11-19');
  /* Incomplete: not known. */
  await storeHistory(database, '2026-11-20', '2026-11-20', (day) => formulaPrices(day).slice(0, 95));
});

const captures = () =>
  rowsOf(
    database,
    sql<{ id: number; source: string; hash: string; days: number; inputs: object }>`
      SELECT id, source, encode(payload_hash, 'hex') AS hash, inputs,
             (SELECT count(*) FROM price_forecast_days WHERE capture_id = id AND complete) AS days
        FROM price_forecast_captures ORDER BY id`,
  );

test('a run stores one capture per method, with what it was made of', async () => {
  const result = await runPriceModel(parts, { today: '2026-11-19' });
  expect(result).toEqual({
    days: daysBetween('2026-11-20', '2026-11-26'),
    stored: ['model:ridge@1', 'model:ridge-class@2'],
    freeze: 'too_early',
  });
  const stored = await captures();
  expect(stored.map(({ source, days }) => [source, days])).toEqual([
    ['model:ridge@1', 1],
    ['model:ridge-class@2', 6],
  ]);
  expect(stored[0]?.inputs).toEqual({
    name: 'ridge',
    version: 1,
    days: [
      {
        delivery_on: '2026-11-20',
        newest_known_on: '2026-11-19',
        training: { from: '2025-05-10', to: '2026-10-31', days: 540 },
      },
    ],
  });
});

test('the same run again says the same and writes nothing', async () => {
  const before = await captures();
  clock.advance(3_600_000);
  expect(await runPriceModel(parts, { today: '2026-11-19' })).toMatchObject({ stored: [] });
  expect(await captures()).toEqual(before);
});

test('with the prices of tomorrow the week behind it is forecast anew, tomorrow is not', async () => {
  const before = await captures();
  await storeHistory(database, '2026-11-21', '2026-11-21');
  clock.set('2026-11-20T17:00:00.000Z');
  const result = await runPriceModel(parts, { today: '2026-11-20' });
  expect(result).toMatchObject({ days: daysBetween('2026-11-22', '2026-11-27') });
  expect((await captures()).length).toBeGreaterThan(before.length);
});

test('every day of the week has a choice', async () => {
  const days = daysBetween('2026-11-19', '2026-11-27');
  const choices = await database.asService((connection) =>
    listForecastChoices(connection, 'DE-LU', days, clock.nowMilliseconds()),
  );
  expect(choices.map((choice) => choice.deliveryOn)).toEqual(daysBetween('2026-11-20', '2026-11-27'));
});

test('a run that knows too few days makes no forecast and says so in the log, others do not', async () => {
  const logged: string[] = [];
  const log = createLogger({
    level: 'warn',
    name: 'test',
    destination: { write: (line) => logged.push(line) },
  });
  await runPriceModel({ ...parts, log }, { today: '2026-11-20' });
  expect(logged).toEqual([]);
  expect(await runPriceModel({ ...parts, log }, { today: '2020-01-01' })).toMatchObject({
    days: [],
    stored: [],
  });
  expect(logged).toEqual([expect.stringContaining('no own price forecast: too few known days')]);
});
