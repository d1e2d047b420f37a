import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kwhOf, stretchesOf } from '../../../src/contracts/usage/analog.ts';
import { addDays, earlier, later } from '../../../src/platform/time/berlin-calendar.ts';
import { householdShares, type ShareOf } from '../../../src/tariffs/expected-usage/service.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type Metered, shown, startMetered, total } from './metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
let share: ShareOf;
beforeAll(async () => {
  metered = await startMetered(NOW);
  share = await metered.api.deps.database.asService((connection) =>
    householdShares(connection, '2024-01-01', '2027-01-01'),
  );
});
afterAll(() => metered?.close());

function sharesOf(first: string, end: string): number {
  return share(first, end).toNumber();
}

const rounded = (kwh: number) => Math.round(kwh * 10_000) / 10_000;

describe('between two readings', () => {
  test('their difference is spread by the profile and final', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-01': 1000, '2026-03-01': 1600 });
    const answer = await metered.usage(contract.id, 'start=2026-01-01&end=2026-03-01');
    const january = rounded(
      (600 * sharesOf('2026-01-01', '2026-02-01')) / sharesOf('2026-01-01', '2026-03-01'),
    );
    expect(answer.body).toMatchObject({ object: 'usage', meter_type: 'analog', resolution: 'month' });
    expect(shown(answer)).toEqual([
      `2025-12-31T23:00:00Z ${january} final`,
      `2026-01-31T23:00:00Z ${rounded(600 - january)} final`,
    ]);
    /* Nearly a year's share of winter: 31 days of 59, and a little more for the colder month. */
    expect(january).toBeGreaterThan((600 * 31) / 59);
  });

  test('months are cut at both ends, and any split has the same total', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-10': 500, '2026-04-20': 1500, '2026-09-05': 2300 });
    const whole = await metered.usage(contract.id, 'start=2026-01-10&end=2026-09-05');
    expect(total(whole)).toBeCloseTo(1800, 3);
    expect(whole.body.data[0]?.start).toBe('2026-01-09T23:00:00Z');
    const first = await metered.usage(contract.id, 'start=2026-01-10&end=2026-05-17');
    const second = await metered.usage(contract.id, 'start=2026-05-17&end=2026-09-05');
    expect(second.body.data[0]?.start).toBe('2026-05-16T22:00:00Z');
    expect(total(first) + total(second)).toBeCloseTo(1800, 3);
  });

  test('a real reading counts before an estimate of the same day', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-01': 1000, '2026-03-01': 1500 });
    await metered.read(contract, { '2026-03-01': 1800 }, 'grid_estimation');
    expect(total(await metered.usage(contract.id, 'start=2026-01-01&end=2026-03-01'))).toBeCloseTo(500, 3);
  });

  test('next to an estimate it is preliminary; one that a real reading contradicts counts no more', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-01': 1000, '2026-05-01': 1500 });
    await metered.read(contract, { '2026-03-01': 1300 }, 'grid_estimation');
    const split = await metered.usage(contract.id, 'start=2026-01-01&end=2026-05-01');
    expect(split.body.data.map(({ type }) => type)).toEqual(Array(4).fill('preliminary'));
    const [january = 0, february = 0] = split.body.data.map(({ usage }) => usage);
    expect(january + february).toBeCloseTo(300, 3);
    for (const value of [999, 1501]) {
      const wrong = await metered.contract();
      await metered.read(wrong, { '2026-01-01': 1000, '2026-05-01': 1500 });
      await metered.read(wrong, { '2026-03-01': value }, 'grid_estimation');
      const whole = await metered.usage(wrong.id, 'start=2026-01-01&end=2026-05-01');
      expect(whole.body.data.map(({ type }) => type)).toEqual(Array(4).fill('final'));
      expect(total(whole)).toBeCloseTo(500, 3);
    }
  });

  test('0.00015 kWh are shown as 0.0002: half up, of the exact sum', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-01': '1000.00000', '2026-02-01': '1000.00015' });
    const answer = await metered.usage(contract.id, 'start=2026-01-01&end=2026-02-01');
    expect(shown(answer)).toEqual(['2025-12-31T23:00:00Z 0.0002 final']);
  });

  test('years before the profile was published are spread by it, too', async () => {
    const contract = await metered.contract({ start_at: '2023-12-31T23:00:00Z' });
    await metered.read(contract, { '2024-01-01': 1000, '2025-01-01': 3400 });
    const answer = await metered.usage(contract.id, 'start=2024-01-01&end=2025-01-01');
    expect(answer.body.data).toHaveLength(12);
    expect(total(answer)).toBeCloseTo(2400, 2);
  });

  test('a reading after the end of supply, of the next contract, ends this one', async () => {
    const first = await metered.contract({ status: 'ended', end_at: '2026-05-31T22:00:00Z' });
    const next = await metered.contract({ at: first.place, start_at: '2026-05-31T22:00:00Z' });
    await metered.read(first, { '2026-03-01': 1000 });
    await metered.read(next, { '2026-09-01': 2000 });
    const share = sharesOf('2026-03-01', '2026-06-01') / sharesOf('2026-03-01', '2026-09-01');
    const before = await metered.usage(first.id, 'start=2026-03-01&end=2026-11-01');
    expect(total(before)).toBeCloseTo(1000 * share, 3);
    expect(before.body.data.at(-1)?.start).toBe('2026-04-30T22:00:00Z');
    const after = await metered.usage(next.id, 'start=2026-01-01&end=2026-09-01');
    expect(total(after)).toBeCloseTo(1000 * (1 - share), 3);
  });
});

