import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, tokenFor } from '../../setup/factories.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Json, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

/** The good body with another value at a dotted path; undefined takes it away. */
function changed(path: string, value: unknown): Json {
  const body = structuredClone(signUps.body());
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  const parent = parts.reduce((at, part) => at[part] as Json, body);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return body;
}

async function codes(body: Json, version?: string): Promise<unknown[]> {
  const [status, ...entries] = await signUps.refused(body, version);
  return [status, ...entries.map((text) => String(text).split(':')[0])];
}

const REQUIRED = [
  ...['plan', 'customer', 'customer.first_name', 'customer.last_name', 'customer.email'],
  ...['address', 'address.street', 'address.house_number', 'address.zip', 'address.city'],
  ...['meter', 'meter.number', 'meter.type', 'meter.estimated_usage'],
  ...['payment_method', 'payment_method.type', 'payment_method.sepa_debit'],
  ...['payment_method.sepa_debit.iban', 'payment_method.sepa_debit.account_holder', 'next_possible_start'],
];

describe('required', () => {
  test.each(sampled(REQUIRED, 3))('%s', async (path) => {
    expect(await codes(changed(path, undefined))).toEqual([400, `invalid_type ${path}`]);
  });

  test('company_name of a company', async () => {
    const { company_name, ...customer } = signUps.company();
    expect(await codes(signUps.body({ customer }))).toEqual([400, 'invalid_type customer.company_name']);
  });

  test('all that is missing is told, in the order of the fields', async () => {
    const missing = ['plan', 'customer', 'address', 'meter', 'payment_method', 'next_possible_start'];
    expect(await codes({})).toEqual([400, ...missing.map((field) => `invalid_type ${field}`)]);
    const inside = await codes(signUps.body({ customer: {}, meter: {} }));
    expect(inside).toEqual([
      400,
      ...['first_name', 'last_name', 'email'].map((field) => `invalid_type customer.${field}`),
      ...['number', 'type', 'estimated_usage'].map((field) => `invalid_type meter.${field}`),
    ]);
  });
});

const NULL_REFUSED = [
  ...['plan', 'address', 'meter.type', 'next_possible_start', 'intended_start_date', 'previous_supplier'],
  ...['lead', 'household', 'product_orders', 'customer.type', 'payment_method.type'],
];

