import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Metered, quarterHours, shown, startMetered, total } from './metered.ts';

/** A Saturday, 17:05 in Berlin; October was settled on the 11th. */
const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

const smart = { meter_type: 'smart' } as const;

describe('imported quarter hours', () => {
  test('are final, of yesterday where nothing is asked for, in UTC and whole seconds', async () => {
    const { id } = await metered.contract(smart);
    await metered.import(id, quarterHours('2026-11-19T23:00:00Z', '2026-11-20T23:00:00Z', 0.125));
    const answer = await metered.usage(id);
    expect(answer.body).toMatchObject({ object: 'usage', meter_type: 'smart', resolution: '15min' });
    expect(answer.body.data).toHaveLength(96);
    expect(answer.body.data[0]).toEqual({ start: '2026-11-19T23:00:00Z', usage: 0.125, type: 'final' });
    expect(answer.body.data.at(-1)?.start).toBe('2026-11-20T22:45:00Z');
  });

  test('give the same total in every resolution, equal to sums by hand', async () => {
    const { id } = await metered.contract(smart);
    /* Two weeks and two days from a Monday, with the clock change in October. */
    await metered.import(
      id,
      quarterHours('2026-10-18T22:00:00Z', '2026-11-03T23:00:00Z', (index) => (index % 7) / 8),
    );
    const period = 'start=2026-10-19&end=2026-11-04';
    const lines = quarterHours('2026-10-18T22:00:00Z', '2026-11-03T23:00:00Z', (index) => (index % 7) / 8);
    const expected = lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0);
    const counts: Record<string, number> = { '15min': 1540, hour: 385, day: 16, week: 3, month: 2 };
    for (const [resolution, count] of Object.entries(counts)) {
      const answer = await metered.usage(id, `${period}&resolution=${resolution}`);
      expect(answer.body.resolution).toBe(resolution);
      expect(answer.body.data, resolution).toHaveLength(count);
      expect(total(answer)).toBeCloseTo(expected, 6);
      expect(new Set(answer.body.data.map(({ type }) => type))).toEqual(new Set(['final']));
    }
    const weeks = await metered.usage(id, `${period}&resolution=week`);
    expect(weeks.body.data.map(({ start }) => start)).toEqual([
      '2026-10-18T22:00:00Z',
      '2026-10-25T23:00:00Z',
      '2026-11-01T23:00:00Z',
    ]);
    const months = await metered.usage(id, `${period}&resolution=month`);
    expect(months.body.data.map(({ start }) => start)).toEqual([
      '2026-10-18T22:00:00Z',
      '2026-10-31T23:00:00Z',
    ]);
  });

  test.each([
    ['2026-03-29', '2026-03-30', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 92],
    ['2026-10-25', '2026-10-26', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 100],
  ])('the day of the clock change %s', async (first, end, from, until, count) => {
    const { id } = await metered.contract(smart);
    await metered.import(id, quarterHours(from, until, 0.25));
    const answerOf = (resolution: string) =>
      metered.usage(id, `start=${first}&end=${end}&resolution=${resolution}`);
    expect((await answerOf('15min')).body.data).toHaveLength(count);
    expect((await answerOf('hour')).body.data).toHaveLength(count / 4);
    expect(shown(await answerOf('day'))).toEqual([`${from} ${count / 4} final`]);
  });

  test('0.00015 kWh are shown as 0.0002: half up, of the exact sum', async () => {
    const { id } = await metered.contract(smart);
    await metered.import(id, ['2026-11-19T23:00:00Z,0.00015', '2026-11-19T23:15:00Z,1.00495']);
    await metered.import(id, ['2026-11-20T00:00:00Z,0.000149999999', '2026-11-20T00:15:00Z,0.000000000001']);
    expect(shown(await metered.usage(id))).toEqual([
      '2026-11-19T23:00:00Z 0.0002 final',
      '2026-11-19T23:15:00Z 1.005 final',
      '2026-11-20T00:00:00Z 0.0001 final',
      '2026-11-20T00:15:00Z 0 final',
    ]);
    const days = await metered.usage(id, 'start=2026-11-20&end=2026-11-21&resolution=day');
    expect(shown(days)).toEqual(['2026-11-19T23:00:00Z 1.0053 preliminary']);
    const hours = await metered.usage(id, 'start=2026-11-20&end=2026-11-21&resolution=hour');
    expect(shown(hours)).toEqual([
      '2026-11-19T23:00:00Z 1.0051 preliminary',
      '2026-11-20T00:00:00Z 0.0002 preliminary',
    ]);
  });

  test('of a time without supply are not shown, whatever is stored', async () => {
    const { id } = await metered.contract(smart);
    await metered.import(id, quarterHours('2026-11-18T23:00:00Z', '2026-11-20T23:00:00Z', 1));
    await metered.api.deps.database.inOrganization({ organization: metered.organization }, (connection) =>
      connection
        .updateTable('subscriptions')
        .set({ start_at: '2026-11-19T23:00:00Z' })
        .where('id', '=', id)
        .execute(),
    );
    const answer = await metered.usage(id, 'start=2026-11-18&end=2026-11-21&resolution=day');
    expect(shown(answer)).toEqual(['2026-11-19T23:00:00Z 96 final']);
  });
});

