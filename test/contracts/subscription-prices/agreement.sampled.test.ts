import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled } from '../../setup/tier.ts';
import { amounts, type PricedContract, takePriced } from './priced.ts';

/* A quote of a day and the prices of a contract on that day come out of the same figures. */

const DAY = '2026-11-20';
const GAUSS = '2026-09-08.gauss';
const priced = await takePriced(`${DAY}T10:00:00+01:00`);
afterAll(() => priced.close());

/* The mean of twelve months that quotes use where none is stored: as if each quarter hour of the day had that price. */
beforeAll(() => priced.store(DAY, '89.32'));

interface QuoteBody {
  components: {
    group: string;
    subcomponents: { subgroup: string; name: string; amount: number }[];
  }[];
}

/** Sums of the quote's rows in ct per kWh by subgroup. */
async function quoted(contract: PricedContract, zip: string, body: object): Promise<Record<string, number>> {
  const client = await priced.client(GAUSS);
  const sent = { zip_code: zip, usage: { consumption: 2500 }, ...body };
  const answer = await client.post<QuoteBody>(`/plans/${contract.plan}/quote`, sent);
  expect(answer.status).toBe(200);
  const variable = answer.body.components.find(({ group }) => group === 'variable');
  const sums: Record<string, number> = {};
  for (const { subgroup, amount } of variable?.subcomponents ?? [])
    sums[subgroup] = (sums[subgroup] ?? 0) + 100 * amount;
  return sums;
}

/** A row of a quote is rounded to a ten-thousandth of a cent; each of them may be half of that away. */
function expectEqual(value: number | null | undefined, sum: number, rows: number): void {
  expect(Math.abs((value ?? Number.NaN) - sum)).toBeLessThanOrEqual(rows * 0.00005 + 1e-9);
}

const ZIPS = ['10115', '45468', '80331', '04109'].map((zip, turn) => ({ zip, turn }));
const MODULES = [
  ['no module', {}],
  ['module 1', { '14a_module_1': true }],
  ['module 2', { '14a_module_2': true }],
] as const;

describe.each(ZIPS)('$zip', ({ zip, turn }) => {
  test.each(sampled(MODULES, 3, turn))('with %s', async (_name, modules) => {
    const contract = await priced.contract({
      zip,
      terms: [{ margin_ct_net: '1.80', sells_module_1: true, sells_module_2: true }],
    });
    if ('14a_module_1' in modules) await priced.reduce(contract, 1, '2026-01-01');
    if ('14a_module_2' in modules) await priced.reduce(contract, 2, '2026-01-01');
    const rows = await quoted(contract, zip, { grid_fee_reductions: modules });
    const answer = await priced.prices(contract, DAY);
    expectEqual(amounts(answer, 'electricity')[0], (rows.energy ?? 0) + (rows.fee ?? 0), 2);
    expectEqual(amounts(answer, 'grid')[0], rows.grid ?? 0, 2);
    expectEqual(amounts(answer, 'levies')[0], rows.levies ?? 0, 5);
  });
});

describe('feed-in', () => {
  const eeg = { feed_in_ct_net: null, feed_in_scope: 'partial', feed_in_up_to_kw: 10 } as const;
  test.each([
    ['eeg', { ...eeg, feed_in_kind: 'eeg' }],
    ['direct', { ...eeg, feed_in_kind: 'direct', feed_in_margin_ct_net: '0.45' }],
    ['fixed', { feed_in_kind: 'fixed', feed_in_ct_net: '8.3' }],
  ] as const)('%s, taxed and exempt', async (_kind, terms) => {
    for (const is_tax_exempt of [false, true]) {
      const contract = await priced.contract({ type: 'feed_in', terms: [terms], is_tax_exempt });
      const rows = await quoted(contract, '10115', { is_tax_exempt });
      const answer = await priced.prices(contract, DAY);
      expectEqual(amounts(answer, 'electricity')[0], rows.energy ?? 0, 1);
    }
  });
});
