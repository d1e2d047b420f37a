import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRows } from '../setup/stored-rows.ts';
import { account, address, ContractLife, type Json, meter, person } from './contract-life.ts';

/* Each test goes on where the one before it stopped. */
let life: ContractLife;
beforeAll(async () => {
  life = await ContractLife.start('2026-10-05T08:40:12.345Z');
});
afterAll(() => life?.close());

describe('a contract', () => {
  test('begins as a lead that becomes a sign-up', async () => {
    const details = { customer: person, address: { zip: '10115' }, meter: { estimated_usage: 3600 } };
    const lead = await life.post('/leads', { plan: life.named('plan'), ...details });
    life.ids.lead = lead.id as string;
    life.contracts.clock.advance(3_600_000);
    const made = await life.post('/subscriptions', {
      plan: life.named('plan'),
      customer: person,
      address,
      meter,
      payment_method: account,
      next_possible_start: false,
      intended_start_date: '2026-12-01',
      previous_supplier: life.named('supplier'),
      lead: life.named('lead'),
      product_orders: [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }],
      metadata: { crm: 'A-1182' },
    });
    Object.assign(life.ids, { first: made.id, customer: made.customer, household: made.household });
    life.ids.meter = made.meter as string;
    expect(made).toMatchObject({ status: 'pending', start_at: null, supplier: life.named('supplier') });
    expect(await life.get(`/leads/${life.named('lead')}`)).toMatchObject({
      subscription: made.id,
      subscribed_at: made.created_at,
    });
    expect(await life.listed('/subscriptions?filter[status][eq]=pending')).toEqual([made.id]);
    expect((await life.contracts.topics(life.named('first'))).toSorted()).toEqual([
      'meter_order.created',
      'subscription.created',
    ]);
  });

  test('takes no reading before the grid operator has confirmed it', async () => {
    expect(await life.refused('/meter-readings', life.reading('first', 1_000, '2026-10-05'))).toEqual([
      400,
      'out_of_period_meter_reading timestamp',
    ]);
  });

  test('is confirmed by the back office, and its module is ordered', async () => {
    life.contracts.clock.set('2026-10-12T07:00:00Z');
    const locations = { melo: 'DE0009993707300000000000000123456', malo: '50123456789' };
    await life.confirm('first', '2026-12-01', locations);
    expect(await life.get(`/subscriptions/${life.named('first')}`)).toMatchObject({
      status: 'pending',
      start_at: '2026-11-30T23:00:00.000Z',
      meter: locations,
    });
    expect(await life.reductions('first')).toEqual([{ type: 'enwg-14a-module-1', status: 'ordered' }]);
  });

  test('is active from midnight on', async () => {
    expect(await life.statusesAt('2026-11-30T22:59:00Z')).toEqual(['consumption pending']);
    expect(await life.statusesAt('2026-11-30T23:00:00Z')).toEqual(['consumption active']);
  });

  test('takes readings that can be true, one a day', async () => {
    life.contracts.clock.set('2026-12-01T12:00:00Z');
    await life.post('/meter-readings', life.reading('first', 1_000, '2026-12-01'));
    life.contracts.clock.set('2027-02-01T12:00:00Z');
    await life.post('/meter-readings', life.reading('first', 1_620, '2027-02-01'));
    expect(await life.refused('/meter-readings', life.reading('first', 1_630, '2027-02-01'))).toEqual([
      409,
      'duplicate_meter_reading timestamp',
    ]);
    expect(await life.refused('/meter-readings', life.reading('first', 1_700, '2027-01-01'))).toEqual([
      422,
      'implausible_meter_reading value',
    ]);
    expect(await life.listed(`/meter-readings?filter[subscription][eq]=${life.named('first')}`)).toHaveLength(
      2,
    );
    const usage = await life.get(
      `/subscriptions/${life.named('first')}/usage?start=2026-12-01&end=2027-02-01`,
    );
    const data = usage.data as { usage: number; type: string }[];
    expect(data.map(({ type }) => type)).toEqual(['final', 'final']);
    expect(data.reduce((total, { usage: kwh }) => total + kwh, 0)).toBeCloseTo(620, 6);
  });

  test('ends when the customer moves out, with a last reading', async () => {
    life.contracts.clock.set('2027-03-01T09:00:00Z');
    const intended_end_at = '2027-04-01T00:00:00+02:00';
    const path = `/subscriptions/${life.named('first')}/terminate`;
    const sent = { reason: 'MOVE_OUT', intended_end_at };
    expect(await life.post(path, sent)).toEqual(sent);
    expect(await life.refused(path, sent)).toEqual([409, 'invalid_termination_date intended_end_at']);
    expect(await life.statusesAt('2027-03-31T21:59:00Z')).toEqual(['consumption active']);
    expect(await life.statusesAt('2027-03-31T22:00:00Z')).toEqual(['consumption ended']);
    life.contracts.clock.set('2027-04-01T12:00:00Z');
    await life.post('/meter-readings', life.reading('first', 2_200, '2027-04-01'));
    expect(await life.contracts.topics(life.named('first'))).toEqual(
      expect.arrayContaining(['subscription.terminated', 'subscription.ended', 'meter_order.cancelled']),
    );
    expect(await life.reductions('first')).toEqual([{ type: 'enwg-14a-module-1', status: 'ended' }]);
  });
});

