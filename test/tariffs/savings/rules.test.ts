import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlan } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { QUOTED_AT } from '../quotes/quote-service.ts';
import { linesOf, type SavingsBody, type SavingsService, startSavingsService } from './savings-service.ts';

let service: SavingsService;
/** From here on the rate ends at 0.05. */
const LOWER_CAP_ON = '2026-11-25';
/** A year and a day after it ended, a parameter is carried forward no longer. */
const NO_YIELD_ON = '2027-12-01';

beforeAll(async () => {
  service = await startSavingsService();
  /* Before anybody asks: what was read is kept for seconds. */
  await changeParameter('optimization_rate_max', '0.05', LOWER_CAP_ON);
  await storedRows(
    service.api,
    `UPDATE savings_parameters SET valid_to = '2026-11-21' WHERE code = 'pv_kwh_per_kwp'`,
  );
});
afterAll(() => service?.api.close());

const CAR = { ev: { distance: 12_000 } };

/** In Mülheim, whose grid operator has a schedule, unless the change says otherwise. */
async function ask(change: object, plan = service.plans.dynamisch): Promise<SavingsBody> {
  const body = { zip_code: '45468', household: { usage: 3500 }, ...change };
  const { status, body: answer } = await service.savings(plan, body);
  expect([status, answer.message]).toEqual([200, undefined]);
  return answer;
}

type Terms = NonNullable<NonNullable<Parameters<typeof createPlan>[2]>['terms']>[number];

/** The demo's plan Dynamisch with other terms. */
async function planWith(terms: Terms): Promise<string> {
  const usual = {
    margin_ct_net: '1.8',
    optimization_rate: '0.1',
    ...{ sells_module_1: true, sells_module_2: true, sells_module_3: true },
  };
  const plan = await createPlan(service.api.deps, service.organization, { terms: [{ ...usual, ...terms }] });
  return plan.id;
}

describe('a plan', () => {
  test.each([null, '0'])(
    'with the rate %s is priced without optimization, on an analog meter',
    async (rate) => {
      const usual = await ask({ assets: CAR });
      const plain = await ask({ assets: CAR }, await planWith({ optimization_rate: rate }));
      expect(plain.optimization_rate).toBe(0);
      expect(plain.grid_fee_reductions).toEqual({ '14a_module_1': true, '14a_module_3': true });
      const [base, variable, module1, module3, optimization] = linesOf(usual);
      /* The analog meter is 25 EUR a year, the one of a controllable device 50. */
      expect(base).toBe(-60.4);
      expect(linesOf(plain)).toEqual([-35.4, variable, module1, module3, 0]);
      expect(optimization).toBe(69.2);
    },
  );

  test('of another rate above 0 saves as much: what is shifted is a matter of the assets', async () => {
    expect(await ask({ assets: CAR }, await planWith({ optimization_rate: '0.9' }))).toEqual(
      await ask({ assets: CAR }),
    );
  });

  test('that sells no modules earns none, and is priced without them', async () => {
    const none = { sells_module_1: false, sells_module_2: false, sells_module_3: false };
    const answer = await ask({ assets: CAR }, await planWith(none));
    expect(answer.grid_fee_reductions).toEqual({ '14a_module_1': false, '14a_module_3': false });
    expect(linesOf(answer).slice(2, 4)).toEqual([0, 0]);
    /* 30 EUR a year in place of 50: no device is controlled. */
    expect(linesOf(answer)[0]).toBe(-40.4);
  });

  test('that sells module 1 alone earns it alone', async () => {
    const answer = await ask({ assets: CAR }, await planWith({ sells_module_3: false }));
    expect(answer.grid_fee_reductions).toEqual({ '14a_module_1': true, '14a_module_3': false });
    expect(linesOf(answer).slice(2, 4)).toEqual([165.06, 0]);
  });

  test('is priced without its discount', async () => {
    const discounted = await planWith({
      ...{ discount_name: 'Start', discount_amount_off: '10' },
      ...{ discount_duration: 'recurring', discount_duration_in_months: 6 },
    });
    expect(await ask({ assets: CAR }, discounted)).toEqual(await ask({ assets: CAR }));
  });

  test('without a fee and a margin can be priced too', async () => {
    const free = await ask({}, await planWith({ base_fee_net: '0', margin_ct_net: '0' }));
    /* 36 EUR of the market less nothing; 14.54 ct of the market less the mean of the exchange. */
    expect(linesOf(free).slice(0, 2)).toEqual([36, 233.57]);
  });
});

