import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { createLead, createMarketPartner, createOrganization, createPlan } from '../../setup/factories.ts';
import { entry, type Json, SignUps } from './sign-ups.ts';

let signUps: SignUps;
let organization: string;
beforeAll(async () => {
  signUps = await SignUps.start();
  ({ organization } = signUps.contracts);
});
afterAll(() => signUps?.close());

const account = (iban: string) => ({
  type: 'sepa_debit',
  sepa_debit: { iban, account_holder: 'Jule Brandt' },
});
const addressIn = (zip: string) => ({ street: 'Weg', house_number: '1', zip, city: 'Ort' });

describe('the plan', () => {
  test('that nobody has, or another organization, is not found, whatever else is wrong', async () => {
    const other = await createOrganization(signUps.api.deps);
    const foreign = await createPlan(signUps.api.deps, other);
    for (const plan of [newId('pln'), 'pln_x', 'x', foreign.id]) {
      const body = signUps.body({ plan, address: addressIn('99999'), household: newId('dom') });
      expect(await signUps.refused(body)).toEqual([
        404,
        'custom plan: There is no such plan in your organization',
      ]);
    }
  });

  test.each(['consumption', 'feed_in'] as const)('for %s that is archived takes nobody', async (type) => {
    const { id: plan } = await signUps.contracts.plan({ type, status: 'archived' });
    expect(await signUps.refused(signUps.feedIn({ plan }))).toEqual([
      400,
      entry('unsupported_product', 'plan'),
    ]);
  });
});

test.each(['99999', '00000', '10115'])('the ZIP %s has no grid operator', async (zip) => {
  expect(await signUps.refused(signUps.body({ address: addressIn(zip) }))).toEqual([
    400,
    entry('unserviceable_zip', 'address.zip'),
  ]);
});

test.each(['DE89370400440532013001', 'DE8937040044053201300', 'XX89370400440532013000', 'DE00A'])(
  'the IBAN %s is not valid',
  async (iban) => {
    expect(await signUps.refused(signUps.body({ payment_method: account(iban) }))).toEqual([
      400,
      entry('invalid_iban', 'payment_method.sepa_debit.iban'),
    ]);
  },
);

describe('the previous supplier', () => {
  test('is kept', async () => {
    const { id: previous_supplier } = await createMarketPartner(signUps.api.deps);
    const { supplier } = await signUps.signUp(signUps.body({ previous_supplier }));
    expect(supplier).toBe(previous_supplier);
  });

  test('that nobody knows is refused', async () => {
    for (const previous_supplier of [newId('mp'), 'mp_x', signUps.plan]) {
      expect(await signUps.refused(signUps.body({ previous_supplier }))).toEqual([
        400,
        `custom previous_supplier: The previous supplier ${previous_supplier} is unknown: GET /market-partners lists all of them`,
      ]);
    }
  });

  test('of feed-in is not looked at', async () => {
    const { id } = await createMarketPartner(signUps.api.deps);
    for (const previous_supplier of [id, newId('mp')]) {
      expect((await signUps.signUp(signUps.feedIn({ previous_supplier }))).supplier).toBeNull();
    }
  });
});

describe('the lead', () => {
  test('becomes the contract, once', async () => {
    const { id: lead } = await createLead(signUps.api.deps, organization, { plan_id: signUps.plan });
    const contract = await signUps.signUp(signUps.body({ lead }));
    const shown = await (await signUps.client()).get(`/leads/${lead}`);
    expect(shown.body).toMatchObject({ subscription: contract.id, subscribed_at: contract.created_at });
    expect(await signUps.contracts.events(contract.id)).toMatchObject([
      { topic: 'subscription.created', context: { subscription: contract.id, lead } },
    ]);
    expect(await signUps.refused(signUps.body({ lead }))).toEqual([
      409,
      'custom lead: The lead is converted already',
    ]);
  });

  test('that nobody has, or another organization, is refused', async () => {
    const other = await createOrganization(signUps.api.deps);
    const foreign = await createLead(signUps.api.deps, other);
    for (const lead of [newId('lead'), 'lead_x', foreign.id]) {
      expect(await signUps.refused(signUps.body({ lead }))).toEqual([
        400,
        'custom lead: The lead is unknown',
      ]);
    }
  });
});

