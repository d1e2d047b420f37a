import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rejectSubscription } from '../../../src/contracts/subscriptions/back-office.ts';
import { createLead, createMarketPartner } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { type Json, SIGNED_UP_AT, type SignedUp, SignUps } from './sign-ups.ts';

let signUps: SignUps;
let supplier: string;
beforeAll(async () => {
  signUps = await SignUps.start();
  ({ id: supplier } = await createMarketPartner(signUps.api.deps));
});
afterAll(() => signUps?.close());

const TABLES = [
  ...[
    'customers',
    'households',
    'addresses',
    'meters',
    'payment_methods',
    'subscriptions',
    'leads',
    'meter_orders',
  ],
  ...['grid_fee_reductions', 'events', 'audit_log', 'idempotency_keys', 'plans', 'market_partners'],
];

/** What a sign-up adds, by table. */
async function added(body: Json): Promise<[SignedUp, Record<string, number>]> {
  await signUps.client();
  const before = await counts();
  const made = await signUps.signUp(body);
  const after = await counts();
  const grown = TABLES.map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)] as const);
  return [made, Object.fromEntries(grown.filter(([, rows]) => rows !== 0))];
}

async function counts(): Promise<Record<string, number>> {
  /* That something was read is kept behind the answer: a line of the test before may come now. */
  const counted = (table: string) =>
    table === 'audit_log' ? "audit_log WHERE act <> 'personal_data.read'" : table;
  const columns = TABLES.map((table) => `(SELECT count(*)::int FROM ${counted(table)}) AS ${table}`);
  const [row] = await signUps.rows<Record<string, number>>(`SELECT ${columns.join(', ')}`);
  return row ?? {};
}

async function complete() {
  const { id: lead } = await createLead(signUps.api.deps, signUps.contracts.organization);
  return signUps.body({
    meter: {
      number: ' 1emh 0087654321\t'.trim(),
      type: 'analog',
      estimated_usage: 4888.5,
      malo: '50123456789',
    },
    next_possible_start: false,
    intended_start_date: '2026-12-01',
    previous_supplier: supplier,
    lead,
    product_orders: [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }],
    metadata: { crm: 'A-1182', tags: [1, null, { deep: true }], é: '\n' },
  });
}

