import { describe, expect, test } from 'vitest';
import type { BilledContract } from '../../../../src/billing/invoices/calculate/contract.ts';
import { BillingRefused } from '../../../../src/billing/invoices/refusal.ts';
import type { PlanTermsRow } from '../../../../src/tariffs/plans/queries.ts';
import type { ReferenceSet } from '../../../../src/tariffs/reference-data/reference-set.ts';
import { figure, plainReference } from '../../../tariffs/quotes/plain-figures.ts';
import { amounts, billOf, dated, linesOfKind, listsFrom, meterPart, shownLines, termsOf } from './billed.ts';

const EEG: Partial<PlanTermsRow> = {
  ...{ base_fee_net: '2.50', feed_in_kind: 'eeg', feed_in_scope: 'partial', feed_in_up_to_kw: 10 },
};
const TARIFFS: Record<number, string> = { 10: '7.70', 40: '6.66', 100: '5.44' };
const VALUES: Record<number, string> = { 10: '8.10', 40: '7.06', 100: '5.84' };
const RATES: ReferenceSet = {
  ...plainReference(),
  eegRate: (_, upToKw) => ({
    value: figure(VALUES[upToKw] ?? 'none', 'eeg_rates', `partial ${upToKw}`),
    tariff: figure(TARIFFS[upToKw] ?? 'none', 'eeg_rates', `partial ${upToKw}`),
  }),
};

interface FeedIn {
  terms?: Partial<PlanTermsRow>;
  plant?: Partial<NonNullable<BilledContract['plant']>>;
  contract?: Partial<BilledContract>;
  period?: { from: string; until: string };
  reference?: ReferenceSet;
  energy?: { kwh: string; kwhAtNegativePrice?: string };
}

function credit({ terms, plant, contract, period, reference, energy }: FeedIn = {}) {
  const known = { is_tax_exempt: false, plant_commissioned_on: '2024-08-15', plant_size_kw: '9.8' };
  return billOf({
    contract: {
      ...{ type: 'feed_in', zip: null, terms: [termsOf({ ...EEG, ...terms })] },
      plant: { ...known, ...plant },
      ...contract,
    },
    period: period ?? { from: '2026-08-01', until: '2026-09-01' },
    lists: listsFrom({ reference: reference ?? RATES }),
    energy: energy ?? { kwh: '500' },
  });
}

describe('a feed-in document', () => {
  test('has a negative total for what is paid out, and a positive usage', () => {
    const draft = credit();
    expect(shownLines(draft.lines)).toEqual(['base_fee 2.50', 'feed_in -38.50']);
    /* -36.00 and 19 % of it. */
    expect(draft.sums).toMatchObject({ net: '-36.00', tax: '-6.84', total: '-42.84' });
    expect(draft.usageKwh).toBe('500');
  });

  test('of a small business has no VAT on what is paid, and VAT on the fee', () => {
    const { sums } = credit({ plant: { is_tax_exempt: true } });
    expect(sums).toEqual({
      ...{ net: '-36.00', tax: '0.48', deducted: '0.00', total: '-35.52' },
      taxes: [
        { rate: '0.19', net: '2.50', tax: '0.48' },
        { rate: '0', net: '-38.50', tax: '0.00' },
      ],
    });
  });

  test('has no line for a base fee of 0', () => {
    expect(shownLines(credit({ terms: { base_fee_net: '0' } }).lines)).toEqual(['feed_in -38.50']);
  });

  test('pays a plant between two classes the mean weighted by power', () => {
    /* (10 × 7.70 + 5 × 6.66) / 15 = 7.3533 ct × 500 = 36.7667 */
    expect(amounts(credit({ plant: { plant_size_kw: '15' } }), 'feed_in')).toEqual(['2026-08-01 -36.77']);
  });

  test('goes by the rates of the day on which the plant was commissioned', () => {
    const days: string[] = [];
    const lists = (day: string) => {
      days.push(day);
      return { reference: RATES, grid: undefined };
    };
    const plant = { is_tax_exempt: false, plant_commissioned_on: '2024-08-15', plant_size_kw: '9' };
    billOf({ contract: { type: 'feed_in', terms: [termsOf(EEG)], plant }, lists });
    expect(days).toContain('2024-08-15');
  });

  test('of direct marketing pays the value, or the market value where it is higher, less the margin', () => {
    const terms = { feed_in_kind: 'direct', feed_in_margin_ct_net: '0.5' } as const;
    expect(amounts(credit({ terms }), 'feed_in')).toEqual(['2026-08-01 -38.00']);
    const reference = { ...RATES, solarMarketValue: () => figure('9.1', 'market_values') };
    expect(amounts(credit({ terms, reference }), 'feed_in')).toEqual(['2026-08-01 -43.00']);
  });

  test('of a fixed rate needs no plant', () => {
    const terms = { feed_in_kind: 'fixed', feed_in_ct_net: '6.00' } as const;
    const draft = credit({ terms, contract: { plant: null } });
    expect(amounts(draft, 'feed_in')).toEqual(['2026-08-01 -30.00']);
  });
});

