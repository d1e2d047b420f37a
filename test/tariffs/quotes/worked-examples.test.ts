import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quoteExample } from '../../../src/tariffs/quotes/examples.ts';
import { createPlan } from '../../setup/factories.ts';
import {
  BEFORE_GAUSS,
  CURIE,
  linesOf,
  QUOTED_AT,
  type QuoteService,
  quotePath,
  type ShownQuote,
  startQuoteService,
} from './quote-service.ts';
import { WORKED_EXAMPLES, type WorkedExample } from './worked-examples.ts';

let service: QuoteService;

beforeAll(async () => {
  service = await startQuoteService();
});
afterAll(() => service?.api.close());

async function posted(plan: string, body: unknown): Promise<ShownQuote> {
  const answer = await service.client().post<ShownQuote>(`/plans/${plan}/quote`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function got(version: string, plan: string, parameters: Record<string, unknown>): Promise<ShownQuote> {
  const answer = await service.client(version).get<ShownQuote>(quotePath(plan, parameters));
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

test.each(WORKED_EXAMPLES)('$title', async ({ plan, body, lines }) => {
  expect(linesOf(await posted(service.plans[plan], body))).toEqual(lines);
});

test('the answer is the example of the description, byte for byte', async () => {
  const { text } = await service
    .client()
    .post(`/plans/${service.plans.dynamisch}/quote`, { zip_code: '10115', usage: { consumption: 2500 } });
  expect(text).toBe(JSON.stringify(quoteExample));
  expect(quoteExample.quoted_at).toBe(QUOTED_AT);
});

const parametersOf = ({ body }: WorkedExample, rest: Record<string, unknown> = {}) => {
  const { zip_code, usage } = body as { zip_code: string; usage: { consumption: number } };
  return { zip_code, usage: usage.consumption, ...rest };
};

const [analog, smart, , module2, , capped, feedIn] = WORKED_EXAMPLES as readonly [
  ...[
    WorkedExample,
    WorkedExample,
    WorkedExample,
    WorkedExample,
    WorkedExample,
    WorkedExample,
    WorkedExample,
  ],
];

const replaced = (lines: readonly string[], changes: Record<string, string | null>) =>
  lines.flatMap((line) => (line in changes ? (changes[line] ?? []) : line));

const ENERGY = 'variable energy EPEX Day-Ahead Preis (12m avg.)';

describe.each(BEFORE_GAUSS)('%s', (version) => {
  test.each([{}, { meter_type: 'analog' }])('%j prices an analog meter', async (rest) => {
    const body = await got(version, service.plans.dynamisch, parametersOf(analog, rest));
    expect(linesOf(body)).toEqual(analog.lines);
    expect(body).not.toHaveProperty('resolution');
  });

  test('a smart meter has the discount for shifting load in its energy row', async () => {
    const body = await got(version, service.plans.dynamisch, parametersOf(smart, { meter_type: 'smart' }));
    const folded = replaced(smart.lines, {
      [`${ENERGY} 0.106291`]: `${ENERGY} 0.095662`,
      'variable optimization Optimierung (Lastverschiebung) -0.010629': null,
    });
    expect(linesOf(body)).toEqual(folded);
    expect(Object.keys(body)).toEqual(['object', 'amount', 'currency', 'components', 'quoted_at']);
  });

  test('a smart meter of a plan without a rate has its fee and no discount', async () => {
    const { id } = await createPlan(service.api.deps, service.organization, {
      terms: [{ base_fee_net: '5.00', margin_ct_net: '1.80', optimization_rate: null }],
    });
    const body = await got(version, id, parametersOf(smart, { meter_type: 'smart' }));
    const lines = linesOf(body);
    expect(lines).toContain('base metering Messstellengebühren 2.5');
    expect(lines).toContain(`${ENERGY} 0.106291`);
  });

  test.each(['true', '1'])('module 1, %s, is credited', async (flag) => {
    const body = await got(version, service.plans.dynamisch, parametersOf(capped, { '14a_module_1': flag }));
    expect(linesOf(body)).toEqual(capped.lines);
  });

  test('module 2 and exemption from VAT are known from curie on and ignored before', async () => {
    const parameters = { '14a_module_2': 'true', is_tax_exempt: 'true', meter_type: 'smart' };
    const body = await got(version, service.plans.dynamisch, parametersOf(module2, parameters));
    const names = linesOf(body).filter((line) => line.includes('Modul 2'));
    expect(names).toHaveLength(version === CURIE ? 1 : 0);
    const unreadable = { '14a_module_2': 'perhaps', is_tax_exempt: '2' };
    const answer = await service
      .client(version)
      .get(quotePath(service.plans.dynamisch, parametersOf(module2, unreadable)));
    expect(answer.status).toBe(version === CURIE ? 400 : 200);
  });

  test('module 3 cannot be asked for', async () => {
    const body = await got(
      version,
      service.plans.dynamisch,
      parametersOf(analog, { '14a_module_3': 'true' }),
    );
    expect(linesOf(body)).toEqual(analog.lines);
  });
});

describe('variants', () => {
  test('a recurring discount leaves the components as they are', async () => {
    const { id } = await createPlan(service.api.deps, service.organization, {
      terms: [
        {
          ...{ base_fee_net: '5.00', margin_ct_net: '1.80', optimization_rate: '0.10' },
          ...{ discount_name: 'Willkommen', discount_amount_off: '3.00', discount_duration: 'recurring' },
          discount_duration_in_months: 12,
        },
      ],
    });
    const body = await posted(id, smart.body);
    expect(linesOf(body)).toEqual(replaced(smart.lines, { 'amount 72.96': 'amount 69.96' }));
    expect(body.discount).toEqual({
      ...{ name: 'Willkommen', amount_off: 3, duration: 'recurring', duration_in_months: 12 },
      regular_amount: 72.96,
    });
    for (const version of BEFORE_GAUSS) {
      const older = await got(version, id, parametersOf(smart, { meter_type: 'smart' }));
      expect(older.discount).toEqual(body.discount);
    }
  });

  test('a discount once that is larger than the amount is cut to it', async () => {
    const { id } = await createPlan(service.api.deps, service.organization, {
      terms: [
        {
          ...{ base_fee_net: '5.00', margin_ct_net: '1.80', optimization_rate: '0.10' },
          ...{ discount_name: 'Alles', discount_amount_off: '1000', discount_duration: 'once' },
        },
      ],
    });
    const body = await posted(id, smart.body);
    expect(body.amount).toBe(0);
    expect(body.discount).toEqual({
      ...{ name: 'Alles', amount_off: 72.96, duration: 'once', duration_in_months: null },
      regular_amount: 72.96,
    });
  });

  test('a small business is paid without VAT and pays its fee with it', async () => {
    const expected = [
      'base fee Grundgebühr -2.975',
      'base 1 month × -2.975 = -2.98',
      'variable energy EEG-Einspeisevergütung 0.077',
      'variable 416.6667 kWh × 0.077 = 32.08',
      'amount 29.1',
    ];
    expect(linesOf(await posted(service.plans.einspeisung, { ...feedIn.body, is_tax_exempt: true }))).toEqual(
      expected,
    );
    const older = await got(CURIE, service.plans.einspeisung, parametersOf(feedIn, { is_tax_exempt: '1' }));
    expect(linesOf(older)).toEqual(expected);
  });

  test('exemption from VAT changes nothing of a consumption plan', async () => {
    const body = await posted(service.plans.dynamisch, { ...smart.body, is_tax_exempt: true });
    expect(linesOf(body)).toEqual(smart.lines);
  });

  test('modules that are sent as false, and a rate of a feed-in plan, change nothing', async () => {
    const reductions = { '14a_module_1': false, '14a_module_2': false, '14a_module_3': false };
    for (const grid_fee_reductions of [{}, reductions]) {
      const body = await posted(service.plans.dynamisch, { ...smart.body, grid_fee_reductions });
      expect(linesOf(body)).toEqual(smart.lines);
    }
    const fedIn = await posted(service.plans.einspeisung, { ...feedIn.body, optimization_rate: 1 });
    expect(linesOf(fedIn)).toEqual(feedIn.lines);
  });

  test('an archived plan is quoted', async () => {
    expect((await posted(service.plans['basis-2024'], smart.body)).amount).toBeGreaterThan(0);
  });

  test('a published credit of module 1 wins over the formula, which is one cent away', async () => {
    const body = {
      zip_code: '61348',
      usage: { consumption: 5000 },
      grid_fee_reductions: { '14a_module_1': true },
    };
    /* Syna publishes 132.26; 80 / 1.19 + 750 × 0.0867 is 132.25. */
    expect(linesOf(await posted(service.plans.dynamisch, body))).toContain(
      'base grid Pauschale Netzentgeltreduktion (§14a EnWG Modul 1) -13.115783',
    );
  });

  test('with module 3 the credit of module 1 ends at the grid fees by its mean price', async () => {
    const body = { ...capped.body, grid_fee_reductions: { '14a_module_1': true, '14a_module_3': true } };
    /* 80.30 EUR and 100 kWh at 9.536276 ct are 89.836276 EUR; at the standing 9.53 ct it were 89.83 EUR. */
    expect(linesOf(await posted(service.plans.dynamisch, body))).toContain(
      'base grid Pauschale Netzentgeltreduktion (§14a EnWG Modul 1) -8.908764',
    );
  });

  test('optimization is a share of the energy row as it is shown', async () => {
    /* 0.098 of 0.106291 is 0.010417; of 0.1062908, which was not rounded, it were 0.010416. */
    const body = await posted(service.plans.dynamisch, { ...smart.body, optimization_rate: 0.098 });
    expect(linesOf(body)).toContain('variable optimization Optimierung (Lastverschiebung) -0.010417');
  });
});
