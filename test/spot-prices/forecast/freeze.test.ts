import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { beforeEach, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import {
  addDays,
  type DeliveryDay,
  freezeInstant,
  gridOf,
  startsOf,
} from '../../../src/spot-prices/calendar.ts';
import { contentHashOf, insertCapture } from '../../../src/spot-prices/forecast/capture.ts';
import { freezeForecast } from '../../../src/spot-prices/forecast/freeze.ts';
import {
  findFrozenForecast,
  listForecastChoices,
  listForecastValues,
} from '../../../src/spot-prices/forecast/queries.ts';
import { runPriceModel } from '../../../src/spot-prices/forecast/run-model.ts';
import { freezePriceForecast } from '../../../src/spot-prices/forecast/service.ts';
import { openForecastParts, rowsOf, storeHistory } from './stored-history.ts';

const setup = await openForecastParts('2026-11-10T04:40:00.000Z');
const { parts, database, testDatabase, clock } = setup;

/* Each test has a delivery day of its own: nothing of what is stored here can be deleted. */
let day: DeliveryDay = '2026-06-01';
beforeEach(() => {
  day = addDays(day, 20);
});

/** Berlin's clock on the day before delivery. */
const berlin = (time: string) =>
  DateTime.fromISO(`${addDays(day, -1)}T${time}`, { zone: 'Europe/Berlin' }).toMillis();

async function capture(
  capturedAt: number,
  price: number,
  options: { source?: string; count?: number } = {},
): Promise<number> {
  const grid = gridOf(day);
  const source = options.source ?? 'energyforecast';
  const points = startsOf(grid)
    .slice(0, options.count ?? grid.count)
    .map((start) => ({ start, eurMwh: String(price) }));
  const days = [{ deliveryOn: day, minutes: grid.minutes, points }];
  const { id } = await database.asService((connection) =>
    insertCapture(connection, {
      source,
      zone: 'DE-LU',
      fetchId: null,
      issuedAt: null,
      capturedAt,
      payloadHash: contentHashOf(`${source} ${capturedAt}`, days),
      inputs: null,
      days,
    }),
  );
  return id;
}

const at = (milliseconds: number) => clock.set(new Date(milliseconds).toISOString());

async function choice(): Promise<{ captureId: number; source: string } | undefined> {
  const now = clock.nowMilliseconds();
  return database.asService(async (connection) => {
    const [chosen] = await listForecastChoices(connection, 'DE-LU', [day], now);
    return chosen && { captureId: chosen.captureId, source: chosen.source };
  });
}

async function served(): Promise<Set<string>> {
  return database.asService(async (connection) => {
    const choices = await listForecastChoices(connection, 'DE-LU', [day], clock.nowMilliseconds());
    const values = await listForecastValues(connection, choices);
    return new Set(values.map((value) => value.amount));
  });
}

const frozen = () => database.asService((connection) => findFrozenForecast(connection, 'DE-LU', day));
const freeze = () => freezeForecast(parts, { deliveryOn: day });

test('the freeze is at noon in Berlin, in summer, in winter and around the changes of the clock', () => {
  const text = (deliveryOn: string) => new Date(freezeInstant(deliveryOn)).toISOString();
  expect(text('2026-07-02')).toBe('2026-07-01T10:00:00.000Z');
  expect(text('2026-11-20')).toBe('2026-11-19T11:00:00.000Z');
  expect(text('2026-03-29')).toBe('2026-03-28T11:00:00.000Z');
  expect(text('2026-03-30')).toBe('2026-03-29T10:00:00.000Z');
  expect(text('2026-10-25')).toBe('2026-10-24T10:00:00.000Z');
  expect(text('2026-10-26')).toBe('2026-10-25T11:00:00.000Z');
});

test('captures at 05:40, 11:30 and 12:30: the one of 11:30 is frozen, the later one is stored and changes nothing', async () => {
  await capture(berlin('05:40'), 1);
  at(berlin('06:00'));
  expect(await served()).toEqual(new Set(['1']));
  const counts = await capture(berlin('11:30'), 2);
  at(berlin('11:31'));
  expect(await served()).toEqual(new Set(['2']));
  expect(await freeze()).toMatchObject({ outcome: 'too_early' });
  const later = await capture(berlin('12:30'), 3);
  at(berlin('12:31'));
  /* Before the row is there the endpoint applies the same choice. */
  expect(await served()).toEqual(new Set(['2']));
  expect(await freeze()).toEqual({ deliveryOn: day, outcome: 'frozen', captureId: counts });
  expect(await frozen()).toEqual({ captureId: counts, late: false, frozenAt: clock.now().toISOString() });
  expect(await served()).toEqual(new Set(['2']));
  at(berlin('23:59'));
  expect(await freeze()).toMatchObject({ outcome: 'already_frozen', captureId: counts });
  expect(later).toBeGreaterThan(counts);
  expect(await choice()).toMatchObject({ captureId: counts });
});

test('a capture made in the last millisecond before noon counts, one at noon does not', async () => {
  const noon = freezeInstant(day);
  const last = await capture(noon - 1, 1);
  await capture(noon, 2);
  at(noon - 1);
  expect(await freeze()).toMatchObject({ outcome: 'too_early' });
  at(noon);
  expect(await choice()).toMatchObject({ captureId: last });
  expect(await freeze()).toMatchObject({ outcome: 'frozen', captureId: last });
});

test('a freeze that runs days late names the same curve', async () => {
  const counts = await capture(berlin('11:30'), 1);
  await capture(berlin('17:40'), 2);
  at(berlin('12:00') + 5 * 86_400_000);
  expect(await freeze()).toMatchObject({ outcome: 'frozen', captureId: counts });
  expect(await frozen()).toMatchObject({ late: false });
});

test('two freezes at once make one row', async () => {
  const counts = await capture(berlin('11:30'), 1);
  at(berlin('12:00'));
  const outcomes = await Promise.all([freeze(), freeze(), freeze()]);
  expect(outcomes.map((report) => report.captureId)).toEqual([counts, counts, counts]);
  expect(outcomes.filter((report) => report.outcome === 'frozen')).toHaveLength(1);
});

test('the job counts tomorrow from the instant at which it fell due', async () => {
  const counts = await capture(berlin('11:30'), 1);
  const dueAt = new Date(berlin('12:00')).toISOString();
  at(berlin('12:00') + 3 * 86_400_000);
  expect(await freezePriceForecast(parts, { dueAt, log: parts.log })).toEqual({
    deliveryOn: day,
    outcome: 'frozen',
    captureId: counts,
  });
});

test('a capture of 92 of 96 intervals serves nothing: the own model does', async () => {
  const model = await capture(berlin('05:45'), 5, { source: 'model:ridge@1' });
  await capture(berlin('11:30'), 7, { count: 92 });
  at(berlin('11:59'));
  expect(await choice()).toEqual({ captureId: model, source: 'model:ridge@1' });
  at(berlin('12:00'));
  expect(await freeze()).toMatchObject({ captureId: model });
});

test('the feed comes before the model, however old it is; among the models the newest', async () => {
  await capture(berlin('05:45'), 1, { source: 'model:class-mean@1' });
  const newer = await capture(berlin('11:40'), 2, { source: 'model:ridge-class@2' });
  at(berlin('11:59'));
  expect(await choice()).toEqual({ captureId: newer, source: 'model:ridge-class@2' });
  const feed = await capture(berlin('05:40'), 3);
  expect(await choice()).toEqual({ captureId: feed, source: 'energyforecast' });
});

describe('no capture before the freeze', () => {
  test('the model at 15:00 makes the curve: late, with the prices that were known at noon', async () => {
    await storeHistory(database, addDays(day, -60), addDays(day, -1));
    at(berlin('15:00'));
    expect(await choice()).toBeUndefined();
    const result = await runPriceModel(parts, { today: addDays(day, -1) });
    expect(result).toMatchObject({ freeze: 'frozen_late' });
    const row = await frozen();
    expect(row).toMatchObject({ late: true, frozenAt: clock.now().toISOString() });
    const before = await served();
    /* Realized prices after the freeze change nothing. */
    await storeHistory(database, day, day);
    await runPriceModel(parts, { today: addDays(day, -1) });
    expect(await frozen()).toEqual(row);
    expect(await served()).toEqual(before);
    const [capture] = await rowsOf(
      database,
      sql<{ captured_at: string; inputs: { days: { newest_known_on: string }[] } }>`
        SELECT captured_at, inputs FROM price_forecast_captures WHERE id = ${row?.captureId ?? 0}`,
    );
    expect(capture?.captured_at).toBe(new Date(berlin('15:00')).toISOString());
    expect(capture?.inputs.days[0]?.newest_known_on).toBe(addDays(day, -1));
  });

  test('the prices of the day itself, known since 13:00, do not enter its late curve', async () => {
    day = addDays(day, 200);
    await storeHistory(database, addDays(day, -60), addDays(day, -1));
    await storeHistory(database, day, day, () => Array.from({ length: gridOf(day).count }, () => 3999));
    at(freezeInstant(day) + 3 * 3_600_000);
    const outcomes = await Promise.all([freeze(), freeze()]);
    expect(outcomes.map((report) => report.outcome).sort()).toEqual(['already_frozen', 'frozen_late']);
    expect(outcomes[0]?.captureId).toBe(outcomes[1]?.captureId);
    expect(Math.max(...[...(await served())].map(Number))).toBeLessThan(300);
  });

  test('nothing until midnight: the day stays without a forecast for good', async () => {
    /* Far from the prices that other tests have stored. */
    day = addDays(day, 400);
    at(gridOf(day).from - 1);
    expect(await freeze()).toMatchObject({ outcome: 'no_forecast_yet' });
    await storeHistory(database, addDays(day, -10), addDays(day, -1));
    at(gridOf(day).from);
    expect(await freeze()).toMatchObject({ outcome: 'nothing_to_freeze' });
    await runPriceModel(parts, { today: addDays(day, -1) });
    expect(await frozen()).toBeUndefined();
    expect(await choice()).toBeUndefined();
    at(gridOf(day).from + 30 * 86_400_000);
    expect(await freeze()).toMatchObject({ outcome: 'nothing_to_freeze' });
  });
});

test('nobody changes, deletes or empties what was captured or frozen', async () => {
  await capture(berlin('11:30'), 1);
  at(berlin('12:00'));
  await freeze();
  const statements = [
    `UPDATE price_forecast_frozen SET late = true WHERE delivery_on = '${day}'`,
    `DELETE FROM price_forecast_frozen WHERE delivery_on = '${day}'`,
    'TRUNCATE price_forecast_frozen',
    'UPDATE price_forecast_values SET amount = 0',
    'DELETE FROM price_forecast_values',
    "UPDATE price_forecast_days SET captured_at = '2020-01-01'",
    "UPDATE price_forecast_captures SET captured_at = '2020-01-01'",
    'TRUNCATE price_forecast_captures CASCADE',
  ];
  for (const address of [testDatabase.adminUrl, testDatabase.ownerUrl]) {
    await withDatabaseClient(address, async (client) => {
      for (const statement of statements) {
        await expect(client.query(statement), statement).rejects.toMatchObject({ code: '23001' });
      }
    });
  }
  await withDatabaseClient(testDatabase.appUrl, async (client) => {
    for (const statement of statements) {
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
  });
  expect(await frozen()).toMatchObject({ late: false });
});

test('a feed whose newest run is three days old does not come before a fresh own run; one of the day before does', async () => {
  await capture(berlin('11:30') - 3 * 86_400_000, 1);
  const own = await capture(berlin('11:40'), 2, { source: 'model:ridge@1' });
  at(berlin('11:50'));
  expect(await choice()).toEqual({ captureId: own, source: 'model:ridge@1' });
  const fresh = await capture(berlin('12:00') - 23 * 3_600_000, 3);
  at(berlin('12:00'));
  expect(await freezeForecast(parts, { deliveryOn: day })).toMatchObject({
    outcome: 'frozen',
    captureId: fresh,
  });
});

test('an old run of a feed is better than none', async () => {
  const old = await capture(berlin('11:30') - 3 * 86_400_000, 1);
  at(berlin('12:00'));
  expect(await freezeForecast(parts, { deliveryOn: day })).toMatchObject({
    outcome: 'frozen',
    captureId: old,
  });
});
