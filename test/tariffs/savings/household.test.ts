import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Figure } from '../../../src/tariffs/reference-data/figures.ts';
import type { SavingsParameterCode } from '../../../src/tariffs/reference-data/reference-set.ts';
import { MissingReferenceError } from '../../../src/tariffs/reference-data/validity.ts';
import { describedHousehold, type Offer } from '../../../src/tariffs/savings/household.ts';
import { savingsRequest } from '../../../src/tariffs/savings/schema.ts';
import { figure } from '../quotes/plain-figures.ts';

const PARAMETERS: Readonly<Record<string, string>> = {
  ev_kwh_per_100_km: '18',
  pv_kwh_per_kwp: '950',
  flexible_share_ev: '0.45',
  flexible_share_heatpump: '0.18',
  flexible_share_battery: '0.35',
  battery_cycles_per_year: '200',
  battery_hours: '4',
  optimization_rate_max: '0.6',
  controllable_power_over_kw: '4.2',
};

const EVERYTHING: Offer = {
  optimizationRate: '0.10',
  sellsModule1: true,
  sellsModule3: true,
  operatorHasSchedule: true,
};

function referenceWith(parameters: Readonly<Record<string, string>>) {
  return {
    savingsParameter: (code: SavingsParameterCode): Figure => {
      const value = parameters[code];
      if (value === undefined) throw new MissingReferenceError('savings_parameters', code, '2026-11-20');
      return figure(value, 'savings_parameters', code);
    },
  };
}

/** A request as the schema hands it on, with its defaults. */
function described(request: object, offer: Partial<Offer> = {}, parameters: Record<string, string> = {}) {
  const parsed = savingsRequest.parse({ zip_code: '10115', household: { usage: 2500 }, ...request });
  const reference = referenceWith({ ...PARAMETERS, ...parameters });
  return describedHousehold(parsed, { ...EVERYTHING, ...offer }, reference);
}

/** Every figure as a text. */
function shown(household: ReturnType<typeof described>) {
  const { energy, consumption, rate, module1, module3, meter } = household;
  const { ev, heatpump, load, covered, shifted } = energy;
  return [
    [ev, heatpump, load, covered, shifted].map((kwh) => kwh.toFixed()).join(' '),
    consumption.toFixed(),
    rate.toFixed(4),
    [module1, module3, meter].join(' '),
  ];
}

describe('the worked households', () => {
  test('B1 no assets', () => {
    expect(shown(described({}))).toEqual(['0 0 2500 0 0', '2500', '0.0000', 'false false analog']);
  });

  test('B2 a car with the usual share charged at home', () => {
    const request = { household: { usage: 3500 }, assets: { ev: { distance: 12_000 } } };
    expect(shown(described(request))).toEqual(['1447.2 0 4947.2 0 0', '4947', '0.1316', 'true true smart']);
  });

  test('B3 a car, a heat pump, a solar plant and a battery', () => {
    const request = {
      household: { usage: 4000 },
      assets: {
        ev: { distance: 15_000, home_charging_share: 0.8 },
        heatpump: { usage: 5000 },
        pv: { self_sufficiency: 0.45, capacity: 10 },
        battery: { capacity: 10, power: 5 },
      },
    };
    expect(shown(described(request))).toEqual([
      '2160 5000 11160 5022 2000',
      '6138',
      '0.2305',
      'true true smart',
    ]);
  });

  test('B4 a solar plant that covers everything, and a battery that is not controllable', () => {
    const request = {
      household: { usage: 2000 },
      assets: { pv: { self_sufficiency: 1 }, battery: { capacity: 5, power: 3 } },
    };
    expect(shown(described(request))).toEqual(['0 0 2000 2000 1000', '100', '0.1750', 'false false smart']);
  });
});

