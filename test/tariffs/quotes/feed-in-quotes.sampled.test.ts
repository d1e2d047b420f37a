import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlan } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { linesOf, type QuoteService, type ShownQuote, startQuoteService } from './quote-service.ts';

let service: QuoteService;

beforeAll(async () => {
  service = await startQuoteService();
});
afterAll(() => service?.api.close());

/** The last summer day of one rate of the law and the first of the next, in Germany. */
const JULY = '2026-07-31T21:59:59.999Z';
const AUGUST = '2026-07-31T22:00:00.000Z';

type Terms = NonNullable<Parameters<typeof createPlan>[2]>['terms'];
type One = NonNullable<Terms>[number];

const feedInPlan = async (terms: One) =>
  (
    await createPlan(service.api.deps, service.organization, {
      type: 'feed_in',
      terms: [{ base_fee_net: '2.50', ...terms }],
    })
  ).id;

async function energyOf(plan: string, instant: string, is_tax_exempt = false): Promise<string | undefined> {
  const client = await service.at(instant);
  const body = { zip_code: '10115', usage: { consumption: 5000 }, is_tax_exempt };
  const answer = await client.post<ShownQuote>(`/plans/${plan}/quote`, body);
  expect(answer.status, answer.text).toBe(200);
  return linesOf(answer.body).find((line) => line.startsWith('variable energy'));
}

const eeg = (feed_in_scope: 'partial' | 'full', feed_in_up_to_kw: number): One => ({
  ...{ feed_in_kind: 'eeg', feed_in_scope, feed_in_up_to_kw, feed_in_ct_net: null },
});

describe('the rate of the law', () => {
  /* ct/kWh: in July, in August, and exempt from VAT in August. */
  const RATES: ['partial' | 'full', number, string, string, string][] = [
    ['partial', 10, '0.092582', '0.09163', '0.077'],
    ['partial', 40, '0.080087', '0.079254', '0.0666'],
    ['partial', 100, '0.06545', '0.064736', '0.0544'],
    ['full', 10, '0.146846', '0.145418', '0.1222'],
    ['full', 40, '0.123165', '0.121856', '0.1024'],
    ['full', 100, '0.123165', '0.121856', '0.1024'],
  ];
  test.each(sampled(RATES, 3))(
    'of %s feed-in up to %d kW changes on 1 August in Germany',
    async (scope, kw, july, august, exempt) => {
      const plan = await feedInPlan(eeg(scope, kw));
      expect([
        await energyOf(plan, JULY),
        await energyOf(plan, AUGUST),
        await energyOf(plan, AUGUST, true),
      ]).toEqual([july, august, exempt].map((amount) => `variable energy EEG-Einspeisevergütung ${amount}`));
    },
  );
});

describe('direct marketing', () => {
  const direct = (margin: string): One => ({
    ...{ feed_in_kind: 'direct', feed_in_scope: 'partial', feed_in_up_to_kw: 100 },
    ...{ feed_in_ct_net: null, feed_in_margin_ct_net: margin },
  });

  test('pays the value of the law where the market pays less', async () => {
    const plan = await feedInPlan(direct('0.40'));
    /* 5.90 ct in July; in August 5.84 ct are less than the 5.875 ct of the market. */
    expect(await energyOf(plan, JULY)).toBe('variable energy Direktvermarktung 0.06545');
    expect(await energyOf(plan, JULY, true)).toBe('variable energy Direktvermarktung 0.055');
  });

  test('pays what the market pays where that is more', async () => {
    const plan = await feedInPlan(direct('0.40'));
    expect(await energyOf(plan, AUGUST)).toBe('variable energy Direktvermarktung 0.065153');
    expect(await energyOf(plan, AUGUST, true)).toBe('variable energy Direktvermarktung 0.05475');
  });
});

describe('a fixed rate', () => {
  test('is that of the plan, with VAT or without', async () => {
    const plan = await feedInPlan({ feed_in_kind: 'fixed', feed_in_ct_net: '7.62' });
    expect(await energyOf(plan, AUGUST)).toBe('variable energy Einspeisevergütung 0.090678');
    expect(await energyOf(plan, AUGUST, true)).toBe('variable energy Einspeisevergütung 0.0762');
  });
});

test.each([false, true])(
  'a plan without a base fee has no base component, exempt: %s',
  async (is_tax_exempt) => {
    const plan = await feedInPlan({ base_fee_net: '0', feed_in_kind: 'fixed', feed_in_ct_net: '8' });
    const client = await service.at(AUGUST);
    const body = { zip_code: '10115', usage: { consumption: 5000 }, is_tax_exempt };
    const answer = await client.post<ShownQuote>(`/plans/${plan}/quote`, body);
    const unit = is_tax_exempt ? 0.08 : 0.0952;
    expect(linesOf(answer.body)).toEqual([
      `variable energy Einspeisevergütung ${unit}`,
      `variable 416.6667 kWh × ${unit} = ${is_tax_exempt ? 33.33 : 39.67}`,
      `amount ${is_tax_exempt ? 33.33 : 39.67}`,
    ]);
  },
);

test('a fee that is larger than the credit makes the amount negative', async () => {
  const plan = await feedInPlan({ base_fee_net: '10', feed_in_kind: 'fixed', feed_in_ct_net: '1' });
  const client = await service.at(AUGUST);
  const body = { zip_code: '10115', usage: { consumption: 100 } };
  const answer = await client.post<ShownQuote>(`/plans/${plan}/quote`, body);
  expect(answer.body.amount).toBe(-11.8);
});

test('no price of consumption is asked for: without a mean of the exchange it is quoted', async () => {
  await storedRows(service.api, "DELETE FROM market_values WHERE code = 'day_ahead_mean'");
  const other = '2026-09-01T10:00:00.000Z';
  expect(await energyOf(service.plans.einspeisung, other)).toBe(
    'variable energy EEG-Einspeisevergütung 0.09163',
  );
});