describe('a sign-up with everything', () => {
  test('answers the contract with the ids of what it made', async () => {
    const answer = await signUps.post(await complete());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{24}$`));
    expect(answer.body).toEqual({
      object: 'subscription',
      id: id('sub'),
      plan: signUps.plan,
      customer: id('cus'),
      household: id('dom'),
      address: id('adr'),
      billing_address: id('adr'),
      meter: id('mtr'),
      payment_method: id('pm'),
      supplier,
      number: expect.stringMatching(/^[A-Z0-9]{8}$/),
      status: 'pending',
      type: 'consumption',
      estimated_usage: 4888.5,
      start_at: null,
      terminated_at: null,
      end_at: null,
      metadata: { crm: 'A-1182', tags: [1, null, { deep: true }], é: '\n' },
      created_at: SIGNED_UP_AT,
      updated_at: SIGNED_UP_AT,
    });
  });

  test('writes a row of each in one step', async () => {
    const [, rows] = await added(await complete());
    expect(rows).toEqual({
      customers: 1,
      households: 1,
      addresses: 2,
      meters: 1,
      payment_methods: 1,
      subscriptions: 1,
      meter_orders: 1,
      grid_fee_reductions: 1,
      events: 2,
      audit_log: 1,
    });
  });

  test('can be read as it was sent; the billing address is a copy of its own', async () => {
    const body = await complete();
    const made = await signUps.signUp(body);
    const { body: shown } = await (await signUps.client()).get<Json>(`/subscriptions/${made.id}`);
    expect(shown).toMatchObject({
      customer: { ...(body.customer as Json), id: made.customer, vat_id: null },
      address: { ...(body.address as Json), id: made.address },
      billing_address: { ...(body.address as Json), id: made.billing_address },
      meter: { id: made.meter, number: '1EMH0087654321', type: 'analog', melo: null, malo: '50123456789' },
      payment_method: {
        sepa_debit: { iban: 'DE****************3000', account_holder: 'Jule Brandt' },
      },
      supplier: { id: supplier },
      metadata: body.metadata,
    });
    expect(made.billing_address).not.toBe(made.address);
    expect(await signUps.row('payment_methods', made.payment_method)).toMatchObject({
      iban: 'DE89370400440532013000',
    });
  });

  test('leaves one line in the audit log, without a name', async () => {
    const { id } = await signUps.signUp(await complete());
    const lines = await auditRows(signUps.api, signUps.contracts.organization, 'subscription.create');
    expect(lines.filter(({ object_id }) => object_id === id)).toMatchObject([
      { client_id: signUps.contracts.credentials.client_id, route: 'POST /subscriptions', result: 'done' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('Brandt');
  });
});

describe('the smallest sign-up', () => {
  test('writes no more than it needs', async () => {
    const [made, rows] = await added(signUps.body());
    expect(made).toMatchObject({ supplier: null, metadata: null });
    expect(rows).toEqual({
      ...{ customers: 1, households: 1, addresses: 2, meters: 1, payment_methods: 1, subscriptions: 1 },
      ...{ events: 1, audit_log: 1 },
    });
  });

  test('of somebody known writes no customer, household or meter', async () => {
    const meter = signUps.meter({ type: 'smart' });
    const { customer } = await signUps.known({ meter });
    const [, rows] = await added(signUps.feedIn({ customer, meter }));
    expect(rows).toEqual({ addresses: 2, payment_methods: 1, subscriptions: 1, events: 1, audit_log: 1 });
  });

  test.each([
    ['without a type is a person', undefined, 'person', {}],
    ['as a person', 'person', 'person', {}],
    ['as a company', 'company', 'company', { company_name: 'Brandt GmbH', vat_id: 'DE1' }],
  ])('%s', async (_title, type, stored, fields) => {
    const { type: _, ...person } = signUps.person(fields);
    const made = await signUps.signUp(signUps.body({ customer: { ...(type && { type }), ...person } }));
    const { body } = await (await signUps.client()).get(`/customers/${made.customer}`);
    expect(body).toEqual({
      object: 'customer',
      id: made.customer,
      vat_id: null,
      ...person,
      type: stored,
      created_at: SIGNED_UP_AT,
    });
  });
});

test('the way of payment is a SEPA mandate of its own, given on the Berlin day of the call', async () => {
  const other = await SignUps.start('2026-10-05T22:30:00.000Z', { alone: true });
  try {
    const first = await other.signUp(other.body());
    const second = await other.signUp(other.body());
    const mandates = await Promise.all(
      [first, second].map(({ payment_method }) => other.row('payment_methods', payment_method)),
    );
    for (const mandate of mandates) {
      expect(mandate.mandate_signed_on).toBe('2026-10-06');
      expect(mandate.mandate_reference).toMatch(/^[A-Z0-9]{32}$/);
    }
    expect(mandates[0]?.mandate_reference).not.toBe(mandates[1]?.mandate_reference);
  } finally {
    await other.close();
  }
});

describe('the meter', () => {
  const stored = async (id: string) => {
    const { number, type, malo } = await signUps.row('meters', id);
    return { number, type, malo };
  };

  test('stays what it is with a sign-up that says otherwise: what that says is kept with its contract', async () => {
    const meter = signUps.meter({ number: ` ab-1 ${signUps.unique()} ` });
    const { customer, id } = await signUps.known({ meter });
    const number = (meter.number as string).replaceAll(' ', '').toUpperCase();
    const smart = await signUps.signUp(signUps.feedIn({ customer, meter: { ...meter, type: 'smart' } }));
    expect(await stored(smart.meter)).toEqual({ number, type: 'analog', malo: null });
    const said = async (contract: string) => (await signUps.row('subscriptions', contract)).meter_type;
    expect([await said(id), await said(smart.id)]).toEqual(['analog', 'smart']);
  });

  test('is what the first sign-up that was not refused said', async () => {
    const meter = signUps.meter({ type: 'smart' });
    const { customer, household, id } = await signUps.known({ meter });
    const next = { customer, household, meter: { ...meter, type: 'analog' } };
    const { clock } = signUps.api.deps;
    const act = { staff: 'ada', reason: 'test', command: 'test', now: clock.now().toISOString() };
    await rejectSubscription(signUps.api.deps, signUps.contracts.organization, id, act);
    const second = await signUps.signUp(signUps.body(next));
    expect(await stored(second.meter)).toMatchObject({ type: 'analog' });
    await rejectSubscription(signUps.api.deps, signUps.contracts.organization, second.id, act);
    const third = await signUps.signUp(signUps.body({ ...next, meter }));
    expect(await stored(third.meter)).toMatchObject({ type: 'smart' });
    await signUps.endAt(third.id, '2026-10-10T22:00:00Z');
    await signUps.signUp(signUps.body(next));
    expect(await stored(third.meter)).toMatchObject({ type: 'smart' });
  });

  test('learns the market location that it did not have, and keeps the one that it had', async () => {
    const meter = signUps.meter({ type: 'smart' });
    const { customer } = await signUps.known({ meter });
    for (const [malo, kept] of [
      [null, null],
      ['50123456789', '50123456789'],
      ['51238696012', '50123456789'],
    ]) {
      const { meter: id } = await signUps.signUp(signUps.feedIn({ customer, meter: { ...meter, malo } }));
      expect((await stored(id)).malo).toBe(kept);
    }
  });

  test('keeps no market location that has not its form, and a true one in place of one with a wrong check digit', async () => {
    for (const [malo, kept] of [
      ['41234567890', '41234567890'],
      ['0123', null],
      ['Zählerschrank links', null],
    ]) {
      const { meter } = await signUps.signUp(signUps.body({ meter: signUps.meter({ malo }) }));
      expect([malo, (await stored(meter)).malo]).toEqual([malo, kept]);
    }
    const meter = signUps.meter({ type: 'smart' });
    const wrong = { ...meter, malo: '41234567890' };
    const { customer, meter: id } = await signUps.signUp(signUps.body({ meter: wrong }));
    const next = (malo: string) => signUps.signUp(signUps.feedIn({ customer, meter: { ...meter, malo } }));
    for (const malo of ['0123', '41234567891']) await next(malo);
    expect((await stored(id)).malo).toBe('41234567890');
    await next('51238696012');
    expect((await stored(id)).malo).toBe('51238696012');
  });
});

test('numbers of contracts do not repeat', async () => {
  const numbers = new Set<string>();
  for (let count = 0; count < 30; count += 1) numbers.add((await signUps.signUp(signUps.body())).number);
  expect(numbers.size).toBe(30);
});
