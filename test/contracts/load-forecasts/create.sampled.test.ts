import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { refusal } from '../../telemetry/assets/devices.ts';
import { changedPoints, days, Forecasts, points, QUARTER_HOUR } from './forecasts.ts';

/** A Saturday, 11:05 in Berlin. */
const NOW = '2026-11-21T10:05:00.000Z';
const MONDAY = '2026-11-23';

let forecasts: Forecasts;
beforeAll(async () => {
  forecasts = await Forecasts.start(NOW);
});
afterAll(() => forecasts?.close());

const active = () => forecasts.contracts.active();

/** A valid day, but for these points. */
const changed = (change: (index: number) => object | null) => changedPoints(days(MONDAY), change);

describe('what is accepted', () => {
  test('a day is answered with its span and its energy, with one audit line', async () => {
    const contract = await active();
    const answer = await forecasts.send(contract, days(MONDAY, 1, 0.3333));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      scope: 'subscription',
      subscription: contract.id,
      start: '2026-11-22T23:00:00.000Z',
      end: '2026-11-23T23:00:00.000Z',
      total: 7.999,
    });
    expect(await forecasts.stored(contract)).toEqual([
      { delivery_on: MONDAY, purchase: 'day_ahead', points: 96, kw: 0.3333, received_at: new Date(NOW) },
    ]);
    const lines = await auditRows(forecasts.api, forecasts.contracts.organization, 'load_forecast.');
    expect(lines.filter(({ object_id }) => object_id === contract.id)).toEqual([
      expect.objectContaining({
        act: 'load_forecast.create',
        route: 'POST /load-forecasts',
        client_id: forecasts.contracts.credentials.client_id,
        result: 'done',
      }),
    ]);
  });

  test.each([
    ['2027-03-28', 92, '2027-03-27T23:00:00.000Z', '2027-03-28T22:00:00.000Z'],
    ['2027-10-31', 100, '2027-10-30T22:00:00.000Z', '2027-10-31T23:00:00.000Z'],
  ])('on %s the clock is changed: %i points are the whole day', async (day, count, start, end) => {
    const contract = await active();
    const whole = days(day);
    expect(whole).toHaveLength(count);
    expect((await forecasts.send(contract, whole)).body).toMatchObject({ start, end, total: count / 4 });
    expect(await forecasts.stored(contract)).toMatchObject([{ delivery_on: day, points: count }]);
    /* 96 are a part of the day, or of two. */
    const begins = berlinMilliseconds(day);
    const ordinary = points(begins, begins + 96 * QUARTER_HOUR);
    expect(refusal(await forecasts.send(contract, ordinary))).toEqual([400, 'custom data']);
  });

  const MONTHS = [
    ['2027-10-01', 31 * 96 + 4],
    ['2026-12-01', 31 * 96],
    ['2027-03-01', 31 * 96 - 4],
  ] as const;
  test.each(sampled(MONTHS, 3))(
    '31 days from %s are %i points, each day kept by itself; one day more is too many',
    async (first, count) => {
      const contract = await active();
      const month = days(first, 31, (index) => index);
      expect(month).toHaveLength(count);
      const answer = await forecasts.send(contract, month);
      expect([answer.status, answer.body.total]).toEqual([200, (count * (count - 1)) / 8]);
      const rows = await forecasts.stored(contract);
      expect(rows).toHaveLength(31);
      let before = 0;
      for (const row of rows) {
        expect(row).toMatchObject({ kw: before, purchase: 'day_ahead' });
        before += row.points;
      }
      expect(before).toBe(count);
      expect(refusal(await forecasts.send(contract, days(first, 32)))).toEqual([400, 'too_big data']);
      /* The first points of a 32nd day are no whole one either. */
      expect(refusal(await forecasts.send(contract, days(first, 32).slice(0, count + 1)))[1]).toBe(
        'too_big data',
      );
    },
  );

  test('the energy is exact to three decimals, rounded half up, whatever the size of the values', async () => {
    const contract = await active();
    const total = async (value: Parameters<typeof days>[2]) =>
      (await forecasts.send(contract, days(MONDAY, 1, value))).body.total;
    expect(await total(0)).toBe(0);
    expect(await total(0.1)).toBe(2.4);
    expect(await total((index) => (index === 0 ? 0.002 : 0))).toBe(0.001);
    expect(await total((index) => (index === 0 ? 0.001999 : 0))).toBe(0);
    expect(await total(1_000_000)).toBe(24_000_000);
    expect(await total((index) => (index === 0 ? 1_000_000 : 5e-324))).toBe(250_000);
  });

  test('instants are read with any offset, and answered in UTC', async () => {
    const contract = await active();
    const local = days(MONDAY).map(({ start, value }) => {
      const shifted = new Date(Date.parse(start) + 3_600_000).toISOString().replace('.000Z', '+01:00');
      return { start: shifted, value };
    });
    expect((await forecasts.send(contract, local)).body.start).toBe('2026-11-22T23:00:00.000Z');
  });

  test('every version that has it takes it, and gauss says that it is gone', async () => {
    const contract = await active();
    for (const version of [
      '2025-12-01.chucky',
      '2025-12-16.batman',
      '2026-01-29.edison',
      '2026-05-27.curie',
    ]) {
      expect((await forecasts.send(contract, days(MONDAY), { version })).status).toBe(200);
    }
    const gone = await forecasts.send(contract, days(MONDAY), { version: '2026-09-08.gauss' });
    expect([gone.status, gone.body.message]).toEqual([
      404,
      'POST /load-forecasts was removed in API version 2026-09-08.gauss.',
    ]);
  });

  test('before curie a refusal says the first problem in its message', async () => {
    const answer = await forecasts.send(
      await active(),
      changed((index) => (index === 7 ? { value: -1 } : {})),
      {
        version: '2025-12-01.chucky',
      },
    );
    expect(answer.body).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^too_small in 'data\.7\.value': /),
    });
    expect(answer.body).not.toHaveProperty('errors');
  });
});

