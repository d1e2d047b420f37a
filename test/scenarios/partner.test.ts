import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVoltstreamClient, type Schemas, type VoltstreamClient } from '../../client/index.ts';
import { confirmSubscription } from '../../src/contracts/subscriptions/back-office.ts';
import { takePriced } from '../contracts/subscription-prices/priced.ts';
import { createClient, createPlan } from '../setup/factories.ts';

/*
 * What a partner does from the first call on, by the client that partners get. The types of every path, body and answer below
 * are those of the description. Each test goes on where the one before it stopped.
 */

const priced = await takePriced('2026-11-18T09:00:00+01:00');
let client: VoltstreamClient;
let plan: string;
let contract: Schemas['SubscriptionListItem'];
let battery: Schemas['Asset'];

beforeAll(async () => {
  const { api, organization } = priced;
  const { client_id: clientId, client_secret: clientSecret } = await createClient(api.deps, organization);
  /* Its own clock stands: a token that ended meanwhile is found out by a 401. */
  const now = () => 0;
  client = createVoltstreamClient({ baseUrl: api.baseUrl, clientId, clientSecret, now });
  plan = (await createPlan(api.deps, organization, { terms: [{ margin_ct_net: '1.80' }] })).id;
  await priced.store('2026-12-02', '93.28');
});
afterAll(() => priced.close());

/** The data of an answer. An error fails the test with all that it says. */
async function dataOf<Data>(call: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

describe('a partner', () => {
  test('finds the plan and asks what it costs at the address', async () => {
    const { items } = await dataOf(
      client.GET('/plans', { params: { query: { 'filter[status][eq]': 'active' } } }),
    );
    expect(items.map(({ id }) => id)).toEqual([plan]);
    const body = { zip_code: '10115', usage: { consumption: 3600 } };
    const quote = await dataOf(client.POST('/plans/{id}/quote', { params: { path: { id: plan } }, body }));
    expect([quote.currency, quote.resolution]).toEqual(['EUR', 'month']);
    const groups = quote.components.reduce((sum, { amount }) => sum + amount, 0);
    expect(quote.amount).toBeCloseTo(groups, 2);
  });

  test('signs up a customer with a meter, and hears of a customer who is known already', async () => {
    const body = {
      plan,
      customer: { type: 'person', first_name: 'Jule', last_name: 'Brandt', email: 'jule.brandt@example.org' },
      address: { street: 'Torstraße', house_number: '12a', zip: '10115', city: 'Berlin' },
      meter: { number: '1EMH0087654321', type: 'smart', estimated_usage: 3600 },
      payment_method: {
        type: 'sepa_debit',
        sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
      },
      next_possible_start: true,
    } as const;
    contract = await dataOf(client.POST('/subscriptions', { body }));
    expect(contract).toMatchObject({ status: 'pending', start_at: null });
    const { error } = await client.POST('/subscriptions', { body });
    expect(error?.errors?.map(({ code, field }) => [code, field])).toEqual([
      ['duplicate_customer_email', 'customer.email'],
    ]);
  });

  test('reads customer, household and meter of the contract once the grid operator has confirmed it', async () => {
    const { api, organization, clock } = priced;
    clock.set('2026-11-20T09:00:00+01:00');
    const act = {
      staff: 'Back office',
      reason: 'message of the grid operator',
      command: 'test',
      now: clock.now().toISOString(),
    };
    await confirmSubscription(api.deps, organization, contract.id, { start_on: '2026-12-01' }, act);
    const path = { id: contract.id };
    const shown = await dataOf(client.GET('/subscriptions/{id}', { params: { path } }));
    expect(shown).toMatchObject({
      start_at: '2026-11-30T23:00:00.000Z',
      meter: { number: '1EMH0087654321' },
    });
    const { customer, household } = contract;
    const person = await dataOf(client.GET('/customers/{id}', { params: { path: { id: customer } } }));
    expect(person).toMatchObject({ first_name: 'Jule', email: 'jule.brandt@example.org' });
    const home = await dataOf(client.GET('/households/{id}', { params: { path: { id: household } } }));
    expect(home).toMatchObject({ customer: { id: customer }, address: { zip: '10115' } });
  });

  test('sends snapshots of a battery, twice without harm, and reads them back', async () => {
    priced.clock.set('2026-12-02T12:00:00+01:00');
    const household = contract.household;
    const inverter = await dataOf(
      client.POST('/assets', {
        body: { household, type: 'inverter', inverter: { max_power_kw: 10, hybrid: true } },
      }),
    );
    battery = await dataOf(
      client.POST('/assets', {
        body: {
          ...{ household, type: 'battery', external_id: 'battery-1', parent_inverter: inverter.id },
          battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
        },
      }),
    );
    const snapshots = [
      { external_id: 'battery-1', timestamp: '2026-12-02T10:45:00Z', power_kw: 1.5, state_of_charge: 0.6 },
      { asset: battery.id, timestamp: '2026-12-02T11:00:00Z', power_kw: -2.25, state_of_charge: 0.64 },
    ];
    const send = () => dataOf(client.POST('/asset-snapshots', { body: { household, snapshots } }));
    expect(await send()).toMatchObject({ total: 2, stored: 2, duplicates: 0 });
    expect(await send()).toMatchObject({ total: 2, stored: 0, duplicates: 2 });
    const query = { 'filter[household][eq]': household };
    const { items } = await dataOf(client.GET('/asset-snapshots', { params: { query } }));
    expect(items.find(({ asset }) => asset === battery.id)).toMatchObject({ power_kw: -2.25 });
  });

  test('reads what a kWh costs in every quarter of an hour, on the exchange and under the contract', async () => {
    const query = { start: '2026-12-02', end: '2026-12-02' };
    const market = await dataOf(client.GET('/spot-prices', { params: { query } }));
    expect(market.items).toHaveLength(96);
    const prices = await dataOf(
      client.GET('/subscriptions/{id}/prices', { params: { path: { id: contract.id }, query } }),
    );
    expect(prices.items).toHaveLength(96);
    const [first] = prices.items ?? [];
    expect(first?.components.map(({ type }) => type)).toEqual(['electricity', 'grid', 'levies']);
    /* (9.328 + 1.80) ct net. */
    expect(first?.components[0]?.amount).toBeCloseTo(11.128 * 1.19, 5);
  });
});
