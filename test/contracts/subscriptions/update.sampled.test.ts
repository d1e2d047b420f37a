import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

interface Body {
  id: string;
  address: { id: string; street: string };
  billing_address: { id: string; street: string; created_at: string };
  payment_method: { id: string; sepa_debit: { iban: string; account_holder: string }; created_at: string };
  metadata: Record<string, unknown> | null;
  updated_at: string;
}

const ADDRESS = { street: 'Am Mühlgraben', house_number: '7a', zip: '37073', city: 'Göttingen' };
const account = (iban: string, account_holder = 'Jule Brandt') => ({
  type: 'sepa_debit',
  sepa_debit: { iban, account_holder },
});
const OTHER_IBAN = 'GB82WEST12345698765432';

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-10-05T08:30:00.000Z');
});
afterAll(() => contracts.close());

async function patch(id: string, body: unknown) {
  return await (await contracts.client()).patch<ErrorBody>(`/subscriptions/${id}`, body);
}

async function changed(id: string, body: unknown): Promise<Body> {
  const answer = await patch(id, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as unknown as Body;
}

async function read(id: string): Promise<Body> {
  return (await (await contracts.client()).get<Body>(`/subscriptions/${id}`)).body;
}

describe('the billing address', () => {
  test('changes in place and keeps its id; the delivery address stays', async () => {
    const { id, billing_address } = await contracts.active();
    const before = await read(id);
    contracts.clock.advance(1_000);
    const after = await changed(id, { billing_address: ADDRESS });
    expect(after).toEqual({
      ...before,
      billing_address: { ...before.billing_address, ...ADDRESS },
      updated_at: contracts.clock.now().toISOString(),
    });
    expect(after.billing_address.id).toBe(billing_address);
    expect(after.address).toEqual(before.address);
    expect(await read(id)).toEqual(after);
  });

  test('that is the same already changes nothing', async () => {
    const { id } = await contracts.active();
    const before = await changed(id, { billing_address: ADDRESS });
    contracts.clock.advance(1_000);
    expect(await changed(id, { billing_address: ADDRESS })).toEqual(before);
  });
});

describe('the payment method', () => {
  test('is replaced by a new one; the old one stays stored', async () => {
    const { id, payment_method } = await contracts.active();
    contracts.clock.advance(1_000);
    const after = await changed(id, { payment_method: account(OTHER_IBAN) });
    const now = contracts.clock.now().toISOString();
    expect(after.payment_method).toEqual({
      object: 'payment_method',
      id: expect.stringMatching(/^pm_[0-9a-z]{24}$/),
      type: 'sepa_debit',
      sepa_debit: { iban: 'GB****************5432', account_holder: 'Jule Brandt' },
      created_at: now,
    });
    expect(after.payment_method.id).not.toBe(payment_method);
    expect(after.updated_at).toBe(now);
    const rows = await storedRows(contracts.api, 'SELECT iban FROM payment_methods WHERE id = ANY ($1)', [
      [payment_method, after.payment_method.id],
    ]);
    expect(rows).toHaveLength(2);
  });

  test('of another holder is another one; the same once more is not', async () => {
    const { id } = await contracts.active();
    const first = await changed(id, { payment_method: account(OTHER_IBAN) });
    contracts.clock.advance(1_000);
    expect(await changed(id, { payment_method: account(OTHER_IBAN) })).toEqual(first);
    const second = await changed(id, { payment_method: account(OTHER_IBAN, 'Max Brandt') });
    expect(second.payment_method.id).not.toBe(first.payment_method.id);
  });

  test('of the account as it is shown, masked, keeps the account; that of another one is refused', async () => {
    const { id } = await contracts.active();
    const { payment_method } = await changed(id, { payment_method: account(OTHER_IBAN) });
    const masked = payment_method.sepa_debit.iban;
    const after = await changed(id, { payment_method: account(masked, 'Max Brandt') });
    expect(after.payment_method.sepa_debit).toEqual({ iban: masked, account_holder: 'Max Brandt' });
    const rows = await storedRows(contracts.api, 'SELECT iban FROM payment_methods WHERE id = $1', [
      after.payment_method.id,
    ]);
    expect(rows).toEqual([{ iban: OTHER_IBAN }]);
    const foreign = await patch(id, { payment_method: account(masked.replace('5432', '5433')) });
    expect(refusal(foreign)).toEqual([400, 'invalid_iban payment_method.sepa_debit.iban']);
  });

  test.each(['DE89370400440532013001', 'DE8937040044053201300', 'XX89370400440532013000', 'DE00AB'])(
    'with the account %s is refused',
    async (iban) => {
      const { id } = await contracts.active();
      const answer = await patch(id, { payment_method: account(iban), metadata: { a: 1 } });
      expect(refusal(answer)).toEqual([400, 'invalid_iban payment_method.sepa_debit.iban']);
      expect(answer.body.message).toBe('The IBAN is not valid');
      expect(await read(id)).toMatchObject({ metadata: null });
    },
  );
});

describe('validation', () => {
  const WRONG: [unknown, [number, ...string[]]][] = [
    [{ billing_address: null }, [400, 'invalid_type billing_address']],
    [{ payment_method: null }, [400, 'invalid_type payment_method']],
    [
      { billing_address: { street: 'Weg' } },
      [
        400,
        'invalid_type billing_address.house_number',
        'invalid_type billing_address.zip',
        'invalid_type billing_address.city',
      ],
    ],
    [{ billing_address: { ...ADDRESS, zip: '3707' } }, [400, 'invalid_format billing_address.zip']],
    [
      { billing_address: { ...ADDRESS, street: '1' } },
      [400, 'too_small billing_address.street', 'invalid_format billing_address.street'],
    ],
    [{ billing_address: { ...ADDRESS, city: 'Hamburg 1' } }, [400, 'invalid_format billing_address.city']],
    [
      { billing_address: { ...ADDRESS, house_number: '7 #' } },
      [400, 'invalid_format billing_address.house_number'],
    ],
    [
      { payment_method: { type: 'card', sepa_debit: account(OTHER_IBAN).sepa_debit } },
      [422, 'invalid_value payment_method.type'],
    ],
    [{ payment_method: { type: 'sepa_debit' } }, [400, 'invalid_type payment_method.sepa_debit']],
    [
      { payment_method: account('de89370400440532013000') },
      [400, 'invalid_format payment_method.sepa_debit.iban'],
    ],
    [
      { payment_method: account('DE89 3704 0044 0532 0130 00') },
      [400, 'invalid_format payment_method.sepa_debit.iban'],
    ],
    [
      { payment_method: account(OTHER_IBAN, '') },
      [400, 'too_small payment_method.sepa_debit.account_holder'],
    ],
    [[], [400, 'invalid_type ']],
  ];
  test.each(sampled(WRONG, 2))('%j is refused', async (body, expected) => {
    const { id } = await contracts.active();
    const before = await read(id);
    expect(refusal(await patch(id, body))).toEqual(expected);
    expect(await read(id)).toEqual(before);
  });
});

test('an empty body, unknown fields and all that was read change nothing', async () => {
  const { id } = await contracts.active();
  const before = await read(id);
  contracts.clock.advance(1_000);
  const ids = { customer: (before as unknown as { customer: { id: string } }).customer.id };
  for (const body of [undefined, {}, { unknown: 1 }, before, ids]) {
    expect(await changed(id, body)).toEqual(before);
  }
});

test('a field that cannot change is refused when it is sent with another value, and nothing changes', async () => {
  const { id } = await contracts.active();
  const before = await read(id);
  const fixed = { id: 'x', number: 'X', status: 'ended', estimated_usage: 9_999, customer: 'y' };
  const answer = await patch(id, { ...fixed, metadata: { a: 1 } });
  expect(answer.status).toBe(400);
  expect(answer.body.errors?.map(({ code, field }) => `${code} ${field}`).sort()).toEqual(
    Object.keys(fixed)
      .map((field) => `custom ${field}`)
      .sort(),
  );
  expect(await read(id)).toEqual(before);
});

test('a pending one can be changed; an ended one cannot, whatever of the three is sent', async () => {
  const pending = await contracts.contract();
  expect((await changed(pending.id, { metadata: { a: 1 } })).metadata).toEqual({ a: 1 });
  const ended = await contracts.contract({ status: 'ended' });
  const before = await read(ended.id);
  for (const body of [
    { billing_address: ADDRESS },
    { payment_method: account(OTHER_IBAN) },
    { metadata: {} },
    { metadata: null },
  ]) {
    const answer = await patch(ended.id, body);
    expect(refusal(answer)).toEqual([400, 'ended_subscription subscription']);
    expect(answer.body.message).toBe('The subscription has ended');
  }
  expect(refusal(await patch(ended.id, { payment_method: account('DE00AB') }))).toEqual([
    400,
    'ended_subscription subscription',
    'invalid_iban payment_method.sepa_debit.iban',
  ]);
  expect(await changed(ended.id, {})).toEqual(before);
});

test('each change leaves one audit line without a value of it, a refusal none', async () => {
  const { id } = await contracts.active();
  await patch(id, {
    billing_address: { ...ADDRESS, street: 'Canaryweg' },
    payment_method: account(OTHER_IBAN, 'Canary'),
  });
  await patch(id, {});
  await patch(id, { payment_method: account('DE00AB') });
  const lines = (await auditRows(contracts.api, contracts.organization, 'subscription.')).filter(
    ({ object_id }) => object_id === id,
  );
  expect(lines.map(({ act, result, route }) => [act, result, route])).toEqual([
    ['subscription.update', 'done', 'PATCH /subscriptions/{id}'],
    ['subscription.update', 'unchanged', 'PATCH /subscriptions/{id}'],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/canary|GB82/i);
  expect(await contracts.events(id)).toEqual([]);
});

test('four changes at once all happen', async () => {
  const { id } = await contracts.active();
  const bodies = [
    { metadata: { a: 1 } },
    { metadata: { b: 2 } },
    { billing_address: ADDRESS },
    { payment_method: account(OTHER_IBAN) },
  ];
  const answers = await Promise.all(bodies.map((body) => patch(id, body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await read(id)).toMatchObject({
    metadata: { a: 1, b: 2 },
    billing_address: ADDRESS,
    payment_method: { sepa_debit: { iban: 'GB****************5432' } },
  });
});

describe('who', () => {
  test('401 without a token, 403 for a read-only key and a token of a customer, 404 for strangers', async () => {
    const { id, place } = await contracts.active();
    const { api, organization } = contracts;
    const status = async (token: string | null, path = id) =>
      (await api.client(token).patch(`/subscriptions/${path}`, { metadata: { a: 1 } })).status;
    expect(await status(null)).toBe(401);
    const reader = await createClient(api.deps, organization, { read_only: true });
    expect(await status(await tokenFor(api, reader))).toBe(403);
    const own = await createClient(api.deps, organization, { customer_id: place.customer });
    expect(await status(await tokenFor(api, own))).toBe(403);
    const other = await createTenant(api);
    for (const path of [id, 'sub_000000000000000000000000', 'x', 'a%00b']) {
      expect(await status(other.token, path)).toBe(404);
    }
    expect(await read(id)).toMatchObject({ metadata: null });
  });

  test.each(['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'])(
    '%s can only read',
    async (version) => {
      const { id } = await contracts.active();
      const answer = await (await contracts.client(version)).patch<ErrorBody>(`/subscriptions/${id}`, {});
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
      expect(answer.body.message).toBe(
        `PATCH /subscriptions/{id} is available from API version 2026-05-27.curie. This request used ${version}.`,
      );
    },
  );

  test('curie can change', async () => {
    const { id } = await contracts.active();
    const client = await contracts.client('2026-05-27.curie');
    expect((await client.patch(`/subscriptions/${id}`, { metadata: { a: 1 } })).status).toBe(200);
  });
});
