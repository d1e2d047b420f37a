import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLead } from '../../setup/factories.ts';
import { entry, type Json, SIGNED_UP_AT, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start(SIGNED_UP_AT, { alone: true });
});
afterAll(() => signUps?.close());

/** All at the same moment; the statuses in ascending order, and the answers. */
async function together(bodies: readonly Json[], headers: Record<string, string> = {}) {
  const answers = await Promise.all(bodies.map((body) => signUps.post(body, undefined, { headers })));
  return { statuses: answers.map(({ status }) => status).toSorted((left, right) => left - right), answers };
}

const entriesOf = (answers: Awaited<ReturnType<typeof together>>['answers']) =>
  answers.flatMap(({ body }) =>
    (body.errors ?? []).map(({ code, field, message }) => `${code} ${field}: ${message}`),
  );

async function count(table: string, where: string, values: unknown[]): Promise<number> {
  const [row] = await signUps.rows<{ rows: number }>(
    `SELECT count(*)::int AS rows FROM ${table} WHERE ${where}`,
    values,
  );
  return row?.rows ?? 0;
}

const times = <Value>(number: number, make: (index: number) => Value) =>
  Array.from({ length: number }, (_, index) => make(index));

describe('at the same moment', () => {
  test('one e-mail address in many spellings becomes one customer', async () => {
    const email = 'race@example.org';
    const spellings = times(8, (index) => email.slice(0, index).toUpperCase() + email.slice(index));
    const bodies = spellings.map((spelt) => signUps.body({ customer: signUps.person({ email: spelt }) }));
    const { statuses, answers } = await together(bodies);
    expect(statuses).toEqual([200, ...times(7, () => 409)]);
    expect(entriesOf(answers)).toEqual(times(7, () => entry('duplicate_customer_email', 'customer.email')));
    expect(await count('customers', 'lower(email) = $1', [email])).toBe(1);
    const [winner] = answers.filter(({ status }) => status === 200);
    expect(await count('households', 'customer_id = $1', [winner?.body.customer])).toBe(1);
  });

  test('one household gets one supply, however it is named', async () => {
    const { customer, household, email, number, id } = await signUps.known();
    await signUps.rows("UPDATE subscriptions SET status = 'ended', end_at = now() WHERE id = $1", [id]);
    const meter = { number, type: 'analog', estimated_usage: 3000 };
    const bodies = [
      { customer, household, meter },
      { customer, meter },
      { customer: signUps.person({ email }), household, meter },
    ].map((fields) => signUps.body(fields));
    const { statuses, answers } = await together([...bodies, ...bodies]);
    expect(statuses).toEqual([200, ...times(5, () => 409)]);
    expect(new Set(entriesOf(answers))).toEqual(
      new Set([entry('duplicate_consumption_subscription', 'household')]),
    );
    expect(await count('subscriptions', 'household_id = $1', [household])).toBe(2);
  });

  test('one new meter of a customer becomes one household', async () => {
    const { customer } = await signUps.known();
    const meter = signUps.meter();
    const { statuses } = await together(times(5, () => signUps.body({ customer, meter })));
    expect(statuses).toEqual([200, 409, 409, 409, 409]);
    expect(await count('meters', 'number = $1', [meter.number])).toBe(1);
  });

  test('feed-in of one household joins it every time', async () => {
    const meter = signUps.meter({ type: 'smart' });
    const { customer, household } = await signUps.known({ meter });
    const bodies = times(6, (index) =>
      signUps.feedIn({ customer, meter, ...(index % 2 === 0 && { household }) }),
    );
    const { statuses, answers } = await together(bodies);
    expect(statuses).toEqual(times(6, () => 200));
    expect(new Set(answers.map(({ body }) => body.household))).toEqual(new Set([household]));
  });

  test('one lead becomes one contract', async () => {
    const { id: lead } = await createLead(signUps.api.deps, signUps.contracts.organization);
    const { statuses, answers } = await together(times(5, () => signUps.body({ lead })));
    expect(statuses).toEqual([200, 409, 409, 409, 409]);
    const [winner] = answers.filter(({ status }) => status === 200);
    expect(await signUps.row('leads', lead)).toMatchObject({ subscription_id: winner?.body.id });
  });

  test('customers, households and leads named across each other stop nobody for good', async () => {
    const [first, second] = [await signUps.known(), await signUps.known()];
    const { id: lead } = await createLead(signUps.api.deps, signUps.contracts.organization);
    const crossed = [
      { customer: first.customer, household: second.household, lead },
      { customer: second.customer, household: first.household, lead },
      { customer: signUps.person({ email: first.email }), household: second.household },
      { customer: signUps.person({ email: second.email }), household: first.household },
      { lead },
    ];
    const { statuses } = await together(times(20, (index) => signUps.body(crossed[index % 5])));
    expect(statuses).toEqual([200, ...times(16, () => 400), ...times(3, () => 409)]);
  });
});

describe('an idempotency key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  test('Y03 sent many times at once signs up once', async () => {
    const body = signUps.body();
    const { statuses, answers } = await together(
      times(8, () => body),
      { 'idempotency-key': 'at once' },
    );
    expect(statuses).toEqual(times(8, () => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(7);
    const [{ body: made }] = answers as [(typeof answers)[0]];
    expect(await count('subscriptions', 'customer_id = $1', [made.customer])).toBe(1);
    expect(await signUps.contracts.topics(made.id)).toEqual(['subscription.created']);
  });

  test('Y01 gets the first answer in the shape of the version that asks again', async () => {
    const body = signUps.body({ metadata: { crm: 1 } });
    const first = await signUps.post(body, '2026-05-27.curie', keyed('versions'));
    expect((await signUps.post(body, '2026-09-08.gauss', keyed('versions'))).text).toBe(first.text);
    const older = await signUps.post(body, '2025-12-01.chucky', keyed('versions'));
    const { type, billing_address, ...shown } = first.body;
    expect([older.status, older.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(older.body).toEqual(shown);
  });

  test('does not show feed-in to a version that does not know it', async () => {
    const body = signUps.feedIn();
    expect((await signUps.post(body, '2026-05-27.curie', keyed('feed-in'))).status).toBe(200);
    const older = await signUps.post(body, '2026-01-29.edison', keyed('feed-in'));
    expect([older.status, older.body.message]).toEqual([
      400,
      'Feed-in needs API version 2026-05-27.curie or later',
    ]);
  });

  test('Y02 with another body is a conflict; Y04 after a refusal it is free', async () => {
    const known = await signUps.known();
    const refused = signUps.body({ customer: signUps.person({ email: known.email }) });
    expect((await signUps.post(refused, undefined, keyed('again'))).status).toBe(409);
    const body = signUps.body();
    const made = await signUps.post(body, undefined, keyed('again'));
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([200, null]);
    const other = await signUps.post(signUps.body(), undefined, keyed('again'));
    expect([other.status, entriesOf([other])]).toEqual([
      409,
      ['custom Idempotency-Key: This key was used with another body within the last 24 hours'],
    ]);
  });
});