describe('after the latest reading', () => {
  test('the estimate of the contract is preliminary, when the month is over', async () => {
    const contract = await metered.contract({ estimated_usage: '3000' });
    await metered.read(contract, { '2026-08-01': 1000, '2026-09-16': 1200 });
    const answer = await metered.usage(contract.id, 'start=2026-09-01&end=2027-01-01');
    const last = (200 * sharesOf('2026-09-01', '2026-09-16')) / sharesOf('2026-08-01', '2026-09-16');
    const september = rounded(last + 3000 * sharesOf('2026-09-16', '2026-10-01'));
    const october = rounded(3000 * sharesOf('2026-10-01', '2026-11-01'));
    expect(shown(answer)).toEqual([
      `2026-08-31T22:00:00Z ${september} preliminary`,
      `2026-09-30T22:00:00Z ${october} preliminary`,
    ]);
    metered.clock.set('2026-11-30T23:00:00.000Z');
    const later = await metered.usage(contract.id, 'start=2026-11-01&end=2027-01-01');
    metered.clock.set(NOW);
    expect(shown(later)).toEqual([
      `2026-10-31T23:00:00Z ${rounded(3000 * sharesOf('2026-11-01', '2026-12-01'))} preliminary`,
    ]);
  });

  test('days that nothing is told of yet leave their month preliminary, and so does a counter that ran backwards', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-10-01': 1000, '2026-11-10': 1400 });
    const seen = shown(await metered.usage(contract.id, 'start=2026-11-01&end=2026-11-15'));
    const used = (400 * sharesOf('2026-11-01', '2026-11-10')) / sharesOf('2026-10-01', '2026-11-10');
    expect(seen).toEqual([`2026-10-31T23:00:00Z ${rounded(used)} preliminary`]);
    expect(shown(await metered.usage(contract.id, 'start=2026-11-01&end=2026-11-10'))).toEqual([
      `2026-10-31T23:00:00Z ${rounded(used)} final`,
    ]);
    const back = await metered.contract();
    await metered.read(back, { '2026-01-01': 1000, '2026-01-11': 1100, '2026-01-21': 5, '2026-02-01': 105 });
    expect(shown(await metered.usage(back.id, 'start=2026-01-01&end=2026-02-01'))).toEqual([
      '2025-12-31T23:00:00Z 200 preliminary',
    ]);
  });

  test('the year of an estimate is the estimate', async () => {
    const contract = await metered.contract({ estimated_usage: '2500' });
    await metered.read(contract, { '2025-01-01': 1000 });
    const answer = await metered.usage(contract.id, 'start=2025-01-01&end=2026-01-01');
    expect(answer.body.data).toHaveLength(12);
    expect(total(answer)).toBeCloseTo(2500, 2);
  });

  test('it ends with supply', async () => {
    const contract = await metered.contract({
      status: 'ended',
      end_at: '2026-08-14T22:00:00Z',
      estimated_usage: '3000',
    });
    await metered.read(contract, { '2026-08-01': 1000 });
    const answer = await metered.usage(contract.id, 'start=2026-08-01&end=2026-11-01');
    const expected = rounded(3000 * sharesOf('2026-08-01', '2026-08-15'));
    expect(shown(answer)).toEqual([`2026-07-31T22:00:00Z ${expected} preliminary`]);
  });

  test('before the first reading it begins with supply, too', async () => {
    const contract = await metered.contract({
      start_at: '2026-03-31T22:00:00Z',
      estimated_usage: '3000',
    });
    await metered.read(contract, { '2026-05-01': 1000, '2026-06-01': 1200 });
    const expected = rounded(3000 * sharesOf('2026-04-01', '2026-05-01'));
    expect(shown(await metered.usage(contract.id, 'start=2026-01-01&end=2026-06-01'))).toEqual([
      `2026-03-31T22:00:00Z ${expected} preliminary`,
      '2026-04-30T22:00:00Z 200 final',
    ]);
  });

  test('without any reading it begins with supply', async () => {
    const { id } = await metered.contract({ start_at: '2026-09-14T22:00:00Z', estimated_usage: '3000' });
    const answer = await metered.usage(id, 'start=2026-08-01&end=2026-11-01');
    expect(shown(answer)).toEqual([
      `2026-08-31T22:00:00Z ${rounded(3000 * sharesOf('2026-09-15', '2026-10-01'))} preliminary`,
      `2026-09-30T22:00:00Z ${rounded(3000 * sharesOf('2026-10-01', '2026-11-01'))} preliminary`,
    ]);
  });
});

