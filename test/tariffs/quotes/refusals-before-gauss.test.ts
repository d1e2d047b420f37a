import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import {
  BEFORE_GAUSS,
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

const NO_GRID = 'unserviceable_zip zip_code';

describe.each(BEFORE_GAUSS)('%s', (version) => {
  const isCurie = version === CURIE;

  async function get(
    plan: keyof typeof plans,
    place: keyof typeof PLACES,
    parameters: object,
  ): Promise<[number, ...string[]]> {
    const path = quotePath(plans[plan], { zip_code: PLACES[place], usage: 2500, ...parameters });
    const answer = await service.client(version).get<ErrorBody & { message: string }>(path);
    const entries = refusal(answer).slice(1) as string[];
    /* Before curie there are no entries: the message names the first rule. */
    return [answer.status, ...(isCurie || answer.status === 200 ? entries : [answer.body.message])];
  }

  const NO_PLACE = isCurie ? NO_GRID : 'This ZIP code cannot be supplied';
  const NOT_OFFERED = 'The plan does not offer this product';
  const module1 = isCurie ? 'unsupported_product 14a_module_1' : NOT_OFFERED;

  test('a place that nobody supplies', async () => {
    expect(await get('all', 'unknown', {})).toEqual([400, NO_PLACE]);
  });

  /* The description of these versions calls the optional parameters nullable. */
  test.each(['', 'null'])('an optional parameter that is "%s" counts as absent', async (nothing) => {
    const names = ['meter_type', '14a_module_1', '14a_module_2', 'is_tax_exempt'];
    const parameters = Object.fromEntries(names.map((name) => [name, nothing]));
    expect(await get('none', 'served', parameters)).toEqual([200]);
    const amountWith = async (more: object) => {
      const path = quotePath(plans.all, { zip_code: PLACES.served, usage: 2500, ...more });
      return (await service.client(version).get<{ amount: number }>(path)).body.amount;
    };
    expect(await amountWith(parameters)).toBe(await amountWith({}));
    expect(await amountWith({ ...parameters, meter_type: 'smart' })).not.toBe(await amountWith({}));
    expect((await get('all', 'served', { '14a_module_1': 'nil' }))[0]).toBe(400);
    expect((await get('all', 'served', { usage: nothing }))[0]).toBe(400);
  });

  test('a module that the plan does not sell', async () => {
    expect(await get('none', 'served', { '14a_module_1': '1' })).toEqual([400, module1]);
    expect(await get('none', 'served', { '14a_module_1': 'false' })).toEqual([200]);
    expect(await get('none', 'unknown', { '14a_module_1': '1' })).toEqual(
      isCurie ? [400, NO_PLACE, module1] : [400, NO_PLACE],
    );
  });

  test('module 2, known from curie on', async () => {
    const both = { '14a_module_1': 'true', '14a_module_2': 'true' };
    expect(await get('none', 'served', { '14a_module_2': 'true' })).toEqual(
      isCurie ? [400, 'unsupported_product 14a_module_2'] : [200],
    );
    expect(await get('all', 'served', both)).toEqual(isCurie ? [400, 'custom 14a_module_2'] : [200]);
    expect(await get('none', 'served', both)).toEqual(
      isCurie ? [400, 'custom 14a_module_2', module1] : [400, module1],
    );
  });

  test('a feed-in plan, known from curie on, and modules of it', async () => {
    const upgrade = [400, 'Feed-in needs API version 2026-05-27.curie or later'];
    const both = { '14a_module_1': 'true', '14a_module_2': '1' };
    expect(await get('feed-in', 'served', {})).toEqual(isCurie ? [200] : upgrade);
    expect(await get('feed-in', 'served', { '14a_module_1': 'false' })).toEqual(isCurie ? [200] : upgrade);
    expect(await get('feed-in', 'served', { '14a_module_1': 'true' })).toEqual(
      isCurie ? [400, module1] : upgrade,
    );
    expect(await get('feed-in', 'unknown', both)).toEqual(
      isCurie ? [400, NO_PLACE, module1, 'unsupported_product 14a_module_2'] : upgrade,
    );
  });

  test.each<[object, string[], string]>([
    [{ zip_code: '1011' }, ['invalid_format zip_code'], "invalid_format in 'zip_code': Not five digits"],
    [{ usage: '' }, ['invalid_type usage'], "invalid_type in 'usage': Not a number such as 2500 or 2500.5"],
    [
      { usage: 'NaN' },
      ['invalid_type usage'],
      "invalid_type in 'usage': Not a number such as 2500 or 2500.5",
    ],
    [{ usage: '99.99' }, ['too_small usage'], "too_small in 'usage': Too small: expected number to be >=100"],
    [{ usage: '50000.01' }, ['too_big usage'], "too_big in 'usage': Too big: expected number to be <=50000"],
    [
      { '14a_module_1': 'yes' },
      ['invalid_type 14a_module_1'],
      "invalid_type in '14a_module_1': Accepted: true, false, 1, 0",
    ],
  ])('a parameter that cannot be read comes first and alone: %j', async (parameters, entries, message) => {
    expect(await get('none', 'unknown', parameters)).toEqual(isCurie ? [400, ...entries] : [400, message]);
  });

  test('what is missing, and a meter of another type', async () => {
    const client = service.client(version);
    const missing = await client.get<ErrorBody>(quotePath(service.plans.dynamisch));
    expect(refusal(missing)).toEqual(isCurie ? [400, 'invalid_type zip_code', 'invalid_type usage'] : [400]);
    const other = { zip_code: '10115', usage: 2500, meter_type: 'modern' };
    const answer = await client.get<ErrorBody>(quotePath(service.plans.dynamisch, other));
    expect(refusal(answer)).toEqual(isCurie ? [422, 'invalid_value meter_type'] : [422]);
  });

  test('POST is refused with the version that has it', async () => {
    const path = `/plans/${service.plans.dynamisch}/quote`;
    const answer = await service.client(version).post<ErrorBody & { message: string }>(path, {});
    expect([answer.status, answer.headers.get('allow'), answer.body.message]).toEqual([
      ...[405, 'GET, HEAD'],
      `POST /plans/{id}/quote is available from API version 2026-09-08.gauss. This request used ${version}.`,
    ]);
    expect(refusal(answer).slice(1)).toEqual(isCurie ? ['upgrade_api_version '] : []);
  });
});
