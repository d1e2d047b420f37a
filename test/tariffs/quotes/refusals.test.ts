import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlan, createTenant } from '../../setup/factories.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import {
  CURIE,
  createSellingPlans,
  PLACES,
  type QuoteService,
  quotePath,
  startQuoteService,
} from './quote-service.ts';

let service: QuoteService;
let plans: Awaited<ReturnType<typeof createSellingPlans>>;

beforeAll(async () => {
  service = await startQuoteService();
  plans = await createSellingPlans(service);
});
afterAll(() => service?.api.close());

type Place = keyof typeof PLACES;
type Plan = keyof typeof plans;

/** `1 3`: modules 1 and 3 as true, the other one as false; empty: an object without members. */
function reductionsOf(modules: string | null): object {
  if (modules === null) return {};
  const members =
    modules === ''
      ? []
      : [1, 2, 3].map((number) => [`14a_module_${number}`, modules.includes(String(number))]);
  return { grid_fee_reductions: Object.fromEntries(members) };
}

async function post(plan: Plan, place: Place, modules: string | null): Promise<(string | number)[]> {
  const body = { zip_code: PLACES[place], usage: { consumption: 2500 }, ...reductionsOf(modules) };
  return refusal(await service.client().post<ErrorBody>(`/plans/${plans[plan]}/quote`, body));
}

const AT = 'grid_fee_reductions';
const NO_GRID = 'unserviceable_zip zip_code';
const BOTH = `custom ${AT}`;
const unsold = (module: number) => `unsupported_product ${AT}.14a_module_${module}`;
const MISSING_1 = `missing_module_1 ${AT}.14a_module_3`;

describe('each rule alone', () => {
  test.each<[string, Plan, Place, string | null, string]>([
    ['a place that nobody supplies', 'all', 'unknown', null, NO_GRID],
    ['reductions of a feed-in plan', 'feed-in', 'served', '1', `unsupported_product ${AT}`],
    [
      'reductions of a feed-in plan, none of them true',
      'feed-in',
      'served',
      'none',
      `unsupported_product ${AT}`,
    ],
    ['reductions of a feed-in plan, an empty object', 'feed-in', 'served', '', `unsupported_product ${AT}`],
    ['a feed-in plan where nobody supplies', 'feed-in', 'unknown', null, NO_GRID],
    ['modules 1 and 2', 'all', 'served', '12', BOTH],
    ['module 1 of a plan without it', 'none', 'served', '1', unsold(1)],
    ['module 2 of a plan without it', 'module1', 'served', '2', unsold(2)],
    ['module 3 without module 1', 'all', 'served', '3', MISSING_1],
    ['module 3 of a plan without it', 'module1', 'served', '13', unsold(3)],
    ['module 3 of an operator without prices by the clock', 'all', 'without schedule', '13', unsold(3)],
  ])('%s', async (_rule, plan, place, modules, entry) => {
    expect(await post(plan, place, modules)).toEqual([400, entry]);
  });
});

describe('several at once, in the order of the rules, one entry for each field', () => {
  test.each<[Plan, Place, string, string[]]>([
    ['none', 'unknown', '123', [NO_GRID, BOTH, unsold(1), unsold(2), unsold(3)]],
    ['none', 'unknown', '23', [NO_GRID, unsold(2), MISSING_1]],
    ['all', 'unknown', '23', [NO_GRID, MISSING_1]],
    ['all', 'served', '123', [BOTH]],
    ['all', 'without schedule', '123', [BOTH, unsold(3)]],
    ['module1', 'without schedule', '13', [unsold(3)]],
    ['module1', 'served', '12', [BOTH, unsold(2)]],
    ['module2', 'served', '12', [BOTH, unsold(1)]],
    ['module2', 'served', '3', [MISSING_1]],
    ['module2', 'served', '123', [BOTH, unsold(1), unsold(3)]],
    ['feed-in', 'unknown', '123', [NO_GRID, `unsupported_product ${AT}`]],
  ])('plan that sells %s, place %s, modules %s', async (plan, place, modules, entries) => {
    expect(await post(plan, place, modules)).toEqual([400, ...entries]);
  });

  test('whether an operator has prices by the clock is no question about a place that nobody supplies', async () => {
    expect(await post('all', 'unknown', '13')).toEqual([400, NO_GRID]);
  });
});