describe('validation', () => {
  const WRONG: [Record<string, unknown>, [number, ...string[]]][] = [
    [{ scope: undefined }, [400, 'invalid_type scope']],
    [{ scope: 'plan' }, [422, 'invalid_value scope']],
    [{ subscription: undefined }, [400, 'invalid_type subscription']],
    [{ subscription: null }, [400, 'invalid_type subscription']],
    [{ resolution: 'hour' }, [422, 'invalid_value resolution']],
    [{ resolution: 15 }, [400, 'invalid_type resolution']],
    [{ unit: 'kW' }, [422, 'invalid_value unit']],
    [{ unit: null }, [400, 'invalid_type unit']],
    [{ scope: 'x', unit: 'x' }, [422, 'invalid_value scope', 'invalid_value unit']],
    [{ scope: 'x', unit: null }, [400, 'invalid_value scope', 'invalid_type unit']],
    [{ data: undefined }, [400, 'invalid_type data']],
    [{ data: {} }, [400, 'invalid_type data']],
    [{ data: [] }, [400, 'too_small data']],
    [{ data: [1] }, [400, 'invalid_type data.0']],
    [{ data: [{}] }, [400, 'invalid_type data.0.start', 'invalid_type data.0.value']],
    [
      { data: [{ start: '2026-11-23', value: '1' }] },
      [400, 'invalid_format data.0.start', 'invalid_type data.0.value'],
    ],
    [{ data: [{ start: '2026-11-23T00:00:00', value: 1 }] }, [400, 'invalid_format data.0.start']],
    [{ data: [{ start: '2026-11-22T23:00:00Z', value: null }] }, [400, 'invalid_type data.0.value']],
    [{ data: [{ start: '2026-11-22T23:00:00Z', value: 1_000_000.1 }] }, [400, 'too_big data.0.value']],
  ];
  test.each(sampled(WRONG, 2))('%j is refused', async (change, expected) => {
    const contract = await active();
    expect(refusal(await forecasts.send(contract, days(MONDAY), change))).toEqual(expected);
    expect(await forecasts.stored(contract)).toEqual([]);
  });

  test('every value below 0 is told at its place, and nothing is stored', async () => {
    const contract = await active();
    const data = changed((index) => (index % 40 === 5 ? { value: -0.001 } : {}));
    expect(refusal(await forecasts.send(contract, data))).toEqual([
      400,
      ...[5, 45, 85].map((index) => `too_small data.${index}.value`),
    ]);
    expect(await forecasts.stored(contract)).toEqual([]);
  });

  test('more points than 31 days can have are too many before anybody looks at them', async () => {
    const nothing = Array.from({ length: 2_981 }, () => ({}));
    const answer = await forecasts.send(await active(), nothing);
    expect(refusal(answer)).toEqual([400, 'too_big data']);
    const most = Array.from({ length: 100_000 }, () => 0);
    expect(refusal(await forecasts.send(await active(), most))).toEqual([400, 'too_big data']);
  });

  test('a body above 1 MiB is not read', async () => {
    const answer = await forecasts.send(await active(), days(MONDAY), { more: 'x'.repeat(1024 * 1024) });
    expect(answer.status).toBe(413);
  });
});

test('a key repeats the first answer and stores nothing twice; with another body it is a conflict', async () => {
  const contract = await active();
  const headers = { 'idempotency-key': `forecast-${contract.id}` };
  const first = await forecasts.send(contract, days(MONDAY), { headers });
  forecasts.contracts.clock.advance(60_000);
  const again = await forecasts.send(contract, days(MONDAY), { headers });
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await forecasts.send(contract, days(MONDAY, 1, 2), { headers })).status).toBe(409);
  expect(await forecasts.stored(contract)).toMatchObject([{ kw: 1 }]);
  forecasts.contracts.clock.set(NOW);
});

test('values are stored as they were sent', async () => {
  const contract = await active();
  const sent = [0.1, 1 / 3, 1e-7, 5e-324, 123_456.789, 1_000_000];
  await forecasts.send(
    contract,
    days(MONDAY, 1, (index) => sent[index] ?? 0),
  );
  const [row] = await storedRows<{ power_kw: number[] }>(
    forecasts.api,
    'SELECT power_kw[1:7] AS power_kw FROM load_forecasts WHERE subscription_id = $1',
    [contract.id],
  );
  expect(row?.power_kw).toEqual([...sent, 0]);
});
