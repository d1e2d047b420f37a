import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { createHousehold, createOrganization } from '../../setup/factories.ts';
import { entry, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

async function counts() {
  const [row] = await signUps.rows(
    `SELECT (SELECT count(*)::int FROM customers) AS customers, (SELECT count(*)::int FROM households) AS households,
       (SELECT count(*)::int FROM meters) AS meters`,
  );
  return row;
}

describe('a new e-mail address', () => {
  test('without a household makes a new customer with a new household', async () => {
    const body = signUps.body();
    const first = await signUps.signUp(body);
    const second = await signUps.signUp({ ...body, customer: signUps.person() });
    expect(second.customer).not.toBe(first.customer);
    expect(second.household).not.toBe(first.household);
    expect(second.meter).not.toBe(first.meter);
  });

  test("with somebody's household is refused", async () => {
    const { household, ...known } = await signUps.known();
    expect(
      await signUps.refused(signUps.body({ household, meter: signUps.meterOf({ household, ...known }) })),
    ).toEqual([400, entry('invalid_household_customer', 'household')]);
  });
});

describe('a known e-mail address', () => {
  test.each([
    ['as it is stored', (email: string) => email],
    ['in capitals', (email: string) => email.toUpperCase()],
  ])('%s without a household is refused', async (_title, spelt) => {
    const known = await signUps.known();
    expect(
      await signUps.refused(
        signUps.body({ customer: signUps.personOf(known, { email: spelt(known.email) }) }),
      ),
    ).toEqual([409, entry('duplicate_customer_email', 'customer.email')]);
  });

  test('with the household of another customer is refused', async () => {
    const [known, other] = [await signUps.known(), await signUps.known()];
    const body = signUps.body({
      customer: signUps.personOf(known),
      household: other.household,
      meter: signUps.meterOf(other),
    });
    expect(await signUps.refused(body)).toEqual([400, entry('invalid_household_customer', 'household')]);
  });

  test('with the household of that customer joins it; the stored customer stays as it is', async () => {
    const known = await signUps.endingSoon();
    const before = [await signUps.row('customers', known.customer), await counts()];
    const joined = await signUps.signUp(
      signUps.body({
        customer: signUps.company({ email: known.email.toUpperCase(), vat_id: 'DE1', first_name: 'Other' }),
        household: known.household,
        meter: signUps.meterOf(known),
      }),
    );
    expect(joined).toMatchObject({ customer: known.customer, household: known.household });
    expect([await signUps.row('customers', known.customer), await counts()]).toEqual(before);
  });
});

describe('the id of a customer', () => {
  test('with a household of that customer joins it', async () => {
    const known = await signUps.endingSoon();
    const { customer, household } = known;
    const joined = await signUps.signUp(signUps.body({ customer, household, meter: signUps.meterOf(known) }));
    expect(joined).toMatchObject({ customer, household });
  });

  test("with another customer's household is refused", async () => {
    const [known, other] = [await signUps.known(), await signUps.known()];
    const body = signUps.body({
      customer: known.customer,
      household: other.household,
      meter: signUps.meterOf(other),
    });
    expect(await signUps.refused(body)).toEqual([400, entry('invalid_household_customer', 'household')]);
  });

  test.each([
    ['as it was sent', (number: string) => number],
    [
      'in lower case and with blanks',
      (number: string) => ` ${number.slice(0, 4).toLowerCase()}\u00a0${number.slice(4)} `,
    ],
  ])('without a household joins the one with the meter number, %s', async (_title, spelt) => {
    const known = await signUps.endingSoon();
    const { customer } = known;
    const meter = signUps.meterOf(known, { number: spelt(known.number) });
    const joined = await signUps.signUp(signUps.body({ customer, meter }));
    expect(joined).toMatchObject({ customer, household: known.household });
    expect(await signUps.row('meters', joined.meter)).toMatchObject({ number: known.number });
  });

  test('with a meter that the customer does not have makes a new household of supply, with a meter of its own', async () => {
    const known = await signUps.known();
    const made = await signUps.signUp(signUps.body({ customer: known.customer }));
    expect(made.customer).toBe(known.customer);
    expect(made.household).not.toBe(known.household);
    expect(await signUps.row('meters', made.meter)).toMatchObject({ household_id: made.household });
  });

  test("with a meter that is somebody else's makes a new household", async () => {
    const [known, other] = [await signUps.known(), await signUps.known()];
    const made = await signUps.signUp(
      signUps.body({ customer: known.customer, meter: signUps.meterOf(other) }),
    );
    expect([known.household, other.household]).not.toContain(made.household);
  });

  test('has no place for feed-in behind a meter that the customer does not have', async () => {
    const { customer } = await signUps.known();
    expect(await signUps.refused(signUps.feedIn({ customer }))).toEqual([
      400,
      entry('missing_household', 'household'),
    ]);
  });

  test('that nobody has is refused, whatever the household', async () => {
    const { household } = await signUps.known();
    for (const customer of [newId('cus'), 'cus_x', 'x', household]) {
      for (const place of [{}, { household }]) {
        expect(await signUps.refused(signUps.body({ customer, ...place }))).toEqual([
          400,
          'custom customer: The customer is unknown',
        ]);
      }
    }
  });
});

test('a household that nobody has is refused for every customer', async () => {
  const known = await signUps.known();
  for (const customer of [known.customer, signUps.personOf(known), signUps.person()]) {
    for (const household of [newId('dom'), 'dom_x', known.customer]) {
      expect(await signUps.refused(signUps.body({ customer, household }))).toEqual([
        400,
        entry('missing_household', 'household'),
      ]);
    }
  }
  const body = signUps.body({ customer: newId('cus'), household: newId('dom') });
  expect(await signUps.refused(body)).toEqual([
    400,
    'custom customer: The customer is unknown',
    entry('missing_household', 'household'),
  ]);
});

test('what belongs to another organization is as unknown as nothing', async () => {
  const other = await createOrganization(signUps.api.deps);
  const email = 'same@example.org';
  const person = { type: 'person', first_name: 'A', last_name: 'B', email } as const;
  const stranger = await createHousehold(signUps.api.deps, other, { customer: person });
  expect(await signUps.refused(signUps.body({ customer: stranger.customer }))).toEqual([
    400,
    'custom customer: The customer is unknown',
  ]);
  expect(await signUps.refused(signUps.body({ household: stranger.household }))).toEqual([
    400,
    entry('missing_household', 'household'),
  ]);
  const own = await signUps.signUp(signUps.body({ customer: person }));
  expect(own.customer).not.toBe(stranger.customer);
});
