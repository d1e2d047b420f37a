import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { currentMean } from '../../../src/tariffs/day-ahead-means/current.ts';
import { dayAheadMean } from '../../../src/tariffs/day-ahead-means/service.ts';
import type { Figure } from '../../../src/tariffs/reference-data/figures.ts';
import { waitingForLocks } from '../../setup/held-row.ts';
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

/** Each computation writes what it found: this counts them. */
const countComputations = () =>
  store.write(
    'DROP SEQUENCE IF EXISTS computations',
    'CREATE SEQUENCE computations',
    'GRANT USAGE ON computations TO PUBLIC',
    `CREATE OR REPLACE FUNCTION count_computation() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM nextval('public.computations'); RETURN NEW; END $$`,
    `CREATE OR REPLACE TRIGGER count_computation BEFORE INSERT OR UPDATE ON day_ahead_means
       FOR EACH ROW EXECUTE FUNCTION count_computation()`,
  );
const computations = () => store.rows('SELECT last_value::int AS computations FROM computations');

test('a hundred who ask at the same time have it computed once', async () => {
  await store.store({ first: '2025-11-05', end: '2026-11-05' });
  await countComputations();
  const figures = await Promise.all(Array.from({ length: 100 }, () => figureOn('2026-11-05')));
  expect(await computations()).toEqual([{ computations: 1 }]);
  expect(new Set(figures.map(({ value }) => value)).size).toBe(1);
});

test('a process that looks while another one commits the mean takes it, and computes nothing', async () => {
  await store.store({ first: '2025-11-08', end: '2026-11-08' });
  await countComputations();
  const mean = () => store.as((connection) => currentMean(connection, '2026-11-08'));
  const holder = new pg.Client({ connectionString: store.testDatabase.adminUrl });
  await holder.connect();
  try {
    /* The first one has written and not committed. The second one has seen no row and stops at the days. */
    const { late } = await store.as(async (connection) => {
      await currentMean(connection, '2026-11-08');
      const held = holder.query('BEGIN; LOCK TABLE price_days');
      await expect.poll(() => waitingForLocks(store.testDatabase)).toBe(1);
      const second = mean();
      await expect.poll(() => waitingForLocks(store.testDatabase)).toBe(2);
      return { late: held.then(() => holder.query('COMMIT')).then(() => second) };
    });
    expect(await late).toEqual(await mean());
    expect(await computations()).toEqual([{ computations: 1 }]);
  } finally {
    await holder.end();
  }
});

test('who asks beside one whose computation fails computes for himself', async () => {
  await store.store({ first: '2025-11-07', end: '2026-11-07' });
  await store.write(
    `CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF nextval('public.failures') = 1 THEN RAISE 'the first one fails'; END IF; RETURN NEW; END $$`,
    'CREATE SEQUENCE failures',
    'GRANT USAGE ON failures TO PUBLIC',
    `CREATE TRIGGER fail_once BEFORE INSERT ON day_ahead_means FOR EACH ROW EXECUTE FUNCTION fail_once()`,
  );
  const answers = await Promise.allSettled(Array.from({ length: 4 }, () => figureOn('2026-11-07')));
  expect(answers.map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
});

test('invented prices never pass for those of the market', async () => {
  await store.store({ first: '2025-11-06', end: '2026-11-06', amount: '80', source: 'synthetic' });
  await store.write("INSERT INTO price_kind (kind) VALUES ('synthetic')");
  const { origin } = await figureOn('2026-11-06');
  expect(origin.source).toMatch(/^mean of synthetic prices: invented numbers, no market prices, /);
});