describe('energy', () => {
  const energy = (request: object, parameters?: Record<string, string>) =>
    described(request, {}, parameters).energy;

  test('of the car counts as far as it is charged at home', () => {
    const car = (share: number) =>
      energy({ assets: { ev: { distance: 10_000, home_charging_share: share } } });
    expect([0, 0.3, 1].map((share) => car(share).ev.toFixed())).toEqual(['0', '540', '1800']);
  });

  test('that the solar plant covers is never more than it yields, 8 kWp where nothing is said', () => {
    const household = { usage: 20_000 };
    const covered = (pv: object) => energy({ household, assets: { pv } }).covered.toFixed();
    expect(covered({ self_sufficiency: 1 })).toBe('7600');
    expect(covered({ self_sufficiency: 1, capacity: 10.5 })).toBe('9975');
    expect(covered({ self_sufficiency: 0.3, capacity: 10.5 })).toBe('6000');
    expect(covered({ self_sufficiency: 1, capacity: 0 })).toBe('0');
  });

  test('that the battery shifts is bounded by its capacity, its power and the usage of the household', () => {
    const shifted = (usage: number, capacity: number, power: number) =>
      energy({ household: { usage }, assets: { battery: { capacity, power } } }).shifted.toFixed();
    expect(shifted(9000, 10, 5)).toBe('2000');
    expect(shifted(9000, 10, 1.1)).toBe('880');
    expect(shifted(1500, 10, 5)).toBe('1500');
    expect(shifted(9000, 0, 5)).toBe('0');
    expect(shifted(9000, 10, 0)).toBe('0');
  });

  test('is decimal: 0.1 and 0.2 make 0.3', () => {
    const request = {
      assets: { ev: { distance: 1000.1, home_charging_share: 0.3 }, heatpump: { usage: 0.2 } },
    };
    expect(energy(request).ev.toFixed()).toBe('54.0054');
    expect(energy(request).load.toFixed()).toBe('2554.2054');
  });
});

describe('consumption', () => {
  const consumption = (request: object) => described(request).consumption.toFixed();
  const withHeatPump = (usage: number) =>
    consumption({ household: { usage: 100 }, assets: { heatpump: { usage } } });

  test('is whole, half upwards', () => {
    expect([0.4, 0.5, 0.6, 1.5].map(withHeatPump)).toEqual(['100', '101', '101', '102']);
  });

  test('is what a quote takes: 100 to 50,000 kWh', () => {
    const covering = (self_sufficiency: number) =>
      consumption({ household: { usage: 1000 }, assets: { pv: { self_sufficiency } } });
    expect([0.89, 0.9, 0.901, 1].map(covering)).toEqual(['110', '100', '100', '100']);
    const usage = 40_000;
    const heated = (more: number) =>
      consumption({ household: { usage }, assets: { heatpump: { usage: more } } });
    expect([9_999, 10_000, 10_001, 50_000].map(heated)).toEqual(['49999', '50000', '50000', '50000']);
  });
});

describe('the rate', () => {
  const rate = (request: object, offer?: Partial<Offer>, parameters?: Record<string, string>) =>
    described(request, offer, parameters).rate.toFixed();
  const car = { assets: { ev: { distance: 12_000 } } };

  test.each([null, '0', '0.00'])(
    'is 0, and the meter analog, where that of the plan is %s',
    (optimizationRate) => {
      expect(rate(car, { optimizationRate })).toBe('0');
      expect(described(car, { optimizationRate }).meter).toBe('analog');
    },
  );

  test('does not follow the size of the rate of the plan', () => {
    expect(rate(car, { optimizationRate: '0.01' })).toBe(rate(car, { optimizationRate: '1' }));
    expect(rate(car)).toBe('0.165');
  });

  test('is a property of the assets, whatever the solar plant covers', () => {
    const covered = { assets: { ...car.assets, pv: { self_sufficiency: 0.9 } } };
    expect(rate(covered)).toBe(rate(car));
  });

  test('ends at the cap', () => {
    const most = { assets: { ev: { distance: 200_000, home_charging_share: 1 } } };
    expect(rate(most)).toBe('0.4208');
    expect(rate(most, {}, { optimization_rate_max: '0.4' })).toBe('0.4');
    expect(rate(most, {}, { flexible_share_ev: '0.9' })).toBe('0.6');
    expect(rate(most, {}, { flexible_share_ev: '0.9', optimization_rate_max: '1' })).toBe('0.8416');
  });

  test('that rounds to 0 leaves the meter analog', () => {
    const driving = (distance: number) => described({ assets: { ev: { distance } } });
    expect(driving(2).rate.toFixed()).toBe('0');
    expect(driving(2).meter).toBe('analog');
    expect(driving(3).rate.toFixed()).toBe('0.0001');
    expect(driving(3).meter).toBe('smart');
  });
});