describe('measured power', () => {
  const at = (time: string) => `2026-11-20T${time}Z`;
  const period = 'start=2026-11-20&end=2026-11-21&resolution=15min';

  test('holds until the next value, at most 15 minutes; a quarter hour covered for less than half is left out', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [
      [at('08:00:00'), 4],
      [at('08:05:00'), 1],
      /* Holds until 08:32:30. */
      [at('08:17:30'), 2],
      /* A hole, then 7:29 of a quarter hour. */
      [at('09:07:31'), 8],
      /* At the very end: reaches into the next hour for 14 minutes. */
      [at('10:14:00'), 6],
    ]);
    expect(shown(await metered.usage(contract.id, period))).toEqual([
      /* (4 × 5 + 1 × 10) / 60; then (1 × 2.5 + 2 × 12.5) / 60; 2.5 minutes of 8:30 are too few. */
      '2026-11-20T08:00:00Z 0.5 preliminary',
      '2026-11-20T08:15:00Z 0.4583 preliminary',
      /* 8 kW for 7:31 of the next one. */
      `2026-11-20T09:15:00Z ${Math.round(((8 * 451) / 3600) * 10_000) / 10_000} preliminary`,
      '2026-11-20T10:15:00Z 1.4 preliminary',
    ]);
  });

  test('exactly half of a quarter hour is enough', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [[at('08:07:30'), 1]]);
    expect(shown(await metered.usage(contract.id, period))).toEqual([
      '2026-11-20T08:00:00Z 0.125 preliminary',
      '2026-11-20T08:15:00Z 0.125 preliminary',
    ]);
  });

  test('a snapshot without power neither ends nor begins anything', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [
      [at('08:00:00'), 2],
      [at('08:01:00'), null],
    ]);
    expect(shown(await metered.usage(contract.id, period))).toEqual(['2026-11-20T08:00:00Z 0.5 preliminary']);
  });

  test('the positive part is consumption, the negative part feed-in', async () => {
    const contract = await metered.contract(smart);
    const fed = await metered.contract({ type: 'feed_in', at: contract.place });
    await metered.measure(contract, [
      [at('08:00:00'), 4],
      [at('08:05:00'), -6],
      [at('08:10:00'), 2],
    ]);
    const of = async (id: string) => shown(await metered.usage(id, period))[0];
    expect(await of(contract.id)).toBe('2026-11-20T08:00:00Z 0.5 preliminary');
    expect(await of(fed.id)).toBe('2026-11-20T08:00:00Z 0.5 preliminary');
    await metered.measure(contract, [[at('08:14:00'), -12]]);
    /* What is not final may be a minute old. */
    metered.clock.advance(60_000);
    expect(await of(contract.id)).toBe(
      `2026-11-20T08:00:00Z ${Math.round((28 / 60) * 10_000) / 10_000} preliminary`,
    );
    expect(await of(fed.id)).toBe('2026-11-20T08:00:00Z 0.7 preliminary');
  });

  test('what held at midnight counts for the day that begins', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-11-19T22:59:00Z', 3]]);
    expect(shown(await metered.usage(contract.id, period))).toEqual(['2026-11-19T23:00:00Z 0.7 preliminary']);
  });

  test('of another asset of the household is not looked at', async () => {
    const contract = await metered.contract(smart);
    const { place } = await metered.contract(smart);
    await metered.measure({ ...contract, place }, [[at('08:00:00'), 4]]);
    expect(shown(await metered.usage(contract.id, period))).toEqual([]);
  });

  test('is replaced by what is imported; a sum of both is preliminary', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [
      [at('08:00:00'), 4],
      [at('08:15:00'), 4],
    ]);
    await metered.import(contract.id, [`${at('08:15:00')},0.3`]);
    expect(shown(await metered.usage(contract.id, period))).toEqual([
      '2026-11-20T08:00:00Z 1 preliminary',
      '2026-11-20T08:15:00Z 0.3 final',
    ]);
    const hours = await metered.usage(contract.id, period.replace('15min', 'hour'));
    expect(shown(hours)).toEqual(['2026-11-20T08:00:00Z 1.3 preliminary']);
  });
});

