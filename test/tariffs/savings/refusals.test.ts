import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlan, createTenant } from '../../setup/factories.ts';
import { refusal } from '../../telemetry/assets/devices.ts';
import { type SavingsService, startSavingsService } from './savings-service.ts';

let service: SavingsService;
beforeAll(async () => {
  service = await startSavingsService();
});
afterAll(() => service?.api.close());

const BODY = { zip_code: '10115', household: { usage: 2500 } };
const ask = (change: object, plan = service.plans.dynamisch) => service.savings(plan, { ...BODY, ...change });

describe('by the schema', () => {
  const assets = (assets: object) => ({ assets });
  const ev = (ev: object) => assets({ ev });
  const pv = (pv: object) => assets({ pv: { self_sufficiency: 0.5, ...pv } });
  const battery = (battery: object) => assets({ battery: { capacity: 10, power: 5, ...battery } });
  const tariff = (tariff: object) => ({ current_tariff: { base_fee: 100, var_fee: 0.3, ...tariff } });

  test.each<[object, ...string[]]>([
    [{ zip_code: undefined }, 'invalid_type zip_code'],
    [{ zip_code: 10115 }, 'invalid_type zip_code'],
    [{ zip_code: '1011' }, 'invalid_format zip_code'],
    [{ zip_code: '101150' }, 'invalid_format zip_code'],
    [{ zip_code: '10115\n' }, 'invalid_format zip_code'],
    [{ zip_code: '1011५' }, 'invalid_format zip_code'],
    [{ household: undefined }, 'invalid_type household'],
    [{ household: null }, 'invalid_type household'],
    [{ household: {} }, 'invalid_type household.usage'],
    [{ household: { usage: null } }, 'invalid_type household.usage'],
    [{ household: { usage: '2500' } }, 'invalid_type household.usage'],
    [{ household: { usage: 2500.5 } }, 'invalid_type household.usage'],
    [{ household: { usage: 99 } }, 'too_small household.usage'],
    [{ household: { usage: 50_001 } }, 'too_big household.usage'],
    [{ household: { usage: 1e20 } }, 'too_big household.usage'],
    [{ assets: null }, 'invalid_type assets'],
    [{ assets: [] }, 'invalid_type assets'],
    [assets({ ev: null }), 'invalid_type assets.ev'],
    [assets({ heatpump: null }), 'invalid_type assets.heatpump'],
    [assets({ pv: null }), 'invalid_type assets.pv'],
    [assets({ battery: null }), 'invalid_type assets.battery'],
    [ev({}), 'invalid_type assets.ev.distance'],
    [ev({ distance: -1 }), 'too_small assets.ev.distance'],
    [ev({ distance: 200_001 }), 'too_big assets.ev.distance'],
    [ev({ distance: 1, home_charging_share: 1.01 }), 'too_big assets.ev.home_charging_share'],
    [ev({ distance: 1, home_charging_share: -0.01 }), 'too_small assets.ev.home_charging_share'],
    [ev({ distance: 1, home_charging_share: null }), 'invalid_type assets.ev.home_charging_share'],
    [ev({ distance: 1, share: 1 }), 'unrecognized_keys assets.ev.share'],
    [assets({ heatpump: {} }), 'invalid_type assets.heatpump.usage'],
    [assets({ heatpump: { usage: -1 } }), 'too_small assets.heatpump.usage'],
    [assets({ heatpump: { usage: 50_001 } }), 'too_big assets.heatpump.usage'],
    [assets({ heatpump: { usage: 1, power: 1 } }), 'unrecognized_keys assets.heatpump.power'],
    [assets({ pv: {} }), 'invalid_type assets.pv.self_sufficiency'],
    [pv({ self_sufficiency: 1.1 }), 'too_big assets.pv.self_sufficiency'],
    [pv({ self_sufficiency: -0.1 }), 'too_small assets.pv.self_sufficiency'],
    [pv({ capacity: 100.1 }), 'too_big assets.pv.capacity'],
    [pv({ capacity: -1 }), 'too_small assets.pv.capacity'],
    [pv({ size: 1 }), 'unrecognized_keys assets.pv.size'],
    [assets({ battery: {} }), 'invalid_type assets.battery.capacity', 'invalid_type assets.battery.power'],
    [battery({ capacity: 100.1 }), 'too_big assets.battery.capacity'],
    [battery({ capacity: -1 }), 'too_small assets.battery.capacity'],
    [battery({ power: 100.1 }), 'too_big assets.battery.power'],
    [battery({ power: -1 }), 'too_small assets.battery.power'],
    [battery({ cycles: 1 }), 'unrecognized_keys assets.battery.cycles'],
    [{ current_tariff: null }, 'invalid_type current_tariff'],
    [{ current_tariff: {} }, 'invalid_type current_tariff.base_fee', 'invalid_type current_tariff.var_fee'],
    [tariff({ base_fee: 5_000.01 }), 'too_big current_tariff.base_fee'],
    [tariff({ base_fee: -1 }), 'too_small current_tariff.base_fee'],
    [tariff({ var_fee: 2.01 }), 'too_big current_tariff.var_fee'],
    [tariff({ var_fee: -0.01 }), 'too_small current_tariff.var_fee'],
  ])('%j', async (change, ...entries) => {
    expect(refusal(await ask(change))).toEqual([400, ...entries]);
  });

  test('is told before any rule of the business', async () => {
    const answer = await ask({ zip_code: '99999', household: { usage: 1 } }, service.plans.einspeisung);
    expect(refusal(answer)).toEqual([400, 'too_small household.usage']);
  });

  test('does not know members beside those of the assets, and ignores them', async () => {
    const usual = await ask({ assets: { ev: { distance: 1 } } });
    const more = await ask({
      household: { usage: 2500, rooms: 3 },
      assets: { ev: { distance: 1 }, sauna: { usage: 1 } },
      grid_fee_reductions: { '14a_module_1': true },
      optimization_rate: 1,
    });
    expect(more.status).toBe(200);
    expect(more.body).toEqual(usual.body);
    const current_tariff = { base_fee: 1, var_fee: 0.1 };
    const named = await ask({ current_tariff: { ...current_tariff, name: 'Alt' } });
    expect(named.body).toEqual((await ask({ current_tariff })).body);
  });

  test.each<[string, object]>([
    ['least', { household: { usage: 100 }, current_tariff: { base_fee: 0, var_fee: 0 } }],
    ['most', { household: { usage: 50_000 }, current_tariff: { base_fee: 5_000, var_fee: 2 } }],
    [
      'smallest devices',
      {
        assets: {
          ev: { distance: 0, home_charging_share: 0 },
          heatpump: { usage: 0 },
          pv: { self_sufficiency: 0, capacity: 0 },
          battery: { capacity: 0, power: 0 },
        },
      },
    ],
    [
      'largest devices',
      {
        assets: {
          ev: { distance: 200_000, home_charging_share: 1 },
          heatpump: { usage: 50_000 },
          pv: { self_sufficiency: 1, capacity: 100 },
          battery: { capacity: 100, power: 100 },
        },
      },
    ],
  ])('lets the bounds themselves through: %s', async (_title, change) => {
    expect((await ask(change)).status).toBe(200);
  });
});