describe('feed-in', () => {
  test('needs a smart meter from the first day', async () => {
    const body = signUps.feedIn({ meter: signUps.meter({ type: 'analog' }) });
    expect(await signUps.refused(body)).toEqual([400, entry('unsupported_meter', 'meter.type')]);
  });

  test.each([
    ['without', {}],
    ['with null', { vat_id: null }],
  ])('of a company %s as tax number is refused, and with one it is kept', async (_title, fields) => {
    const customer = signUps.company(fields);
    expect(await signUps.refused(signUps.feedIn({ customer }))).toEqual([
      400,
      'custom customer.vat_id: A company that feeds in needs a vat_id',
    ]);
    const made = await signUps.signUp(signUps.feedIn({ customer: { ...customer, vat_id: '12/345' } }));
    expect(await signUps.row('customers', made.customer)).toMatchObject({ vat_id: '12/345' });
  });

  test('of a stored company looks at what is stored', async () => {
    const meter = signUps.meter({ type: 'smart' });
    const stored = signUps.company();
    const { customer, household } = await signUps.known({ customer: stored, meter });
    const refusal = [400, 'custom customer.vat_id: A company that feeds in needs a vat_id'];
    for (const named of [customer, { ...stored, vat_id: 'DE123456789' }]) {
      expect(await signUps.refused(signUps.feedIn({ customer: named, household, meter }))).toEqual(refusal);
    }
    await signUps.rows("UPDATE customers SET vat_id = 'DE123456789' WHERE id = $1", [customer]);
    await signUps.signUp(signUps.feedIn({ customer: stored, household, meter }));
  });

  test('of a person needs none, and a company needs none for its supply', async () => {
    await signUps.signUp(signUps.feedIn());
    await signUps.signUp(signUps.body({ customer: signUps.company() }));
  });
});

describe('several rules at once', () => {
  const everythingWrong = async (): Promise<Json> => {
    const stored = await signUps.known({
      customer: signUps.company(),
      meter: signUps.meter({ type: 'smart' }),
    });
    return signUps.feedIn({
      plan: (await signUps.contracts.plan({ type: 'feed_in', status: 'archived' })).id,
      product_orders: [{ type: 'smart-meter' }],
      lead: newId('lead'),
      intended_start_date: '2026-11-02',
      next_possible_start: false,
      payment_method: account('DE89370400440532013001'),
      meter: signUps.meter(),
      address: addressIn('99999'),
      customer: stored.customer,
      household: stored.household,
    });
  };

  test('all that answer 400 are told together, in the order of the fields', async () => {
    expect(await signUps.refused(await everythingWrong())).toEqual([
      400,
      entry('unsupported_product', 'plan'),
      'custom customer.vat_id: A company that feeds in needs a vat_id',
      entry('unserviceable_zip', 'address.zip'),
      entry('invalid_household_meter', 'meter.number'),
      entry('unsupported_meter', 'meter.type'),
      entry('invalid_iban', 'payment_method.sepa_debit.iban'),
      'custom intended_start_date: Feed-in begins on the first of a month, on 2026-12-01 at the earliest',
      'custom lead: The lead is unknown',
      entry('unsupported_product', 'product_orders.0.type'),
    ]);
  });

  test('the company whose household is another one hears of its tax number, too', async () => {
    const other = await signUps.known();
    expect(await signUps.refused({ ...(await everythingWrong()), household: other.household })).toEqual(
      expect.arrayContaining([
        'custom customer.vat_id: A company that feeds in needs a vat_id',
        entry('invalid_household_customer', 'household'),
      ]),
    );
  });

  test('those that answer 409 are told when there is no other', async () => {
    const known = await signUps.known();
    const { id: lead } = await createLead(signUps.api.deps, organization, { plan_id: signUps.plan });
    await signUps.signUp(signUps.body({ lead }));
    const twice = [{ type: 'smart-meter' }, { type: 'smart-meter' }];
    const body = signUps.body({
      lead,
      product_orders: twice,
      customer: signUps.person({ email: known.email }),
    });
    expect(await signUps.refused({ ...body, address: addressIn('99999') })).toEqual([
      400,
      entry('unserviceable_zip', 'address.zip'),
    ]);
    expect(await signUps.refused(body)).toEqual([
      409,
      entry('duplicate_customer_email', 'customer.email'),
      'custom lead: The lead is converted already',
      entry('duplicate_meter_order', 'product_orders.1.type'),
    ]);
  });
});
