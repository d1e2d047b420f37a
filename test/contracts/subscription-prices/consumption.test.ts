import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { berlinMidnight } from '../../../src/platform/time/berlin-calendar.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { quarters } from '../../spot-prices/serve/price-api.ts';
import { amounts, type PricedContract, type PricesBody, runs, takePriced } from './priced.ts';

const NOON = '2027-01-05T12:00:00+01:00';
const priced = await takePriced(NOON);
let berlin: PricedContract;

beforeAll(async () => {
  /* A levy of the new year; the others of 2026 are carried forward. */
  await storedRows(
    priced.api,
    "INSERT INTO levies (code, ct_net, valid_from, source) VALUES ('kwkg', 0.546, '2027-01-01', 'tests')",
  );
  berlin = await priced.contract();
  for (const day of ['2026-11-18', '2026-11-19', '2026-12-31', '2027-01-01'])
    await priced.store(day, '93.28');
});
afterAll(() => priced.close());

/* Stromnetz Berlin 2026, class T4: 7.46 and 2.39 + 4.996 ct net, each × 1.19; (9.328 + 1.80) × 1.19. */
const ELECTRICITY = 13.24232;
const GRID = 8.8774;
const LEVIES = 8.78934;

describe.each(VERSION_NAMES)('%s', (version) => {
  test('shows every interval of the day with its parts', async () => {
    const client = await priced.client(version);
    const path = `/subscriptions/${berlin.id}/prices?start=2026-11-18&end=2026-11-18`;
    const { status, body } = await client.get<PricesBody>(path);
    const { items, ...head } = body;
    expect([status, head]).toEqual([
      200,
      {
        object: 'price',
        subscription: berlin.id,
        period: { start: '2026-11-18', end: '2026-11-18' },
        currency: 'EUR',
        unit: 'ct/kWh',
        resolution: '15min',
        reference: 'EPEX Day-Ahead 15min',
      },
    ]);
    const components = [
      { type: 'electricity', amount: ELECTRICITY },
      { type: 'grid', amount: GRID },
      { type: 'levies', amount: LEVIES },
    ];
    expect(items).toEqual(
      quarters('2026-11-17T23:00:00Z', 96).map((timestamp) => ({ timestamp, amount: 30.90906, components })),
    );
  });
});

test('the amount is the sum of its components at six decimals, whatever the price', async () => {
  const contract = await priced.contract({ zip: '21335', terms: [{ margin_ct_net: '1.234567' }] });
  await priced.reduce(contract, 1, '2026-01-01');
  await priced.reduce(contract, 3, '2026-01-01');
  await priced.store('2026-11-16', (index) => (index * 7.77 - 300.13).toFixed(2));
  const answer = await priced.prices(contract, '2026-11-16');
  const written = /"amount":(-?\d+(?:\.\d{1,6})?)[,}]/g;
  expect([...answer.text.matchAll(written)].length).toBe(4 * 96);
  for (const { amount, components } of answer.body.items ?? []) {
    const millionths = (value: number | null) => Math.round((value ?? Number.NaN) * 1e6);
    expect(millionths(amount)).toBe(
      components.reduce((sum, component) => sum + millionths(component.amount), 0),
    );
  }
});

