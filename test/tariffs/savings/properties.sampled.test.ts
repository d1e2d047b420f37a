import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlan } from '../../setup/factories.ts';
import { runs } from '../../setup/tier.ts';
import { type SavingsService, startSavingsService } from './savings-service.ts';

let service: SavingsService;
/** Of every kind: all of it, no optimization, no modules, module 1 alone, free. */
let plans: string[];

beforeAll(async () => {
  service = await startSavingsService();
  const { deps } = service.api;
  const all = { optimization_rate: '0.1', sells_module_1: true, sells_module_3: true };
  const terms = [
    { ...all, margin_ct_net: '0.777', base_fee_net: '4.197' },
    { ...all, optimization_rate: null },
    { optimization_rate: '1' },
    { ...all, sells_module_3: false },
    { ...all, base_fee_net: '0', margin_ct_net: '0' },
    {
      ...all,
      base_fee_net: '7.5',
      discount_name: 'Start',
      discount_amount_off: '5',
      discount_duration: 'once',
    },
  ] as const;
  plans = [service.plans.dynamisch];
  for (const planTerms of terms)
    plans.push((await createPlan(deps, service.organization, { terms: [planTerms] })).id);
});
afterAll(() => service?.api.close());

const share = fc.double({ min: 0, max: 1, noNaN: true });
const decimal = (max: number) =>
  fc.oneof(fc.integer({ min: 0, max }), fc.double({ min: 0, max, noNaN: true }), fc.constantFrom(0, max));

const request = fc.record(
  {
    /* With and without a schedule, all year and half of it, T1 to T4. */
    zip_code: fc.constantFrom(
      '10115',
      '45468',
      '85716',
      '73230',
      '80331',
      '04103',
      '94474',
      '73441',
      '55116',
    ),
    household: fc.record({ usage: fc.integer({ min: 100, max: 50_000 }) }),
    assets: fc.record(
      {
        ev: fc.record(
          { distance: decimal(200_000), home_charging_share: share },
          { requiredKeys: ['distance'] },
        ),
        heatpump: fc.record({ usage: decimal(50_000) }),
        pv: fc.record(
          { self_sufficiency: share, capacity: decimal(100) },
          { requiredKeys: ['self_sufficiency'] },
        ),
        battery: fc.record({ capacity: decimal(100), power: decimal(100) }),
      },
      { requiredKeys: [] },
    ),
    current_tariff: fc.record({ base_fee: decimal(5_000), var_fee: decimal(2) }),
  },
  { requiredKeys: ['zip_code', 'household'] },
);

const sum = (values: readonly number[]) =>
  values.reduce((total, value) => total.plus(value), new Decimal(0)).toNumber();

test('of any request the sums hold to the cent, and the quote of what it says costs the same', async () => {
  const anyPlan = fc.nat({ max: 6 }).map((index) => plans[index] ?? '');
  const property = fc.asyncProperty(request, anyPlan, async (body, plan) => {
    const answer = await service.savings(plan, body);
    expect(answer.status).toBe(200);
    const { savings, cost, components, usage, optimization_rate, grid_fee_reductions } = answer.body;
    for (const component of components) {
      expect(component.savings).toBe(sum(component.subcomponents.map((line) => line.savings)));
    }
    expect(savings).toBe(sum(components.map((component) => component.savings)));
    expect(savings).toBe(sum([cost.before, -cost.after]));
    expect(answer.text).not.toMatch(/-0[,}\]]|\d\.\d{5}|e-\d/);

    const { status, body: quote } = await service.client().post<{
      amount: number;
      discount?: { regular_amount: number };
    }>(`/plans/${plan}/quote`, { zip_code: body.zip_code, usage, optimization_rate, grid_fee_reductions });
    expect(status).toBe(200);
    const month = quote.discount?.regular_amount ?? quote.amount;
    expect(new Decimal(month).times(12).minus(cost.after).abs().toNumber()).toBeLessThanOrEqual(0.14);
  });
  await fc.assert(property, { numRuns: runs(10) });
});
