import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { forgetReferenceRevisions } from '../../../src/tariffs/reference-data/service.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';
import { amounts, type PricesBody, runs, takePriced } from './priced.ts';

const priced = await takePriced('2026-11-20T12:00:00+01:00');
beforeAll(() => priced.store('2026-11-18', '-20'));
afterAll(() => priced.close());

interface Plant {
  is_tax_exempt?: boolean;
  plant_commissioned_on?: string;
  plant_size_kw?: string;
}

const eeg = {
  feed_in_kind: 'eeg',
  feed_in_ct_net: null,
  feed_in_scope: 'partial',
  feed_in_up_to_kw: 10,
} as const;
const direct = { ...eeg, feed_in_kind: 'direct', feed_in_margin_ct_net: '0.5' } as const;

async function feedIn(terms: object, plant: Plant = {}) {
  return await priced.contract({ type: 'feed_in', terms: [terms], ...plant });
}

async function paid(terms: object, plant: Plant = {}, first = '2026-11-18', last = first): Promise<string[]> {
  return runs(amounts(await priced.prices(await feedIn(terms, plant), first, last), 'electricity'));
}

describe.each(VERSION_NAMES)('%s', (version) => {
  const knows = version >= '2026-05-27';

  test(`${knows ? 'shows' : 'refuses'} the prices of a feed-in contract`, async () => {
    const { id } = await feedIn({ feed_in_kind: 'fixed', feed_in_ct_net: '8' });
    const client = await priced.client(version);
    const path = `/subscriptions/${id}/prices?start=2026-11-18&end=2026-11-18`;
    if (!knows) {
      const refused = await client.get<ErrorBody>(path);
      expect([refused.status, refused.body.code, refused.body.message]).toEqual([
        ...[400, 'BAD_REQUEST', 'Feed-in needs API version 2026-05-27.curie or later'],
      ]);
      return;
    }
    const { body } = await client.get<PricesBody>(path);
    expect(body.items?.length).toBe(96);
    expect(body.items?.[0]).toEqual({
      timestamp: '2026-11-17T23:00:00Z',
      amount: 9.52,
      components: [{ type: 'electricity', amount: 9.52 }],
    });
  });
});

test('the refusal of older versions names the contract, before the dates are judged', async () => {
  const { id } = await feedIn({});
  const client = await priced.client('2026-01-29.edison');
  const answer = await client.get<ErrorBody>(`/subscriptions/${id}/prices?start=2026-11-18&end=2026-11-17`);
  expect([answer.status, answer.body.message]).toEqual([
    ...[400, 'Feed-in needs API version 2026-05-27.curie or later'],
  ]);
});