describe('refused', () => {
  test.each(sampled(NULL_REFUSED, 3))('null for %s', async (path) => {
    expect(await codes(changed(path, null))).toEqual([400, `invalid_type ${path}`]);
  });

  test.each([
    ['neither object nor text', 5, 'invalid_union customer'],
    ['a list', [], 'invalid_union customer'],
    ['null', null, 'invalid_union customer'],
    ['true', true, 'invalid_union customer'],
    ['an empty text', '', 'custom customer'],
  ])('%s for customer', async (_title, customer, told) => {
    expect(await codes(changed('customer', customer))).toEqual([400, told]);
  });

  const WRONG: [string, unknown, string][] = [
    ['customer.first_name', '', 'too_small'],
    ['customer.last_name', 'x'.repeat(101), 'too_big'],
    ['customer.email', 'jule', 'invalid_format'],
    ['customer.vat_id', '', 'too_small'],
    ['address.street', 'x', 'too_small'],
    ['address.street', '12', 'invalid_format'],
    ['address.house_number', '7#', 'invalid_format'],
    ['address.house_number', '1'.repeat(11), 'too_big'],
    ['address.zip', '1234', 'invalid_format'],
    ['address.city', 'Halle 4', 'invalid_format'],
    ['meter.number', '', 'too_small'],
    ['meter.number', ' \u00a0 ', 'too_small'],
    ['meter.estimated_usage', 99.999, 'too_small'],
    ['payment_method.sepa_debit.iban', 'DE89 3704 0044 0532 0130 00', 'invalid_format'],
    ['payment_method.sepa_debit.iban', 'de89370400440532013000', 'invalid_format'],
    ['payment_method.sepa_debit.account_holder', '', 'too_small'],
    ['intended_start_date', '2026-02-30', 'invalid_format'],
    ['intended_start_date', '2026-12-01T00:00:00Z', 'invalid_format'],
    ['product_orders', {}, 'invalid_type'],
    ['metadata', [], 'invalid_type'],
    ['metadata', 'x', 'invalid_type'],
  ];
  test.each(sampled(WRONG, 2))('%s %j', async (path, value, code) => {
    expect(await codes(changed(path, value))).toEqual([400, `${code} ${path}`]);
  });

  test('values outside the sets with 422, beside anything else with 400', async () => {
    const kinds = ['customer.type', 'meter.type', 'payment_method.type'];
    for (const path of kinds) {
      expect(await codes(changed(path, 'other'))).toEqual([422, `invalid_value ${path}`]);
      expect(await codes(changed(path, 5))).toEqual([400, `invalid_type ${path}`]);
    }
    const product_orders = [{ type: '14a_enwg' }, { type: 'solar' }];
    expect(await codes(signUps.body({ product_orders }))).toEqual([
      422,
      'invalid_value product_orders.1.type',
    ]);
    expect(await codes({ ...changed('meter.type', 'other'), plan: 5 })).toEqual([
      400,
      'invalid_type plan',
      'invalid_value meter.type',
    ]);
  });

  test('modules that are no booleans, and items without a type', async () => {
    const product_orders = [{ type: '14a_enwg', '14a_enwg': { module_1: 1, module_3: null } }, {}];
    expect(await codes(signUps.body({ product_orders }))).toEqual([
      400,
      'invalid_type product_orders.0.14a_enwg.module_1',
      'invalid_type product_orders.0.14a_enwg.module_3',
      'invalid_type product_orders.1.type',
    ]);
  });

  test('metadata beyond its limits', async () => {
    const fits = { text: 'x'.repeat(10_240 - '{"text":""}'.length) };
    expect((await signUps.signUp(signUps.body({ metadata: fits }))).metadata).toEqual(fits);
    expect(await codes(signUps.body({ metadata: { text: `${fits.text}x` } }))).toEqual([
      400,
      'too_big metadata',
    ]);
    const umlauts = { text: 'ä'.repeat(5_120) };
    expect(await codes(signUps.body({ metadata: umlauts }))).toEqual([400, 'too_big metadata']);
    expect(await codes(signUps.body({ metadata: { toString: 1 } }))).toEqual([
      400,
      'custom metadata.toString',
    ]);
  });
});

describe('accepted', () => {
  const ACCEPTED: [string, unknown][] = [
    ['metadata', null],
    ['metadata', {}],
    ['meter.malo', null],
    ['meter.number', '1-äß_/.'],
    ['meter.estimated_usage', 100],
    ['meter.estimated_usage', 1e9],
    ['customer.vat_id', null],
    ['customer.company_name', 'ignored on a person'],
    ['product_orders', []],
    ['unknown', { field: 1 }],
    ['address.unknown', 1],
    ['customer.unknown', 1],
  ];
  test.each(sampled(ACCEPTED, 2))('%s %j', async (path, value) => {
    const { status, text } = await signUps.post(changed(path, value));
    expect(status, text).toBe(200);
  });
});

describe('the token', () => {
  test('of a customer, or to read only, may not sign anybody up', async () => {
    const { customer } = await signUps.known();
    const { api, organization } = signUps.contracts;
    const ofCustomer = await createClient(api.deps, organization, { customer_id: customer });
    const readOnly = await createClient(api.deps, organization, { read_only: true });
    for (const [client, ...entries] of [[ofCustomer], [readOnly, 'custom Authorization']] as const) {
      const answer = await api
        .client(await tokenFor(api, client))
        .post<ErrorBody>('/subscriptions', signUps.body());
      expect(refusal(answer)).toEqual([403, ...entries]);
    }
  });
});