describe('the same household', () => {
  const again = (fields: Json = {}): Json => ({
    plan: life.named('plan'),
    customer: { ...person, email: person.email.toUpperCase() },
    household: life.named('household'),
    address: { ...address, house_number: '12' },
    meter,
    payment_method: account,
    next_possible_start: true,
    ...fields,
  });

  test('is there for the customer who comes back', async () => {
    life.contracts.clock.set('2027-05-03T09:00:00Z');
    const { household: _, ...withoutHousehold } = again();
    expect(await life.refused('/subscriptions', withoutHousehold)).toEqual([
      409,
      'duplicate_customer_email customer.email',
    ]);
    const made = await life.post('/subscriptions', again());
    life.ids.second = made.id as string;
    expect(made).toMatchObject({
      customer: life.named('customer'),
      household: life.named('household'),
      meter: life.named('meter'),
      status: 'pending',
    });
    expect(await life.get(`/households/${life.named('household')}`)).toMatchObject({
      address: { id: made.address, house_number: '12' },
      updated_at: made.created_at,
    });
    expect(await life.refused('/subscriptions', again())).toEqual([
      409,
      'duplicate_consumption_subscription household',
    ]);
  });

  test('is supplied again from the day that is confirmed', async () => {
    life.contracts.clock.set('2027-05-10T09:00:00Z');
    await life.confirm('second', '2027-05-17');
    expect(await life.statusesAt('2027-05-16T22:00:00Z')).toEqual([
      'consumption ended',
      'consumption active',
    ]);
    life.contracts.clock.set('2027-05-17T12:00:00Z');
    await life.post('/meter-readings', life.reading('second', 2_210, '2027-05-17'));
    expect(await life.refused('/meter-readings', life.reading('second', 2_100, '2027-05-17'))).toEqual([
      409,
      'duplicate_meter_reading timestamp',
    ]);
  });

  test('feeds in behind the same meter, which is smart from the start of that supply', async () => {
    life.contracts.clock.set('2027-05-20T09:00:00Z');
    const smart = { ...meter, type: 'smart', estimated_usage: 5_000 };
    const feedIn = again({ plan: life.named('feedInPlan'), customer: life.named('customer') });
    expect(await life.refused('/subscriptions', feedIn)).toEqual([400, 'unsupported_meter meter.type']);
    const made = await life.post('/subscriptions', { ...feedIn, meter: smart });
    life.ids.feedIn = made.id as string;
    expect(made).toMatchObject({
      household: life.named('household'),
      meter: life.named('meter'),
      type: 'feed_in',
    });
    const isMeter = async (type: string) =>
      expect(await life.get(`/subscriptions/${life.named('second')}`)).toMatchObject({ meter: { type } });
    await isMeter('analog');
    life.contracts.clock.set('2027-06-01T09:00:00Z');
    await life.confirm('feedIn', '2027-07-01');
    expect(await life.statusesAt('2027-06-30T22:00:00Z')).toEqual([
      'consumption ended',
      'consumption active',
      'feed_in active',
    ]);
    life.contracts.clock.set('2027-07-01T12:00:00Z');
    await isMeter('smart');
    expect(await life.refused('/meter-readings', life.reading('feedIn', 1, '2027-07-01'))).toEqual([
      400,
      'unsupported_meter_reading subscription',
    ]);
  });

  test('shows each version the contracts that it knows', async () => {
    const path = `/subscriptions?filter[household][eq]=${life.named('household')}`;
    expect(await life.listed(path)).toEqual([
      life.named('feedIn'),
      life.named('second'),
      life.named('first'),
    ]);
    expect(await life.listed(path, '2026-01-29.edison')).toEqual([life.named('second'), life.named('first')]);
    const older = await life.contracts.client('2026-01-29.edison');
    expect((await older.get(`/subscriptions/${life.named('feedIn')}`)).status).toBe(404);
    expect(await life.listed('/customers')).toEqual([life.named('customer')]);
    expect(await life.listed('/households')).toEqual([life.named('household')]);
  });

  test('leaves events and lines of the audit log of everything that happened', async () => {
    const common = ['subscription.created', 'subscription.confirmed', 'subscription.activated'];
    for (const name of ['second', 'feedIn'])
      expect(await life.contracts.topics(life.named(name))).toEqual(common);
    expect((await life.contracts.topics(life.named('first'))).toSorted()).toEqual(
      [
        ...[...common, 'subscription.terminated', 'subscription.ended'],
        ...['meter_order.created', 'meter_order.cancelled'],
      ].toSorted(),
    );
    const acts = await auditRows(life.contracts.api, life.contracts.organization, 'subscription.');
    const ofFirst = acts.filter(({ object_id }) => object_id === life.named('first')).map((line) => line.act);
    expect(ofFirst).toEqual(
      ['create', 'confirm', 'activate', 'terminate', 'end'].map((verb) => `subscription.${verb}`),
    );
  });
});
