import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EARLIEST, entry, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

describe('the household that is joined', () => {
  test('must have the meter', async () => {
    const known = await signUps.endingSoon();
    for (const customer of [known.customer, signUps.personOf(known)]) {
      expect(await signUps.refused(signUps.body({ customer, household: known.household }))).toEqual([
        400,
        entry('invalid_household_meter', 'meter.number'),
      ]);
    }
  });

  test('gets the meter where it has none', async () => {
    const place = await signUps.contracts.household();
    const { customer, household } = place;
    const body = signUps.feedIn({ customer, household });
    const joined = await signUps.signUp(body);
    expect(joined).toMatchObject({ customer, household });
    expect(await signUps.row('meters', joined.meter)).toMatchObject({
      household_id: household,
      type: 'smart',
    });
  });

  test('moves to the delivery address of the newest contract and says when', async () => {
    const known = await signUps.endingSoon();
    const { customer, household } = known;
    const before = await signUps.row('households', household);
    signUps.contracts.clock.advance(60_000);
    const address = { street: 'Gänsemarkt', house_number: '1', zip: '20354', city: 'Hamburg' };
    const joined = await signUps.signUp(
      signUps.body({ customer, household, meter: signUps.meterOf(known), address }),
    );
    const shown = await (await signUps.client()).get(`/households/${household}`);
    expect(shown.body).toMatchObject({
      address: { id: joined.address, ...address },
      updated_at: joined.created_at,
      created_at: (before.created_at as string).replace('+00:00', 'Z'),
    });
    expect(before.address_id).not.toBe(joined.address);
  });

  test('takes feed-in beside its supply, more than once, behind the one meter', async () => {
    const known = await signUps.known();
    const { customer, household } = known;
    const meter = signUps.meterOf(known, { type: 'smart' });
    const signUp = await signUps.signUp(signUps.feedIn({ customer, meter }));
    const two = await signUps.signUp(signUps.feedIn({ customer, household, meter }));
    expect([signUp.household, two.household]).toEqual([household, household]);
    expect(two.meter).toBe(signUp.meter);
    expect([signUp.type, two.type]).toEqual(['feed_in', 'feed_in']);
  });

  test.each([
    ['is refused while supply has no end', null, {}, false],
    [
      'is refused while supply ends later',
      '2026-12-31T23:00:00Z',
      { intended_start_date: '2026-12-31' },
      false,
    ],
    [
      'begins with the end of the one before',
      '2026-12-31T23:00:00Z',
      { intended_start_date: '2027-01-01' },
      '2027-01-01',
    ],
    [
      'waits for the end of the one before',
      '2026-12-31T23:00:00Z',
      { next_possible_start: true },
      '2027-01-01',
    ],
    ['waits for it without a date, too', '2026-12-31T23:00:00Z', {}, '2027-01-01'],
    ['does not wait for an end before its earliest day', '2026-10-17T22:00:00Z', {}, EARLIEST],
  ])('a second supply %s', async (_title, end, dates, startOn) => {
    const known = await signUps.known();
    if (end !== null) await signUps.endAt(known.id, end);
    const { customer, household } = known;
    const start = { next_possible_start: false, ...dates };
    const body = signUps.body({ customer, household, meter: signUps.meterOf(known), ...start });
    if (typeof startOn !== 'string') {
      const refused = [409, entry('duplicate_consumption_subscription', 'household')];
      expect(await signUps.refused(body)).toEqual(refused);
      const { household: _, ...byMeter } = body;
      expect(await signUps.refused(byMeter)).toEqual(refused);
      return;
    }
    const { id } = await signUps.signUp(body);
    expect(await signUps.row('subscriptions', id)).toMatchObject({ intended_start_on: startOn });
    expect(await signUps.refused(body)).toEqual([
      409,
      entry('duplicate_consumption_subscription', 'household'),
    ]);
  });

  test('is free again when its supply has ended', async () => {
    const known = await signUps.known();
    await signUps.endAt(known.id, '2026-12-31T23:00:00Z');
    await signUps.rows("UPDATE subscriptions SET status = 'ended' WHERE id = $1", [known.id]);
    const { customer } = known;
    const { id } = await signUps.signUp(signUps.body({ customer, meter: signUps.meterOf(known) }));
    expect(await signUps.row('subscriptions', id)).toMatchObject({ intended_start_on: EARLIEST });
  });
});
