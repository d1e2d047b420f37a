import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forecastKwh } from '../../../src/tariffs/expected-usage/service.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, startMetered } from '../usage/metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

async function send(contract: Pick<Contract, 'id'>, day: string, value: number) {
  const client = await metered.client();
  const timestamp = `${day}T12:00:00Z`;
  return await client.post<ErrorBody>('/meter-readings', { subscription: contract.id, value, timestamp });
}

const DUPLICATE = [409, 'duplicate_meter_reading timestamp'];
const IMPLAUSIBLE = [422, 'implausible_meter_reading value'];

describe('one a day', () => {
  test('a second one is a conflict, whatever its value', async () => {
    const contract = await metered.contract();
    expect((await send(contract, '2026-11-01', 1000)).status).toBe(200);
    for (const value of [1000, 1, 1e9]) {
      const answer = await send(contract, '2026-11-01', value);
      expect(refusal(answer)).toEqual(DUPLICATE);
      expect(answer.body.message).toBe('A reading for this day exists');
    }
    expect((await send(contract, '2026-11-02', 1000)).status).toBe(200);
  });

  test('a grid reading is one, an estimate is none', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-11-01': 1000 }, 'grid_reading');
    await metered.read(contract, { '2026-11-05': 1020 }, 'grid_estimation');
    expect(refusal(await send(contract, '2026-11-01', 1000))).toEqual(DUPLICATE);
    expect((await send(contract, '2026-11-05', 1010)).status).toBe(200);
    expect(refusal(await send(contract, '2026-11-05', 1010))).toEqual(DUPLICATE);
  });

  test('the closing reading of one contract opens the next one on the same meter', async () => {
    const first = await metered.contract({ status: 'ended', end_at: '2026-05-31T22:00:00Z' });
    const next = await metered.contract({ at: first.place, start_at: '2026-05-31T22:00:00Z' });
    expect((await send(first, '2026-06-01', 5000)).status).toBe(200);
    expect(refusal(await send(next, '2026-06-01', 5000))).toEqual(DUPLICATE);
    expect(refusal(await send(next, '2026-07-01', 4999))).toEqual(IMPLAUSIBLE);
    expect((await send(next, '2026-07-01', 5000)).status).toBe(200);
  });

  test('ten at once for one meter: one is stored', async () => {
    const contract = await metered.contract();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => send(contract, '2026-11-01', 1000 + index)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test('two at once that contradict each other: one is stored', async () => {
    const contract = await metered.contract();
    const answers = await Promise.all([
      send(contract, '2026-11-01', 1000),
      send(contract, '2026-11-02', 999),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

describe('the value', () => {
  test('is not below an earlier one and not above a later one', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-06-01': 1000, '2026-08-01': 1300 });
    for (const [day, value] of [
      ['2026-05-01', 1000.1],
      ['2026-09-01', 1299.9],
    ] as const) {
      const answer = await send(contract, day, value);
      expect(refusal(answer), `${day} ${value}`).toEqual(IMPLAUSIBLE);
      expect(answer.body.message).toBe('The value does not fit the other readings');
    }
    expect((await send(contract, '2026-05-01', 1000)).status).toBe(200);
    expect((await send(contract, '2026-09-01', 1300)).status).toBe(200);
  });

  test('is not held against estimates, below or above', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-06-01': 1000, '2026-08-01': 1200 }, 'grid_estimation');
    expect((await send(contract, '2026-07-01', 999)).status).toBe(200);
    expect((await send(contract, '2026-07-02', 1000)).status).toBe(200);
    expect((await send(contract, '2026-07-31', 1201)).status).toBe(200);
  });

  test('grows by three times the forecast of the days and 50 kWh at most', async () => {
    const exact = await metered.api.deps.database.asService((connection) =>
      forecastKwh(connection, '3650', '2026-01-31', '2026-03-02'),
    );
    const forecast = exact.toNumber();
    /* 30 days of winter: more than a twelfth of the year. */
    expect(forecast).toBeGreaterThan(300);
    expect(forecast).toBeLessThan(400);
    const limit = 1000 + 3 * forecast + 50;
    const contract = await metered.contract({ estimated_usage: '3650' });
    await metered.read(contract, { '2026-01-01': 900, '2026-01-31': 1000 });
    expect(refusal(await send(contract, '2026-03-02', limit + 0.01))).toEqual(IMPLAUSIBLE);
    expect((await send(contract, '2026-03-02', limit - 0.01)).status).toBe(200);
  });

  test('of the next day may be 50 kWh more, and a little', async () => {
    const contract = await metered.contract({ estimated_usage: '3650' });
    await metered.read(contract, { '2026-11-01': 1000 });
    expect(refusal(await send(contract, '2026-11-02', 1090))).toEqual(IMPLAUSIBLE);
    expect((await send(contract, '2026-11-02', 1075)).status).toBe(200);
  });

  test('of the first one is free', async () => {
    expect((await send(await metered.contract(), '2026-11-01', 999_999)).status).toBe(200);
  });

  test('that is refused is not stored', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-06-01': 1000 });
    await send(contract, '2026-07-01', 1);
    const rows = await storedRows(metered.api, 'SELECT id FROM meter_readings WHERE meter_id = $1', [
      contract.meter,
    ]);
    expect(rows).toHaveLength(1);
  });
});
