import { beforeEach, describe, expect, test } from 'vitest';
import { dayAheadMean } from '../../src/day-ahead-means/service.ts';
import type { Figure } from '../../src/tariffs/figures.ts';
import { MeanStore } from './mean-store.ts';

const store = new MeanStore();

const PUBLISHED: Figure = {
  value: '8.932',
  unit: 'ct/kWh net',
  origin: {
    table: 'market_values',
    key: 'day_ahead_mean',
    valid_from: '2026-01-01',
    valid_to: '2027-01-01',
    source: 'published',
    checked_on: null,
    is_carried_forward: false,
  },
};

/* Figures are kept for some seconds, by price date: each test has one of its own. */
const figureOn = (priceDate: string, publishedDayAheadMean: () => Figure | undefined = () => PUBLISHED) =>
  store.as((connection) => dayAheadMean(connection, priceDate, { publishedDayAheadMean }));

beforeEach(() => store.empty());

describe('what quotes calculate with', () => {
  test('is the mean of stored prices from 90 % of the window on', async () => {
    /* 333 of 365 days: 91 %. */
    await store.store({ first: '2025-11-01', end: '2026-09-30', amount: '80' });
    const { value, origin } = await figureOn('2026-11-01');
    expect(value).toBe('8.0000');
    expect(origin).toEqual({
      table: 'day_ahead_means',
      key: '',
      valid_from: '2026-11-01',
      valid_to: '2026-11-02',
      source:
        'mean of realized day-ahead prices, 2025-11-01 to 2026-10-31; 91.22 % of the quarter hours; smard',
      checked_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      is_carried_forward: false,
    });
  });

  test('is the published mean below it, as it stands', async () => {
    /* 325 of 365 days: 89 %. */
    await store.store({ first: '2025-11-02', end: '2026-09-23', amount: '80' });
    expect(await figureOn('2026-11-02')).toEqual({ ...PUBLISHED, price_kind: 'market' });
  });

  test('is nothing where neither is there: an error that names table and date', async () => {
    await expect(figureOn('2026-11-03', () => undefined)).rejects.toThrow(
      'No row of market_values for day_ahead_mean counts on 2026-11-03',
    );
  });

  test('is the published mean of the moment: a new reference set counts at once', async () => {
    expect((await figureOn('2026-11-04')).value).toBe('8.932');
    expect((await figureOn('2026-11-04', () => ({ ...PUBLISHED, value: '9.1' }))).value).toBe('9.1');
  });
});

test('a hundred who ask at the same time have it computed once', async () => {
  await store.store({ first: '2025-11-05', end: '2026-11-05' });
  const figures = await Promise.all(Array.from({ length: 100 }, () => figureOn('2026-11-05')));
  /* Each computation makes an object of its own. */
  expect(new Set(figures).size).toBe(1);
});

test('invented prices never pass for those of the market', async () => {
  await store.store({ first: '2025-11-06', end: '2026-11-06', amount: '80', source: 'synthetic' });
  await store.write("INSERT INTO price_kind (kind) VALUES ('synthetic')");
  const { origin } = await figureOn('2026-11-06');
  expect(origin.source).toMatch(/^mean of synthetic prices: invented numbers, no market prices, /);
});