describe('with a moved clock', () => {
  const yesterday = 'start=2026-11-19&end=2026-11-20&resolution=day';

  test('a day is there from 16:00 of the next one, imports at once', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-11-18T23:00:00Z', 4]]);
    const seenAt = async (instant: string) => {
      metered.clock.set(instant);
      return shown(await metered.usage(contract.id, yesterday));
    };
    expect(await seenAt('2026-11-20T14:59:59.999Z')).toEqual([]);
    expect(await seenAt('2026-11-20T15:00:00.000Z')).toEqual(['2026-11-18T23:00:00Z 1 preliminary']);
    metered.clock.set('2026-11-20T08:00:00.000Z');
    await metered.import(contract.id, ['2026-11-19T00:00:00Z,0.5']);
    expect(await seenAt('2026-11-20T08:00:00.000Z')).toEqual(['2026-11-18T23:00:00Z 0.5 preliminary']);
    expect(await seenAt('2026-11-20T15:00:00.000Z')).toEqual(['2026-11-18T23:00:00Z 1.5 preliminary']);
    metered.clock.set(NOW);
  });

  test('days whose values are still to come leave a sum preliminary, until the month is settled', async () => {
    const contract = await metered.contract(smart);
    const until = (day: string) => metered.usage(contract.id, `start=2026-11-01&end=${day}&resolution=month`);
    await metered.import(contract.id, quarterHours('2026-10-31T23:00:00Z', '2026-11-18T23:00:00Z', 0.01));
    expect(shown(await until('2026-11-19'))).toEqual(['2026-10-31T23:00:00Z 17.28 final']);
    expect(shown(await until('2026-11-20'))).toEqual(['2026-10-31T23:00:00Z 17.28 preliminary']);
    metered.clock.set('2026-12-10T15:01:00.000Z');
    expect(shown(await until('2026-11-20'))).toEqual(['2026-10-31T23:00:00Z 17.28 final']);
    metered.clock.set(NOW);
  });

  test('what was measured is final when all is stored that came before 16:00 of the 8th working day of the next month', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T08:00:00Z', 4]]);
    const seenAt = async (instant: string) => {
      metered.clock.set(instant);
      return shown(await metered.usage(contract.id, 'start=2026-10-01&end=2026-11-01&resolution=month'));
    };
    expect(await seenAt('2026-11-11T15:00:59.999Z')).toEqual(['2026-09-30T22:00:00Z 1 preliminary']);
    expect(await seenAt('2026-11-11T15:01:00.000Z')).toEqual(['2026-09-30T22:00:00Z 1 final']);
    metered.clock.set(NOW);
  });

  test('an interval that is not over is preliminary', async () => {
    const contract = await metered.contract(smart);
    await metered.import(contract.id, quarterHours('2026-11-19T23:00:00Z', '2026-11-20T23:00:00Z', 1));
    const answer = await metered.usage(contract.id, 'start=2026-11-20&end=2026-12-01&resolution=month');
    expect(shown(answer)).toEqual(['2026-11-19T23:00:00Z 96 preliminary']);
  });
});

test('a contract that is not confirmed, and one without any value, has an empty list', async () => {
  const pending = await metered.contract({ ...smart, status: 'pending', start_at: null, confirmed_at: null });
  const silent = await metered.contract(smart);
  for (const { id } of [pending, silent]) {
    const answer = await metered.usage(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ object: 'usage', meter_type: 'smart', resolution: '15min', data: [] });
  }
});
