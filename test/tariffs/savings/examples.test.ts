import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quotablePlan } from '../../../src/tariffs/plans/service.ts';
import { savingsBodyExample, savingsExample } from '../../../src/tariffs/savings/examples.ts';
import { savingsRequest } from '../../../src/tariffs/savings/schema.ts';
import { calculatedSavings } from '../../../src/tariffs/savings/service.ts';
import { type SavingsBody, type SavingsService, startSavingsService } from './savings-service.ts';

/* The worked examples of the tariffs: figure by figure, on the project's own files, through the interface. */

/** That of NOW in Germany. */
const DAY = '2026-11-20';

let service: SavingsService;
beforeAll(async () => {
  service = await startSavingsService();
});
afterAll(() => service?.api.close());

interface Worked {
  body: object;
  usage: number;
  rate: number;
  modules: [boolean, boolean];
  before: number;
  after: number;
  tariff: [sum: number, base: number, variable: number];
  gridFees: [sum: number, module1: number, module3: number];
  optimization: number;
  savings: number;
  /** Base and variable: before, plain, with module 1, with module 3, with optimization. */
  steps: string;
  /** Of the quote for what the answer says. */
  month: number;
}

const EXAMPLES: Record<string, Worked> = {
  'B1 no assets, against the market': {
    body: { zip_code: '10115', household: { usage: 2500 } },
    ...{ usage: 2500, rate: 0, modules: [false, false] },
    ...{ before: 974.93, after: 897.05 },
    ...{ tariff: [77.88, -35.4, 113.28], gridFees: [0, 0, 0], optimization: 0, savings: 77.88 },
    steps: '100.70 874.23 / 136.10 760.95 / 136.10 760.95 / 136.10 760.95 / 136.10 760.95',
    month: 74.75,
  },
  'B2 a car, against the market': {
    body: { zip_code: '45468', household: { usage: 3500 }, assets: { ev: { distance: 12_000 } } },
    ...{ usage: 4947, rate: 0.1316, modules: [true, true] },
    ...{ before: 1984.8, after: 1587.14 },
    tariff: [163.77, -60.4, 224.17],
    gridFees: [164.69, 165.06, -0.37],
    ...{ optimization: 69.2, savings: 397.66 },
    steps: '156.56 1828.24 / 216.96 1604.07 / 51.90 1604.07 / 51.90 1604.44 / 51.90 1535.24',
    month: 132.27,
  },
  'B3 every asset, against the current tariff': {
    body: {
      zip_code: '73230',
      household: { usage: 4000 },
      assets: {
        ev: { distance: 15_000, home_charging_share: 0.8 },
        heatpump: { usage: 5000 },
        pv: { self_sufficiency: 0.45, capacity: 10 },
        battery: { capacity: 10, power: 5 },
      },
      current_tariff: { base_fee: 150, var_fee: 0.36 },
    },
    ...{ usage: 6138, rate: 0.2305, modules: [true, true] },
    ...{ before: 2484.64, after: 1755.3 },
    tariff: [445.41, 53.6, 391.81],
    gridFees: [133.55, 147.56, -14.01],
    ...{ optimization: 150.38, savings: 729.34 },
    steps: '274.96 2209.68 / 221.36 1817.87 / 73.80 1817.87 / 73.80 1831.88 / 73.80 1681.50',
    month: 146.27,
  },
  'B4 a solar plant that covers everything, and a small battery': {
    body: {
      zip_code: '80331',
      household: { usage: 2000 },
      assets: { pv: { self_sufficiency: 1 }, battery: { capacity: 5, power: 3 } },
    },
    ...{ usage: 100, rate: 0.175, modules: [false, false] },
    ...{ before: 170.08, after: 204.09 },
    ...{ tariff: [-35.87, -40.4, 4.53], gridFees: [0, 0, 0], optimization: 1.86, savings: -34.01 },
    steps: '136.29 33.79 / 176.69 29.26 / 176.69 29.26 / 176.69 29.26 / 176.69 27.40',
    month: 17,
  },
};

const MODULE_1 = 'Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)';
const MODULE_3 = 'Zeitvariables Netzentgelt (§14a EnWG Modul 3)';

function answerOf({ tariff, gridFees, optimization, ...worked }: Worked): object {
  return {
    object: 'savings',
    savings: worked.savings,
    resolution: 'year',
    cost: { before: worked.before, after: worked.after },
    usage: { consumption: worked.usage },
    optimization_rate: worked.rate,
    grid_fee_reductions: { '14a_module_1': worked.modules[0], '14a_module_3': worked.modules[1] },
    components: [
      {
        group: 'tariff',
        savings: tariff[0],
        subcomponents: [
          { subgroup: 'base', name: 'Grundpreis', savings: tariff[1] },
          { subgroup: 'variable', name: 'Arbeitspreis', savings: tariff[2] },
        ],
      },
      {
        group: 'grid_fee_reductions',
        savings: gridFees[0],
        subcomponents: [
          { subgroup: '14a_module_1', name: MODULE_1, savings: gridFees[1] },
          { subgroup: '14a_module_3', name: MODULE_3, savings: gridFees[2] },
        ],
      },
      {
        group: 'optimization',
        savings: optimization,
        subcomponents: [
          { subgroup: 'variable', name: 'Optimierung (Lastverschiebung)', savings: optimization },
        ],
      },
    ],
  };
}

describe.each(Object.entries(EXAMPLES))('%s', (_title, worked) => {
  test('every figure of the answer', async () => {
    const { status, body } = await service.savings(service.plans.dynamisch, worked.body);
    expect(status).toBe(200);
    expect(body).toEqual(answerOf(worked));
  });

  test('every step, base and variable', async () => {
    const { api, organization, plans } = service;
    const plan = await quotablePlan(api.deps.database, organization, plans.dynamisch, DAY);
    if (plan === undefined) throw new Error('No plan');
    const { costs } = await calculatedSavings(api.deps, plan, savingsRequest.parse(worked.body), DAY);
    const steps = [costs.before, costs.plain, costs.withModule1, costs.withModule3, costs.after];
    const shown = steps.map(({ cost }) => `${cost.base.toFixed(2)} ${cost.variable.toFixed(2)}`);
    expect(shown.join(' / ')).toBe(worked.steps);
  });

  test('what it says can be sent to the quote, which costs the same', async () => {
    const { body } = await service.savings(service.plans.dynamisch, worked.body);
    const { zip_code } = worked.body as { zip_code: string };
    const { usage, optimization_rate, grid_fee_reductions } = body;
    const quote = await service
      .client()
      .post<SavingsBody & { amount: number }>(`/plans/${service.plans.dynamisch}/quote`, {
        zip_code,
        usage,
        optimization_rate,
        grid_fee_reductions,
      });
    expect(quote.status).toBe(200);
    expect(quote.body.amount).toBe(worked.month);
    expect(Math.abs(quote.body.amount * 12 - worked.after)).toBeLessThanOrEqual(0.14);
  });
});

test('the example of the description is a true answer', async () => {
  const { body } = await service.savings(service.plans.dynamisch, savingsBodyExample);
  expect(body).toEqual(savingsExample);
});