describe('the kinds of plans', () => {
  test('fixed: the rate of the plan, with VAT or without', async () => {
    const fixed = { feed_in_kind: 'fixed', feed_in_ct_net: '8.123456' };
    expect(await paid(fixed)).toEqual(['96 × 9.666913']);
    expect(await paid(fixed, { is_tax_exempt: true })).toEqual(['96 × 8.123456']);
  });

  test('eeg: by the period in which the plant was commissioned and by its size', async () => {
    const exempt = { is_tax_exempt: true };
    const plant = { ...exempt, plant_commissioned_on: '2025-09-01' };
    expect(await paid(eeg, { ...plant, plant_size_kw: '9.8' })).toEqual(['96 × 7.86']);
    /* (10 × 7.86 + 10 × 6.80) / 20 */
    expect(await paid(eeg, { ...plant, plant_size_kw: '20' })).toEqual(['96 × 7.33']);
    expect(await paid(eeg, { ...plant, plant_size_kw: '20', is_tax_exempt: false })).toEqual(['96 × 8.7227']);
    const full = { ...eeg, feed_in_scope: 'full' };
    expect(await paid(full, { ...plant, plant_size_kw: '9.8' })).toEqual(['96 × 12.47']);
    expect(await paid(eeg, { ...plant, plant_size_kw: '101' })).toEqual(['96 × null']);
    const old = { ...exempt, plant_commissioned_on: '2012-09-01', plant_size_kw: '5' };
    expect(await paid(eeg, old)).toEqual(['96 × null']);
    /* No VAT of those years is stored, and none is asked for. */
    await storedRows(
      priced.api,
      `INSERT INTO eeg_rates (kind, up_to_kw, value_ct_net, tariff_ct_net, valid_from, valid_to, source)
       VALUES ('partial', 10, 19.90, 19.50, '2012-04-01', '2012-11-01', 'tests')`,
    );
    forgetReferenceRevisions();
    expect(await paid(eeg, old)).toEqual(['96 × 19.5']);
    expect(await paid(eeg, { ...old, is_tax_exempt: false })).toEqual(['96 × 23.205']);
  });

  test('eeg where the plant is not known: the class of the plan, and the rates of the day', async () => {
    const exempt = { is_tax_exempt: true };
    expect(await paid({ ...eeg, feed_in_up_to_kw: 40 }, exempt)).toEqual(['96 × 6.66']);
    expect(await paid(eeg, exempt, '2026-07-31', '2026-08-01')).toEqual(['96 × 7.78', '96 × 7.7']);
    const dated = { ...exempt, plant_commissioned_on: '2025-09-01' };
    expect(await paid(eeg, dated, '2026-07-31', '2026-08-01')).toEqual(['192 × 7.86']);
  });

  test('a plant is paid for 20 years and the rest of its first one, as on its bills', async () => {
    const plant = { is_tax_exempt: true, plant_commissioned_on: '2025-09-01', plant_size_kw: '9.8' };
    expect(await paid(eeg, plant, '2045-12-31', '2046-01-01')).toEqual(['96 × 7.86', '96 × 0']);
    /* Then the market value is left of direct marketing. */
    const years = await paid({ ...direct, feed_in_margin_ct_net: '1' }, plant, '2045-12-31', '2046-01-01');
    expect(years).toEqual(['96 × 7.26', '96 × 4.875']);
  });

  test('direct: the larger of value and market value of the sun, less the margin', async () => {
    const plant = { is_tax_exempt: true, plant_commissioned_on: '2025-09-01', plant_size_kw: '20' };
    /* (10 × 8.26 + 10 × 7.20) / 20 - 0.5 */
    expect(await paid(direct, plant)).toEqual(['96 × 7.23']);
    await storedRows(
      priced.api,
      "UPDATE market_values SET valid_to = '2026-10-01' WHERE code = 'solar_market_value'",
    );
    await storedRows(
      priced.api,
      "INSERT INTO market_values (code, ct_net, valid_from, source) VALUES ('solar_market_value', 9.1, '2026-10-01', 'tests')",
    );
    forgetReferenceRevisions();
    expect(await paid(direct, plant)).toEqual(['96 × 8.6']);
  });

  test('a change of the plan holds from its day on', async () => {
    const contract = await priced.contract({
      type: 'feed_in',
      is_tax_exempt: true,
      terms: [
        { feed_in_ct_net: '8', valid_from: '2026-01-01', valid_to: '2026-11-18' },
        { feed_in_ct_net: '9', valid_from: '2026-11-18' },
      ],
    });
    const answer = await priced.prices(contract, '2026-11-17', '2026-11-18');
    expect(runs(amounts(answer))).toEqual(['96 × 8', '96 × 9']);
  });
});

test('no market price is needed: the sum is known without one, and the answer waits for nothing else', async () => {
  const contract = await feedIn({ feed_in_kind: 'fixed', feed_in_ct_net: '8' });
  const answer = await priced.prices(contract, '2026-11-18');
  expect(runs(amounts(answer))).toEqual(['96 × 9.52']);
  const ahead = await priced.prices(contract, '2026-12-24');
  expect(runs(amounts(ahead))).toEqual(['96 × 9.52']);
});