describe('by the rules', () => {
  test('a zip that nobody serves', async () => {
    const { status, body } = await ask({ zip_code: '99999' });
    const message = 'This ZIP code cannot be supplied';
    expect([status, body.message]).toEqual([400, message]);
    expect(body.errors).toEqual([{ code: 'unserviceable_zip', field: 'zip_code', message }]);
  });

  test('a feed-in plan', async () => {
    const { status, body } = await ask({}, service.plans.einspeisung);
    const message = 'The plan does not offer this product';
    expect([status, body.message]).toEqual([400, message]);
    expect(body.errors).toEqual([{ code: 'unsupported_product', field: 'plan', message }]);
  });

  test('both are told together, the zip first', async () => {
    const answer = await ask({ zip_code: '99999' }, service.plans.einspeisung);
    expect(refusal(answer)).toEqual([400, 'unserviceable_zip zip_code', 'unsupported_product plan']);
  });

  test('a plan that is not there, or of another organization, before any rule', async () => {
    const other = await createTenant(service.api);
    const theirs = await createPlan(service.api.deps, other.organization);
    for (const plan of [theirs.id, 'pln_000000000000000000000000', 'x']) {
      const { status, body } = await ask({ zip_code: '99999' }, plan);
      expect([status, body.message]).toEqual([404, 'Resource not found']);
    }
  });

  test('an archived plan is priced like another', async () => {
    const terms = [{ margin_ct_net: '1.8', optimization_rate: '0.1' }];
    const plan = await createPlan(service.api.deps, service.organization, { status: 'archived', terms });
    expect((await ask({}, plan.id)).body).toEqual((await ask({})).body);
  });
});

test('a version before gauss has no such route', async () => {
  const token = (await createTenant(service.api)).token;
  const path = `/plans/${service.plans.dynamisch}/savings`;
  const message =
    'POST /plans/{id}/savings is available from API version 2026-09-08.gauss. This request used 2026-05-27.curie.';
  const { status, body } = await service.api.client(token, { version: '2026-05-27.curie' }).post(path, BODY);
  expect(status).toBe(404);
  expect(body).toMatchObject({ message, errors: [{ code: 'upgrade_api_version', field: '' }] });
});