describe('reductions of the grid fee', () => {
  const gridOn = async (contract: PricedContract, day: string, last = day) =>
    runs(amounts(await priced.prices(contract, day, last), 'grid'));

  test('module 3 has the bands of the operator in its active quarters, and standard in the others', async () => {
    /* Avacon Netz: quarters 1 and 4, low from 23:00 to 5:00, high from 16:30 to 21:00. */
    const contract = await priced.contract({ zip: '21335' });
    await priced.reduce(contract, 1, '2026-01-01');
    await priced.reduce(contract, 3, '2026-01-01');
    expect(await gridOn(contract, '2026-11-18')).toEqual([
      ...['20 × 0.714', '46 × 7.1876', '18 × 10.0079', '8 × 7.1876', '4 × 0.714'],
    ]);
    expect(await gridOn(contract, '2026-09-30', '2026-10-01')).toEqual([
      ...['96 × 7.1876', '20 × 0.714', '46 × 7.1876', '18 × 10.0079', '8 × 7.1876', '4 × 0.714'],
    ]);
  });

  test('on the days on which clocks change bands follow the clock on the wall', async () => {
    /* Stromnetz Berlin: low from 22:15 to 6:30, high from 17:15 to 20:15, all year. */
    const contract = await priced.contract();
    await priced.reduce(contract, 3, '2026-01-01');
    const evening = ['43 × 8.8774', '12 × 16.5886', '8 × 8.8774', '7 × 3.1059'];
    expect(await gridOn(contract, '2026-03-29')).toEqual(['22 × 3.1059', ...evening]);
    expect(await gridOn(contract, '2026-10-25')).toEqual(['30 × 3.1059', ...evening]);
    const starts = async (day: string) =>
      (await priced.prices(contract, day)).body.items?.map(({ timestamp }) => timestamp);
    expect(await starts('2026-03-29')).toEqual(quarters('2026-03-28T23:00:00Z', 92));
    expect(await starts('2026-10-25')).toEqual(quarters('2026-10-24T22:00:00Z', 100));
  });

  test('module 1 changes no working price; module 2 has the reduced one from its first day to its end', async () => {
    const contract = await priced.contract();
    await priced.reduce(contract, 1, '2026-01-01', { until: '2026-11-19', status: 'ended' });
    expect(await gridOn(contract, '2026-11-18', '2026-11-19')).toEqual([`192 × ${GRID}`]);
    await priced.reduce(contract, 2, '2026-11-19', { until: '2026-11-21', status: 'ended' });
    expect(await gridOn(contract, '2026-11-18', '2026-11-22')).toEqual([
      ...[`96 × ${GRID}`, '192 × 3.5462', `192 × ${GRID}`],
    ]);
  });

  test.each(['intended', 'ordered', 'rejected'] as const)(
    'one that is %s changes nothing',
    async (status) => {
      const contract = await priced.contract();
      await priced.reduce(contract, 2, '2026-01-01', { status });
      expect(await gridOn(contract, '2026-11-18')).toEqual([`96 × ${GRID}`]);
    },
  );

  test('module 3 where the operator publishes no bands has the ordinary price', async () => {
    const contract = await priced.contract({ zip: '04109' });
    await priced.reduce(contract, 3, '2026-01-01');
    expect(await gridOn(contract, '2026-11-18')).toEqual(['96 × 5.1051']);
  });
});