describe('negative prices (§51 EEG)', () => {
  const energy = { kwh: '500', kwhAtNegativePrice: '120.5' };
  const paid = (given: FeedIn) => linesOfKind(credit({ energy, ...given }), 'feed_in')[0]?.quantity;
  const NEW = { plant_commissioned_on: '2025-02-25', plant_size_kw: '9.8' };

  test('pay nothing to plants of 25 February 2025 and later, and all to older ones', () => {
    expect(paid({ plant: NEW })).toBe('379.5');
    expect(paid({ plant: { ...NEW, plant_commissioned_on: '2025-02-24' } })).toBe('500');
    const [line] = linesOfKind(credit({ energy, plant: NEW }), 'feed_in');
    expect(line?.figures).toContainEqual(
      expect.objectContaining({ name: 'kwh_unpaid_at_negative_price', value: '120.5' }),
    );
    expect(credit({ energy, plant: NEW }).usageKwh).toBe('500');
  });

  test('count for plants under 100 kW only from the year after the smart meter was fitted', () => {
    const fitted = (day: string) => ({ meterParts: [meterPart('analog'), meterPart('smart', day, 2)] });
    expect(paid({ plant: NEW, contract: fitted('2025-11-30') })).toBe('379.5');
    expect(paid({ plant: NEW, contract: fitted('2026-01-01') })).toBe('500');
    expect(paid({ plant: { ...NEW, plant_commissioned_on: '2026-02-01' } })).toBe('500');
    expect(paid({ plant: NEW, contract: { meterParts: [meterPart('analog')] } })).toBe('500');
    const large = { ...NEW, plant_size_kw: '100' };
    expect(paid({ plant: large, contract: fitted('2026-01-01') })).toBe('379.5');
  });

  test('count from the first fitting where one smart meter followed another', () => {
    const meterParts = [
      meterPart('analog'),
      meterPart('smart', '2025-05-01', 2),
      meterPart('smart', '2026-03-01', 3),
    ];
    expect(paid({ plant: NEW, contract: { meterParts } })).toBe('379.5');
  });

  test('do not count for plants under 2 kW, nor for a fixed rate', () => {
    expect(paid({ plant: { ...NEW, plant_size_kw: '1.99' } })).toBe('500');
    expect(paid({ plant: NEW, terms: { feed_in_kind: 'fixed', feed_in_ct_net: '6' } })).toBe('500');
  });
});

describe('payment ends', () => {
  test('after 20 years and the rest of the year of commissioning', () => {
    const plant = { plant_commissioned_on: '2005-06-01' };
    const around = { period: { from: '2025-12-01', until: '2026-02-01' }, plant };
    expect(amounts(credit(around), 'feed_in')).toEqual(['2025-12-01 -38.50', '2026-01-01 0.00']);
  });

  test('and direct marketing pays the market value from then on', () => {
    const terms = { feed_in_kind: 'direct', feed_in_margin_ct_net: '0.875' } as const;
    const plant = { plant_commissioned_on: '2005-06-01' };
    /* 5.875 - 0.875 */
    expect(amounts(credit({ terms, plant }), 'feed_in')).toEqual(['2026-08-01 -25.00']);
  });
});

describe('a feed-in document is refused', () => {
  const refusal = (given: FeedIn): string => {
    try {
      credit(given);
    } catch (error) {
      if (error instanceof BillingRefused) return `${error.code} ${error.detail}`;
      throw error;
    }
    return 'billed';
  };

  test('without the plant that it is paid by', () => {
    expect(refusal({ plant: { plant_commissioned_on: null } })).toMatch(
      /^missing_terms .*plant_commissioned_on/,
    );
    expect(refusal({ plant: { plant_size_kw: null } })).toMatch(/^missing_terms .*plant_size_kw/);
    expect(refusal({ contract: { plant: null } })).toMatch(/^missing_terms/);
  });

  test('where a rate had ended on the day of commissioning', () => {
    const old = dated(figure('7.70', 'eeg_rates', 'partial 10'), '2020-01-01', true);
    const reference = { ...RATES, eegRate: () => ({ value: old, tariff: old }) };
    expect(refusal({ reference })).toMatch(/^missing_reference eeg_rates partial 10: .* 2024-08-15/);
  });

  test('where the plant is larger than the largest class', () => {
    expect(refusal({ plant: { plant_size_kw: '100.5' } })).toMatch(/^missing_reference eeg_rates 100.5 kW/);
  });

  test('where the market value had ended, with direct marketing', () => {
    const solarMarketValue = () =>
      dated(figure('5.875', 'market_values', 'solar_market_value'), '2024-01-01', true);
    const reference = { ...RATES, solarMarketValue };
    expect(refusal({ reference, terms: { feed_in_kind: 'direct' } })).toMatch(
      /market_values solar_market_value/,
    );
    expect(refusal({ reference })).toBe('billed');
  });
});