describe('what is asked for where nothing is said', () => {
  test('from the start of supply to the latest reading', async () => {
    const contract = await metered.contract({ start_at: '2026-04-30T22:00:00Z' });
    await metered.read(contract, { '2026-05-01': 1000, '2026-07-16': 1300 });
    const { body } = await metered.usage(contract.id);
    expect(body.data.map(({ start }) => start)).toEqual([
      '2026-04-30T22:00:00Z',
      '2026-05-31T22:00:00Z',
      '2026-06-30T22:00:00Z',
    ]);
  });

  test('at most 12 months back', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2025-01-01': 1000, '2026-11-10': 5000 });
    const { body } = await metered.usage(contract.id);
    expect(body.data).toHaveLength(13);
    expect(body.data[0]?.start).toBe('2025-11-20T23:00:00Z');
    expect(body.data.at(-1)?.type).toBe('final');
  });

  test('nothing is known without a reading, after one alone, and before a confirmation', async () => {
    const silent = await metered.contract();
    const begun = await metered.contract();
    await metered.read(begun, { '2025-01-01': 1000 });
    const pending = await metered.contract({ status: 'pending', start_at: null, confirmed_at: null });
    for (const { id } of [silent, begun, pending]) {
      const answer = await metered.usage(id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ object: 'usage', meter_type: 'analog', resolution: 'month', data: [] });
    }
  });
});

test('three years after its year, days whose readings are removed are left out, and no estimate takes their place', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2025-01-01': 1000, '2025-12-31': 3400, '2026-03-01': 3900 });
  const years = 'start=2025-01-01&end=2026-03-01';
  const before = await metered.usage(contract.id, years);
  expect(new Set(before.body.data.map(({ type }) => type))).toEqual(new Set(['final']));
  /* The last one before the kept years stays: the next is compared with it. */
  await storedRows(metered.api, "DELETE FROM meter_readings WHERE meter_id = $1 AND read_on < '2025-12-31'", [
    contract.meter,
  ]);
  metered.clock.set('2029-01-01T12:00:00.000Z');
  const after = await metered.usage(contract.id, years);
  metered.clock.set(NOW);
  expect(shown(after)).toEqual(shown(before).slice(12));
});

test.each(['auto', '15min', 'hour', 'day', 'week', 'month'])(
  '%s is answered by months',
  async (resolution) => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-01': 1000, '2026-10-01': 3000 });
    const { body } = await metered.usage(
      contract.id,
      `start=2026-01-01&end=2026-10-01&resolution=${resolution}`,
    );
    expect(body.resolution).toBe('month');
    expect(body.data).toHaveLength(9);
  },
);

test('any split of any period has the same total', () => {
  const start = '2025-01-01';
  const day = fc.nat(700).map((days) => addDays(start, days));
  const readings = fc.uniqueArray(day, { maxLength: 8 }).chain((days) =>
    fc.array(fc.nat(5_000_000), { minLength: days.length, maxLength: days.length }).map((grown) => {
      let value = 100_000;
      return days.toSorted().map((read_on, index) => {
        value += grown[index] ?? 0;
        return { read_on, value: (value / 1_000).toFixed(3), isEstimate: false };
      });
    }),
  );
  fc.assert(
    fc.property(readings, day, day, day, (given, ...days) => {
      const [first = start, middle = start, end = start] = days.toSorted();
      const sum = (from: string, until: string) =>
        stretchesOf({
          ...{ readings: given, first: from, end: until },
          ...{ suppliedFrom: start, estimatedUntil: '2026-11-01' },
        }).reduce((total, stretch) => {
          const days = { from: later(stretch.from, from), until: earlier(stretch.until, until) };
          return total + kwhOf(stretch, days, '3000', share).toNumber();
        }, 0);
      expect(sum(first, middle) + sum(middle, end)).toBeCloseTo(sum(first, end), 6);
    }),
    { numRuns: 40 },
  );
});