describe('the modules', () => {
  const modules = (assets: object, offer?: Partial<Offer>) => {
    const { module1, module3 } = described({ assets }, offer);
    return [module1, module3];
  };

  test('need a device that can be controlled; a car and a heat pump of size 0 are there', () => {
    expect(modules({})).toEqual([false, false]);
    expect(modules({ pv: { self_sufficiency: 1 } })).toEqual([false, false]);
    expect(modules({ ev: { distance: 0 } })).toEqual([true, true]);
    expect(modules({ heatpump: { usage: 0 } })).toEqual([true, true]);
    expect(modules({ battery: { capacity: 10, power: 4.2 } })).toEqual([false, false]);
    expect(modules({ battery: { capacity: 0, power: 4.21 } })).toEqual([true, true]);
  });

  test('need a plan that sells them, and module 3 a schedule of the grid operator', () => {
    const car = { ev: { distance: 0 } };
    expect(modules(car, { sellsModule1: false })).toEqual([false, false]);
    expect(modules(car, { sellsModule3: false })).toEqual([true, false]);
    expect(modules(car, { operatorHasSchedule: false })).toEqual([true, false]);
  });

  test('are there without optimization too', () => {
    expect(modules({ ev: { distance: 0 } }, { optimizationRate: null })).toEqual([true, true]);
  });
});

test('every parameter is a row of the reference data, and only those that count are asked for', () => {
  const everything = {
    ev: { distance: 15_000 },
    heatpump: { usage: 5000 },
    pv: { self_sufficiency: 0.45 },
    battery: { capacity: 10, power: 5 },
  };
  const used = (assets: object, offer?: Partial<Offer>) =>
    described({ assets }, offer).parameters.map(({ origin }) => origin.key);
  expect(used(everything).length).toBe(Object.keys(PARAMETERS).length - 1);
  expect(used({ battery: everything.battery }).concat(used(everything))).toEqual(
    expect.arrayContaining(Object.keys(PARAMETERS)),
  );
  expect(used({})).toEqual([
    'flexible_share_ev',
    'flexible_share_heatpump',
    'flexible_share_battery',
    'optimization_rate_max',
  ]);
  expect(used({}, { optimizationRate: null })).toEqual([]);
});

test('of any household, the figures are ones that a quote takes', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const upTo = (max: number) => fc.double({ min: 0, max, noNaN: true });
  const assets = fc.record(
    {
      ev: fc.record({ distance: upTo(200_000), home_charging_share: share }),
      heatpump: fc.record({ usage: upTo(50_000) }),
      pv: fc.record({ self_sufficiency: share, capacity: upTo(100) }),
      battery: fc.record({ capacity: upTo(100), power: upTo(100) }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 50_000 }), assets, (usage, devices) => {
      const { consumption, rate, module1, module3, meter, energy } = described({
        household: { usage },
        assets: devices,
      });
      expect(consumption.isInteger()).toBe(true);
      expect(consumption.toNumber()).toBeGreaterThanOrEqual(100);
      expect(consumption.toNumber()).toBeLessThanOrEqual(50_000);
      expect(rate.decimalPlaces()).toBeLessThanOrEqual(4);
      expect(rate.toNumber()).toBeLessThanOrEqual(0.6);
      expect(rate.isNegative()).toBe(false);
      expect(meter).toBe(rate.isZero() ? 'analog' : 'smart');
      expect(module1 || !module3).toBe(true);
      expect(energy.covered.lessThanOrEqualTo(energy.load)).toBe(true);
      expect(energy.shifted.lessThanOrEqualTo(usage)).toBe(true);
    }),
  );
});
