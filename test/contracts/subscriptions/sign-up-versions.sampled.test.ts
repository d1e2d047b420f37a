import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { newId } from '../../../src/platform/ids.ts';
import { sampled } from '../../setup/tier.ts';
import { type Json, SignUps } from './sign-ups.ts';

const BEFORE_CURIE = VERSION_NAMES.slice(0, 3);
const FROM_CURIE = VERSION_NAMES.slice(3);

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

const SHOWN = [
  ...[
    'object',
    'id',
    'plan',
    'household',
    'number',
    'status',
    'estimated_usage',
    'start_at',
    'terminated_at',
  ],
  ...[
    'end_at',
    'metadata',
    'created_at',
    'updated_at',
    'customer',
    'address',
    'meter',
    'payment_method',
    'supplier',
  ],
];

/* By `npm test` each version has another of these values, by `npm run test:long` all of them. */
describe.each(BEFORE_CURIE)('%s', (version) => {
  const turn = BEFORE_CURIE.indexOf(version);

  test('answers without type and billing address', async () => {
    const made = await signUps.signUp(signUps.body(), version);
    expect(Object.keys(made).toSorted()).toEqual(SHOWN.toSorted());
    expect(await signUps.row('subscriptions', made.id)).toMatchObject({ type: 'consumption' });
  });

  test('takes household and lead as every version does', async () => {
    const known = await signUps.known();
    const meter = { number: known.number, type: 'analog', estimated_usage: 100 };
    const body = signUps.body({ customer: known.customer, household: known.household, meter });
    expect(await signUps.refused(body, version)).toEqual([
      409,
      'The household already has a consumption subscription',
    ]);
    await signUps.rows("UPDATE subscriptions SET status = 'ended', end_at = now() WHERE id = $1", [known.id]);
    expect((await signUps.signUp(body, version)).household).toBe(known.household);
  });

  const VAT_IDS = [
    ['a number', 5],
    ['an empty text', ''],
    ['a number of the tax office', '12/345'],
  ] as const;
  test.each(sampled(VAT_IDS, 3, turn))('ignores %s as vat_id', async (_title, vat_id) => {
    for (const customer of [signUps.person({ vat_id }), signUps.company({ vat_id })]) {
      const made = await signUps.signUp(signUps.body({ customer }), version);
      expect(await signUps.row('customers', made.customer)).toMatchObject({
        vat_id: null,
        email: customer.email,
        company_name: customer.company_name ?? null,
      });
    }
  });

  test('checks the lengths of an address and nothing else', async () => {
    const wide = { street: '1', house_number: '12 a # b (Hinterhaus)', zip: '37073', city: 'Halle 4' };
    const made = await signUps.signUp(signUps.body({ address: wide }), version);
    const { body } = await (await signUps.client()).get<Json>(`/subscriptions/${made.id}`);
    expect(body.address).toMatchObject(wide);
    expect(body.billing_address).toMatchObject(wide);
    const long = {
      street: 'Weg '.repeat(500),
      house_number: '1'.repeat(300),
      zip: '37073',
      city: 'O'.repeat(300),
    };
    const far = await signUps.signUp(signUps.body({ address: long }), version);
    const shown = await (await signUps.client()).get<Json>(`/subscriptions/${far.id}`);
    expect(shown.body.address).toMatchObject(long);
    for (const field of sampled(Object.keys(wide), 2, turn)) {
      const [status, message] = await signUps.refused(
        signUps.body({ address: { ...wide, [field]: '' } }),
        version,
      );
      expect([status, String(message).split(':')[0]]).toEqual([400, `too_small in 'address.${field}'`]);
    }
    for (const zip of sampled(['ABCDE', '370730', '37073 '], 3, turn)) {
      expect(await signUps.refused(signUps.body({ address: { ...wide, zip } }), version)).toEqual([
        400,
        'This ZIP code cannot be supplied',
      ]);
    }
    const [status, message] = await signUps.refused(
      signUps.body({ address: { ...wide, zip: '3707' } }),
      version,
    );
    expect([status, String(message).split(':')[0]]).toEqual([400, "too_small in 'address.zip'"]);
  });

  test('names the first problem in its message alone', async () => {
    const address = { street: 'Weg', house_number: '1', zip: '99999', city: 'Ort' };
    const body = signUps.body({ address, lead: newId('lead'), meter: { number: 'x', type: 'other' } });
    const { estimated_usage: _, ...missing } = body.meter as Json;
    const answer = await signUps.post({ ...body, meter: missing }, version);
    expect(answer.body.errors).toBeUndefined();
    expect(answer.body).toMatchObject({ message: "invalid_value in 'meter.type': Accepted: smart, analog" });
    expect(await signUps.refused({ ...body, meter: signUps.meter() }, version)).toEqual([
      400,
      'This ZIP code cannot be supplied',
    ]);
  });

  test('does not know feed-in, whatever else is wrong; what is unknown is not found first', async () => {
    const told = [400, 'Feed-in needs API version 2026-05-27.curie or later'];
    const { id: archived } = await signUps.contracts.plan({ type: 'feed_in', status: 'archived' });
    const address = { street: 'Weg', house_number: '1', zip: '99999', city: 'Ort' };
    for (const plan of [signUps.feedInPlan, archived]) {
      expect(await signUps.refused(signUps.feedIn({ plan }), version)).toEqual(told);
      expect(await signUps.refused(signUps.feedIn({ plan, address, household: 'x' }), version)).toEqual(told);
    }
    expect(await signUps.refused(signUps.body({ plan: newId('pln') }), version)).toEqual([
      404,
      'Resource not found',
    ]);
  });
});

describe.each(FROM_CURIE)('%s', (version) => {
  test('answers with type and billing address', async () => {
    const made = await signUps.signUp(signUps.feedIn(), version);
    expect(Object.keys(made).toSorted()).toEqual([...SHOWN, 'type', 'billing_address'].toSorted());
    expect(made.type).toBe('feed_in');
  });

  test('keeps the tax number and checks the address', async () => {
    const customer = signUps.person({ vat_id: '12/345' });
    const made = await signUps.signUp(signUps.body({ customer }), version);
    expect(await signUps.row('customers', made.customer)).toMatchObject({ vat_id: '12/345' });
    const address = { street: '1', house_number: '#', zip: '3707a', city: 'Halle 4' };
    const fields = (await signUps.refused(signUps.body({ address }), version)).slice(1).map(String);
    expect(new Set(fields.map((text) => text.split(':')[0]?.split(' ')[1]))).toEqual(
      new Set(['address.street', 'address.house_number', 'address.zip', 'address.city']),
    );
  });
});