describe('the grid operator', () => {
  test('without a schedule leaves module 3 out', async () => {
    const answer = await ask({ zip_code: '04103', assets: CAR });
    expect(answer.grid_fee_reductions).toEqual({ '14a_module_1': true, '14a_module_3': false });
    expect(linesOf(answer)[3]).toBe(0);
  });

  test('whose schedule costs more is priced with it all the same, and the line is negative', async () => {
    const answer = await ask({ zip_code: '85716', assets: CAR });
    expect(answer.grid_fee_reductions['14a_module_3']).toBe(true);
    /* Blended 4.844158 in place of 4.72 ct, of 4,947 kWh. */
    expect(linesOf(answer)[3]).toBe(-7.31);
  });

  test('whose schedule costs less saves by it', async () => {
    expect(linesOf(await ask({ zip_code: '21335', assets: CAR }))[3] ?? 0).toBeGreaterThan(0);
  });
});

describe('a device', () => {
  test.each([
    ['a car that does not drive', { ev: { distance: 0 } }],
    ['a heat pump that does not run', { heatpump: { usage: 0 } }],
    ['a battery of more than 4.2 kW', { battery: { capacity: 0, power: 4.3 } }],
  ])('that can be controlled earns the modules: %s', async (_title, assets) => {
    const answer = await ask({ assets });
    expect(answer.grid_fee_reductions).toEqual({ '14a_module_1': true, '14a_module_3': true });
    expect(answer.usage.consumption).toBe(3500);
    expect(answer.optimization_rate).toBe(0);
  });

  test.each([
    ['a battery of 4.2 kW', { battery: { capacity: 10, power: 4.2 } }],
    ['a solar plant', { pv: { self_sufficiency: 0.5 } }],
  ])('that cannot be controlled earns none: %s', async (_title, assets) => {
    const { grid_fee_reductions } = await ask({ assets });
    expect(grid_fee_reductions).toEqual({ '14a_module_1': false, '14a_module_3': false });
  });
});

describe('the consumption', () => {
  test('is 100 kWh at least and 50,000 at most', async () => {
    const least = await ask({ household: { usage: 100 }, assets: { pv: { self_sufficiency: 1 } } });
    expect(least.usage.consumption).toBe(100);
    const most = await ask({ household: { usage: 50_000 }, assets: { heatpump: { usage: 50_000 } } });
    expect(most.usage.consumption).toBe(50_000);
  });

  test('decides the metering fee: 110 EUR a year above 20,000 kWh, with a controlled device too', async () => {
    const base = async (usage: number) => linesOf(await ask({ household: { usage }, assets: CAR }))[0] ?? 0;
    expect(await base(18_552)).toBe(-60.4);
    expect(await base(18_554)).toBe(-120.4);
  });
});

test('a current tariff is compared as it was sent, with the fees of grid and metering beside it', async () => {
  const current_tariff = { base_fee: 123.45, var_fee: 0.3333 };
  const answer = await ask({ current_tariff });
  /* 80.30 EUR net of the grid, 25 of the meter; 3,500 kWh. */
  expect(answer.cost.before).toBe(1410.56);
  expect(answer.cost.before).toBe(Number((123.45 + 95.56 + 25 + 1166.55).toFixed(2)));
});

/** Asks on another day. */
async function onDay(day: string, work: (ask: (change: object) => Promise<SavingsBody>) => Promise<void>) {
  const caller = await service.at(`${day}T09:00:00Z`);
  try {
    await work(async (change) => {
      const body = { zip_code: '45468', household: { usage: 3500 }, ...change };
      const path = `/plans/${service.plans.dynamisch}/savings`;
      return (await caller.post<SavingsBody>(path, body)).body;
    });
  } finally {
    service.clock.set(QUOTED_AT);
  }
}

/** From one day on the parameter has another value. */
async function changeParameter(code: string, value: string, day: string): Promise<void> {
  await storedRows(service.api, 'UPDATE savings_parameters SET valid_to = $2 WHERE code = $1', [code, day]);
  await storedRows(
    service.api,
    `INSERT INTO savings_parameters (code, value, valid_from, source) VALUES ($1, $2, $3, 'tests')`,
    [code, value, day],
  );
}

test('the cap of the rate is a row of the reference data', async () => {
  await onDay('2026-11-24', async (ask) => {
    expect((await ask({ assets: CAR })).optimization_rate).toBe(0.1316);
  });
  await onDay(LOWER_CAP_ON, async (ask) => {
    expect((await ask({ assets: CAR })).optimization_rate).toBe(0.05);
  });
});

test('a parameter that is not there is a failure of the service, where it is needed', async () => {
  await onDay(NO_YIELD_ON, async (ask) => {
    expect(await ask({ assets: { pv: { self_sufficiency: 0.5 } } })).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
    });
    expect(await ask({ assets: CAR })).toMatchObject({ object: 'savings' });
  });
});
