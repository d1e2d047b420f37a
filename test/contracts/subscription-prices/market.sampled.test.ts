import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';
import { quarters } from '../../spot-prices/serve/price-api.ts';
import { amounts, type PricedContract, runs, takePriced } from './priced.ts';

const priced = await takePriced('2026-11-20T12:00:00+01:00');
const ZIP = '99998';
let contract: PricedContract;

beforeAll(async () => {
  /* An operator with figures of 2025, too: low from 6:15 to 7:00. */
  const dated = "'2025-01-01', '2027-01-01', 'tests'";
  await storedRows(
    priced.api,
    `WITH operators AS (
       INSERT INTO grid_operators (operator, name, valid_from, valid_to, source) VALUES ('test-netz', 'Test', ${dated})),
     fees AS (
       INSERT INTO grid_fees (operator, base_eur_year_net, working_ct_net, provisional, valid_from, valid_to, source)
       VALUES ('test-netz', 80, 10, false, ${dated})),
     schedules AS (
       INSERT INTO grid_fee_schedules (operator, low_ct_net, standard_ct_net, high_ct_net, quarters, low_windows,
         high_windows, share_of_year, valid_from, valid_to, source)
       VALUES ('test-netz', 2, 10, 14, '1;2;3;4', '06:15-07:00', '17:00-19:00', 1, ${dated}))
     INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, valid_to, source)
     VALUES ('${ZIP}', 'test-netz', 'T1', 1, ${dated})`,
  );
  contract = await priced.contract({ zip: ZIP, terms: [{ margin_ct_net: '0' }] });
});
afterAll(() => priced.close());

describe('the switch to quarter hours on 2025-10-01', () => {
  beforeAll(async () => {
    await priced.store('2025-09-30', (index) => `${index + 1}0`);
    await priced.store('2025-10-01', (index) => `${index}`);
  });

  test('a period before it has hours', async () => {
    const { body } = await priced.prices(contract, '2025-09-30');
    expect([body.resolution, body.reference]).toEqual(['hourly', 'EPEX Day-Ahead Hourly']);
    expect(body.items?.map(({ timestamp }) => timestamp)).toEqual(
      quarters('2025-09-29T22:00:00Z', 96).filter((_, index) => index % 4 === 0),
    );
    /* 10 EUR/MWh; 10 ct; 1.32 + 4.701 ct. */
    expect(body.items?.[0]).toEqual({
      timestamp: '2025-09-29T22:00:00Z',
      amount: 20.25499,
      components: [
        { type: 'electricity', amount: 1.19 },
        { type: 'grid', amount: 11.9 },
        { type: 'levies', amount: 7.16499 },
      ],
    });
  });

  test('a period across it has quarter hours, and an hourly price four times', async () => {
    const answer = await priced.prices(contract, '2025-09-30', '2025-10-01');
    const { body } = answer;
    expect([body.resolution, body.reference]).toEqual(['15min', 'EPEX Day-Ahead 15min']);
    expect(body.items?.map(({ timestamp }) => timestamp)).toEqual(quarters('2025-09-29T22:00:00Z', 192));
    expect(runs(amounts(answer, 'electricity')).slice(0, 27)).toEqual([
      ...Array.from({ length: 24 }, (_, hour) => `4 × ${Number(((hour + 1) * 1.19).toFixed(6))}`),
      ...['1 × 0', '1 × 0.119', '1 × 0.238'],
    ]);
  });

  test('with module 3 an hour has the mean of its quarter hours, a quarter hour its band', async () => {
    const reduced = await priced.contract({ zip: ZIP });
    await priced.reduce(reduced, 3, '2025-01-01');
    const hourly = await priced.prices(reduced, '2025-09-30');
    /* (10 + 3 × 2) / 4 = 4 ct from 6:00 to 7:00. */
    expect(runs(amounts(hourly, 'grid'))).toEqual([
      ...['6 × 11.9', '1 × 4.76', '10 × 11.9', '2 × 16.66', '5 × 11.9'],
    ]);
    const across = await priced.prices(reduced, '2025-09-30', '2025-10-01');
    const day = ['25 × 11.9', '3 × 2.38', '40 × 11.9', '8 × 16.66'];
    expect(runs(amounts(across, 'grid'))).toEqual([...day, '45 × 11.9', ...day.slice(1), '20 × 11.9']);
  });
});

describe('prices that are missing', () => {
  test('an interval without a price has null for electricity and for the sum', async () => {
    await priced.store('2026-11-17', (index) => (index === 5 ? 'null' : '50'));
    const answer = await priced.prices(contract, '2026-11-17');
    expect(answer.body.items?.[5]).toEqual({
      timestamp: '2026-11-17T00:15:00Z',
      amount: null,
      components: [
        { type: 'electricity', amount: null },
        { type: 'grid', amount: 11.9 },
        { type: 'levies', amount: 7.51604 },
      ],
    });
    expect(runs(amounts(answer))).toEqual(['5 × 25.36604', '1 × null', '90 × 25.36604']);
  });

  test('a day without any is there all the same, far ahead as well', async () => {
    for (const day of ['2026-11-09', '2027-11-09', '9999-12-31']) {
      const answer = await priced.prices(contract, day);
      expect([answer.status, answer.body.items?.length]).toEqual([200, 96]);
      expect(runs(amounts(answer))).toEqual(['96 × null']);
    }
  });

  test('a missing hour is four quarter hours in a period that has them', async () => {
    await priced.store('2025-09-29', (index) => (index === 3 ? 'null' : '50'));
    await priced.store('2025-10-01', '50');
    const answer = await priced.prices(contract, '2025-09-29', '2025-10-01');
    expect(runs(amounts(answer, 'electricity'))[1]).toBe('4 × null');
  });
});

test('below zero the market pays', async () => {
  await priced.store('2026-11-16', '-120.5');
  const answer = await priced.prices(contract, '2026-11-16');
  expect(runs(amounts(answer, 'electricity'))).toEqual(['96 × -14.3395']);
});

/* All that may be asked for at once; by `npm test` three months, with a change of the clock as well. */
const SPAN = isLongTier
  ? { days: 366, first: '2025-11-20', from: '2025-11-19T23:00:00Z', intervals: 35_136 }
  : { days: 93, first: '2026-08-20', from: '2026-08-19T22:00:00Z', intervals: 93 * 96 + 4 };

test(`${SPAN.days} days come in one answer, each interval once`, async () => {
  const { body } = await priced.prices(contract, SPAN.first, '2026-11-20');
  expect(body.items?.map(({ timestamp }) => timestamp)).toEqual(quarters(SPAN.from, SPAN.intervals));
});