test('a module that is sent as false is never refused on a consumption plan', async () => {
  for (const place of ['served', 'without schedule'] as const) {
    expect(await post('none', place, 'none')).toEqual([200]);
    expect(await post('none', place, '')).toEqual([200]);
  }
});

test('the messages name the rule', async () => {
  const ask = async (plan: Plan, place: Place, modules: string) => {
    const body = { zip_code: PLACES[place], usage: { consumption: 2500 }, ...reductionsOf(modules) };
    const { body: answer } = await service
      .client()
      .post<ErrorBody & { message: string }>(`/plans/${plans[plan]}/quote`, body);
    return answer.message;
  };
  expect(await ask('all', 'unknown', '')).toBe('This ZIP code cannot be supplied');
  expect(await ask('all', 'served', '3')).toBe('Module 3 needs module 1');
  expect(await ask('none', 'served', '1')).toBe('The plan does not offer this product');
  expect(await ask('all', 'served', '12')).toBe(
    "In 'grid_fee_reductions': Module 2 cannot be combined with module 1",
  );
});

test('GET on gauss is gone', async () => {
  const path = quotePath(service.plans.dynamisch, { zip_code: '10115', usage: 2500 });
  const { status, body } = await service.client().get<{ message: string }>(path);
  expect([status, body.message]).toEqual([
    404,
    'GET /plans/{id}/quote was removed in API version 2026-09-08.gauss. Use POST /plans/{id}/quote.',
  ]);
});

describe('refusals by the schema come first and alone', () => {
  const good = {
    zip_code: '99999',
    usage: { consumption: 2500 },
    grid_fee_reductions: { '14a_module_3': true },
  };

  test.each<[object, (string | number)[]]>([
    [{ zip_code: 10115 }, [400, 'invalid_type zip_code']],
    [{ zip_code: '1011' }, [400, 'invalid_format zip_code']],
    [{ zip_code: '10115 ' }, [400, 'invalid_format zip_code']],
    [{ zip_code: undefined, usage: undefined }, [400, 'invalid_type zip_code', 'invalid_type usage']],
    [{ usage: 2500 }, [400, 'invalid_type usage']],
    [{ usage: {} }, [400, 'invalid_type usage.consumption']],
    [{ usage: { consumption: '2500' } }, [400, 'invalid_type usage.consumption']],
    [{ usage: { consumption: 99.999 } }, [400, 'too_small usage.consumption']],
    [{ usage: { consumption: 50_000.001 } }, [400, 'too_big usage.consumption']],
    [{ optimization_rate: -0.000001 }, [400, 'too_small optimization_rate']],
    [{ optimization_rate: 1.000001 }, [400, 'too_big optimization_rate']],
    [{ optimization_rate: null }, [400, 'invalid_type optimization_rate']],
    [{ grid_fee_reductions: null }, [400, `invalid_type ${AT}`]],
    [{ grid_fee_reductions: { '14a_module_1': 1 } }, [400, `invalid_type ${AT}.14a_module_1`]],
    [{ is_tax_exempt: 'no' }, [400, 'invalid_type is_tax_exempt']],
  ])('%j', async (change, expected) => {
    const path = `/plans/${service.plans.dynamisch}/quote`;
    expect(refusal(await service.client().post<ErrorBody>(path, { ...good, ...change }))).toEqual(expected);
  });
});

test('a plan of another organization is not found, whatever the request', async () => {
  const other = await createTenant(service.api);
  const { id } = await createPlan(service.api.deps, other.organization);
  const body = { zip_code: '99999', usage: { consumption: 2500 } };
  for (const plan of [id, 'pln_000000000000000000000000', 'x']) {
    expect(refusal(await service.client().post<ErrorBody>(`/plans/${plan}/quote`, body))).toEqual([404]);
    const path = quotePath(plan, { zip_code: '99999', usage: 2500 });
    expect(refusal(await service.client(CURIE).get<ErrorBody>(path))).toEqual([404]);
  }
  /* Its own organization has it, before and after. */
  const own = service.api.client(other.token);
  expect(refusal(await own.post<ErrorBody>(`/plans/${id}/quote`, { ...body, zip_code: '10115' }))).toEqual([
    200,
  ]);
  expect(refusal(await service.client().post<ErrorBody>(`/plans/${id}/quote`, body))).toEqual([404]);
});
