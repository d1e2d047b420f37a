import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import type { Answer } from '../../setup/client.ts';
import { createClient, createHousehold, tokenFor } from '../../setup/factories.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type PriceClient, takePriceApi } from './price-api.ts';

const NOON = '2026-11-20T12:00:00+01:00';
const prices = await takePriceApi(NOON);
let partner: PriceClient;
let enabled: PriceClient;

beforeAll(async () => {
  partner = await prices.tenant();
  enabled = await prices.tenant({ forecasts: true });
});
afterAll(() => prices.close());

async function refused(query: string, client = partner): Promise<unknown[]> {
  return refusal((await client.prices(query)) as unknown as Answer<ErrorBody>);
}

test.each([
  ['?start=2026-11-20&end=2026-11-19', 'too_small end'],
  ['?end=2026-11-19', 'too_small end'],
  ['?start=2026-11-24&end=2026-11-23', 'too_small end', 'too_big end'],
  ['?start=2026-11-22&end=2026-11-21', 'too_small end', 'too_big start'],
  ['?start=2030-01-01&end=2026-11-20', 'too_small end', 'too_big start'],
])('%s: the end lies before the start', async (query, ...entries) => {
  expect(await refused(query)).toEqual([400, ...entries]);
});

test('a date that was left out: only the end begins today, only the start is one day', async () => {
  const period = async (query: string) => {
    const { start, end } = (await partner.prices(query)).body.period;
    return [start.slice(0, 10), end.slice(0, 10)];
  };
  expect(await period('?end=2026-11-21')).toEqual(['2026-11-20', '2026-11-22']);
  expect(await period('?end=2026-11-20')).toEqual(['2026-11-20', '2026-11-21']);
  expect(await period('?start=2026-11-18')).toEqual(['2026-11-18', '2026-11-19']);
  expect(await period('')).toEqual(['2026-11-20', '2026-11-22']);
});

describe('dates and types of another form', () => {
  test.each([
    ['start', '2026-02-29'],
    ['start', '20261120'],
    ['start', '2026-11-20T00:00:00Z'],
    ['start', '2026-1-1'],
    ['start', ''],
    ['start', '0000-01-01'],
    ['end', '2026-13-01'],
    ['end', 'tomorrow'],
    ['end', '٢٠٢٦-١١-٢٠'],
  ])('%s=%s is no calendar day', async (name, value) => {
    expect(await refused(`?${name}=${encodeURIComponent(value)}`)).toEqual([400, `invalid_format ${name}`]);
  });

  test('every problem is named once, in the order of the address', async () => {
    expect(await refused('?end=20261120&start=2026-02-29')).toEqual([
      400,
      'invalid_format end',
      'invalid_format start',
    ]);
    expect(await refused('?start=2026-11-20&start=2026-11-20')).toEqual([400, 'custom start']);
  });

  test('an unknown type alone is 422, beside another problem it is 400', async () => {
    expect(await refused('?type=foo')).toEqual([422, 'invalid_value type']);
    expect(await refused('?type=')).toEqual([422, 'invalid_value type']);
    expect(await refused('?type=foo&start=x')).toEqual([400, 'invalid_value type', 'invalid_format start']);
  });

  test('a parameter that nobody knows is ignored; a filter is refused, because there are none', async () => {
    expect((await partner.prices('?zone=FR&limit=1&start=2026-11-20')).status).toBe(200);
    expect(await refused('?filter[start][eq]=2026-11-20')).toEqual([
      400,
      'unrecognized_keys filter[start][eq]',
    ]);
  });
});

describe('the window', () => {
  test.each([
    ['?end=2026-11-22', 'too_big end'],
    ['?start=2026-11-22', 'too_big start'],
    ['?start=2026-11-22&end=2026-11-23', 'too_big end'],
    ['?start=9999-12-31', 'too_big start'],
    ['?start=2025-01-01&end=2027-06-01', 'too_big end', 'too_big end'],
  ])('realized prices end with tomorrow: %s', async (query, ...entries) => {
    expect(await refused(query)).toEqual([400, ...entries]);
  });

  test.each([
    ['start=2026-11-18', 'too_small start'],
    ['start=2026-11-18&end=2026-11-20', 'too_small start'],
    ['end=2026-11-28', 'too_big end'],
    ['start=2026-11-28', 'too_big start'],
    ['start=2026-11-18&end=2026-11-28', 'too_small start', 'too_big end'],
    ['end=2026-11-19', 'too_small end'],
  ])('forecasts go from yesterday to seven days from today: %s', async (query, ...entries) => {
    expect(await refused(`?type=day_ahead_forecast&${query}`, enabled)).toEqual([400, ...entries]);
  });

  test.each(['start=2026-11-19&end=2026-11-27', 'start=2026-11-27', 'end=2026-11-27'])(
    'forecasts inside it: %s',
    async (query) => {
      expect((await enabled.prices(`?type=day_ahead_forecast&${query}`)).status).toBe(200);
    },
  );
});

test('366 dates are answered, 367 are too many, also where nothing is stored', async () => {
  const { status, body } = await partner.prices('?start=2025-11-21&end=2026-11-21');
  expect([status, body.items.length, body.missing.length]).toEqual([200, 0, 366 * 96]);
  expect(await refused('?start=2025-11-20&end=2026-11-21')).toEqual([400, 'too_big end']);
});

test('forecasts need the enablement: before the window is looked at, after the form', async () => {
  expect(await refused('?type=day_ahead_forecast')).toEqual([403]);
  expect(await refused('?type=day_ahead_forecast&start=2020-01-01')).toEqual([403]);
  expect(await refused('?type=day_ahead_forecast&start=x')).toEqual([400, 'invalid_format start']);
  expect((await partner.prices('?type=day_ahead')).status).toBe(200);
  expect((await enabled.prices('?type=day_ahead_forecast')).status).toBe(200);
});

test('versions before gauss do not know the route', async () => {
  for (const version of ['2025-12-01.chucky', '2026-05-27.curie']) {
    const answer = await partner.prices('', { 'x-api-version': version });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('"NOT_FOUND"')]);
  }
});

test('I01 S09 without a token 401, past due 402, a token of one customer 403', async () => {
  const customer = await createHousehold(prices.api.deps, partner.organization);
  const credentials = await createClient(prices.api.deps, partner.organization, {
    customer_id: customer.customer,
  });
  const ofCustomer = prices.api.client(await tokenFor(prices.api, credentials));
  expect((await ofCustomer.get('/spot-prices')).status).toBe(403);
  expect((await prices.api.client(null).get('/spot-prices')).status).toBe(401);

  const late = await prices.tenant();
  const now = prices.clock.now().toISOString();
  const act = { staff: 'tests', reason: 'test', command: 'test', now };
  await setStanding(prices.api.deps.database, late.organization, 'past_due', act);
  prices.clock.advance(6_000);
  expect((await late.prices()).status).toBe(402);
});

test('other methods are 405, a read-only token may read, and no refusal may be kept', async () => {
  const readOnly = await prices.tenant({ read_only: true });
  expect((await readOnly.prices()).status).toBe(200);
  const posted = await partner.client.post('/spot-prices', {});
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const refusal = await partner.prices('?start=x');
  expect(refusal.headers.get('cache-control')).toBe('no-store');
  expect(refusal.headers.get('etag')).toBe(null);
});
