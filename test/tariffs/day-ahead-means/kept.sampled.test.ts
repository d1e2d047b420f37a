import { beforeEach, describe, expect, test } from 'vitest';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { currentMean } from '../../../src/tariffs/day-ahead-means/current.ts';
import { lockMeans } from '../../../src/tariffs/day-ahead-means/queries.ts';
import { sampled } from '../../setup/tier.ts';
import { MeanStore } from './mean-store.ts';

const store = new MeanStore();
const meanOn = (priceDate: string) => store.as((connection) => currentMean(connection, priceDate));

beforeEach(() => store.empty());

describe('each quarter hour counts once', () => {
  /* Clock changes in and at the edge of the window, leap years, the switch to quarter hours. */
  const WINDOWS = [
    ['2026-11-20', '2025-11-20'],
    ['2026-03-30', '2025-03-30'],
    ['2026-10-26', '2025-10-26'],
    ['2028-02-29', '2027-02-28'],
    ['2029-02-28', '2028-02-28'],
    ['2026-04-01', '2025-04-01'],
  ] as const;
  test.each(sampled(WINDOWS, 2))(
    'as a recomputation of %s over all of them finds',
    async (priceDate, first) => {
      await store.store({ first, end: priceDate });
      /* The day before the window and the one behind it do not count. */
      await store.store({ first: addDays(first, -1), end: first, amount: '3000' });
      await store.store({ first: priceDate, end: addDays(priceDate, 1), amount: '3000' });
      const { mean, priced, all } = await store.recomputed(priceDate);
      expect(await meanOn(priceDate)).toMatchObject({
        mean_ct_net: mean,
        priced_quarter_hours: priced,
        quarter_hours: all,
      });
      expect(priced).toBe(all);
    },
  );

  test('and each delivery day in the bidding zone of its time', async () => {
    await store.store({ first: '2018-03-01', end: '2018-10-01', zone: 'DE-AT-LU', amount: '40' });
    await store.store({ first: '2018-10-01', end: '2019-03-01', amount: '60' });
    /* Stored as well, and of the other zone; without a day of its own. */
    await store.write(`
      INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
      SELECT 'DE-AT-LU', interval_start, minutes, delivery_on, 9000, source, 1
        FROM spot_prices WHERE delivery_on = '2018-11-01'`);
    const { mean } = await store.recomputed('2019-03-01');
    expect((await meanOn('2019-03-01')).mean_ct_net).toBe(mean);
  });
});

test('before 2025-10-01 an hourly price counts for its four quarter hours', async () => {
  await store.store({ first: '2025-09-01', end: '2025-10-01', amount: '100' });
  await store.store({ first: '2025-10-01', end: '2025-10-31', amount: '20' });
  /* 30 days each, the 25 hours of 26 October among them: 2,880 quarter hours at 100 and 2,884 at 20. */
  const mean = (2_880 * 100 + 2_884 * 20) / (2_880 + 2_884) / 10;
  expect((await meanOn('2026-03-01')).mean_ct_net).toBe(mean.toFixed(4));
});

test('negative prices count as they are', async () => {
  await store.store({ first: '2025-11-20', end: '2026-11-20', amount: '-12.345' });
  expect((await meanOn('2026-11-20')).mean_ct_net).toBe('-1.2345');
});

describe('a kept mean', () => {
  test('is not computed again while no price of its window has changed', async () => {
    await store.store({ first: '2025-11-20', end: '2026-11-20', amount: '80' });
    const first = await meanOn('2026-11-20');
    await store.store({ first: '2026-11-20', end: '2026-11-21', amount: '3000' });
    await store.store({ first: '2025-11-19', end: '2025-11-20', amount: '3000' });
    expect(await meanOn('2026-11-20')).toEqual(first);
  });

  test('follows the revision of an old price', async () => {
    await store.store({ first: '2025-11-20', end: '2026-11-20', amount: '80' });
    expect((await meanOn('2026-11-20')).mean_ct_net).toBe('8.0000');
    await store.revise('2026-01-15', '160');
    const { mean } = await store.recomputed('2026-11-20');
    expect(mean).toBe('8.0219');
    expect((await meanOn('2026-11-20')).mean_ct_net).toBe(mean);
  });

  test('follows a day that was missing', async () => {
    await store.store({ first: '2025-11-20', end: '2026-11-19', amount: '80' });
    await meanOn('2026-11-20');
    await store.store({ first: '2026-11-19', end: '2026-11-20', amount: '445' });
    expect((await meanOn('2026-11-20')).mean_ct_net).toBe('8.1000');
  });

  test('reads prices of changed days only', async () => {
    await store.store({ first: '2025-11-20', end: '2026-11-20', amount: '80' });
    await meanOn('2026-11-20');
    /* Nobody does this: a value changes and its day knows nothing of it. Whoever read the day again would see it. */
    await store.write("UPDATE spot_prices SET amount = 3000 WHERE delivery_on = '2026-02-01'");
    await store.revise('2026-01-15', '160');
    expect((await meanOn('2026-11-20')).mean_ct_net).toBe('8.0219');
    /* Of the next price date one day is new. */
    await store.store({ first: '2026-11-20', end: '2026-11-21', amount: '80' });
    expect((await meanOn('2026-11-21')).mean_ct_net).toBe('8.0219');
  });

  test('is computed without waiting while another transaction writes one', async () => {
    await store.store({ first: '2025-11-20', end: '2026-11-20', amount: '80' });
    const whileLocked = await store.as(async (connection) => {
      expect(await lockMeans(connection)).toBe(true);
      return meanOn('2026-11-20');
    });
    expect(whileLocked.mean_ct_net).toBe('8.0000');
    expect(await store.rows('SELECT FROM day_ahead_means')).toHaveLength(0);
    await meanOn('2026-11-20');
    expect(await store.rows('SELECT FROM day_ahead_means')).toHaveLength(1);
  });
});