describe('terms of each day', () => {
  test('a new year has its levies from its first interval on', async () => {
    const answer = await priced.prices(berlin, '2026-12-31', '2027-01-01');
    expect(runs(amounts(answer, 'levies'))).toEqual([`96 × ${LEVIES}`, '96 × 8.90834']);
    expect(runs(amounts(answer, 'grid'))).toEqual([`192 × ${GRID}`]);
    expect(runs(amounts(answer))).toEqual(['96 × 30.90906', '96 × 31.02806']);
  });

  test('a price change of the plan holds from its day on; in a gap the terms that ended last', async () => {
    const contract = await priced.contract({
      terms: [
        { valid_from: '2026-11-01', valid_to: '2026-11-18', margin_ct_net: '1.80' },
        { valid_from: '2026-11-19', valid_to: '2026-11-20', margin_ct_net: '2.80' },
        { valid_from: '2027-01-01', margin_ct_net: '3.80' },
      ],
    });
    const electricity = async (first: string, last = first) =>
      runs(amounts(await priced.prices(contract, first, last), 'electricity'));
    expect(await electricity('2026-11-18', '2026-11-19')).toEqual([`96 × ${ELECTRICITY}`, '96 × 14.43232']);
    expect(await electricity('2026-12-31', '2027-01-01')).toEqual(['96 × 14.43232', '96 × 15.62232']);
    await priced.store('2026-10-01', '93.28');
    expect(await electricity('2026-10-01')).toEqual([`96 × ${ELECTRICITY}`]);
  });

  test('without a row of the reference data the part is null, years ahead and before the data begins', async () => {
    const later = await priced.contract();
    for (const day of ['2035-06-01', '2024-06-01']) {
      const { status, body } = await priced.prices(later, day);
      expect([status, body.items?.length]).toEqual([200, day < '2025' ? 24 : 96]);
      const [first] = body.items ?? [];
      expect(first?.amount).toBe(null);
      expect(first?.components.map(({ type, amount }) => [type, amount])).toEqual([
        ...[
          ['electricity', null],
          ['grid', null],
          ['levies', null],
        ],
      ]);
    }
    await priced.store('2024-06-01', '93.28');
    const known = await priced.prices(later, '2024-06-01');
    expect(runs(amounts(known, 'electricity'))).toEqual([`24 × ${ELECTRICITY}`]);
    expect(runs(amounts(known))).toEqual(['24 × null']);
  });

  test('the grid is that of the delivery address, else of the household; without either its parts are null', async () => {
    const contract = await priced.contract({ zip: '45468' });
    const parts = async () => {
      const answer = await priced.prices(contract, '2026-11-18');
      return ['electricity', 'grid', 'levies', undefined].map((type) => runs(amounts(answer, type)).join());
    };
    const inHousehold = await parts();
    /* Westnetz, class T3: 9.53 and 1.99 + 4.996. */
    expect(inHousehold).toEqual([`96 × ${ELECTRICITY}`, '96 × 11.3407', '96 × 8.31334', '96 × 32.89636']);
    const households = (address: string | null) =>
      storedRows(priced.api, 'UPDATE households SET address_id = $2 WHERE id = $1', [
        contract.place.household,
        address,
      ]);
    /* At that address nobody is supplied. */
    await households(contract.billing_address);
    expect(await parts()).toEqual(inHousehold);
    await households(contract.place.address);
    await storedRows(priced.api, 'UPDATE subscriptions SET address_id = null WHERE id = $1', [contract.id]);
    expect(await parts()).toEqual(inHousehold);
    await households(null);
    expect(await parts()).toEqual([`96 × ${ELECTRICITY}`, '96 × null', '96 × null', '96 × null']);
  });
});

describe('supply', () => {
  test('intervals before its start and from its end on are left out', async () => {
    const contract = await priced.contract({
      status: 'ended',
      start_at: berlinMidnight('2026-11-18'),
      end_at: berlinMidnight('2026-11-20'),
    });
    const answer = await priced.prices(contract, '2026-11-10', '2026-12-10');
    expect(answer.body.items?.map(({ timestamp }) => timestamp)).toEqual(
      quarters('2026-11-17T23:00:00Z', 192),
    );
    expect(answer.body.period).toEqual({ start: '2026-11-10', end: '2026-12-10' });
    for (const [first, last] of [
      ['2026-11-10', '2026-11-17'],
      ['2026-11-20', '2026-11-21'],
    ] as const) {
      expect((await priced.prices(contract, first, last)).body.items).toBe(null);
    }
  });

  test('a contract that is not confirmed, or was refused, has no items', async () => {
    const pending = await priced.contract({ status: 'pending', start_at: null, confirmed_at: null });
    const refused = await priced.contract({
      ...{ status: 'ended', start_at: null, confirmed_at: null },
      end_at: '2026-11-18T09:12:13.456Z',
    });
    for (const contract of [pending, refused]) {
      const { status, body } = await priced.prices(contract, '2026-11-18');
      expect([status, body.items, body.resolution]).toEqual([200, null, '15min']);
    }
  });
});
